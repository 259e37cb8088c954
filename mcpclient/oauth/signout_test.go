package oauth

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// revocations notes which tokens are revoked at filesIssuer, in their order.
func (w *world) revocations() (revoked func() []string) {
	var mu sync.Mutex
	var tokens []string
	w.on(filesIssuer+"/revoke", func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		tokens = append(tokens, r.FormValue("token"))
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(tokens)
	}
}

// A store that does not answer keeps what it has. It does not keep the daemon signed in.
func TestSignOutWithoutItsStore(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*shelf)
		want   error
	}{
		{"that does not answer", func(s *shelf) { s.broken = secrets.ErrUnavailable }, secrets.ErrUnavailable},
		{"whose lock cannot be taken", func(s *shelf) { s.stuck = fs.ErrPermission }, fs.ErrPermission},
		{"that has no lock", func(s *shelf) { s.known = false }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, s := newWorld(t), newShelf()
			a := w.authorizer(s, Config{})
			revoked := w.revocations()
			s.put(a, signedIn("old", "old-1"))
			tt.change(s)
			if err := a.SignOut(t.Context()); !errors.Is(err, tt.want) {
				t.Errorf("the error is %v, want %v", err, tt.want)
			}
			if token, _ := a.Token(t.Context()); token != "" {
				t.Errorf("the next request has %q", token)
			}
			if a.State().Issuer != "" {
				t.Error("it still shows who is signed in")
			}
			if got := revoked(); !slices.Equal(got, []string{"old-1", "old"}) { // the refresh token first
				t.Errorf("revoked are %q", got)
			}
		})
	}
}

// An endpoint that wants other scopes each time fills no memory, and does not make the address to sign in at ever longer.
func TestWantedScopesAreBounded(t *testing.T) {
	w, s := newWorld(t), newShelf()
	a := w.authorizer(s, Config{})
	s.put(a, signedIn("token", "refresh"))
	for i := range 2 * maxScopes {
		header := http.Header{"Www-Authenticate": {fmt.Sprintf(`Bearer error="insufficient_scope", scope="s%d"`, i)}}
		_, err := a.Refused(t.Context(), "token", http.StatusForbidden, header, false)
		wantError(t, err, wire.KindScope)
	}
	if n := len(a.State().Wanted); n != maxScopes {
		t.Errorf("it wants %d scopes", n)
	}
}
