package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// To sign out forgets everything, and has both tokens revoked by a client that says who it is as it is
// registered.
func TestSignOut(t *testing.T) {
	file, set := newKeyAndSet(t)
	redirects, grants := []string{"http://127.0.0.1" + fixedPath}, []string{"authorization_code", "refresh_token"}
	for method, test := range map[string]struct {
		client authserver.Client
		config Config
	}{
		authNone:          {authserver.Client{}, Config{}},
		authBasic:         {authserver.Client{Secret: "canary of:hand%+"}, Config{ClientSecret: "canary of:hand%+"}},
		authPost:          {authserver.Client{Secret: "canary of:hand%+"}, Config{ClientSecret: "canary of:hand%+"}},
		authPrivateKeyJWT: {authserver.Client{JWKS: set}, Config{PrivateKeyFile: file}},
	} {
		t.Run(method, func(t *testing.T) {
			c, cfg := test.client, test.config
			c.ID, c.Method, c.RedirectURIs, c.GrantTypes = "by-hand", method, redirects, grants
			cfg.ClientID = "by-hand"
			s, v := newSite(t, authserver.Options{AnyLoopbackPort: true, Clients: []authserver.Client{c}, Knobs: authserver.Knobs{
				Metadata: map[string]any{"token_endpoint_auth_methods_supported": []string{method}}}}), newVault()
			var changed atomic.Int32
			a := s.signedIn(v, configured(cfg), func(o *Options) { o.Changed = func() { changed.Add(1) } })
			changed.Store(0)
			access, refresh := v.kept(t).AccessToken, v.kept(t).RefreshToken
			v.operations()
			s.must(a.SignOut(s.ctx))
			if did := v.operations(); !slices.Equal(did, []string{"lock", "get", "delete", "unlock"}) || v.kept(t) != nil {
				t.Errorf("the store did %v", did)
			}
			var revoked []string // the refresh token first
			for _, e := range s.asked("revoke") {
				revoked = append(revoked, e.Form.Get("token_type_hint"), e.Form.Get("token"))
				if e.Problem != "" {
					t.Error(e.Problem)
				}
			}
			if !slices.Equal(revoked, []string{"refresh_token", refresh, "access_token", access}) {
				t.Errorf("%d revocations", s.Counts().Revocations)
			}
			if status, _ := s.ask(access, "echo"); status != http.StatusUnauthorized {
				t.Errorf("the token is taken with %d", status)
			}
			if state := a.State(); state.Issuer != "" || state.Wanted != nil || changed.Load() != 1 {
				t.Errorf("got %+v after %d changes", state, changed.Load())
			}
			if token := a.Token(s.ctx); token != "" {
				t.Error("there is a token")
			}
			wantNeeded(t, s.call(a, "echo"), notYet)
			s.mustSignIn(a)
			s.mustCall(a)
		})
	}
}

// What the authorization server makes of a sign-out changes nothing here. Without a revocation endpoint it is not asked.
func TestSignOutWithoutServer(t *testing.T) {
	fails := map[string]authserver.Fault{"revoke": {Do: "status", Status: 500, Body: "canary"}}
	for name, test := range map[string]struct {
		before, then authserver.Knobs
		notRevoked   int // lines in the log
	}{
		"down":        {authserver.Knobs{}, authserver.Knobs{Down: []string{"issuer"}}, 2},
		"quotes":      {authserver.Knobs{}, authserver.Knobs{Faults: fails}, 2},
		"no endpoint": {authserver.Knobs{Metadata: map[string]any{"revocation_endpoint": nil}}, authserver.Knobs{Faults: fails}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{Knobs: test.before}), newVault()
			a := s.signedIn(v)
			s.change(func(k *authserver.Knobs) { *k = test.then })
			s.must(a.SignOut(s.ctx))
			if v.kept(t) != nil || a.State().Issuer != "" {
				t.Error("the credentials are kept")
			}
			if logs := s.logs.FilterMessage("a token was not revoked").Len(); logs != test.notRevoked {
				t.Errorf("%d lines in the log", logs)
			}
		})
	}
}

// The credentials are forgotten before the authorization server is asked, which may take long: nobody can
// take them up again meanwhile.
func TestSignOutForgetsFirst(t *testing.T) {
	s, v, a := newSignedIn(t)
	s.fault("revoke", authserver.Fault{Do: "hold"})
	done := make(chan error, 1)
	go func() { done <- a.SignOut(s.ctx) }()
	s.awaitAsked("revoke", 1)
	if v.kept(t) != nil || a.State().Issuer != "" || a.Token(s.ctx) != "" {
		t.Error("the credentials are kept while they are revoked")
	}
	s.release("revoke")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A store that does not forget is an error, and one that gives no lock is not. The tokens are revoked, and in use no
// more.
func TestSignOutStoreFails(t *testing.T) {
	no := errors.New("the keyring is locked; unlock it")
	for name, test := range map[string]struct {
		operation  string
		fails, err error
	}{
		"locked":     {"delete", no, no},
		"no lock":    {"lock", no, nil},
		"no keyring": {"delete", secrets.ErrNoKeyring, nil}, // which has nothing
	} {
		t.Run(name, func(t *testing.T) {
			s, v, a := newSignedIn(t)
			v.fail(test.operation, test.fails)
			if err := a.SignOut(s.ctx); err != test.err {
				t.Errorf("got %v", err)
			}
			if s.Counts().Revocations != 2 || a.State().Issuer != "" || a.Token(s.ctx) != "" {
				t.Errorf("%d revocations", s.Counts().Revocations)
			}
			v.fail("lock", nil)
			wantNeeded(t, s.call(a, "echo"), notYet)
		})
	}
	t.Run("unread", func(t *testing.T) { // what the store does not tell cannot be revoked, but it is forgotten
		s, v := newSite(t, authserver.Options{}), newVault()
		s.signedIn(v)
		v.fail("get", errors.New("damaged"))
		if err := s.authorizer(v).SignOut(s.ctx); err != nil || v.kept(t) != nil {
			t.Errorf("got %v", err)
		}
	})
}

// A sign-out waits for a renewal, whose token is revoked then and not left over.
func TestSignOutWaitsForRenewal(t *testing.T) {
	s, v, a := newSignedIn(t)
	old := a.Token(s.ctx)
	s.fault("token", authserver.Fault{Do: "hold"})
	renewed, out := s.refusing(a, old), make(chan error, 1)
	s.awaitAsked("token", 2)
	go func() { out <- a.SignOut(s.ctx) }()
	s.release("token")
	if err := <-out; err != nil {
		t.Error(err)
	}
	<-renewed // with or without a token: the sign-out may have been first
	if v.kept(t) != nil || a.Token(s.ctx) != "" {
		t.Error("the credentials are back")
	}
	if c := s.Counts(); c.Revocations != 2 {
		t.Errorf("%d revocations", c.Revocations)
	}
}

// A sign-out that has no time does nothing.
func TestSignOutCancelled(t *testing.T) {
	_, v, a := newSignedIn(t)
	unlock, err := v.Lock(t.Context(), "tracker at host")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.SignOut(ctx); !errors.Is(err, context.Canceled) || v.kept(t) == nil {
		t.Errorf("got %v", err)
	}
}
