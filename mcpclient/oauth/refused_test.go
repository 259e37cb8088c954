package oauth

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// What is not about a Bearer token, or not about missing scopes, is none of an Authorizer's business.
func TestRefusedForOthers(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		values []string
	}{
		"basic only":              {401, []string{`Basic realm="x"`}},
		"403 without a challenge": {403, nil},
		"403 with another error":  {403, []string{`Bearer error="invalid_token"`}},
		"403 of others":           {403, []string{`DPoP error="insufficient_scope"`}},
		"another status":          {400, []string{`Bearer error="insufficient_scope", scope="admin"`}},
	} {
		t.Run(name, func(t *testing.T) {
			s, v, a := newSignedIn(t)
			v.operations()
			retry, err := a.Refused(s.ctx, a.Token(s.ctx), test.status, challengeOf(test.values...), false)
			if retry || err != nil {
				t.Errorf("got %t, %v", retry, err)
			}
			if did := v.operations(); len(did) != 0 {
				t.Errorf("the store did %v", did)
			}
			if state := a.State(); state.Wanted != nil {
				t.Errorf("got %+v", state)
			}
		})
	}
}

// A token that was just given and is refused is no reason to ask for a third.
func TestRefusedAgain(t *testing.T) {
	s, v, a := newSignedIn(t)
	s.change(func(k *authserver.Knobs) { k.RefuseTokens = true })
	wantNeeded(t, s.call(a, "echo"), "it refuses the token that was just given")
	if c := s.Counts(); c.Refreshes != 1 || c.Requests["mcp"] != 2 {
		t.Errorf("%d refreshes, %d requests", c.Refreshes, c.Requests["mcp"])
	}
	if c := v.kept(t); c.RefreshToken == "" {
		t.Error("the tokens are forgotten, though their authorization server is content with them")
	}
	s.change(func(k *authserver.Knobs) { k.RefuseTokens = false })
	s.mustCall(a)
}

// A token that somebody else has replaced meanwhile is tried without asking anybody.
func TestRefusedOldToken(t *testing.T) {
	s, _, a := newSignedIn(t)
	for _, status := range []int{401, 403} {
		retry, err := a.Refused(s.ctx, "old", status, challengeOf(`Bearer error="insufficient_scope", scope="admin"`), false)
		if !retry || err != nil {
			t.Errorf("%d: got %t, %v", status, retry, err)
		}
	}
	if c := s.Counts(); c.Refreshes != 0 {
		t.Error("a token was refreshed")
	}
	if state := a.State(); state.Wanted != nil {
		t.Errorf("got %+v", state)
	}
}

// A person is asked for a scope, and the next sign-in asks for it.
func TestStepUp(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	var changes atomic.Int32
	a := s.signedIn(v, func(o *Options) { o.Changed = func() { changes.Add(1) } })
	changes.Store(0)
	s.expireAccess() // a request that was repeated for that is told, too
	err := s.call(a, "admin")
	wantError(t, err, wire.KindScope, "wants you to allow more (admin); to sign in again, run: mcp-editord signin tracker")
	if e := err.(*wire.Error); e.Detail != "admin" {
		t.Errorf("the detail is %q", e.Detail)
	}
	if state := a.State(); !slices.Equal(state.Wanted, []string{"admin"}) || changes.Load() != 2 { // the new token, and this
		t.Errorf("got %+v after %d changes", state, changes.Load())
	}
	s.mustCall(a) // what is allowed still works
	s.mustSignIn(a)
	if state := a.State(); len(state.Wanted) != 0 || !slices.Equal(state.Scopes, []string{"mcp", "offline_access", "admin"}) {
		t.Errorf("got %+v", state)
	}
	if err := s.call(a, "admin"); err != nil {
		t.Error(err)
	}
}

// A scope that was requested and not granted is not asked for again.
func TestStepUpNotGranted(t *testing.T) {
	s, v, a := newSignedIn(t)
	wantError(t, s.call(a, "admin"), wire.KindScope)
	s.change(func(k *authserver.Knobs) { k.GrantedScope = "mcp" })
	s.mustSignIn(a)
	wantError(t, s.call(a, "admin"), wire.KindHTTP, "your account there may not be allowed to do it")
	if state := a.State(); len(state.Wanted) != 0 || !slices.Equal(state.Scopes, []string{"mcp"}) {
		t.Errorf("got %+v", state)
	}
	wantError(t, s.call(s.authorizer(v), "admin"), wire.KindHTTP) // after a restart, too
	s.mustCall(a)
}

// A refusal for missing scopes leaves what an earlier one has said of the metadata.
func TestStepUpKeepsMetadata(t *testing.T) {
	s, v := newSite(t, authserver.Options{MetadataElsewhere: true}), newVault()
	a := s.authorizer(v)
	wantNeeded(t, s.call(a, "echo"), notYet)
	s.mustSignIn(a)
	token := a.Token(s.ctx)
	_, err := a.Refused(s.ctx, token, http.StatusForbidden, challengeOf(`Bearer error="insufficient_scope", scope="admin"`), false)
	wantError(t, err, wire.KindScope)
	s.mustSignIn(a)
	if err := s.call(a, "admin"); err != nil {
		t.Error(err)
	}
}

// An endpoint that wants other scopes each time fills no memory, and does not make the address to sign in at ever longer.
func TestWantedScopesAreBounded(t *testing.T) {
	s, _, a := newSignedIn(t)
	for i := range 2 * maxScopes {
		_, err := a.Refused(s.ctx, a.Token(s.ctx), http.StatusForbidden, challengeOf(fmt.Sprintf(`Bearer error="insufficient_scope", scope="s%d"`, i)), false)
		wantError(t, err, wire.KindScope)
	}
	if n := len(a.State().Wanted); n != maxScopes {
		t.Errorf("it wants %d scopes", n)
	}
}

// What is asked for is what the server wants, or what the configuration says; and what was asked for before.
func TestScopes(t *testing.T) {
	offline := map[string]any{"scopes_supported": []string{"mcp", "offline_access"}}
	for name, test := range map[string]struct {
		config    []string       // of the configuration
		challenge string         // of the server: "" is mcp, "-" is none
		resource  map[string]any // metadata
		server    map[string]any // metadata; nil has no offline_access
		want      string
	}{
		"of the challenge":        {nil, "admin mcp", map[string]any{"scopes_supported": []string{"mcp"}}, nil, "admin mcp"},
		"of the metadata":         {nil, "-", map[string]any{"scopes_supported": []string{"mcp", "admin"}}, nil, "mcp admin"},
		"with offline_access":     {nil, "", nil, offline, "mcp offline_access"},
		"of the configuration":    {[]string{"admin"}, "mcp", nil, nil, "admin"},
		"none, as is configured":  {[]string{}, "mcp", nil, nil, ""},
		"configured, and offline": {[]string{"mcp"}, "mcp", nil, offline, "mcp offline_access"},
		"no valid ones":           {nil, "-", map[string]any{"scopes_supported": []string{"a b", "", "mcp", "mcp"}}, nil, "mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			server := test.server
			if server == nil {
				server = map[string]any{"scopes_supported": nil}
			}
			s := newSite(t, authserver.Options{Knobs: authserver.Knobs{ChallengeScope: test.challenge, ResourceMetadata: test.resource, Metadata: server}})
			a := s.authorizer(newVault(), configured(Config{Scopes: test.config}))
			wantNeeded(t, s.call(a, "echo"), notYet)
			_, _ = s.signIn(a, authserver.Browser{}) // what the server makes of the scopes does not matter
			if got := s.scopesAsked(); got != test.want {
				t.Errorf("asked for %q, want %q", got, test.want)
			}
		})
	}
}

// A sign-in asks for what the ones before it asked for, in the same order, and then for what is new.
func TestScopesAreAUnion(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	s.change(func(k *authserver.Knobs) { k.Metadata = map[string]any{"scopes_supported": nil} })
	a := s.authorizer(v, configured(Config{Scopes: []string{"mcp"}}))
	wantNeeded(t, s.call(a, "echo"), notYet)
	s.mustSignIn(a)
	wantError(t, s.call(a, "admin"), wire.KindScope) // also beyond what is configured
	s.mustSignIn(a)
	if got := s.scopesAsked(); got != "mcp admin" {
		t.Errorf("asked for %q", got)
	}
	a = s.authorizer(v)
	s.mustSignIn(a)
	if got := s.scopesAsked(); got != "mcp admin" {
		t.Errorf("asked for %q after a restart", got)
	}
	s.change(func(k *authserver.Knobs) { k.Moved = true })
	s.mustSignIn(a)
	if got := s.scopesAsked(); got != "mcp" {
		t.Errorf("asked another authorization server for %q", got)
	}
}

// scopesAsked returns the scope of the last authorization request.
func (s *site) scopesAsked() string {
	s.t.Helper()
	asked := s.asked("authorize")
	if len(asked) == 0 {
		s.t.Fatal("nobody was asked")
	}
	return mustParse(asked[len(asked)-1].URL).Query().Get("scope")
}
