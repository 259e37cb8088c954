package oauth

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// A person whose browser cannot reach this machine pastes what it ended on. What is wrong is said, without
// quoting it, and the sign-in goes on.
func TestPasteInto(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.authorizer(v)
	if err := a.Paste("http://127.0.0.1/?code=x"); !errors.Is(err, ErrNoSignIn) {
		t.Errorf("before: got %v", err)
	}
	b := s.begin(a)
	page := s.browse(b, authserver.Browser{StopAt: "redirect"})
	state := mustParse(b.visit.URL).Query().Get("state")
	for name, text := range map[string]string{
		"nothing":             " \n",
		"the first address":   b.visit.URL,
		"another address":     "https://canary.example/?code=canary&state=" + state,
		"another sign-in":     b.visit.RedirectURI + "?code=canary&state=canary",
		"no code":             b.visit.RedirectURI,
		"a code without more": "canary", // this authorization server always says who it is
	} {
		if err := s.saw(a.Paste(text)); err == nil || errors.Is(err, ErrNoSignIn) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := a.Paste("  <" + page.Next + ">\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-b.done; err != nil {
		t.Fatal(err)
	}
	s.mustCall(a)
	if err := a.Paste(page.Next); !errors.Is(err, ErrNoSignIn) {
		t.Errorf("after: got %v", err)
	}
}

// A code alone is enough where the authorization server does not say who it is. One that it does not know
// ends the sign-in.
func TestPasteCode(t *testing.T) {
	s, v := newSite(t, authserver.Options{Knobs: authserver.Knobs{Iss: "off"}}), newVault()
	a := s.authorizer(v)
	b := s.begin(a)
	if err := a.Paste("of-another-sign-in"); err != nil {
		t.Fatal(err)
	}
	wantFailed(t, <-b.done, "gave no token (invalid_grant: the code is not known); sign in again")
	b = s.begin(a)
	page := s.browse(b, authserver.Browser{StopAt: "redirect"})
	if err := a.Paste(mustParse(page.Next).Query().Get("code")); err != nil {
		t.Fatal(err)
	}
	if err := <-b.done; err != nil {
		t.Fatal(err)
	}
	s.mustCall(a)
}

// What is pasted while a code is redeemed changes nothing.
func TestPasteTwice(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.authorizer(v)
	b := s.begin(a)
	page := s.browse(b, authserver.Browser{StopAt: "redirect"})
	s.fault("token", authserver.Fault{Do: "hold"})
	if err := a.Paste(page.Next); err != nil {
		t.Fatal(err)
	}
	s.await(func(c authserver.Counts) bool { return c.Requests["token"] == 1 })
	if err := s.saw(a.Paste(page.Next)); err == nil {
		t.Error("a code was taken twice")
	}
	if err := s.Release("token"); err != nil {
		t.Fatal(err)
	}
	if err := <-b.done; err != nil {
		t.Fatal(err)
	}
	if c := s.Counts(); c.Requests["token"] != 1 || c.CodesReplayed != 0 {
		t.Errorf("got %+v", c)
	}
}

// What is pasted before there is an address to visit belongs to no sign-in.
func TestPasteTooEarly(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.authorizer(v)
	s.fault("metadata", authserver.Fault{Do: "hold"})
	done := make(chan error, 1)
	go func() {
		done <- a.SignIn(s.ctx, func(Visit) error { return errors.New("no") })
	}()
	s.await(func(c authserver.Counts) bool { return c.Requests["metadata"] == 1 })
	if err := a.Paste("x"); !errors.Is(err, ErrNoSignIn) {
		t.Errorf("got %v", err)
	}
	if err := s.Release("metadata"); err != nil {
		t.Fatal(err)
	}
	<-done
}

// Both grants share the same guard of their credentials: a token endpoint that leads elsewhere gets nothing.
func TestNothingGoesElsewhere(t *testing.T) {
	for _, endpoint := range []string{"http://10.0.0.1/token", "http://169.254.169.254/token", "ftp://$HOST/token", "http://user@$HOST/token"} {
		t.Run(endpoint, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{}), newVault()
			a := s.signedIn(v)
			s.expireAccess()
			// As if it were kept by a program that did not check it.
			v.edit(t, func(c *credentials) {
				c.TokenEndpoint = strings.ReplaceAll(endpoint, "$HOST", mustParse(s.Issuer()).Host)
			})
			asked := len(s.asked("token"))
			err := s.call(s.authorizer(v), "echo")
			wantError(t, err, wire.KindUnreachable, fmt.Sprintf("the sign-in of %s leads to", mustParse(s.URL()).Host))
			if len(s.asked("token")) != asked {
				t.Error("the token was sent")
			}
			a.Close(s.ctx)
		})
	}
}
