package authserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Options say what the servers are. They stay as they are while the servers run; what
// changes is in [Knobs].
type Options struct {
	// Canary begins every access token, refresh token, code and client secret that the
	// servers make up, so that a test can search logs and files for it. It defaults to
	// "canary". A JWT begins as JWTs do; [Server.Secrets] lists those too.
	Canary string `json:"canary,omitempty"`

	// OneOrigin puts the authorization server and the MCP server on one origin.
	OneOrigin bool `json:"oneOrigin,omitempty"`

	// IssuerPath is what follows the origin in the issuer: "", "/", "/tenant1" or "/tenant1/".
	IssuerPath string `json:"issuerPath,omitempty"`

	// ResourcePath is the path of the MCP server, "/mcp" by default.
	ResourcePath string `json:"resourcePath,omitempty"`

	// OriginResource makes the origin of the MCP server its identifier as a resource, rather
	// than its URL. Servers do so whose metadata is at the root.
	OriginResource bool `json:"originResource,omitempty"`

	// MetadataAt lists the layouts at which the authorization server has its metadata.
	// Empty, it has it at every layout that MCP knows. See [MetadataLayout].
	MetadataAt []MetadataLayout `json:"metadataAt,omitempty"`

	// ResourceMetadataAt lists where the MCP server has its metadata: "path" is after the
	// well-known prefix and with the path of the server, "root" is without it, "other" is
	// at /elsewhere, which only the header names. Empty, it is "path".
	ResourceMetadataAt []string `json:"resourceMetadataAt,omitempty"`

	// AnyLoopbackPort ignores the port of a redirect URI that is an address of the loopback
	// interface (RFC 8252, section 7.3). Without it the whole URI must match.
	AnyLoopbackPort bool `json:"anyLoopbackPort,omitempty"`

	// NoRegistration leaves out dynamic registration.
	NoRegistration bool `json:"noRegistration,omitempty"`

	// Clients are registered from the start, with the first authorization server.
	Clients []Client `json:"clients,omitempty"`

	// ClientDocuments has the client id metadata documents by their URL, instead of the web.
	// With one at least, the authorization server says that it supports such documents.
	ClientDocuments map[string]json.RawMessage `json:"clientDocuments,omitempty"`

	// OfflineAccess gives refresh tokens only to who asks for the scope offline_access.
	// Without it every client of the grant type refresh_token gets them.
	OfflineAccess bool `json:"offlineAccess,omitempty"`

	// IDPClients are registered with the identity provider. With one at least there is an
	// identity provider, and the authorization server takes its ID-JAGs.
	IDPClients []Client `json:"idpClients,omitempty"`

	// Versions are the versions of MCP that the MCP server speaks; empty, it is those of the SDK.
	Versions []string `json:"versions,omitempty"`

	// PlainAnswers makes the MCP server answer with JSON rather than with a stream of events.
	PlainAnswers bool `json:"plainAnswers,omitempty"`

	// Knobs are set from the start.
	Knobs Knobs `json:"knobs,omitzero"`
}

// MetadataLayout is a place of an authorization server's metadata.
type MetadataLayout string

// The layouts. With an issuer without a path, the two of OpenID Connect are the same.
const (
	OAuthInsert MetadataLayout = "oauthInsert" // /.well-known/oauth-authorization-server/tenant1 (RFC 8414)
	OIDCInsert  MetadataLayout = "oidcInsert"  // /.well-known/openid-configuration/tenant1
	OIDCAppend  MetadataLayout = "oidcAppend"  // /tenant1/.well-known/openid-configuration
	OAuthAppend MetadataLayout = "oauthAppend" // /tenant1/.well-known/oauth-authorization-server, which no specification has
)

// A Client is registered with an authorization server.
type Client struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret,omitempty"` // made up when the method needs one
	// Method is how the client authenticates: "none", "client_secret_basic",
	// "client_secret_post" or "private_key_jwt". It defaults to client_secret_basic, as in RFC 7591.
	Method          string          `json:"token_endpoint_auth_method,omitempty"`
	RedirectURIs    []string        `json:"redirect_uris,omitempty"`
	GrantTypes      []string        `json:"grant_types,omitempty"` // authorization_code by default
	ResponseTypes   []string        `json:"response_types,omitempty"`
	Name            string          `json:"client_name,omitempty"`
	ApplicationType string          `json:"application_type,omitempty"`
	Scope           string          `json:"scope,omitempty"` // what it may ask for; empty: everything
	JWKS            json.RawMessage `json:"jwks,omitempty"`  // the keys of private_key_jwt
	// ResourceClientID is, for a client of the identity provider, its client id at the
	// authorization server; it defaults to ID.
	ResourceClientID string `json:"resourceClientID,omitempty"`

	registered bool // by itself
}

// allows tells whether the client may use a grant type.
func (c *Client) allows(grantType string) bool { return slices.Contains(c.GrantTypes, grantType) }

// complete fills in what a client leaves out, and refuses what cannot be.
func (c *Client) complete(canary string) error {
	if c.Method == "" {
		c.Method = methodBasic
	}
	if len(c.GrantTypes) == 0 {
		c.GrantTypes = []string{grantCode}
	}
	if c.ResourceClientID == "" {
		c.ResourceClientID = c.ID
	}
	switch c.Method {
	case methodNone:
	case methodBasic, methodPost:
		if c.Secret == "" {
			c.Secret = canary + "-secret-" + random()
		}
	case methodKey:
		if _, err := parseKeys(c.JWKS); err != nil {
			return fmt.Errorf("client %q: %w", c.ID, err)
		}
	default:
		return fmt.Errorf("client %q: token_endpoint_auth_method %q is not known", c.ID, c.Method)
	}
	return nil
}

// complete fills in defaults.
func (o *Options) complete() error {
	if o.Canary == "" {
		o.Canary = "canary"
	}
	if o.ResourcePath == "" {
		o.ResourcePath = "/mcp"
	}
	if len(o.MetadataAt) == 0 {
		o.MetadataAt = []MetadataLayout{OAuthInsert, OIDCInsert, OIDCAppend}
	}
	if len(o.ResourceMetadataAt) == 0 {
		o.ResourceMetadataAt = []string{"path"}
	}
	for _, at := range o.MetadataAt {
		if !slices.Contains([]MetadataLayout{OAuthInsert, OIDCInsert, OIDCAppend, OAuthAppend}, at) {
			return fmt.Errorf("metadataAt: %q is not known", at)
		}
	}
	for _, at := range o.ResourceMetadataAt {
		if !slices.Contains([]string{"path", "root", "other"}, at) {
			return fmt.Errorf("resourceMetadataAt: %q is not known", at)
		}
	}
	if !strings.HasPrefix(o.ResourcePath, "/") || o.IssuerPath != "" && !strings.HasPrefix(o.IssuerPath, "/") {
		return fmt.Errorf("resourcePath %q and issuerPath %q must begin with a slash", o.ResourcePath, o.IssuerPath)
	}
	return o.Knobs.check()
}
