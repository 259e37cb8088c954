package oauth

import (
	"errors"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// What the store refuses to keep, such as when too many credentials wait for it, is used until somebody else has
// written something. A renewal does not go back to the refresh token of before, which is used up.
func TestNotKept(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	v.fail("set", errors.New("too many credentials wait to be kept"))
	for range 2 {
		s.expireAccess()
		s.mustCall(a)
	}
	if c := s.Counts(); c.Refreshes != 2 || c.RefreshReuses != 0 {
		t.Errorf("got %+v", c)
	}

	v.fail("set", nil)
	other := newVault()
	s.signedIn(other)
	v.restore(other.snapshot()) // another daemon has signed in
	for refreshes := range 2 {
		if retry, err := s.unauthorized(a, s.tokenOf(a)); err != nil || !retry {
			t.Errorf("got %t, %v", retry, err)
		}
		if v.kept(t).AccessToken != s.tokenOf(a) || s.Counts().Refreshes != 2+refreshes {
			t.Error("the token is not the one that is kept")
		}
	}
	if c := s.Counts(); c.Refreshes != 3 || c.RefreshReuses != 0 {
		t.Errorf("got %+v", c)
	}
}

// Tokens that are refused are forgotten, also where the store still has them.
func TestNotForgotten(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	v.fail("set", errors.New("too many credentials wait to be kept"))
	if err := s.Revoke("refresh"); err != nil {
		t.Fatal(err)
	}
	wantNeeded(t, s.call(a, "echo"), "has ended")
	asked := len(s.asked("token"))
	for range 3 {
		wantNeeded(t, s.call(a, "echo"), "nobody is signed in now")
	}
	if more := len(s.asked("token")) - asked; more != 0 {
		t.Errorf("%d more requests for a token", more)
	}
}

// A first sign-in counts, too.
func TestFirstNotKept(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	v.fail("set", errors.New("too many credentials wait to be kept"))
	a := s.signedIn(v)
	s.expireAccess()
	s.mustCall(a)
	if v.kept(t) != nil {
		t.Error("it is kept")
	}
}

// Who has signed out is not signed in again by what the store did not forget, but by somebody who signs in.
func TestSignedOutThoughKept(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	v.fail("delete", errors.New("the keyring is locked; unlock it"))
	if err := a.SignOut(s.ctx); err == nil || v.kept(t) == nil {
		t.Errorf("got %v", err)
	}
	for range 2 {
		wantNeeded(t, s.call(a, "echo"), notYet)
	}
	s.mustSignIn(s.authorizer(v))
	s.mustCall(a)
}
