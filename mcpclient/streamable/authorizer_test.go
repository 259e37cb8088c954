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
	wait   func(ctx context.Context) error                                                        // before a token is given; nil: nothing
	refuse func(token string, status int, header http.Header, again bool) (retry bool, err error) // nil: as above

	mu        sync.Mutex
	token     string // the current one
	given     int    // tokens
	refreshes int
	heard     []string // the refusals
}

func (a *fakeAuth) use(d *Dialer, _ *limits) { d.Authorizer = a }

// change changes a while it is in use.
func (a *fakeAuth) change(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

func (a *fakeAuth) Token(ctx context.Context) (string, error) {
	if a.wait != nil {
		if err := a.wait(ctx); err != nil {
			return "", err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.given++
	return a.token, nil
}

func (a *fakeAuth) Refused(ctx context.Context, token string, status int, header http.Header, again bool) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = append(a.heard, fmt.Sprintf("%d of %q with %q, again %v", status, token, header.Get("WWW-Authenticate"), again))
	switch {
	case a.refuse != nil:
		return a.refuse(token, status, header, again)
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

// wanting has requests that are picked refused with 401 unless they carry the token. done counts those
// that were not, by HTTP method and message.
func wanting(token string, pick func(q asked) bool, next handler) (h handler, done func(httpMethod, method string) int) {
	var mu sync.Mutex
	counts := map[string]int{}
	return func(w http.ResponseWriter, q asked) {
			if pick(q) && q.header.Get("Authorization") != "Bearer "+token {
				w.Header().Set("WWW-Authenticate", "Bearer")
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			mu.Lock()
			counts[q.http+" "+q.method]++
			mu.Unlock()
			next(w, q)
		}, func(httpMethod, method string) int {
			mu.Lock()
			defer mu.Unlock()
			return counts[httpMethod+" "+method]
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
		want := "Bearer " + cmp.Or(token, "secret")
		all := func(t *testing.T, w *testConn, n int) {
			t.Helper()
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.seen) != n {
				t.Errorf("%d requests, want %d", len(w.seen), n)
			}
			for _, q := range w.seen {
				if got := q.header.Values("Authorization"); !slices.Equal(got, []string{want}) {
					t.Errorf("%s %s has %q", q.http, q.method, got)
				}
			}
		}
		bubble(t, "legacy/"+token, func(t *testing.T) {
			w := dialTest(t, resumable(), (&fakeAuth{token: token}).use)
			w.exerciseLegacy()
			all(t, w, 8) // initialize, initialized, GET, the call, its GET, the notification, the answer, DELETE
		})
		bubble(t, "modern/"+token, func(t *testing.T) {
			w := dialTest(t, func(w http.ResponseWriter, q asked) { reply(w, q, `"result":{}`) }, (&fakeAuth{token: token}).use)
			for id, method := range []string{wire.MethodDiscover, "tools/call", wire.MethodListen} {
				w.send(int64(id), method, modernCall(`"name":"x"`))
				w.wantNext(fmt.Sprintf("result %d {}", id))
			}
			all(t, w, 3)
		})
		bubble(t, "HTTP+SSE/"+token, func(t *testing.T) {
			s := newSSEServer("/messages")
			w := dialTest(t, s.serve, overSSE, (&fakeAuth{token: token}).use)
			w.send(1, wire.MethodInitialize, `{}`)
			w.wantNext(`result 1 {"protocolVersion":"2024-11-05"}`)
			w.notify(wire.MethodInitialized, `{}`)
			w.send(2, "tools/call", `{}`)
			w.wantNext(`result 2 {"protocolVersion":"2024-11-05"}`)
			synctest.Wait()
			all(t, w, 4)
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
			serve, done := wanting("secret-2", tt.pick, resumable())
			auth := &fakeAuth{token: "secret-1"}
			w := dialTest(t, serve, auth.use)
			w.exerciseLegacy()
			for _, q := range []string{"POST initialize", "POST notifications/initialized", "POST tools/call", "POST notifications/x", "POST ", "DELETE "} {
				httpMethod, method, _ := strings.Cut(q, " ")
				if n := done(httpMethod, method); n != 1 {
					t.Errorf("%s was carried out %d times", q, n)
				}
			}
			if n := done("GET", ""); n != 2 {
				t.Errorf("%d streams were opened", n)
			}
			var picked []asked
			for _, q := range w.seen {
				if tt.pick(q) {
					picked = append(picked, q)
				}
			}
			if len(picked) != 2 || !sameButToken(picked[0], picked[1]) {
				t.Errorf("asked %d times: %+v", len(picked), picked)
			}
			if want := []string{`401 of "secret-1" with "Bearer", again false`}; !slices.Equal(auth.heard, want) {
				t.Errorf("heard %q", auth.heard)
			}
			w.wantNoSecret(&wire.Error{})
		})
	}
}

// HTTP+SSE: its stream and what is POSTed go on with another token.
func TestTokenRefreshedSSE(t *testing.T) {
	for _, tt := range []struct {
		name string
		pick func(q asked) bool
	}{
		{"the stream", func(q asked) bool { return q.http == http.MethodGet }},
		{"a call", func(q asked) bool { return q.method == "tools/call" }},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			serve, done := wanting("secret-2", tt.pick, newSSEServer("/messages").serve)
			w := dialTest(t, serve, overSSE, (&fakeAuth{token: "secret-1"}).use)
			w.send(1, wire.MethodInitialize, `{}`)
			w.wantNext(`result 1 {"protocolVersion":"2024-11-05"}`)
			w.send(2, "tools/call", `{}`)
			w.wantNext(`result 2 {"protocolVersion":"2024-11-05"}`)
			if done("GET", "") != 1 || done("POST", "tools/call") != 1 {
				t.Errorf("%d streams, %d calls", done("GET", ""), done("POST", "tools/call"))
			}
		})
	}
}

// Fifty calls that are refused at once go on with one refresh, and each is carried out once.
func TestTokenRefreshedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		serve, done := wanting("secret-2", func(asked) bool { return true }, func(w http.ResponseWriter, q asked) { reply(w, q, `"result":{}`) })
		auth := &fakeAuth{token: "secret-1"}
		w := dialTest(t, func(w http.ResponseWriter, q asked) {
			<-time.After(time.Second) // so that all are there
			serve(w, q)
		}, auth.use)
		const calls = 50
		for id := range calls {
			w.send(int64(id), "tools/call", modernCall(`"name":"x"`))
		}
		answered := map[wire.ID]bool{}
		for range calls {
			msg, err := w.Read(t.Context())
			if r, ok := msg.(*wire.Response); err != nil || !ok || r.Error != nil {
				t.Fatalf("got %v, %v", msg, err)
			} else {
				answered[r.ID] = true
			}
		}
		if len(answered) != calls || done("POST", "tools/call") != calls || len(w.seen) != 2*calls {
			t.Errorf("%d answers, %d carried out, %d requests", len(answered), done("POST", "tools/call"), len(w.seen))
		}
		if auth.refreshes != 1 || len(auth.heard) != calls {
			t.Errorf("%d refreshes of %d refusals", auth.refreshes, len(auth.heard))
		}
	})
}

// Nothing is sent with a token that no header may have, and the error does not show it.
func TestTokenThatIsNoHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, hang, (&fakeAuth{token: "secret\r\nEvil: 1"}).use)
		w.send(5, "tools/call", modernCall(`"name":"x"`))
		if e := w.wantError(wire.KindSignInNeeded); !strings.Contains(e.Message, "the access token for server.test cannot be sent") {
			t.Errorf("got %q", e.Message)
		}
		w.wantEnd(wire.KindSignInNeeded)
		if len(w.seen) != 0 {
			t.Errorf("%d requests", len(w.seen))
		}
	})
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
			if d := time.Since(start); d > defaults.linger {
				t.Errorf("it took %v", d)
			}
		})
	}
}
