package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// renewing has a renewal of the tokens of s begin, and returns once the authorization server has its request. It
// answers with respond.
func (w *world) renewing(t *testing.T, a *Authorizer, respond <-chan http.HandlerFunc) (renewed <-chan error) {
	asked, done := make(chan struct{}), make(chan error, 1)
	w.on(filesIssuer+"/token", func(rw http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") != "refresh_token" {
			tokens("signed-in", "new")(rw, r)
			return
		}
		close(asked)
		(<-respond)(rw, r)
	})
	go func() { done <- a.renew(context.Background(), "old") }()
	<-asked
	return done
}

// An authorization server that answers late must not undo what a person has done meanwhile.
func TestSignInOutlivesAnOlderRenewal(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"renewed", tokens("renewed", "old-2")},
		{"refused", func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = rw.Write([]byte(`{"error": "invalid_grant"}`))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, s := newWorld(t), newShelf()
			s.waits = make(chan struct{}, 1)
			a := w.authorizer(s, Config{})
			w.on(filesIssuer+"/register", registered)
			s.put(a, signedIn("old", "old-1"))
			respond := make(chan http.HandlerFunc, 1)
			renewed := w.renewing(t, a, respond)

			signed := make(chan error, 1)
			go func() { signed <- a.SignIn(context.Background(), bring(t, "code")) }()
			<-s.waits
			respond <- tt.answer
			<-renewed
			if err := <-signed; err != nil {
				t.Fatal(err)
			}
			if got := s.kept(t); got.token() != "signed-in" || got.RefreshToken != "new" {
				t.Errorf("it keeps %q and %q", got.token(), got.RefreshToken)
			}
			if token, _ := a.Token(t.Context()); token != "signed-in" {
				t.Errorf("it uses %q", token)
			}
		})
	}
}

func registered(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusCreated)
	_, _ = rw.Write([]byte(`{"client_id": "us", "token_endpoint_auth_method": "none"}`))
}

// Another daemon of the same user may sign in while somebody here gives up.
func TestGivingUpLeavesOtherCredentials(t *testing.T) {
	w, s := newWorld(t), newShelf()
	a := w.authorizer(s, Config{})
	s.put(a, signedIn("", ""))
	ctx, cancel := context.WithCancel(t.Context())
	w.on(filesIssuer+"/register", registered)
	err := a.SignIn(ctx, func(Visit) error {
		other := w.authorizer(s, Config{})
		other.write(t.Context(), signedIn("theirs", "theirs-1"))
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := s.kept(t); got.token() != "theirs" || got.Client.ID != "us" {
		t.Errorf("it keeps %v with the token %q", got, got.token())
	}
}

// A sign-out that comes while the code is redeemed leaves nothing.
func TestSignOutWhileTheTokenIsOnItsWay(t *testing.T) {
	w, s := newWorld(t), newShelf()
	s.waits = make(chan struct{}, 1)
	a := w.authorizer(s, Config{})
	w.on(filesIssuer+"/register", registered)
	w.on(filesIssuer+"/token", tokens("signed-in", "new"))
	revoked := w.revocations()
	unlock, _ := s.Lock(t.Context(), "files") // as SignOut has it

	ctx, cancel := context.WithCancel(t.Context())
	signed := make(chan error, 1)
	go func() { signed <- a.SignIn(ctx, bring(t, "code")) }()
	<-s.waits // with the token
	cancel()
	unlock()
	if err := <-signed; !errors.Is(err, context.Canceled) {
		t.Errorf("it is signed in: %v", err)
	}
	if got := s.kept(t); got != nil {
		t.Errorf("it keeps %v", got)
	}
	if got := revoked(); !slices.Equal(got, []string{"new", "signed-in"}) {
		t.Errorf("revoked are %q", got)
	}
}

// What stands before an authorization server, such as a portal that wants a login, makes no token worthless.
func TestRefusedByAPortal(t *testing.T) {
	w, s := newWorld(t), newShelf()
	a := w.authorizer(s, Config{})
	s.put(a, signedIn("old", "old-1"))
	w.on(filesIssuer+"/token", func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = rw.Write([]byte("<html>Log in to the network first"))
	})
	wantError(t, a.renew(t.Context(), "old"), wire.KindSignInNeeded, "your sign-in at")
	if got := s.kept(t); got.token() != "old" || got.RefreshToken != "old-1" {
		t.Errorf("it keeps %v with %q", got, got.RefreshToken)
	}
}
