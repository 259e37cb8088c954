package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Enterprise-managed authorization (MCP extension of that name): a person signs in once at the identity
// provider of an enterprise. For each server the provider exchanges that for an assertion (an ID-JAG, by
// RFC 8693), which the authorization server of the MCP server takes for a token (RFC 7523). The SDK's
// exchange knows one way only to say who the client is, whatever the provider wants.

// identity is what the identity provider gave.
type identity struct {
	Issuer        string `json:"issuer"`
	TokenEndpoint string `json:"tokenEndpoint"`
	AuthMethod    string `json:"authMethod"`
	IDToken       string `json:"idToken"`
	RefreshToken  string `json:"refreshToken,omitempty"`
}

// Format is as that of credentials.
func (i identity) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "identity at "+i.Issuer) }

const (
	grantJWTBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	scopeOpenID    = "openid"
)

// signInEnterprise signs in at the identity provider, and gets a token for the MCP server with that. c are the
// credentials without it.
func (a *Authorizer) signInEnterprise(ctx context.Context, c *credentials, visit func(Visit) error) error {
	e := a.o.Config.Enterprise
	server, err := a.provider.serverMetadata(ctx, e.Issuer)
	if err != nil {
		return err
	}
	cb, err := listen(a.fixedRedirect(), a.o.Server, server)
	if err != nil {
		return err
	}
	p := a.providerProof(configuredMethod(Config{ClientSecret: e.ClientSecret}, server.TokenEndpointAuthMethodsSupported))
	token, err := a.authorize(ctx, a.provider, server, p, cb, []string{scopeOpenID, scopeOffline}, "", visit)
	if err == nil {
		c.Identity = &identity{Issuer: server.Issuer, TokenEndpoint: server.TokenEndpoint, AuthMethod: p.method}
		if err = c.Identity.take(token); err == nil {
			err = a.firstExchange(ctx, c)
		}
	}
	err = asFailed(err)
	cb.close(err)
	return err
}

// take keeps what the identity provider gave. A refresh token counts also where the error says that nothing else
// came: it may have replaced the last one, which is good no more.
func (i *identity) take(g *grant) error {
	if g.RefreshToken != "" {
		i.RefreshToken = g.RefreshToken
	}
	if g.IDToken == "" {
		return &Failed{hostIn(i.Issuer) + " signed you in without saying who you are (no id_token); check its settings for this client"}
	}
	if len(g.IDToken) > maxToken {
		return &Failed{hostIn(i.Issuer) + " says who you are in a text that is too long to be kept; have it say less to this client"}
	}
	i.IDToken = g.IDToken
	return nil
}

// firstExchange is exchangeIdentity for a person who has just signed in.
func (a *Authorizer) firstExchange(ctx context.Context, c *credentials) error {
	defer a.lock(ctx)()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := a.exchangeIdentity(ctx, c)
	if r, ok := errors.AsType[*refusal](err); ok {
		return &Failed{r.err.Message + "; ask those who run " + r.host + " to let this client in"}
	}
	return err
}

// exchangeIdentity gets an access token for c by what the identity provider says, and puts it into the
// store, whose lock the caller has.
func (a *Authorizer) exchangeIdentity(ctx context.Context, c *credentials) error {
	assertion, err := a.assertionOf(ctx, c)
	if codeOf(err) != "" && c.Identity.RefreshToken != "" { // what it said is too old
		if c, err = a.refreshIdentity(ctx, c); err == nil {
			assertion, err = a.assertionOf(ctx, c)
		}
	}
	if err != nil {
		return err
	}
	token, err := a.net.grant(ctx, c.TokenEndpoint, c.Issuer, a.proofOf(c.Client), url.Values{
		"grant_type": {grantJWTBearer}, "assertion": {assertion}, "resource": {c.Resource}, "scope": {strings.Join(c.Requested, " ")},
	})
	if err != nil {
		return err
	}
	c = new(*c) // what refreshIdentity has written is in use
	c.take(token, time.Now())
	a.write(ctx, c)
	return nil
}

// assertionOf has the identity provider vouch for the person to the authorization server of c.
func (a *Authorizer) assertionOf(ctx context.Context, c *credentials) (string, error) {
	token, err := a.provider.exchange(ctx, c.Identity.TokenEndpoint, c.Identity.Issuer, a.providerProof(c.Identity.AuthMethod), url.Values{
		"grant_type": {oauthex.GrantTypeTokenExchange}, "requested_token_type": {oauthex.TokenTypeIDJAG},
		"audience": {c.Issuer}, "resource": {c.Resource},
		"subject_token": {c.Identity.IDToken}, "subject_token_type": {oauthex.TokenTypeIDToken}, "scope": {strings.Join(c.Requested, " ")},
	})
	if err != nil {
		return "", err
	}
	if token.IssuedTokenType != oauthex.TokenTypeIDJAG {
		return "", wire.Errorf(wire.KindProtocol, "", "%s gave something else than an ID-JAG; check its settings for this client", hostIn(c.Identity.Issuer))
	}
	return token.AccessToken, nil
}

// refreshIdentity has the identity provider say anew who the person is, and puts that into the store. The
// result is in use. A provider that says it only to a person gives a *refusal.
func (a *Authorizer) refreshIdentity(ctx context.Context, c *credentials) (*credentials, error) {
	c = new(*c)
	i := new(*c.Identity)
	c.Identity = i
	token, err := a.provider.grant(ctx, i.TokenEndpoint, i.Issuer, a.providerProof(i.AuthMethod), url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {i.RefreshToken},
	})
	if err != nil {
		return c, err
	}
	if err = i.take(token); err != nil { // it may well do so (OpenID Connect Core, section 12.2)
		err = &refusal{wire.Errorf(wire.KindProtocol, "", "%v", err), hostIn(i.Issuer), "no id_token"}
	}
	a.write(ctx, c)
	return c, err
}

// providerProof returns how the client at the identity provider authenticates itself.
func (a *Authorizer) providerProof(method string) proof {
	e := a.o.Config.Enterprise
	return proof{id: e.ClientID, secret: e.ClientSecret, method: method}
}
