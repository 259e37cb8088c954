package authserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Options say what the servers are. They stay as they are while the servers run; what
// changes is in [Knobs].
type Options struct {
	// Canary begins every access token, refresh token, code and client secret that the
	// servers make up, so that a test can search logs and files for it. It defaults to
	// "canary". A JWT begins as JWTs do; [Server.Secrets] lists those too.
	Canary string

	// MetadataElsewhere has the MCP server's metadata at a URL that only its refusals name,
	// instead of the well-known one.
	MetadataElsewhere bool

	// AnyLoopbackPort ignores the port of a redirect URI that is an address of the loopback
	// interface (RFC 8252, section 7.3). Without it the whole URI must match.
	AnyLoopbackPort bool

	// NoRegistration leaves out dynamic registration.
	NoRegistration bool

	// Clients are registered from the start, with the first authorization server.
	Clients []Client

	// ClientDocuments has the client id metadata documents by their URL, instead of the web.
	// With one at least, the authorization server says that it supports such documents.
	ClientDocuments map[string]json.RawMessage

	// IDPClients are registered with the identity provider. With one at least there is an
	// identity provider, and the authorization server takes its ID-JAGs.
	IDPClients []Client

	// Versions are the versions of MCP that the MCP server speaks; empty, it is those of the SDK.
	Versions []string

	// Knobs are set from the start.
	Knobs Knobs
}

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
	JWKS            json.RawMessage `json:"jwks,omitempty"`  // the keys of private_key_jwt, for ES256
	// ResourceClientID is, for a client of the identity provider, its client id at the
	// authorization server; it defaults to ID.
	ResourceClientID string `json:"-"`

	registered bool // by itself
}

// allows tells whether the client may use a grant type.
func (c *Client) allows(grantType string) bool { return slices.Contains(c.GrantTypes, grantType) }

// complete fills in what a client leaves out, and refuses what cannot be.
func (c *Client) complete(canary string) error {
	c.Method = cmp.Or(c.Method, methodBasic)
	c.ResourceClientID = cmp.Or(c.ResourceClientID, c.ID)
	if len(c.GrantTypes) == 0 {
		c.GrantTypes = []string{grantCode}
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
