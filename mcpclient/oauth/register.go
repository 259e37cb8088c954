package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// The ways in which a client says who it is at the token endpoint (RFC 7591, section 2).
const (
	authNone  = "none"
	authPost  = "client_secret_post"
	authBasic = "client_secret_basic"
)

// authMethods are all of them, the one that needs no secret first.
var authMethods = []string{authNone, authPost, authBasic}

// adviceToRegister is what a person can do whom a server does not let register by program.
const adviceToRegister = "register a client there and give the server its client id"

// A registration is a client at one authorization server.
type registration struct {
	ID, Secret string
	AuthMethod string    // authNone, authPost or authBasic; Secret is "" with authNone
	Expires    time.Time // of the secret; zero: never
}

// register registers this program at an authorization server (RFC 7591). An error is a
// [wire.Error]: of [wire.KindUnauthorized] when the server does not register clients, or not this
// one, of [wire.KindUnreachable] when it cannot be asked, of [wire.KindProtocol] when its answer
// cannot be used, of [wire.KindCancelled] when ctx was cancelled.
func (n *network) register(ctx context.Context, server *oauthex.AuthServerMeta, redirectURI string) (registration, error) {
	u, err := url.Parse(server.RegistrationEndpoint)
	if err != nil || server.RegistrationEndpoint == "" {
		return registration{}, wire.Errorf(wire.KindUnauthorized, "", "%s does not register programs by itself; %s", hostIn(server.Issuer), adviceToRegister)
	}
	method := authMethod(server.TokenEndpointAuthMethodsSupported)
	if method == "" {
		return registration{}, wire.Errorf(wire.KindUnauthorized, "", "%s wants programs to say who they are in a way that this one cannot; %s",
			hostIn(server.Issuer), adviceToRegister)
	}
	client := n.client()
	status := &statusTransport{next: client.Transport}
	client.Transport = status
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
	}, client)
	if err != nil {
		return registration{}, refusedRegistration(ctx, hostOf(u), status.code, err)
	}
	r := registration{ID: resp.ClientID, Secret: resp.ClientSecret, AuthMethod: resp.TokenEndpointAuthMethod, Expires: resp.ClientSecretExpiresAt}
	if r.AuthMethod == "" {
		// "If unspecified or omitted, the default is "client_secret_basic"" (RFC 7591, section 2).
		if r.AuthMethod = method; method == authNone {
			r.AuthMethod = authBasic
		}
	}
	if !slices.Contains(authMethods, r.AuthMethod) {
		return registration{}, wire.Errorf(wire.KindProtocol, "", "%s wants this program to say who it is by %s, which it cannot; %s",
			hostOf(u), quoted(r.AuthMethod), adviceToRegister)
	}
	if r.Secret == "" || r.AuthMethod == authNone {
		r.Secret, r.AuthMethod, r.Expires = "", authNone, time.Time{}
	}
	return r, nil
}

// authMethod chooses among what a server supports; "" is nothing. "If omitted, the default is
// client_secret_basic" (RFC 8414, section 2), but a server that says nothing may well take public
// clients, and answers with what it has made of it (RFC 7591, section 3.2.1).
func authMethod(supported []string) string {
	if len(supported) == 0 {
		return authNone
	}
	for _, method := range authMethods {
		if slices.Contains(supported, method) {
			return method
		}
	}
	return ""
}

// refusedRegistration returns the error of a registration. "When a registration request is rejected,
// clients SHOULD surface a meaningful error to the user or developer" (MCP 2026-07-28, Application
// Type and Redirect URI Constraints). The texts of oauthex have the body, which may hold a secret,
// so only the error and its description are used (RFC 7591, section 3.2.2).
func refusedRegistration(ctx context.Context, host string, status int, err error) error {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e // of the guard
	}
	if e, ok := errors.AsType[*oauthex.ClientRegistrationError](err); ok && e.ErrorCode != "" {
		text := clip(e.ErrorCode)
		if e.ErrorDescription != "" {
			text += ": " + clip(e.ErrorDescription)
		}
		return wire.Errorf(wire.KindUnauthorized, "", "%s does not register this program (%s); %s", host, text, adviceToRegister)
	}
	switch {
	case status == 0:
		return noAnswer(ctx, host, err)
	case status == http.StatusOK, status == http.StatusCreated:
		return wire.Errorf(wire.KindProtocol, "", "%s has answered the registration with what cannot be used; %s", host, adviceToRegister)
	case status >= 500, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		return wire.Errorf(wire.KindUnreachable, "", "%s answers %d %s; try again later", host, status, http.StatusText(status))
	}
	return wire.Errorf(wire.KindUnauthorized, "", "%s does not register this program (%s); %s",
		host, fmt.Sprintf("%d %s", status, http.StatusText(status)), adviceToRegister)
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
