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

// A refreshed token is in the store before anybody can use it: who is killed in between has lost a refresh
// token that works only once.
func TestWrittenBeforeUsed(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	old := s.tokenOf(a)
	v.operations()
	reached, release := v.hold(t, "set")
	done := make(chan error, 1)
	go func() {
		retry, err := s.unauthorized(a, old)
		if err == nil && !retry {
			err = errors.New("there is no other token")
		}
		done <- err
	}()
	<-reached
	if token := s.tokenOf(a); token != old {
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
	if token := s.tokenOf(a); token == old || token != v.kept(t).AccessToken {
		t.Errorf("the token is not the one that is kept")
	}
	s.mustCall(a)
}

// A token that the store keeps in memory only is used all the same, also for the next renewal.
func TestKeptInMemoryOnly(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	v.fail("set", secrets.ErrMemoryOnly)
	a := s.signedIn(v)
	for range 2 {
		if err := s.Expire("access"); err != nil {
			t.Fatal(err)
		}
		s.mustCall(a)
	}
	if c := s.Counts(); c.Refreshes != 2 || c.RefreshReuses != 0 {
		t.Errorf("got %+v", c)
	}
	if logs := s.logs.FilterMessage("credentials are kept in memory only").Len(); logs != 3 {
		t.Errorf("the log says %d times that credentials are not kept", logs)
	}
}

// What is kept is all that is in use: a daemon that starts again has the same credentials.
func TestSurvivesRestart(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	before := s.signedIn(v)
	after := s.authorizer(v)
	s.mustCall(after)
	if !reflect.DeepEqual(before.cred, after.cred) {
		t.Error("what was in use is not what is kept")
	}
	if b, a := before.State(), after.State(); !reflect.DeepEqual(a, b) || a.Issuer != s.Issuer() || !slices.Equal(a.Scopes, []string{"mcp", "offline_access"}) {
		t.Errorf("the state was %+v, and is %+v", b, a)
	}
	if err := s.Expire("access"); err != nil {
		t.Fatal(err)
	}
	s.mustCall(after)
	if c := s.Counts(); c.Codes != 1 || c.Registrations != 1 || c.Refreshes != 1 {
		t.Errorf("got %+v", c)
	}
}

// What cannot be read is as good as nothing.
func TestUnreadableCredentials(t *testing.T) {
	for _, value := range []string{"", "null", "[]", "{", `{"issuer":""}`, `{"issuer":1}`, "\x00\xff"} {
		t.Run(value, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{}), newVault()
			s.signedIn(v)
			v.restore(map[string][]byte{"tracker at host": []byte(value)})
			a := s.authorizer(v)
			wantNeeded(t, s.call(a, "echo"), "nobody has signed in yet")
			s.mustSignIn(a)
			s.mustCall(a)
		})
	}
}

// A store that does not answer is waited for, and no longer than the request has time.
func TestStoreHangs(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	s.signedIn(v)
	a := s.authorizer(v)
	reached, release := v.hold(t, "get")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan string, 1)
	go func() {
		token, _ := a.Token(ctx)
		done <- token
	}()
	<-reached
	cancel()
	if token := <-done; token != "" {
		t.Error("there is a token that nobody has read")
	}
	if !a.Unread() {
		t.Error("the store has not answered")
	}
	release()
	s.mustCall(a)
	if a.Unread() {
		t.Error("the store has answered")
	}
}
