package oauth

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// However many requests are refused at once, one renewal is made for all of them. It belongs to none of them: one that gives
// up does not end it.
func TestManyRefused(t *testing.T) {
	s, v, a := newSignedIn(t)
	old := a.Token(s.ctx)
	v.operations()
	s.fault("token", authserver.Fault{Do: "late"})
	ctx, giveUp := context.WithCancel(t.Context())
	gaveUp := make(chan error, 1)
	go func() {
		_, err := a.Refused(ctx, old, http.StatusUnauthorized, challengeOf("Bearer"), false)
		gaveUp <- err
	}()
	s.await(func(c authserver.Counts) bool { return c.Refreshes == 1 })
	var others []<-chan error
	for range 100 {
		others = append(others, s.refusing(a, old))
	}
	giveUp()
	wantError(t, <-gaveUp, wire.KindGone)
	s.release("token")
	for _, other := range others {
		if err := <-other; err != nil {
			t.Error(err)
		}
	}
	if c := s.Counts(); c.Refreshes != 1 || c.Requests["token"] != 2 || a.Token(s.ctx) == old {
		t.Errorf("got %+v", c)
	}
	if did := v.operations(); !slices.Equal(did, []string{"lock", "get", "set", "unlock"}) {
		t.Errorf("the store did %v", did)
	}
}

// A store that does not give its lock is waited for as long as a renewal may take.
func TestLockHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault()
		a := alone(t, v, Config{})
		v.hold(t, "lock")
		began := time.Now()
		wantError(t, a.renew(t.Context(), ""), wire.KindUnreachable, "cannot be changed now")
		if took := time.Since(began); took != renewPatience {
			t.Errorf("it took %s", took)
		}
	})
}

// Close waits for what is being renewed, which is in the store then.
func TestCloseWaits(t *testing.T) {
	s, v, a := newSignedIn(t)
	old := a.Token(s.ctx)
	s.fault("token", authserver.Fault{Do: "late"})
	refused := s.refusing(a, old)
	s.await(func(c authserver.Counts) bool { return c.Refreshes == 1 })
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		a.Close(s.ctx)
	}()
	select {
	case <-closed:
		t.Error("it is closed with a renewal under way")
	case <-refused:
		t.Error("the renewal has ended")
	default:
	}
	s.release("token")
	<-closed
	if err := <-refused; err != nil || v.kept(t).AccessToken == old {
		t.Errorf("the token is not kept: %v", err)
	}
}

// Close waits no longer than its context allows, and ends what is left. Nothing is renewed afterwards.
func TestCloseEndsRenewal(t *testing.T) {
	s, v, a := newSignedIn(t)
	old := a.Token(s.ctx)
	s.fault("token", authserver.Fault{Do: "hold"})
	done := s.refusing(a, old)
	s.awaitAsked("token", 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.Close(ctx)
	wantError(t, <-done, wire.KindUnreachable)
	a = s.authorizer(v)
	a.Token(s.ctx)
	a.Close(s.ctx)
	a.Close(s.ctx) // again does no harm
	v.operations()
	wantError(t, <-s.refusing(a, old), wire.KindUnreachable, "is being stopped")
	if did := v.operations(); len(did) != 0 || v.kept(t).AccessToken != old || s.Counts().Requests["token"] != 2 {
		t.Errorf("the store did %v after %d requests for tokens", did, s.Counts().Requests["token"])
	}
}

// Two daemons whose token is refused, or is over by the clock, at the same time refresh once: the second one finds the
// token of the first. A refresh token that is used twice would end the sign-in.
func TestTwoDaemonsRefreshOnce(t *testing.T) {
	for _, byClock := range []bool{false, true} {
		s, v := newSite(t, authserver.Options{}), newVault()
		s.signedIn(v)
		if byClock {
			v.edit(t, moved(2*time.Hour, time.Hour))
		}
		old := v.kept(t).AccessToken
		s.fault("token", authserver.Fault{Do: "hold"})
		first, second := s.authorizer(v), s.authorizer(v)
		done := make(chan error, 2)
		for _, a := range []*Authorizer{first, second} {
			go func() {
				var err error
				if a.Token(s.ctx); !byClock {
					_, err = s.unauthorized(a, old)
				}
				done <- err
			}()
		}
		s.awaitAsked("token", 2)
		s.release("token")
		for range 2 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if c := s.Counts(); c.Refreshes != 1 || c.RefreshReuses != 0 {
			t.Fatalf("%d refreshes and %d reuses for one token", c.Refreshes, c.RefreshReuses)
		}
		if first.Token(s.ctx) == old || first.Token(s.ctx) != second.Token(s.ctx) {
			t.Error("the daemons do not have the new token")
		}
	}
}

// What another daemon got long ago may have ended since. Nobody has to sign in for that: the request that
// finds out fails, and the next one has a new token.
func TestTokenOfOtherDaemonHasEnded(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	first := s.signedIn(v)
	second := s.authorizer(v)
	if _, err := s.unauthorized(second, second.Token(s.ctx)); err != nil {
		t.Fatal(err)
	}
	v.edit(t, moved(2*fresh, time.Hour))
	s.expireAccess()
	wantError(t, s.call(first, "echo"), "unreachable", "there is a new one now")
	s.mustCall(first)
	s.mustCall(second)
	if c := s.Counts(); c.Refreshes != 2 || c.RefreshReuses != 0 {
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

// An answer that does not arrive, or a daemon that is killed before it is kept, has used up the refresh token. The next
// attempt tells, and that is all: the person signs in again, and nothing is asked for over and over.
func TestAnswerLost(t *testing.T) {
	s, v, a := newSignedIn(t)
	s.expireAccess()
	s.fault("token", authserver.Fault{Do: "lose", Times: 1})
	wantError(t, s.call(a, "echo"), wire.KindUnreachable, "the connection broke; try again later")
	if v.kept(t).RefreshToken == "" {
		t.Fatal("the tokens are forgotten, though nobody has refused them")
	}
	a = s.authorizer(v)
	wantNeeded(t, s.call(a, "echo"), "your sign-in at ", " has ended")
	asked := len(s.asked("token"))
	for range 3 {
		wantNeeded(t, s.call(a, "echo"), "nobody is signed in now")
	}
	if more := len(s.asked("token")) - asked; more != 0 || s.Counts().RefreshReuses != 1 {
		t.Errorf("%d more requests for a token, %d reuses", more, s.Counts().RefreshReuses)
	}
	c := v.kept(t)
	if c.AccessToken != "" || c.RefreshToken != "" || c.Scopes != nil || !c.Expiry.IsZero() || c.Client.ID == "" || a.State().Issuer != "" {
		t.Error("tokens are kept, or the client is not")
	}
	s.mustSignIn(a)
	s.mustCall(a)
}

// Only an authorization server ends a sign-in. A refusal that names no reason may be that of a portal, and leaves the tokens.
func TestRefusedByAPortal(t *testing.T) {
	s, v, a := newSignedIn(t)
	s.expireAccess()
	s.fault("token", authserver.Fault{Do: "status", Status: http.StatusUnauthorized, Body: "canary"})
	wantNeeded(t, s.call(a, "echo"), "has ended")
	s.change(func(k *authserver.Knobs) { k.Faults = nil })
	s.mustCall(s.authorizer(v))
}

// moved returns a change of kept credentials: the access token was given a while ago, and lives so long.
func moved(ago, life time.Duration) func(*credentials) {
	return func(c *credentials) {
		c.Given = time.Now().Add(-ago)
		c.Expiry = c.Given.Add(life)
	}
}

// A token is replaced by the clock of this machine, before it is used where its end is over. What the clock
// says decides nothing else: it may be wrong.
func TestTokenByTheClock(t *testing.T) {
	const hour = time.Hour
	for name, test := range map[string]struct {
		ago, life time.Duration
		renewed   bool // for asking for a token
		old       bool // the old token is given out all the same
	}{
		"half a minute and a bit left": {hour - 40*time.Second, hour, false, true},
		"near its end":                 {hour - 15*time.Second, hour, true, true},
		"over":                         {hour + time.Second, hour, true, false},
		"short-lived and fresh":        {0, 20 * time.Second, false, true},
		"short-lived and near its end": {19 * time.Second, 20 * time.Second, true, true},
		"given an hour ahead of us":    {-hour, hour, false, true},
		"the end is before the start":  {0, -hour, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{}), newVault()
			s.signedIn(v)
			v.edit(t, moved(test.ago, test.life))
			a := s.authorizer(v)
			old := v.kept(t).AccessToken
			if token := a.Token(s.ctx); (token == old) != test.old {
				t.Errorf("the old token is given out: %t", token == old)
			}
			s.settled(a)
			if token := a.Token(s.ctx); (token == old) == test.renewed || (s.Counts().Refreshes == 1) != test.renewed {
				t.Errorf("then the old token is given out: %t, after %d refreshes", token == old, s.Counts().Refreshes)
			}
			for _, at := range []time.Time{a.cred.Given, a.cred.Expiry} { // of the wall: it goes on while the machine sleeps
				if at != at.Round(0) {
					t.Errorf("%v is of a clock that stands still", at)
				}
			}
		})
	}
}

// A token of which nobody says how long it lives, or says what cannot be, is used until it is refused. No
// answer makes every request ask for another one.
func TestLifeOfToken(t *testing.T) {
	for name, expires := range map[string]any{
		"not said": nil, "0": 0, "far too negative": -1 << 31, "a negative text": "-3600", "a text with a fraction": "3599.5",
		"less than a second": 0.5, "far too many": 1e30, "20 s": 20, "more than there is": 1 << 40,
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{Knobs: authserver.Knobs{TokenResponse: map[string]any{"expires_in": expires}}}), newVault()
			a := s.signedIn(v)
			for range 3 {
				s.mustCall(a)
			}
			s.settled(a)
			if got := s.Counts().Refreshes; got != 0 {
				t.Errorf("%d refreshes", got)
			}
			s.expireAccess()
			s.mustCall(a)
		})
	}
}

// While the authorization server gives none, a token at its end is used: the endpoint decides.
func TestTokenAtItsEndStays(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	s.signedIn(v)
	v.edit(t, moved(2*time.Hour, time.Hour))
	s.fault("token", authserver.Fault{Do: "status", Status: http.StatusServiceUnavailable, Body: "canary"})
	a := s.authorizer(v)
	old := a.Token(s.ctx)
	s.mustCall(a)
	if a.Token(s.ctx) != old || len(s.asked("token")) < 2 {
		t.Error("the authorization server was not asked for another one")
	}
}

// Without anything to renew it with, a token is used to its end and beyond.
func TestNothingToRenewWith(t *testing.T) {
	s, v := newSite(t, authserver.Options{Knobs: authserver.Knobs{NoRefreshToken: true}}), newVault()
	s.signedIn(v)
	v.edit(t, moved(2*time.Hour, time.Hour))
	a := s.authorizer(v)
	s.mustCall(a)
	s.expireAccess()
	wantNeeded(t, s.call(a, "echo"), "your sign-in has ended")
	wantNeeded(t, s.call(a, "echo"), "nobody is signed in now")
	if c := v.kept(t); c.AccessToken != "" || c.Client.ID == "" {
		t.Error("the token is kept, or the client is not")
	}
	if asked := len(s.asked("token")); asked != 1 {
		t.Errorf("the authorization server was asked %d times", asked)
	}
}

// settled waits for the end of a renewal, if one is under way.
func (s *site) settled(a *Authorizer) {
	a.mu.Lock()
	r := a.renewal
	a.mu.Unlock()
	if r != nil {
		_ = r.wait(s.ctx)
	}
}
