package oauth

import (
	"context"
	"net/http"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// Two daemons whose token is refused at the same time refresh once: the second one finds the token of the
// first. A refresh token that is used twice would end the sign-in.
func TestTwoDaemonsRefreshOnce(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	first := s.signedIn(v)
	second := s.authorizer(v)
	s.mustCall(second)
	for range 3 { // not by luck
		before := s.Counts().Refreshes
		if err := s.Expire("access"); err != nil {
			t.Fatal(err)
		}
		old := s.tokenOf(first)
		if old != s.tokenOf(second) {
			t.Fatal("the daemons have different tokens")
		}
		s.fault("token", authserver.Fault{Do: "hold"})
		done := make(chan error, 2)
		asked := len(s.asked("token"))
		for _, a := range []*Authorizer{first, second} {
			go func() {
				_, err := s.unauthorized(a, old)
				done <- err
			}()
		}
		s.await(func(c authserver.Counts) bool { return c.Requests["token"] > asked })
		if err := s.Release("token"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if c := s.Counts(); c.Refreshes != before+1 || c.RefreshReuses != 0 {
			t.Fatalf("%d refreshes and %d reuses for one token", c.Refreshes-before, c.RefreshReuses)
		}
		if s.tokenOf(first) == old || s.tokenOf(first) != s.tokenOf(second) {
			t.Error("the daemons do not have the new token")
		}
		s.mustCall(first)
		s.mustCall(second)
	}
}

// What another daemon got long ago may have ended since. Nobody has to sign in for that: the request that
// finds out fails, and the next one has a new token.
func TestTokenOfOtherDaemonHasEnded(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	first := s.signedIn(v)
	second := s.authorizer(v)
	if _, err := s.unauthorized(second, s.tokenOf(second)); err != nil {
		t.Fatal(err)
	}
	v.edit(t, moved(2*fresh, 3600e9))
	if err := s.Expire("access"); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.call(first, "echo"), "unreachable", "there is a new one now")
	s.mustCall(first)
	s.mustCall(second)
	if c := s.Counts(); c.Refreshes != 2 || c.RefreshReuses != 0 {
		t.Errorf("got %+v", c)
	}
}

// A token at its end by the clock is replaced by one of two daemons, too.
func TestTwoDaemonsByTheClock(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	s.signedIn(v)
	v.edit(t, moved(2*3600e9, 3600e9))
	first, second := s.authorizer(v), s.authorizer(v)
	tokens := make(chan string, 2)
	for _, a := range []*Authorizer{first, second} {
		go func() {
			token, _ := a.Token(s.ctx)
			tokens <- token
		}()
	}
	one := <-tokens
	if other := <-tokens; one != other {
		t.Error("the daemons have different tokens")
	}
	if c := s.Counts(); c.Refreshes != 1 || c.RefreshReuses != 0 {
		t.Errorf("got %+v", c)
	}
}

// What one daemon gets from a person, the others have as soon as their own token is refused.
func TestOtherDaemonSignsIn(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	first, second := s.authorizer(v), s.authorizer(v)
	wantNeeded(t, s.call(second, "echo"), "nobody has signed in yet")
	s.mustSignIn(first)
	s.mustCall(second)
	if state := second.State(); state.Issuer != s.Issuer() {
		t.Errorf("got %+v", state)
	}
	if err := s.saw(first.SignOut(s.ctx)); err != nil {
		t.Fatal(err)
	}
	wantNeeded(t, s.call(second, "echo"), "nobody has signed in yet")
	if state := second.State(); state.Issuer != "" {
		t.Errorf("got %+v", state)
	}
}

// A daemon that is killed between the answer of the authorization server and the store has lost a refresh
// token. Its old one is refused as used, and that is all: the person signs in again, and nothing is asked
// for over and over.
func TestRotationLost(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	killed := s.signedIn(v)
	before := v.snapshot()
	old := s.tokenOf(killed)
	if _, err := s.unauthorized(killed, old); err != nil {
		t.Fatal(err)
	}
	v.restore(before)
	if err := s.Expire("access"); err != nil {
		t.Fatal(err)
	}
	a := s.authorizer(v)
	asked := len(s.asked("token"))
	wantNeeded(t, s.call(a, "echo"), "your sign-in at ", " has ended")
	for range 3 {
		wantNeeded(t, s.call(a, "echo"), "nobody is signed in now")
	}
	if more := len(s.asked("token")) - asked; more != 1 {
		t.Errorf("%d requests for a token", more)
	}
	if c := s.Counts(); c.RefreshReuses != 1 {
		t.Errorf("%d reuses", c.RefreshReuses)
	}
	c := v.kept(t)
	if c.AccessToken != "" || c.RefreshToken != "" || c.Scopes != nil || !c.Expiry.IsZero() || c.Client.ID == "" {
		t.Error("tokens are kept, or the client is not")
	}
	if state := a.State(); state.Issuer != "" {
		t.Errorf("got %+v", state)
	}
	s.mustSignIn(a)
	s.mustCall(a)
}

// An answer that does not arrive may have used up the refresh token. The next attempt tells.
func TestAnswerLost(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	if err := s.Expire("access"); err != nil {
		t.Fatal(err)
	}
	s.fault("token", authserver.Fault{Do: "lose", Times: 1})
	err := s.call(a, "echo")
	wantError(t, err, "unreachable", "the connection broke; try again later")
	if c := v.kept(t); c.RefreshToken == "" {
		t.Fatal("the tokens are forgotten, though nobody has refused them")
	}
	wantNeeded(t, s.call(s.authorizer(v), "echo"), "has ended")
	if c := s.Counts(); c.RefreshReuses != 1 {
		t.Errorf("%d reuses", c.RefreshReuses)
	}
}

// Only an authorization server ends a sign-in. Whatever else is in the way leaves the tokens.
func TestInTheWay(t *testing.T) {
	for name, fault := range map[string]authserver.Fault{
		"page of a network": {Do: "html"},
		"proxy":             {Do: "status", Status: http.StatusBadGateway, Body: "canary"},
		"firewall":          {Do: "status", Status: http.StatusForbidden, Body: "canary"},
		"gone":              {Do: "status", Status: http.StatusNotFound, Body: "canary"},
		"too often":         {Do: "error", Status: http.StatusTooManyRequests, Error: "invalid_grant"},
		"broken":            {Do: "error", Status: http.StatusInternalServerError, Error: "invalid_grant"},
		"busy":              {Do: "error", Error: "temporarily_unavailable"},
		"redirect":          {Do: "redirect", Location: "$BASE/elsewhere"},
		"dropped":           {Do: "drop"},
		"endless":           {Do: "endless"},
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{}), newVault()
			a := s.signedIn(v)
			if err := s.Expire("access"); err != nil {
				t.Fatal(err)
			}
			s.fault("token", fault)
			wantError(t, s.call(a, "echo"), "unreachable")
			s.change(func(k *authserver.Knobs) { k.Faults = nil })
			s.mustCall(s.authorizer(v))
			a.Close(context.Background())
		})
	}
}
