package streamable

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// What waits for an access token ends with the wire. DELETE does not wait long for a new one, and goes with the old one.
func TestCloseWhileTokensAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		auth := &fakeAuth{token: "secret-1"}
		w := dialTest(t, noStream(hang), auth.use)
		w.open()
		synctest.Wait()
		auth.wait = func(ctx context.Context) { <-ctx.Done() }
		w.send(5, "tools/call", `{}`)
		w.notify("notifications/x", `{}`)
		synctest.Wait()
		start := time.Now()
		_ = w.Close()
		if d := time.Since(start); d != tokenWait {
			t.Errorf("Close took %v", d)
		}
		w.one(http.MethodDelete, "")
		w.posts(0)
	})
}

// A notification waits for a token no longer than for the server, and fails alone.
func TestTokenNotInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		auth := &fakeAuth{refuse: func(ctx context.Context, _ bool) (bool, error) {
			<-ctx.Done()
			return false, signIn() // which is not why
		}}
		w := dialTest(t, func(w http.ResponseWriter, q asked) { w.WriteHeader(http.StatusUnauthorized) }, auth.use)
		w.notify("notifications/x", `{}`)
		<-time.After(postTimeout)
		synctest.Wait()
		if text := strings.Join(w.log.Lines(), "\n"); !strings.Contains(text, "the access token for server.test did not come in time") {
			t.Errorf("logged %q", text)
		}
		if err := w.failure(); err != nil {
			t.Errorf("the wire ended: %v", err)
		}
	})
}

// A call that is cancelled while it waits for a token was not sent: nobody is told, and it is not
// sent after all.
func TestCancelWhileTokenIsMissing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first bool // there is no token at all; else the first one is refused
		posts int
	}{{"the first token", true, 0}, {"the second token", false, 1}} {
		bubble(t, tt.name, func(t *testing.T) {
			refreshing := false
			auth := &fakeAuth{token: "secret-1"}
			auth.refuse = func(context.Context, bool) (bool, error) {
				refreshing = true
				return true, nil
			}
			w := dialTest(t, noStream(func(w http.ResponseWriter, q asked) { w.WriteHeader(http.StatusUnauthorized) }), auth.use)
			w.open()
			synctest.Wait()
			refreshing = tt.first
			auth.wait = func(ctx context.Context) {
				if refreshing {
					<-ctx.Done()
				}
			}
			w.send(5, "tools/call", `{}`)
			synctest.Wait()
			w.notify(wire.MethodCancelled, `{"requestId":5}`)
			synctest.Wait()
			w.posts(tt.posts)
			if n := len(w.requests(http.MethodPost, wire.MethodCancelled)); n != 0 {
				t.Errorf("%d notifications were sent", n)
			}
			w.conn.mu.Lock()
			defer w.conn.mu.Unlock()
			if len(w.pending) != 0 {
				t.Error("the call goes on")
			}
		})
	}
}

// A call that is cancelled while the server has it is not sent again when the server refuses it.
func TestRefusedAfterCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, noStream(func(w http.ResponseWriter, q asked) {
			if q.method == wire.MethodCancelled {
				<-time.After(2 * time.Second) // the call is refused before this is taken
				w.WriteHeader(http.StatusAccepted)
				return
			}
			<-time.After(time.Second)
			w.WriteHeader(http.StatusUnauthorized)
		}), (&fakeAuth{token: "secret-1"}).use)
		w.open()
		synctest.Wait()
		w.send(5, "tools/call", `{}`)
		synctest.Wait()
		w.notify(wire.MethodCancelled, `{"requestId":5}`)
		<-time.After(3 * time.Second)
		synctest.Wait()
		w.posts(1)
		w.one(http.MethodPost, wire.MethodCancelled)
	})
}

// A notification about a call that is sent again does not overtake it, and does not wait for its
// answer.
func TestCancelAfterRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pick := func(q asked) bool { return q.method == "tools/call" }
		w := dialTest(t, noStream(wanting(pick, func(w http.ResponseWriter, q asked) {
			if pick(q) {
				<-q.ctx.Done() // without a header before
			}
		})), (&fakeAuth{token: "secret-1"}).use)
		w.open()
		synctest.Wait()
		held, sent := make(chan struct{}), 0
		w.client.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			if sent++; sent == 2 {
				<-held
			}
			return w.transport.RoundTrip(r)
		})
		w.send(5, "tools/call", `{}`)
		synctest.Wait()
		w.notify(wire.MethodCancelled, `{"requestId":5}`)
		synctest.Wait()
		if n := len(w.requests(http.MethodPost, wire.MethodCancelled)); n != 0 {
			t.Error("the server was told of a call that it does not know")
		}
		close(held)
		synctest.Wait()
		w.posts(2)
		if told := w.one(http.MethodPost, wire.MethodCancelled); told.header.Get("Authorization") != "Bearer secret-2" {
			t.Errorf("told with %q", told.header.Get("Authorization"))
		}
	})
}
