package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// The ways in which a client says who it is at the token endpoint (RFC 7591, section 2; OpenID Connect
// Core, section 9).
const (
	authNone          = "none"
	authPost          = "client_secret_post"
	authBasic         = "client_secret_basic"
	authPrivateKeyJWT = "private_key_jwt" // only of clients that are configured
)

// authMethods are those of clients that are registered, the one that needs no secret first.
var authMethods = []string{authNone, authPost, authBasic}

// adviceToRegister is what a person can do whom a server does not let register by program.
const adviceToRegister = "register a client there and give the server its client id"

// register registers this program at the registration endpoint of an authorization server (RFC 7591). An
// error is a [wire.Error]: of [wire.KindUnauthorized] when the server does not register this one, of
// [wire.KindUnreachable] when it cannot be asked, of [wire.KindProtocol] when its answer cannot be used.
func (n *network) register(ctx context.Context, server *oauthex.AuthServerMeta, redirectURI string) (client, error) {
	host := hostIn(server.RegistrationEndpoint)
	// "If omitted, the default is client_secret_basic" (RFC 8414, section 2), but a server that says nothing
	// may well take public clients, and answers with what it has made of it (RFC 7591, section 3.2.1).
	method := authNone
	if supported := server.TokenEndpointAuthMethodsSupported; len(supported) > 0 {
		i := slices.IndexFunc(authMethods, func(m string) bool { return slices.Contains(supported, m) })
		if i < 0 {
			return client{}, wire.Errorf(wire.KindUnauthorized, "", "%s wants programs to say who they are in a way that this one cannot; %s",
				hostIn(server.Issuer), adviceToRegister)
		}
		method = authMethods[i]
	}
	encoded, err := json.Marshal(oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirectURI},
		ClientName:   "mcp-editord",
		// "MCP clients MUST specify an appropriate application_type during Dynamic Client Registration.
		// [...] Native applications (desktop applications, mobile apps, CLI tools [...]) SHOULD use
		// application_type: "native"" (MCP 2026-07-28, Application Type and Redirect URI Constraints).
		ApplicationType: "native",
		// MCP clients that desire refresh tokens "SHOULD include refresh_token in their grant_types
		// client metadata" (MCP 2026-07-28, Refresh Tokens).
		GrantTypes:              []string{"authorization_code", "refresh_token"},
		ResponseTypes:           []string{"code"},
		TokenEndpointAuthMethod: method,
	})
	if err != nil {
		return client{}, err
	}
	req, err := n.request(ctx, http.MethodPost, server.RegistrationEndpoint, bytes.NewReader(encoded))
	if err != nil {
		return client{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	status, body, err := n.send(req)
	if err != nil {
		return client{}, err
	}
	if status != http.StatusCreated && status != http.StatusOK {
		return client{}, refusedRegistration(host, status, body)
	}
	var resp oauthex.ClientRegistrationResponse
	if json.Unmarshal(body, &resp) != nil || resp.ClientID == "" {
		return client{}, wire.Errorf(wire.KindProtocol, "", "%s has answered the registration with what cannot be used; %s", host, adviceToRegister)
	}
	c := client{ID: resp.ClientID, Secret: resp.ClientSecret, AuthMethod: resp.TokenEndpointAuthMethod, RedirectURI: redirectURI,
		Registered: true, Expires: resp.ClientSecretExpiresAt}
	if c.AuthMethod == "" {
		// "If unspecified or omitted, the default is "client_secret_basic"" (RFC 7591, section 2).
		if c.AuthMethod = method; method == authNone {
			c.AuthMethod = authBasic
		}
	}
	if !slices.Contains(authMethods, c.AuthMethod) {
		return client{}, wire.Errorf(wire.KindProtocol, "", "%s wants this program to say who it is by %s, which it cannot; %s",
			host, quoted(c.AuthMethod), adviceToRegister)
	}
	if c.Secret == "" || c.AuthMethod == authNone {
		c.Secret, c.AuthMethod, c.Expires = "", authNone, time.Time{}
	}
	return c, nil
}

// refusedRegistration returns the error of a registration. "When a registration request is rejected,
// clients SHOULD surface a meaningful error to the user or developer" (MCP 2026-07-28, Application
// Type and Redirect URI Constraints). The body may hold a secret, so only the error and its description
// are used (RFC 7591, section 3.2.2).
func refusedRegistration(host string, status int, body []byte) error {
	why := statusText(status)
	if mayPass(status) {
		return wire.Errorf(wire.KindUnreachable, "", "%s answers %s; try again later", host, why)
	}
	var said oauthex.ClientRegistrationError
	if json.Unmarshal(body, &said) == nil && said.ErrorCode != "" {
		if why = clip(said.ErrorCode); said.ErrorDescription != "" {
			why += ": " + clip(said.ErrorDescription)
		}
	}
	return wire.Errorf(wire.KindUnauthorized, "", "%s does not register this program (%s); %s", host, why, adviceToRegister)
}
