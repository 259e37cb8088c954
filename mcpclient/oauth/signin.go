package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"go.uber.org/zap"
	"golang.org/x/oauth2"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// fixedPath is the path of the redirect URI of a client that somebody registered by hand.
const fixedPath = "/callback"

// ErrNoSignIn is returned by [Authorizer.Paste] when no sign-in waits.
var ErrNoSignIn = errors.New("no sign-in is under way")

// SignIn has a person sign in: it finds the authorization server, registers a client there unless it has
// one, calls visit with the address for the browser, and redeems what the browser brings back
// (OAuth 2.1, section 4.1). visit must not wait; it is called once, and returns why the address must not
// be visited. The caller sees to it that one sign-in runs at a time.
//
// SignIn ends with ctx and after [Patience]. The error is a [*Failed] when the person or the
// authorization server refused, or what came back does not fit, else a [wire.Error] or that of ctx.
// Credentials that were there before stay until there are new ones.
func (a *Authorizer) SignIn(ctx context.Context, visit func(Visit) error) error {
	if a.byItself() {
		c, _ := a.current(ctx)
		return a.renew(ctx, c.token())
	}
	ctx, cancel := context.WithTimeoutCause(ctx, a.patience, &Failed{"nobody has signed in within " + wire.Span(a.patience) + "; sign in again"})
	defer cancel()
	var c *credentials
	var err error
	if a.known() {
		c, err = a.reread(ctx)
	}
	if err != nil {
		a.o.Log.Info("signing in without the credentials of before", zap.String("server", a.o.Server), zap.Error(err))
	}
	d, err := a.destination(ctx, c)
	if err == nil {
		err = a.signInAt(ctx, d, c, visit)
	}
	if err == nil {
		a.o.Log.Info("signed in", zap.String("server", a.o.Server), zap.String("issuer", clip(d.server.Issuer)))
		a.o.Changed()
	} else if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// signInAt signs in at the authorization server of the endpoint, or at the identity provider that vouches for
// the person there. c are the credentials of before; nil for none.
func (a *Authorizer) signInAt(ctx context.Context, d *destination, c *credentials, visit func(Visit) error) error {
	cl, cb, err := a.clientAt(ctx, d.server, c)
	if err != nil {
		return err
	}
	given := d.credentials(cl, a.scopes(c, d))
	if a.o.Config.Enterprise != nil {
		cb.close(nil) // nobody signs in there
		return a.signInEnterprise(ctx, given, visit)
	}
	token, err := a.authorize(ctx, a.net, d.server, a.proofOf(cl), cb, given.Requested, d.resource, visit)
	switch {
	case err == nil:
		given.take(token, time.Now())
		err = a.keep(ctx, given)
	case codeOf(err) == "invalid_client" || c.token() == "":
		// Where the authorization server has forgotten the client, the browser shows an error and comes back
		// with nothing. A client with tokens was known lately; any other is registered anew the next time.
		a.mu.Lock()
		a.unknown = cl.ID
		a.mu.Unlock()
	}
	err = asFailed(err)
	cb.close(err)
	return err
}

// asFailed returns err as that of a sign-in.
func asFailed(err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		return &Failed{r.err.Message + "; sign in again"}
	}
	return err
}

// keep writes what a person has just signed in for, unless the sign-in was ended meanwhile, as SignOut
// wants it: then nothing is to be left of it.
func (a *Authorizer) keep(ctx context.Context, c *credentials) error {
	defer a.lock(ctx)()
	if ctx.Err() != nil {
		a.revoke(context.WithoutCancel(ctx), c)
		return context.Cause(ctx)
	}
	a.write(ctx, c)
	return nil
}

// lock takes the lock of the store for a sign-in, whether or not that goes on. A renewal that holds the lock has
// older credentials and would write them last, so lock waits for its end.
func (a *Authorizer) lock(ctx context.Context) (unlock func()) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewPatience+storePatience)
	defer cancel()
	unlock, err := a.o.Store.Lock(ctx, a.o.Name)
	if err != nil { // of the disk: what a person has just done counts
		a.o.Log.Warn("writing credentials without their lock", zap.String("server", a.o.Server), zap.Error(err))
		return func() {}
	}
	return unlock
}

// authorize gets a token by the authorization code flow with PKCE, at one authorization server. The caller
// closes cb. resource is "" where it is not about an MCP server.
func (a *Authorizer) authorize(ctx context.Context, n *network, server *oauthex.AuthServerMeta, p proof, cb *callback,
	scopes []string, resource string, visit func(Visit) error) (*grant, error) {
	verifier := oauth2.GenerateVerifier()
	cfg := oauth2.Config{ClientID: p.id, Endpoint: oauth2.Endpoint{AuthURL: server.AuthorizationEndpoint}, RedirectURL: cb.address, Scopes: scopes}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if resource != "" {
		options = append(options, oauth2.SetAuthURLParam("resource", resource))
	}
	if slices.Contains(scopes, scopeOffline) {
		// "The prompt parameter value MUST contain consent" (OpenID Connect Core, section 11).
		options = append(options, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	address := cfg.AuthCodeURL(cb.state, options...)
	if err := n.checkAddress(ctx, address); err != nil {
		return nil, err
	}
	a.waiting.Store(cb)
	defer a.waiting.Store(nil)
	until, _ := ctx.Deadline()
	if err := visit(Visit{URL: address, RedirectURI: cb.address, Until: until}); err != nil {
		return nil, err
	}
	code, err := cb.wait(ctx)
	if err != nil {
		return nil, err
	}
	return n.grant(ctx, server.TokenEndpoint, server.Issuer, p, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {cb.address}, "code_verifier": {verifier}, "resource": {resource},
	})
}

// Paste hands over what a person brought from a browser that cannot reach this machine: the address that
// it ended on, or a code. The error says what is wrong with it, without quoting it; the sign-in goes on.
func (a *Authorizer) Paste(response string) error {
	if cb := a.waiting.Load(); cb != nil {
		return cb.paste(response)
	}
	return ErrNoSignIn
}

// clientAt returns the client for an authorization server, with a listener at its redirect URI: the one
// that is configured, or the metadata document that is configured, or the one that was registered before,
// or a new one. The order is that of MCP 2026-07-28, Client Registration; the SDK's takes the document
// first.
func (a *Authorizer) clientAt(ctx context.Context, server *oauthex.AuthServerMeta, c *credentials) (cl client, cb *callback, err error) {
	cfg := a.o.Config
	switch {
	case cfg.ClientID != "":
		if why := a.bound(server, c); why != "" {
			return cl, nil, &Failed{why}
		}
		cl = client{ID: cfg.ClientID, AuthMethod: configuredMethod(cfg, server.TokenEndpointAuthMethodsSupported)}
	case cfg.ClientMetadataURL != "" && server.ClientIDMetadataDocumentSupported:
		cl = client{ID: cfg.ClientMetadataURL, AuthMethod: authNone}
		if cfg.PrivateKeyFile != "" {
			cl.AuthMethod = authPrivateKeyJWT
		}
	default:
		return a.registeredClient(ctx, server, c)
	}
	cb, err = listen(a.fixedRedirect(), a.o.Server, server)
	return cl, cb, err
}

// bound says why the client of the configuration must not be used at an authorization server, "" if it may
// be: it was used at another one. "SHOULD surface an error rather than silently attempting to use mismatched
// credentials" (ibid., Authorization Server Binding): its secret is for one of them. Discovery has checked an
// issuer that is configured.
func (a *Authorizer) bound(server *oauthex.AuthServerMeta, c *credentials) (why string) {
	if c == nil || c.Client.ID != a.o.Config.ClientID || c.Client.Registered || a.o.Config.Issuer != "" || sameIssuer(c.Issuer, server.Issuer) {
		return ""
	}
	return fmt.Sprintf("%s now sends you to %s, but the client of the configuration belongs to %s; if that is right, sign out first and set oauth.issuer",
		a.o.Endpoint.Host, hostIn(server.Issuer), hostIn(c.Issuer))
}

// fixedRedirect returns where to listen for a client that somebody registered by hand. "The authorization
// server MUST allow any port to be specified at the time of the request for loopback IP redirect URIs"
// (RFC 8252, section 7.3), but no other path; the configuration may name the port.
func (a *Authorizer) fixedRedirect() string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", a.o.Config.RedirectPort, fixedPath)
}

// registeredClient returns the client that was registered at this authorization server before, if its
// redirect URI is free, and else registers one (RFC 7591). Most authorization servers compare redirect
// URIs with their port, so the port and the path that were chosen at random stay those of the client.
func (a *Authorizer) registeredClient(ctx context.Context, server *oauthex.AuthServerMeta, c *credentials) (cl client, cb *callback, err error) {
	fixed := ""
	if a.o.Config.RedirectPort != 0 {
		fixed = a.fixedRedirect()
	}
	a.mu.Lock()
	unknown := a.unknown
	a.mu.Unlock()
	if c != nil && c.Client.Registered && c.Client.ID != unknown && sameIssuer(c.Issuer, server.Issuer) &&
		(c.Client.Expires.IsZero() || time.Now().Before(c.Client.Expires)) && (fixed == "" || fixed == c.Client.RedirectURI) {
		if cb, err = listen(c.Client.RedirectURI, a.o.Server, server); err == nil {
			return c.Client, cb, nil
		}
	}
	if server.RegistrationEndpoint == "" {
		redirect := fixed
		if redirect == "" {
			redirect = "http://127.0.0.1" + fixedPath
		}
		return cl, nil, &Failed{fmt.Sprintf("%s registers no clients by itself; register mcp-editord there with the redirect URI %s, and give the server \"oauth\": {\"clientId\": …}",
			hostIn(server.Issuer), redirect)}
	}
	if cb, err = listen(fixed, a.o.Server, server); err != nil {
		return cl, nil, err
	}
	if cl, err = a.net.register(ctx, server, cb.address); err != nil {
		cb.close(err)
		return cl, nil, err
	}
	return cl, cb, nil
}
