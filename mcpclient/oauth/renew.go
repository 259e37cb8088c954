package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	storePatience = 5 * time.Second  // for the store to answer
	renewPatience = 45 * time.Second // for a renewal as a whole
)

// renewal is a renewal under way.
type renewal struct {
	done chan struct{}
	err  error // set before done is closed
}

// wait waits for the end of a renewal.
func (r *renewal) wait(ctx context.Context) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return wire.Errorf(wire.KindGone, "", "no token was there in time")
	}
}

// renew gets another token than used without a person, and waits for it.
func (a *Authorizer) renew(ctx context.Context, used string) error { return a.renewing(used).wait(ctx) }

// renewing has another token than used got without a person. However many ask for it, one renewal is made
// for all of them. It belongs to none of them, since it may use up a refresh token.
func (a *Authorizer) renewing(used string) *renewal {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.renewal != nil {
		return a.renewal
	}
	r := &renewal{done: make(chan struct{})}
	if a.closed {
		r.err = wire.Errorf(wire.KindUnreachable, "", "there is no new token for %s, because its server is being stopped", a.o.Endpoint.Host)
		close(r.done)
		return r
	}
	a.renewal = r
	go func() {
		r.err = a.renewOnce(used)
		a.mu.Lock()
		a.renewal = nil
		a.mu.Unlock()
		a.o.Changed()
		close(r.done)
	}()
	return r
}

// renewOnce makes one renewal. Of several processes, one does it at a time; the others find its token in
// the store.
func (a *Authorizer) renewOnce(used string) error {
	ctx, cancel := context.WithTimeout(a.ctx, renewPatience)
	defer cancel()
	unlock, err := a.o.Store.Lock(ctx, a.o.Name)
	if err != nil {
		return wire.Errorf(wire.KindUnreachable, "", "the credentials for %s cannot be changed now: %v", a.o.Endpoint.Host, err)
	}
	defer unlock()
	c, err := a.reread(ctx)
	switch {
	case err != nil && !a.byItself():
		return a.unread(err)
	case c.token() != "" && c.token() != used && !c.expired(time.Now()):
		return nil
	case a.byItself():
		return a.clientCredentials(ctx, c)
	case c == nil:
		return a.needed(notYet)
	case c.Identity != nil: // also with a refresh token: the enterprise decides each time
		return a.granted(ctx, c, a.exchangeIdentity(ctx, c))
	case c.RefreshToken != "":
		return a.refresh(ctx, c)
	case c.AccessToken == "":
		return a.needed("nobody is signed in now")
	}
	a.forgetTokens(ctx, c)
	return a.needed("your sign-in has ended")
}

// refresh gets a new token with the refresh token (RFC 6749, section 6). The new refresh token, if there
// is one, replaces the old one (OAuth 2.1, section 4.3.1), and is in the store before anybody uses the
// access token that came with it.
func (a *Authorizer) refresh(ctx context.Context, c *credentials) error {
	token, err := a.net.grant(ctx, c.TokenEndpoint, c.Issuer, a.proofOf(c.Client), url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {c.RefreshToken}, "resource": {c.Resource},
	})
	if err != nil {
		a.o.Log.Info("a token was not refreshed", zap.String("server", a.o.Server), zap.Error(err))
		if codeOf(err) == "invalid_client" && c.Client.Registered {
			c = new(*c)
			c.Client = client{} // it is not known there any more: the next sign-in registers another
		}
		return a.granted(ctx, c, err)
	}
	c = new(*c)
	c.take(token, time.Now())
	a.write(ctx, c)
	return nil
}

// granted returns the error of a renewal that ended with err, nil for none. Only the word of an
// authorization server makes the tokens of c worthless; any other failure may be over the next time.
func (a *Authorizer) granted(ctx context.Context, c *credentials, err error) error {
	if err == nil {
		return nil
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		if r.code != "" {
			a.forgetTokens(ctx, c)
		}
		return a.needed("your sign-in at %s has ended", r.host)
	}
	why := *wire.AsError(err, wire.KindUnreachable, "there is no token")
	why.Kind = wire.KindUnreachable
	return &why
}

// clientCredentials gets a token for the client itself (RFC 6749, section 4.4; MCP extension OAuth Client
// Credentials). It takes the way to the token endpoint anew each time, since nobody waits for it.
func (a *Authorizer) clientCredentials(ctx context.Context, c *credentials) error {
	d, err := a.destination(ctx, c)
	if err != nil {
		return err
	}
	if why := a.bound(d.server, c); why != "" {
		return wire.Errorf(wire.KindProtocol, "", "%s", why)
	}
	cl := client{ID: a.o.Config.ClientID, AuthMethod: configuredMethod(a.o.Config, d.server.TokenEndpointAuthMethodsSupported)}
	scopes := a.scopes(c, d)
	token, err := a.net.grant(ctx, d.server.TokenEndpoint, d.server.Issuer, a.proofOf(cl), url.Values{
		"grant_type": {GrantClientCredentials}, "resource": {d.resource}, "scope": {strings.Join(scopes, " ")},
	})
	if err != nil {
		if r, ok := errors.AsType[*refusal](err); ok {
			return wire.Errorf(wire.KindUnauthorized, "401", "%s; check the client in the configuration of the server", r.err.Message)
		}
		return err
	}
	given := d.credentials(cl, scopes)
	given.take(token, time.Now())
	a.write(ctx, given)
	return nil
}

// destination finds out where the endpoint gets its tokens from.
func (a *Authorizer) destination(ctx context.Context, c *credentials) (*destination, error) {
	a.mu.Lock()
	challenge := a.challenge
	a.mu.Unlock()
	prefer := ""
	if c != nil {
		prefer = c.Issuer
	}
	return a.net.discover(ctx, challenge, prefer, a.o.Config.Issuer)
}

// forgetTokens forgets the tokens of c, and keeps the client.
func (a *Authorizer) forgetTokens(ctx context.Context, c *credentials) {
	c = new(*c)
	c.AccessToken, c.RefreshToken, c.Scopes, c.Identity = "", "", nil, nil
	c.Given, c.Expiry = time.Time{}, time.Time{}
	a.write(ctx, c)
}

// write puts c into the store, and then into use. What the store can keep in memory only it has all the
// same, and it says so to the person.
func (a *Authorizer) write(ctx context.Context, c *credentials) {
	encoded, err := json.Marshal(c)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
		err = a.o.Store.Set(ctx, a.o.Name, encoded)
		cancel()
	}
	if err != nil {
		a.o.Log.Warn("credentials are kept in memory only", zap.String("server", a.o.Server), zap.Error(err))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.use(c)
}

// use makes c the credentials of the next requests. a.mu is held.
func (a *Authorizer) use(c *credentials) {
	a.cred, a.read = c, true
	a.wanted = slices.DeleteFunc(slices.Clone(a.wanted), func(s string) bool { return c.covers([]string{s}) })
}

// reread reads the store. Another process may have changed what is there.
func (a *Authorizer) reread(ctx context.Context) (*credentials, error) {
	a.mu.Lock()
	a.asked = true
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	stored, err := a.o.Store.Get(ctx, a.o.Name)
	if err != nil && !errors.Is(err, secrets.ErrNotFound) {
		return nil, err
	}
	c := decodeCredentials(stored)
	if issuer := a.o.Config.Issuer; c != nil && issuer != "" && !sameIssuer(c.Issuer, issuer) {
		c = nil // of before somebody configured another one: the secret of that one must not go there
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.use(c)
	return c, nil
}
