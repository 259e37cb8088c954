package oauth

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
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
		if token := a.Token(s.ctx); token != "" {
			t.Error("there is a token")
		}
		wantNeeded(t, s.call(a, "echo"), notYet)
	}
	s.must(a.SignOut(s.ctx))
	if a.Unread() || a.State().Issuer != "" {
		t.Errorf("there is nothing to read, but %+v", a.State())
	}
	if _, err := s.signIn(a, authserver.Browser{Deny: true}); err == nil {
		t.Error("signed in")
	}
	if did := v.operations(); len(did) != 0 {
		t.Errorf("the store did %v", did)
	}
}

// What is kept is all that is in use: a daemon that starts again has the same credentials. It asks the store once,
// and then only for a renewal.
func TestSurvivesRestart(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	before := s.signedIn(v)
	v.operations()
	after := s.authorizer(v)
	if did := v.operations(); len(did) != 0 {
		t.Errorf("to make an Authorizer, the store did %v", did)
	}
	for range 5 {
		s.mustCall(after)
	}
	if did := v.operations(); !slices.Equal(did, []string{"get"}) {
		t.Errorf("the store did %v", did)
	}
	if !reflect.DeepEqual(before.cred, after.cred) {
		t.Error("what was in use is not what is kept")
	}
	if b, a := before.State(), after.State(); !reflect.DeepEqual(a, b) || a.Issuer != s.Issuer() || !slices.Equal(a.Scopes, []string{"mcp", "offline_access"}) {
		t.Errorf("the state was %+v, and is %+v", b, a)
	}
	s.expireAccess()
	s.mustCall(after)
	if c := s.Counts(); c.Codes != 1 || c.Registrations != 1 || c.Refreshes != 1 {
		t.Errorf("got %+v", c)
	}
}

// A refreshed token is in the store before anybody can use it: who is killed in between has lost a refresh
// token that works only once.
func TestWrittenBeforeUsed(t *testing.T) {
	s, v, a := newSignedIn(t)
	old := a.Token(s.ctx)
	v.operations()
	reached, release := v.hold(t, "set")
	done := s.refusing(a, old)
	<-reached
	if token := a.Token(s.ctx); token != old {
		t.Errorf("the token is given out before it is kept")
	}
	select {
	case err := <-done:
		t.Errorf("the request is repeated before the token is kept: %v", err)
	default:
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if did := v.operations(); !slices.Equal(did, []string{"lock", "get", "set", "unlock"}) {
		t.Errorf("the store did %v", did)
	}
	if token := a.Token(s.ctx); token == old || token != v.kept(t).AccessToken {
		t.Errorf("the token is not the one that is kept")
	}
}

// What the store keeps in memory only is used like anything else. The log says so.
func TestNotKept(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	v.fail("set", errors.New("the keyring is locked; unlock it"))
	a := s.signedIn(v)
	s.expireAccess()
	s.mustCall(a)
	if c, logs := s.Counts(), s.logs.FilterMessage("credentials are kept in memory only").Len(); c.Refreshes != 1 || logs != 2 {
		t.Errorf("got %+v, and %d lines in the log", c, logs)
	}
}

// Credentials whose lock nobody could make are used and forgotten like any others, though the store does not
// know that it has them.
func TestSignedInWithoutLock(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	v.fail("lock", errors.New("the disk is full"))
	a := s.signedIn(v)
	s.mustCall(a)
	s.expireAccess()
	wantError(t, s.call(a, "echo"), "unreachable", "the disk is full")
	s.must(a.SignOut(s.ctx))
	if a.State().Issuer != "" || v.kept(t) != nil || s.Counts().Revocations != 2 {
		t.Error("the credentials are kept")
	}
}

// A store that has moved is asked again, and has what it has now: nobody goes on with credentials of before.
func TestStoreMoves(t *testing.T) {
	s, v, a := newSignedIn(t)
	if err := v.Delete(t.Context(), a.o.Name); err != nil {
		t.Fatal(err)
	}
	s.mustCall(a)
	a.StoreMoved()
	if got := a.State(); got.Issuer != "" {
		t.Errorf("it still holds %+v", got)
	}
	wantNeeded(t, s.call(a, "echo"), notYet)
}

// What cannot be read is as good as nothing.
func TestUnreadableCredentials(t *testing.T) {
	for _, value := range []string{"", "null", "[]", "{", `{"issuer":""}`, `{"issuer":1}`, "\x00\xff"} {
		if c := decodeCredentials([]byte(value)); c != nil {
			t.Errorf("%q is %v", value, c)
		}
	}
}

// A store that is locked, or that has no keyring, makes no request fail in another way than that somebody has to
// sign in.
func TestStoreDoesNotAnswer(t *testing.T) {
	for text, why := range map[string]error{
		"the keyring is locked": errors.New("the keyring is locked; unlock it"),
		notYet:                  secrets.ErrNoKeyring,
	} {
		t.Run(text, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{}), newVault()
			s.signedIn(v)
			a := s.authorizer(v)
			for _, unread := range []bool{true, false} { // at first, and for a renewal
				v.fail("get", why)
				wantNeeded(t, s.call(a, "echo"), text)
				if a.Unread() != unread || s.Counts().Refreshes != 0 {
					t.Errorf("unread is %t; %d tokens were refreshed that the store may have replaced", a.Unread(), s.Counts().Refreshes)
				}
				v.fail("get", nil)
				s.mustCall(a)
				if a.Unread() {
					t.Error("the store has answered")
				}
				s.expireAccess()
			}
		})
	}
}

// An authorization server that answers late must not undo what a person has done meanwhile.
func TestSignInOutlivesAnOlderRenewal(t *testing.T) {
	for name, refused := range map[string]bool{"renewed": false, "refused": true} {
		t.Run(name, func(t *testing.T) {
			s, v, a := newSignedIn(t)
			s.fault("token", authserver.Fault{Do: "hold", Times: 1})
			renewed := s.refusing(a, a.Token(s.ctx))
			s.awaitAsked("token", 2)
			if refused {
				s.must(s.Revoke("refresh"))
			}
			reached, unlock := v.hold(t, "lock")
			b := s.begin(a)
			page := s.browsing(b)
			<-reached // with its tokens
			s.release("token")
			if err := <-renewed; (err != nil) != refused {
				t.Errorf("the renewal ended with %v", err)
			}
			old := v.kept(t).AccessToken
			unlock()
			<-page
			b.succeeds(t)
			if kept := v.kept(t).AccessToken; kept == old || kept != a.Token(s.ctx) {
				t.Error("it keeps, or uses, what the renewal had")
			}
			s.mustCall(a)
		})
	}
}

// A sign-out that comes while the code is redeemed leaves nothing.
func TestSignOutWhileTheTokenIsOnItsWay(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.authorizer(v)
	reached, unlock := v.hold(t, "lock")
	b := s.begin(a)
	page := s.browsing(b)
	<-reached // with the tokens
	b.end(nil)
	unlock()
	if err := <-b.done; !errors.Is(err, context.Canceled) {
		t.Errorf("it is signed in: %v", err)
	}
	<-page
	if v.kept(t) != nil || s.Counts().Revocations != 2 {
		t.Errorf("it keeps %v after %d revocations", v.kept(t), s.Counts().Revocations)
	}
}
