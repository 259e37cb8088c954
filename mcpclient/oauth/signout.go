package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
)

// revokePatience is how long a sign-out waits for the authorization server.
const revokePatience = 5 * time.Second

// SignOut forgets the credentials, and asks the authorization server to revoke the tokens (RFC 7009), for
// which it has revokePatience. A sign-in that is under way is not ended. The error says why they may
// still be in the store; even then no request gets them any more, unless ctx has ended.
func (a *Authorizer) SignOut(ctx context.Context) error {
	if !a.known() {
		return nil
	}
	unlock, err := a.o.Store.Lock(ctx, a.o.Name)
	switch {
	case err == nil:
		defer unlock()
	case ctx.Err() != nil:
		return err
	} // else nobody can take it, and what a person wants counts
	_, _ = a.reread(ctx)
	a.mu.Lock()
	c := a.cred
	a.cred, a.read, a.wanted = nil, true, nil
	a.mu.Unlock()
	a.o.Changed()
	err = a.o.Store.Delete(ctx, a.o.Name)
	a.revoke(ctx, c)
	if errors.Is(err, secrets.ErrNoKeyring) {
		return nil
	}
	return err
}

// revoke has the tokens of c revoked (RFC 7009, section 2.1). Nobody depends on it: tokens end by themselves too.
func (a *Authorizer) revoke(ctx context.Context, c *credentials) {
	if c == nil || c.RevocationEndpoint == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, revokePatience)
	defer cancel()
	// The refresh token comes first: with it, authorization servers end all that came of a consent (RFC 7009,
	// section 2.1). Some end the tokens with an access token, and the consent stays.
	for _, t := range []struct{ token, hint string }{{c.RefreshToken, "refresh_token"}, {c.AccessToken, "access_token"}} {
		if t.token == "" {
			continue
		}
		status, _, err := a.net.postForm(ctx, c.RevocationEndpoint, c.Issuer, a.proofOf(c.Client), url.Values{"token": {t.token}, "token_type_hint": {t.hint}})
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s answers %s", hostIn(c.RevocationEndpoint), statusText(status))
		}
		if err != nil {
			a.o.Log.Info("a token was not revoked", zap.String("server", a.o.Server), zap.String("what", t.hint), zap.Error(err))
		}
	}
}
