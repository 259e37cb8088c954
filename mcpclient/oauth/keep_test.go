package oauth

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
)

// A shelf is a [Store] in memory.
type shelf struct {
	mu     sync.Mutex
	values map[string][]byte
	known  bool
	lock   chan struct{} // has one element while nobody holds the lock of the one name
	broken error         // of Get and Delete; nil for none
	stuck  error         // of Lock; nil for none
	waits  chan struct{} // gets one element for each Lock that has to wait; may be nil
}

func newShelf() *shelf {
	s := &shelf{values: map[string][]byte{}, lock: make(chan struct{}, 1)}
	s.lock <- struct{}{}
	return s
}

func (s *shelf) Get(_ context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.values[name]
	switch {
	case s.broken != nil:
		return nil, s.broken
	case !ok:
		return nil, secrets.ErrNotFound
	}
	return value, nil
}

func (s *shelf) Set(_ context.Context, name string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[name] = value
	return nil
}

func (s *shelf) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	delete(s.values, name)
	return nil
}

// Lock waits for the lock if ctx lasts as long as a renewal that holds it may. Else it gives up at once, as if the
// time were over.
func (s *shelf) Lock(ctx context.Context, _ string) (unlock func(), err error) {
	s.mu.Lock()
	s.known = true
	stuck := s.stuck
	s.mu.Unlock()
	if stuck != nil {
		return nil, stuck
	}
	unlock = sync.OnceFunc(func() { s.lock <- struct{}{} })
	select {
	case <-s.lock:
		return unlock, nil
	default:
	}
	if s.waits != nil {
		s.waits <- struct{}{}
	}
	if until, bounded := ctx.Deadline(); bounded && time.Until(until) < renewPatience {
		return nil, context.DeadlineExceeded
	}
	select {
	case <-s.lock:
		return unlock, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *shelf) Known(string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

const (
	filesURL    = "https://files.example/mcp"
	filesIssuer = "https://as.example"
)

// authorizer returns an Authorizer for filesURL in w, whose metadata leads to filesIssuer.
func (w *world) authorizer(s *shelf, cfg Config) *Authorizer {
	w.resource("https://files.example/.well-known/oauth-protected-resource/mcp", filesURL, filesIssuer)
	w.server(filesIssuer+"/.well-known/oauth-authorization-server", filesIssuer, map[string]any{"revocation_endpoint": filesIssuer + "/revoke"})
	a := New(Options{Server: "files", Endpoint: mustParse(filesURL), Config: cfg, Store: s, Name: "files", Version: "1.2", Log: zap.NewNop()})
	a.net = w.network(filesURL)
	w.t.Cleanup(func() { a.Close(context.Background()) })
	return a
}

// put has s keep credentials as if somebody had signed in.
func (s *shelf) put(a *Authorizer, c *credentials) {
	s.known = true
	a.write(context.Background(), c)
}

// signedIn are credentials of somebody who has signed in at filesIssuer.
func signedIn(access, refresh string) *credentials {
	return &credentials{
		Issuer: filesIssuer, Resource: filesURL, Client: client{ID: "us", AuthMethod: authNone, Registered: true, RedirectURI: "http://127.0.0.1:1/none"},
		TokenEndpoint: filesIssuer + "/token", RevocationEndpoint: filesIssuer + "/revoke", AccessToken: access, RefreshToken: refresh,
	}
}

// tokens answers a request for tokens.
func tokens(access, refresh string) http.HandlerFunc {
	return answer(map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600})
}

// browse answers the visit of a sign-in as a browser does that brings code back.
func bring(t *testing.T, code string) func(Visit) error {
	return func(v Visit) error {
		u := mustParse(v.URL)
		go func() {
			resp, err := http.Get(u.Query().Get("redirect_uri") + "?code=" + code + "&state=" + u.Query().Get("state"))
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		}()
		return nil
	}
}

// kept returns what s has.
func (s *shelf) kept(t *testing.T) *credentials {
	t.Helper()
	value, err := s.Get(t.Context(), "files")
	if errors.Is(err, secrets.ErrNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return decodeCredentials(value)
}
