package oauth

import (
	"context"
	"errors"
	"fmt"
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
// [wire.KindUnreachable] when it cannot be asked, of [wire.KindProtocol] when its answer cannot be used,
// of [wire.KindCancelled] when ctx was cancelled.
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
	asking := n.client()
	status := &statusTransport{next: asking.Transport}
	asking.Transport = status
	resp, err := oauthex.RegisterClient(ctx, server.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
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
	}, asking)
	if err != nil {
		return client{}, refusedRegistration(ctx, host, status.code, err)
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
// Type and Redirect URI Constraints). The texts of oauthex have the body, which may hold a secret,
// so only the error and its description are used (RFC 7591, section 3.2.2).
func refusedRegistration(ctx context.Context, host string, status int, err error) error {
	why := fmt.Sprintf("%d %s", status, http.StatusText(status))
	if e, ok := errors.AsType[*oauthex.ClientRegistrationError](err); ok && e.ErrorCode != "" {
		if why = clip(e.ErrorCode); e.ErrorDescription != "" {
			why += ": " + clip(e.ErrorDescription)
		}
	}
	switch {
	case status == 0 || errors.As(err, new(*wire.Error)): // of the guard
		return noAnswer(ctx, host, err)
	case status == http.StatusOK, status == http.StatusCreated:
		return wire.Errorf(wire.KindProtocol, "", "%s has answered the registration with what cannot be used; %s", host, adviceToRegister)
	case mayPass(status):
		return wire.Errorf(wire.KindUnreachable, "", "%s answers %s; try again later", host, why)
	}
	return wire.Errorf(wire.KindUnauthorized, "", "%s does not register this program (%s); %s", host, why, adviceToRegister)
}

// statusTransport notes the status of the response, which oauthex tells only together with its body.
type statusTransport struct {
	next http.RoundTripper
	code int // 0: there was no response
}

// RoundTrip implements [http.RoundTripper].
func (t *statusTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		t.code = resp.StatusCode
	}
	return resp, err
}
