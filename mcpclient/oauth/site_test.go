package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// A site is a protected MCP server with its authorization server, over real connections. When the test
// ends, no log of an Authorizer and no error that went through a site may have a secret.
type site struct {
	*authserver.Server
	t    *testing.T
	ctx  context.Context
	logs *observer.ObservedLogs
	log  *zap.Logger

	mu   sync.Mutex // guards the field that follows
	said []string   // texts of errors, and pages
}

func newSite(t *testing.T, o authserver.Options) *site {
	core, logs := observer.New(zap.DebugLevel)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s := &site{Server: authserver.New(t, o), t: t, ctx: ctx, logs: logs, log: zap.New(core)}
	t.Cleanup(s.checkSecrets)
	return s
}

// checkSecrets fails when something that people see has a secret.
func (s *site) checkSecrets() {
	for _, e := range s.logs.All() {
		s.said = append(s.said, e.Message)
		for _, value := range e.ContextMap() {
			if text, ok := value.(string); ok {
				s.said = append(s.said, text)
			}
		}
	}
	for _, text := range s.said {
		for _, secret := range append(s.Secrets(), "canary") {
			if strings.Contains(text, secret) {
				s.t.Errorf("%q has the secret %q", text, secret)
			}
		}
	}
}

// saw notes an error, which it returns.
func (s *site) saw(err error) error {
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.said = append(s.said, err.Error())
	}
	return err
}

// must fails the test for an error.
func (s *site) must(err error) {
	s.t.Helper()
	if s.saw(err) != nil {
		s.t.Fatal(err)
	}
}

// change changes the knobs.
func (s *site) change(change func(*authserver.Knobs)) {
	s.t.Helper()
	s.must(s.Change(change))
}

// fault lets an endpoint misbehave.
func (s *site) fault(endpoint string, f authserver.Fault) {
	s.t.Helper()
	s.change(func(k *authserver.Knobs) {
		if k.Faults == nil {
			k.Faults = map[string]authserver.Fault{}
		}
		k.Faults[endpoint] = f
	})
}

// await waits until the server has counted what a test wants.
func (s *site) await(want func(authserver.Counts) bool) {
	s.t.Helper()
	if err := s.Await(s.ctx, want); err != nil {
		s.t.Fatalf("it has not come to that: %+v", s.Counts())
	}
}

// awaitAsked waits until an endpoint was asked n times.
func (s *site) awaitAsked(endpoint string, n int) {
	s.t.Helper()
	s.await(func(c authserver.Counts) bool { return c.Requests[endpoint] == n })
}

// release lets the requests go on that a fault holds.
func (s *site) release(endpoint string) {
	s.t.Helper()
	s.must(s.Release(endpoint))
}

// asked returns the requests to an endpoint.
func (s *site) asked(endpoint string) (entries []authserver.Entry) {
	for _, e := range s.Record() {
		if e.Endpoint == endpoint {
			entries = append(entries, e)
		}
	}
	return entries
}

// authorizer makes an Authorizer for the server, as a daemon of its own.
func (s *site) authorizer(v Store, change ...func(*Options)) *Authorizer {
	o := Options{Server: "tracker", Endpoint: mustParse(s.URL()), Store: v, Name: "tracker at host", Version: "1.2", Log: s.log, Changed: func() {}}
	for _, c := range change {
		c(&o)
	}
	a := New(o)
	s.t.Cleanup(func() { a.Close(context.Background()) })
	return a
}

// configured returns a change of [Options] for authorizer.
func configured(c Config) func(*Options) { return func(o *Options) { o.Config = c } }

// signIn has a person sign in, and returns what the person saw; nil when there was nothing to see.
func (s *site) signIn(a *Authorizer, b authserver.Browser) (*authserver.Visit, error) {
	var page *authserver.Visit
	var browsing sync.WaitGroup
	err := a.SignIn(s.ctx, func(v Visit) error {
		browsing.Go(func() { page, _ = b.Visit(s.ctx, v.URL) })
		return nil
	})
	browsing.Wait()
	return page, s.saw(err)
}

// mustSignIn is signIn of a person for whom everything is right.
func (s *site) mustSignIn(a *Authorizer) {
	s.t.Helper()
	page, err := s.signIn(a, authserver.Browser{})
	if err != nil {
		s.t.Fatalf("signing in: %v", err)
	}
	if page != nil && page.Status != http.StatusOK {
		s.t.Fatalf("the browser ended with %d: %s", page.Status, page.Page)
	}
}

// signedIn returns an Authorizer whose person has signed in.
func (s *site) signedIn(v *vault, change ...func(*Options)) *Authorizer {
	s.t.Helper()
	a := s.authorizer(v, change...)
	s.mustSignIn(a)
	return a
}

// newSignedIn returns a site, what is kept of it, and an Authorizer whose person has signed in.
func newSignedIn(t *testing.T) (*site, *vault, *Authorizer) {
	t.Helper()
	s, v := newSite(t, authserver.Options{}), newVault()
	return s, v, s.signedIn(v)
}

// ask sends the call of a tool, with an access token.
func (s *site) ask(token, tool string) (status int, header http.Header) {
	s.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
	r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.URL(), strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Errorf("asking the MCP server: %v", err)
		return 0, nil
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, resp.Header
}

// alone returns an Authorizer without a site.
func alone(t *testing.T, v Store, c Config) *Authorizer {
	a := New(Options{Server: "tracker", Endpoint: mustParse("https://tracker.example/mcp"), Config: c, Store: v, Name: "x", Log: zap.NewNop(), Changed: func() {}})
	t.Cleanup(func() { a.Close(context.Background()) })
	return a
}

// call sends the call of a tool as package streamable does. nil is that the server has taken the token.
func (s *site) call(a *Authorizer, tool string) error {
	s.t.Helper()
	for again := false; ; again = true {
		token := a.Token(s.ctx)
		status, header := s.ask(token, tool)
		if status != http.StatusUnauthorized && status != http.StatusForbidden {
			return nil
		}
		retry, err := a.Refused(s.ctx, token, status, header, again)
		if err != nil {
			return s.saw(err)
		}
		if !retry || again {
			return errors.New(http.StatusText(status))
		}
	}
}

// mustCall fails unless the server takes a token.
func (s *site) mustCall(a *Authorizer) {
	s.t.Helper()
	if err := s.call(a, "echo"); err != nil {
		s.t.Fatalf("calling: %v", err)
	}
}

// unauthorized has the Authorizer hear that its token was refused with 401.
func (s *site) unauthorized(a *Authorizer, token string) (retry bool, err error) {
	retry, err = a.Refused(s.ctx, token, http.StatusUnauthorized, challengeOf(`Bearer error="invalid_token"`), false)
	return retry, s.saw(err)
}

// refusing has the Authorizer hear that its token was refused, and sends why there is no other to repeat it with.
func (s *site) refusing(a *Authorizer, token string) <-chan error {
	done := make(chan error, 1)
	go func() {
		retry, err := s.unauthorized(a, token)
		if err == nil && !retry {
			err = errors.New("there is no other token")
		}
		done <- err
	}()
	return done
}

// expireAccess ends all access tokens.
func (s *site) expireAccess() {
	s.t.Helper()
	s.must(s.Expire("access"))
}

// challengeOf returns the headers of a refusal.
func challengeOf(values ...string) http.Header { return http.Header{"Www-Authenticate": values} }

// wantFailed fails unless err is a [*Failed] whose message has all texts.
func wantFailed(t *testing.T, err error, texts ...string) {
	t.Helper()
	failed, ok := errors.AsType[*Failed](err)
	if !ok {
		t.Fatalf("got %v, want a *Failed", err)
	}
	for _, text := range texts {
		if !strings.Contains(failed.Message, text) {
			t.Errorf("%q does not say %q", failed.Message, text)
		}
	}
}

// wantNeeded fails unless err says that somebody has to sign in.
func wantNeeded(t *testing.T, err error, texts ...string) {
	t.Helper()
	wantError(t, err, wire.KindSignInNeeded, append(texts, "wants you to sign in: ", "; run: mcp-editord signin tracker")...)
}
