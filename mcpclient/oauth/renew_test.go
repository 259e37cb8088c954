package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// However many requests are refused at once, one renewal is made for all of them.
func TestManyRefused(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	old := s.tokenOf(a)
	v.operations()
	s.fault("token", authserver.Fault{Do: "hold"})
	var all sync.WaitGroup
	var retried atomic.Int32
	for range 100 {
		all.Go(func() {
			if retry, err := s.unauthorized(a, old); err != nil || !retry {
				t.Errorf("got %t, %v", retry, err)
				return
			}
			if s.tokenOf(a) == old {
				t.Error("there is no other token")
			}
			retried.Add(1)
		})
	}
	s.await(func(c authserver.Counts) bool { return c.Requests["token"] == 2 })
	if err := s.Release("token"); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if c := s.Counts(); c.Refreshes != 1 || c.Requests["token"] != 2 || retried.Load() != 100 {
		t.Errorf("%d refreshes, %d retried", c.Refreshes, retried.Load())
	}
	if did := v.operations(); !slices.Equal(did, []string{"lock", "get", "set", "unlock"}) {
		t.Errorf("the store did %v", did)
	}
}

// A renewal belongs to none of those who wait for it: one that gives up does not end it.
func TestCancelledRequest(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	old := s.tokenOf(a)
	s.fault("token", authserver.Fault{Do: "late"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := a.Refused(ctx, old, http.StatusUnauthorized, challengeOf("Bearer"), false)
		done <- err
	}()
	s.await(func(c authserver.Counts) bool { return c.Refreshes == 1 })
	cancel()
	if err := <-done; wire.KindOf(err) != wire.KindGone {
		t.Errorf("got %v", err)
	}
	if err := s.Release("token"); err != nil {
		t.Fatal(err)
	}
	if retry, err := s.unauthorized(a, old); err != nil || !retry {
		t.Errorf("got %t, %v", retry, err)
	}
	if c := s.Counts(); c.Refreshes != 1 || c.RefreshReuses != 0 {
		t.Errorf("got %+v", c)
	}
	s.mustCall(a)
}

// A renewal that fails is not repeated at once. Requests in a row get the same answer for a while.
func TestPauseAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault()
		v.fail("lock", errors.New("the disk is full"))
		a := New(Options{Server: "tracker", Endpoint: mustParse("https://tracker.example/mcp"), Store: v, Name: "x", Log: noLog, Config: Config{Grant: GrantClientCredentials}})
		defer a.Close(t.Context())
		try := func() error { return a.renew(t.Context(), "") }
		for range 10 {
			wantError(t, try(), wire.KindUnreachable, "the credentials for tracker.example cannot be changed now: the disk is full")
		}
		if did := v.operations(); !slices.Equal(did, []string{"lock"}) {
			t.Errorf("the store did %v", did)
		}
		time.Sleep(renewPause - 1)
		if _ = try(); len(v.operations()) != 0 {
			t.Error("it tried too early")
		}
		time.Sleep(1 * time.Nanosecond)
		if _ = try(); len(v.operations()) != 1 {
			t.Error("it did not try again")
		}
	})
}

// A store that does not give its lock is waited for as long as a renewal may take.
func TestLockHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVault()
		a := New(Options{Server: "tracker", Endpoint: mustParse("https://tracker.example/mcp"), Store: v, Name: "x", Log: noLog})
		defer a.Close(t.Context())
		v.hold(t, "lock")
		began := time.Now()
		wantError(t, a.renew(t.Context(), ""), wire.KindUnreachable, "cannot be changed now")
		if took := time.Since(began); took != renewPatience {
			t.Errorf("it took %s", took)
		}
	})
}

// After a sign-out, nothing remembers that a renewal has failed.
func TestSignOutForgetsFailure(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	if err := s.Expire("access"); err != nil {
		t.Fatal(err)
	}
	s.change(func(k *authserver.Knobs) { k.Down = []string{"issuer"} })
	wantError(t, s.call(a, "echo"), wire.KindUnreachable, "cannot be reached") // a connection that was kept may break first
	s.change(func(k *authserver.Knobs) { k.Down = nil })
	wantError(t, s.call(a, "echo"), wire.KindUnreachable, "cannot be reached") // a connection that was kept may break first
	if err := a.SignOut(s.ctx); err != nil {
		t.Fatal(err)
	}
	wantNeeded(t, s.call(a, "echo"), notYet)
}

// Close waits for what is being renewed, which is in the store then.
func TestCloseWaits(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	old := s.tokenOf(a)
	s.fault("token", authserver.Fault{Do: "late"})
	refused := make(chan struct{})
	go func() {
		defer close(refused)
		if retry, err := s.unauthorized(a, old); err != nil || !retry {
			t.Errorf("got %t, %v", retry, err)
		}
	}()
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
	if err := s.Release("token"); err != nil {
		t.Fatal(err)
	}
	<-closed
	if c := v.kept(t); c.AccessToken == old {
		t.Error("the token is not kept")
	}
	<-refused
	s.mustCall(s.authorizer(v))
}

// Close waits no longer than its context allows, and ends what is left.
func TestCloseEndsRenewal(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	old := s.tokenOf(a)
	s.fault("token", authserver.Fault{Do: "hold"})
	done := make(chan error, 1)
	go func() {
		_, err := s.unauthorized(a, old)
		done <- err
	}()
	s.await(func(c authserver.Counts) bool { return c.Requests["token"] == 2 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.Close(ctx)
	if err := <-done; wire.KindOf(err) != wire.KindUnreachable {
		t.Errorf("got %v", err)
	}
	if c := v.kept(t); c.AccessToken != old {
		t.Error("the tokens are forgotten")
	}
}

// Nothing is renewed after Close.
func TestNothingAfterClose(t *testing.T) {
	s, v := newSite(t, authserver.Options{}), newVault()
	a := s.signedIn(v)
	a.Close(s.ctx)
	v.operations()
	for range 3 {
		if retry, err := s.unauthorized(a, s.tokenOf(a)); wire.KindOf(err) != wire.KindUnreachable || retry {
			t.Errorf("got %t, %v", retry, err)
		}
	}
	if did := v.operations(); len(did) != 0 {
		t.Errorf("the store did %v", did)
	}
	if c := s.Counts(); c.Requests["token"] != 1 {
		t.Errorf("%d requests for a token", c.Requests["token"])
	}
	a.Close(s.ctx) // again does no harm
}

// A renewal that begins while Close runs is either waited for or not made. It never loses a token.
func TestCloseAndRenewAtOnce(t *testing.T) {
	for range 20 {
		s, v := newSite(t, authserver.Options{}), newVault()
		a := s.signedIn(v)
		old := s.tokenOf(a)
		var all sync.WaitGroup
		all.Go(func() { _, _ = s.unauthorized(a, old) })
		all.Go(func() { a.Close(s.ctx) })
		all.Wait()
		if c := s.Counts(); (c.Refreshes == 1) != (v.kept(t).AccessToken != old) {
			t.Fatal("a token that was given is not kept")
		}
	}
}

// A store that is locked, or that has no keyring, makes no request hang or fail in another way than that
// somebody has to sign in.
func TestStoreDoesNotAnswer(t *testing.T) {
	locked := errors.Join(secrets.ErrUnavailable, errors.New("the keyring is locked; unlock it"))
	for name, test := range map[string]struct {
		err  error
		text string
	}{
		"locked":     {locked, "the keyring is locked"},
		"no keyring": {errors.Join(secrets.ErrUnavailable, secrets.ErrNoKeyring), notYet},
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{}), newVault()
			s.signedIn(v)
			a := s.authorizer(v)
			v.fail("get", test.err)
			wantNeeded(t, s.call(a, "echo"), test.text)
			if !a.Unread() {
				t.Error("nobody knows what the store has")
			}
			v.fail("get", nil)
			s.mustCall(a)
			if a.Unread() {
				t.Error("the store has answered")
			}
			if err := s.Expire("access"); err != nil {
				t.Fatal(err)
			}
			v.fail("get", test.err)
			wantNeeded(t, s.call(a, "echo"), test.text)
			if c := s.Counts(); c.Refreshes != 0 {
				t.Error("a token was refreshed that the store may have replaced")
			}
			v.fail("get", nil)
			s.mustCall(a)
		})
	}
}
