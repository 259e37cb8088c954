package oauth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// begun is a sign-in that waits for its browser.
type begun struct {
	visit Visit
	done  <-chan error
	end   context.CancelCauseFunc
}

// succeeds fails unless somebody is signed in at the end.
func (b *begun) succeeds(t *testing.T) {
	t.Helper()
	if err := <-b.done; err != nil {
		t.Fatal(err)
	}
}

// begin begins a sign-in, and returns when it waits for the browser.
func (s *site) begin(a *Authorizer) *begun {
	s.t.Helper()
	ctx, end := context.WithCancelCause(s.ctx)
	s.t.Cleanup(func() { end(nil) })
	visits, done := make(chan Visit, 1), make(chan error, 1)
	go func() {
		done <- s.saw(a.SignIn(ctx, func(v Visit) error {
			visits <- v
			return nil
		}))
	}()
	select {
	case v := <-visits:
		return &begun{v, done, end}
	case err := <-done:
		s.t.Fatalf("there was no address to visit: %v", err)
		return nil
	}
}

// browse opens the address of a sign-in.
func (s *site) browse(b *begun, browser authserver.Browser) *authserver.Visit {
	s.t.Helper()
	page, err := browser.Visit(s.ctx, b.visit.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	return page
}

// browsing opens the address of a sign-in, and sends what the browser ends on.
func (s *site) browsing(b *begun) <-chan *authserver.Visit {
	page := make(chan *authserver.Visit, 1)
	go func() {
		v, _ := authserver.Browser{}.Visit(s.ctx, b.visit.URL)
		page <- v
	}()
	return page
}

// A person signs in with all that the specifications ask for, and the browser says so.
func TestSignIn(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	var changed atomic.Int32
	a := s.authorizer(v, func(o *Options) { o.Changed = func() { changed.Add(1) } })
	b := s.begin(a)
	q := mustParse(b.visit.URL).Query()
	for name, want := range map[string]string{
		"response_type": "code", "code_challenge_method": "S256", "resource": s.Resource(), "redirect_uri": b.visit.RedirectURI,
		"scope": "mcp offline_access", "prompt": "consent",
	} {
		if got := q[name]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if left := time.Until(b.visit.Until); left <= 0 || left > Patience {
		t.Errorf("there is time for %s", left)
	}
	if page := s.browse(b, authserver.Browser{}); page.Status != http.StatusOK {
		t.Errorf("the browser got %d: %s", page.Status, page.Page)
	}
	b.succeeds(t)
	if changed.Load() != 1 || s.logs.FilterMessage("signed in").Len() != 1 {
		t.Errorf("%d changes, %d lines in the log", changed.Load(), s.logs.FilterMessage("signed in").Len())
	}
	s.mustCall(a)
	if did := v.operations(); !slices.Equal(did, []string{"lock", "set", "unlock"}) {
		t.Errorf("the store did %v", did)
	}
	wantClosed(t, b.visit.RedirectURI)
}

// wantClosed fails if something listens at an address.
func wantClosed(t *testing.T, address string) {
	t.Helper()
	conn, err := net.Dial("tcp", mustParse(address).Host)
	if err == nil {
		_ = conn.Close()
		t.Errorf("%s still listens", mustParse(address).Host)
	}
}

// Whatever ends a sign-in without credentials, also one at an identity provider, the browser and the caller hear why,
// and the credentials of before stay.
func TestSignInFails(t *testing.T) {
	for name, test := range map[string]struct {
		managed bool
		knobs   authserver.Knobs
		text    string
	}{
		"denied":          {false, authserver.Knobs{Deny: true}, "the sign-in was denied"},
		"wrong issuer":    {false, authserver.Knobs{Iss: "wrong"}, "from another authorization server"},
		"no issuer":       {false, authserver.Knobs{Iss: "missing"}, "which always says so"},
		"code refused":    {false, authserver.Knobs{Faults: map[string]authserver.Fault{"token": {Do: "error", Error: "invalid_grant"}}}, "gave no token (invalid_grant: as a knob says); sign in again"},
		"refused plainly": {false, authserver.Knobs{Faults: map[string]authserver.Fault{"token": {Do: "status", Status: 400, Body: "canary"}}}, "gave no token (Bad Request); sign in again"},

		"denied by the provider":      {true, authserver.Knobs{Deny: true}, "the sign-in was denied"},
		"no id_token":                 {true, authserver.Knobs{IDPResponse: map[string]any{"id_token": nil}}, "signed you in without saying who you are (no id_token)"},
		"assertion that is not taken": {true, authserver.Knobs{IDPResponse: map[string]any{"access_token": "canary.for.nobody"}}, "to let this client in"},
	} {
		t.Run(name, func(t *testing.T) {
			var o authserver.Options
			if test.managed {
				o = company(authBasic)
			}
			s, v := newSite(t, o), newVault()
			config := configured(Config{})
			if test.managed {
				config = s.managed()
			}
			a := s.signedIn(v, config)
			before := v.kept(t)
			s.change(func(k *authserver.Knobs) { *k = test.knobs })
			page, err := s.signIn(a, authserver.Browser{})
			wantFailed(t, err, test.text)
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q has several lines", err)
			}
			if page == nil || page.Status != http.StatusForbidden || !strings.Contains(page.Page, strings.SplitN(test.text, " (", 2)[0]) {
				t.Errorf("the browser got %+v", page)
			}
			if after := v.kept(t); after.AccessToken != before.AccessToken || after.Client.ID != before.Client.ID {
				t.Error("the credentials of before are gone")
			}
			s.change(func(k *authserver.Knobs) { *k = authserver.Knobs{} })
			s.mustCall(a)
			if err := a.Paste("x"); !errors.Is(err, ErrNoSignIn) {
				t.Errorf("pasting: %v", err)
			}
		})
	}
}

// A sign-in ends when its address must not be visited, with its context, whose cause is the error, or when nobody has come for
// as long as Patience. It leaves no listener.
func TestSignInEnds(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	why := errors.New("nobody waits")
	for name, test := range map[string]struct {
		patience time.Duration
		visit    func(end context.CancelCauseFunc) error
		want     string
	}{
		"visit":    {Patience, func(context.CancelCauseFunc) error { return why }, "nobody waits"},
		"context":  {Patience, func(end context.CancelCauseFunc) error { end(why); return nil }, "nobody waits"},
		"patience": {100 * time.Millisecond, func(context.CancelCauseFunc) error { return nil }, "nobody has signed in within 100ms; sign in again"},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.authorizer(v)
			a.patience = test.patience
			ctx, end := context.WithCancelCause(s.ctx)
			defer end(nil)
			address := ""
			err := s.saw(a.SignIn(ctx, func(v Visit) error {
				address = v.RedirectURI
				return test.visit(end)
			}))
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v", err)
			}
			if address != "" { // within its patience
				wantClosed(t, address)
			}
			if err := a.Paste("x"); !errors.Is(err, ErrNoSignIn) {
				t.Errorf("pasting: %v", err)
			}
			s.mustSignIn(s.authorizer(v))
		})
	}
}
