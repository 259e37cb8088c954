package streamable

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// fakeAuth is an [Authorizer] that may misbehave. Without refuse it makes one refresh of all refusals
// of one token, and gives up on a request that is refused again.
type fakeAuth struct {
	wait   func(ctx context.Context)                                     // before a token is given; nil: nothing
	refuse func(ctx context.Context, again bool) (retry bool, err error) // nil: as above

	mu        sync.Mutex
	token     string // the current one
	refreshes int
	heard     []string // the refusals
}

func (a *fakeAuth) use(d *Dialer, _ *limits) { d.Authorizer = a }

// saying returns an Authorizer that says this of each refusal.
func saying(retry bool, err error) *fakeAuth {
	return &fakeAuth{token: "secret-1", refuse: func(context.Context, bool) (bool, error) { return retry, err }}
}

func (a *fakeAuth) Token(ctx context.Context) string {
	if a.wait != nil {
		a.wait(ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.token
}

func (a *fakeAuth) Refused(ctx context.Context, token string, status int, header http.Header, again bool) (bool, error) {
	if a.refuse != nil {
		return a.refuse(ctx, again)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = append(a.heard, fmt.Sprintf("%d of %q with %q, again %v", status, token, header.Get("WWW-Authenticate"), again))
	switch {
	case status != http.StatusUnauthorized:
		return false, nil
	case again:
		return false, signIn()
	case token == a.token:
		a.refreshes++
		a.token = "secret-" + strconv.Itoa(a.refreshes+1)
	}
	return true, nil
}

func signIn() *wire.Error {
	return wire.Errorf(wire.KindSignInNeeded, "", "server.test wants you to sign in")
}

// wanting has requests that are picked refused with 401 unless they carry the second token.
func wanting(pick func(q asked) bool, next handler) handler {
	return func(w http.ResponseWriter, q asked) {
		if pick(q) && q.header.Get("Authorization") != "Bearer secret-2" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next(w, q)
	}
}

// sameButToken reports whether two requests differ in their access token only.
func sameButToken(a, b asked) bool {
	x, y := a.header.Clone(), b.header.Clone()
	x.Del("Authorization")
	y.Del("Authorization")
	return a.http == b.http && a.path == b.path && a.body == b.body && fmt.Sprint(x) == fmt.Sprint(y)
}

// resumable serves one call whose answer comes when its stream is resumed, and a standalone stream.
func resumable() handler {
	var call asked
	return inLegacy(func(w http.ResponseWriter, q asked) {
		switch {
		case q.method == "tools/call":
			call = q
			openStream(w, "id: a\nretry: 100\ndata:")
		case q.http == http.MethodPost:
			w.WriteHeader(http.StatusAccepted)
		case q.header.Get("Last-Event-ID") == "a":
			openStream(w, "data: "+message(call, `"result":{}`))
		default:
			openStream(w)
			<-q.ctx.Done()
		}
	})
}

// eachRequest is how many requests exerciseLegacy makes: initialize, initialized, GET, the call, its GET, the
// notification, the answer, DELETE.
const eachRequest = 8

// exerciseLegacy makes every kind of request of the legacy era.
func (w *testConn) exerciseLegacy() {
	w.t.Helper()
	w.open()
	w.send(5, "tools/call", `{}`)
	w.wantNext("result 5 {}")
	w.notify("notifications/x", `{}`)
	w.write(&wire.Response{ID: wire.NumberID(7), Result: []byte(`{}`)})
	synctest.Wait()
	_ = w.Close()
}

// Every request carries the token, in the place of a header that was configured; without one, that
// header goes.
func TestTokenOnEachRequest(t *testing.T) {
	for _, token := range []string{"secret-1", ""} {
		bubble(t, token, func(t *testing.T) {
			w := dialTest(t, resumable(), (&fakeAuth{token: token}).use)
			w.exerciseLegacy()
			if len(w.seen) != eachRequest {
				t.Errorf("%d requests", len(w.seen))
			}
			for _, q := range w.seen {
				if got, want := q.header.Values("Authorization"), []string{"Bearer " + cmp.Or(token, "secret")}; !slices.Equal(got, want) {
					t.Errorf("%s %s has %q", q.http, q.method, got)
				}
			}
		})
	}
}

// A request that is refused for its token goes on with another one: the same request, once.
func TestTokenRefreshed(t *testing.T) {
	for _, tt := range []struct {
		name string
		pick func(q asked) bool
	}{
		{"initialize", func(q asked) bool { return q.method == wire.MethodInitialize }},
		{"initialized", func(q asked) bool { return q.method == wire.MethodInitialized }},
		{"the standalone stream", func(q asked) bool { return q.http == http.MethodGet && q.header.Get("Last-Event-ID") == "" }},
		{"a call", func(q asked) bool { return q.method == "tools/call" }},
		{"a stream that is resumed", func(q asked) bool { return q.header.Get("Last-Event-ID") != "" }},
		{"a notification", func(q asked) bool { return q.method == "notifications/x" }},
		{"an answer", func(q asked) bool { return q.http == http.MethodPost && q.method == "" }},
		{"DELETE", func(q asked) bool { return q.http == http.MethodDelete }},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			auth := &fakeAuth{token: "secret-1"}
			w := dialTest(t, wanting(tt.pick, resumable()), auth.use)
			w.exerciseLegacy()
			var picked []asked
			for _, q := range w.seen {
				if tt.pick(q) {
					picked = append(picked, q)
				}
			}
			if len(w.seen) != eachRequest+1 || len(picked) != 2 || !sameButToken(picked[0], picked[1]) {
				t.Errorf("asked %d times, of %d: %+v", len(picked), len(w.seen), picked)
			}
			if want := []string{`401 of "secret-1" with "Bearer", again false`}; !slices.Equal(auth.heard, want) {
				t.Errorf("heard %q", auth.heard)
			}
			w.wantNoSecret(&wire.Error{})
		})
	}
}

// A refusal whose body has no end holds up nobody.
func TestRefusalWithoutEnd(t *testing.T) {
	for name, write := range map[string]func(w http.ResponseWriter, q asked){
		"silent": func(w http.ResponseWriter, q asked) { _ = http.NewResponseController(w).Flush() },
		"long": func(w http.ResponseWriter, q asked) {
			for q.ctx.Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err != nil {
					return
				}
			}
		},
	} {
		bubble(t, name, func(t *testing.T) {
			w := dialTest(t, func(w http.ResponseWriter, q asked) {
				if q.header.Get("Authorization") == "Bearer secret-2" {
					reply(w, q, `"result":{}`)
					return
				}
				w.WriteHeader(http.StatusUnauthorized)
				write(w, q)
				<-q.ctx.Done()
			}, (&fakeAuth{token: "secret-1"}).use)
			start := time.Now()
			w.send(5, "tools/call", modernCall(`"name":"x"`))
			w.wantNext("result 5 {}")
			if d := time.Since(start); d > linger {
				t.Errorf("it took %v", d)
			}
		})
	}
}
