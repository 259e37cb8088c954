package oauth

import (
	"net/http"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// Times are kept as the clock on the wall has them, and not as long as this machine has been awake.
func TestTimesAreOfTheWall(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	for _, at := range []time.Time{a.cred.Given, a.cred.Expiry} {
		if at != at.Round(0) {
			t.Errorf("%v does not go on while the machine sleeps", at)
		}
	}
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
		refreshes int  // that come of asking for a token
		old       bool // the old token is given out all the same
	}{
		"fresh":                         {0, hour, 0, true},
		"in the middle":                 {hour / 2, hour, 0, true},
		"half a minute and a bit left":  {hour - 40*time.Second, hour, 0, true},
		"near its end":                  {hour - 15*time.Second, hour, 1, true},
		"over":                          {hour + time.Second, hour, 1, false},
		"over for long":                 {24 * hour, hour, 1, false},
		"short-lived and fresh":         {0, 20 * time.Second, 0, true},
		"short-lived and near its end":  {19 * time.Second, 20 * time.Second, 1, true},
		"given an hour ahead of us":     {-hour, hour, 0, true},
		"the clock was an hour behind":  {2 * hour, hour, 1, false},
		"the end is before the start":   {0, -hour, 1, false},
		"given an hour ago, as it says": {hour, 2 * hour, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{}), newVault()
			s.signedIn(v)
			v.edit(t, moved(test.ago, test.life))
			a := s.authorizer(v)
			old := v.kept(t).AccessToken
			token := s.tokenOf(a)
			if (token == old) != test.old {
				t.Errorf("the old token is given out: %t", token == old)
			}
			a.going.Wait()
			if got := s.Counts().Refreshes; got != test.refreshes {
				t.Errorf("%d refreshes, want %d", got, test.refreshes)
			}
			if token := s.tokenOf(a); (token == old) != (test.refreshes == 0) {
				t.Errorf("then the old token is given out: %t", token == old)
			}
			a.going.Wait()
			if got := s.Counts().Refreshes; got != test.refreshes {
				t.Errorf("%d refreshes in the end, want %d", got, test.refreshes)
			}
			s.mustCall(a)
		})
	}
}

// A token of which nobody says how long it lives, or says what cannot be, is used until it is refused. No
// answer makes every request ask for another one.
func TestLifeOfToken(t *testing.T) {
	for name, expires := range map[string]any{
		"not said": nil, "0": 0, "negative": -1, "far too negative": -1 << 31, "a text": "3600", "a negative text": "-3600",
		"a fraction": 3599.5, "a text with a fraction": "3599.5", "less than a second": 0.5, "far too many": 1e30,
		"20 s": 20, "a year": 31536000, "more than there is": 1 << 40,
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{Knobs: authserver.Knobs{TokenResponse: map[string]any{"expires_in": expires}}}), newVault()
			a := s.signedIn(v)
			for range 20 {
				s.mustCall(a)
			}
			a.going.Wait()
			if got := s.Counts().Refreshes; got != 0 {
				t.Errorf("%d refreshes for 20 requests", got)
			}
			if err := s.Expire("access"); err != nil {
				t.Fatal(err)
			}
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
	for range 5 {
		s.mustCall(a)
	}
	if asked := len(s.asked("token")); asked != 2 { // the code, and one refresh
		t.Errorf("the authorization server was asked %d times", asked)
	}
}

// Without anything to renew it with, a token is used to its end and beyond.
func TestNothingToRenewWith(t *testing.T) {
	s, v := newSite(t, authserver.Options{Knobs: authserver.Knobs{NoRefreshToken: true}}), newVault()
	s.signedIn(v)
	v.edit(t, moved(2*time.Hour, time.Hour))
	a := s.authorizer(v)
	s.mustCall(a)
	if err := s.Expire("access"); err != nil {
		t.Fatal(err)
	}
	wantNeeded(t, s.call(a, "echo"), "your sign-in has ended")
	wantNeeded(t, s.call(a, "echo"), "nobody is signed in now")
	if c := v.kept(t); c.AccessToken != "" || c.Client.ID == "" {
		t.Error("the token is kept, or the client is not")
	}
	if asked := len(s.asked("token")); asked != 1 {
		t.Errorf("the authorization server was asked %d times", asked)
	}
}
