package oauth

import (
	"errors"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// A store is not asked before anything was kept: a locked keyring would ask the person for a password, for
// a server that may need no sign-in at all.
func TestStoreIsNotAsked(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	for _, operation := range []string{"get", "set", "delete", "lock"} {
		v.fail(operation, errors.New("the keyring is locked; unlock it"))
	}
	a := s.authorizer(v)
	for range 2 {
		if token := s.tokenOf(a); token != "" {
			t.Error("there is a token")
		}
		wantNeeded(t, s.call(a, "echo"), notYet)
	}
	if err := a.SignOut(s.ctx); err != nil {
		t.Error(err)
	}
	if state := a.State(); state.Issuer != "" {
		t.Errorf("got %+v", state)
	}
	if a.Unread() {
		t.Error("there is nothing to read")
	}
	if _, err := s.signIn(a, authserver.Browser{Deny: true}); err == nil {
		t.Error("signed in")
	}
	if did := v.operations(); len(did) != 0 {
		t.Errorf("the store did %v", did)
	}
}

// A store is asked once, and then only for a renewal.
func TestStoreIsAskedOnce(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	s.signedIn(v)
	v.operations()
	a := s.authorizer(v)
	if did := v.operations(); len(did) != 0 {
		t.Errorf("to make an Authorizer, the store did %v", did)
	}
	for range 5 {
		s.mustCall(a)
	}
	if did := v.operations(); !slices.Equal(did, []string{"get"}) {
		t.Errorf("the store did %v", did)
	}
}

// Credentials whose lock nobody could make are used and forgotten like any others, though the store does not
// know that it has them.
func TestSignedInWithoutLock(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	v.fail("lock", errors.New("the disk is full"))
	a := s.signedIn(v)
	s.mustCall(a)
	if s.logs.FilterMessage("writing credentials without their lock").Len() != 1 {
		t.Error("the log does not say so")
	}
	if err := s.Expire("access"); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.call(a, "echo"), "unreachable", "the disk is full")
	if err := a.SignOut(s.ctx); err != nil {
		t.Error(err)
	}
	if a.State().Issuer != "" || v.kept(t) != nil || s.Counts().Revocations != 2 {
		t.Error("the credentials are kept")
	}
}

// A store that has moved is asked again, and has what it has now: nobody goes on with credentials of before.
func TestStoreMoves(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	s.mustCall(a)
	if err := v.Delete(t.Context(), a.o.Name); err != nil {
		t.Fatal(err)
	}
	s.mustCall(a)
	a.StoreMoved()
	if got := a.State(); got.Issuer != "" {
		t.Errorf("it still holds %+v", got)
	}
	wantNeeded(t, s.call(a, "echo"), notYet)
	if a.Unread() {
		t.Error("the store has answered")
	}
}
