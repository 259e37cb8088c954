package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/wiretest"
)

// hang serves a request that is never answered.
func hang(w http.ResponseWriter, q asked) {
	if q.http == http.MethodPost && q.id == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	openStream(w)
	<-q.ctx.Done()
}

// At 2026-07-28 a call is cancelled by the end of its POST.
func TestCancelModern(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, hang)
		w.send(5, "tools/call", modernCall(`"name":"x"`))
		w.send(6, "tools/call", modernCall(`"name":"y"`))
		synctest.Wait()
		w.notify(wire.MethodCancelled, `{"requestId":5}`)
		w.notify(wire.MethodCancelled, `{"requestId":"6"}`)
		w.notify(wire.MethodCancelled, `{"requestId":7}`)
		w.notify(wire.MethodCancelled, `{}`)
		synctest.Wait()
		for _, q := range w.requests(http.MethodPost, "tools/call") {
			if ended := q.ctx.Err() != nil; ended != (q.id == "5") {
				t.Errorf("call %s: ended is %v", q.id, ended)
			}
		}
		if n := len(w.requests(http.MethodPost, wire.MethodCancelled)); n != 0 {
			t.Errorf("%d notifications were sent", n)
		}
	})
}

// Before, a call is cancelled by a notification, which does not overtake the call;
// then its stream is let go of.
func TestCancelLegacy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan struct{})
		w := dialTest(t, noStream(func(w http.ResponseWriter, q asked) {
			if q.method == wire.MethodCancelled {
				<-told
			}
			hang(w, q)
		}))
		w.open()
		synctest.Wait()
		connect, dial, dialled := make(chan struct{}), w.transport.DialContext, 0
		w.transport.CloseIdleConnections()
		w.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if dialled++; dialled == 1 {
				<-connect
			}
			return dial(ctx, network, address)
		}
		w.send(5, "tools/call", `{}`)
		synctest.Wait()
		w.notify(wire.MethodCancelled, `{"requestId":5}`)
		synctest.Wait()
		if dialled != 1 || len(w.requests(http.MethodPost, wire.MethodCancelled)) != 0 {
			t.Error("the server was told of a call that it does not know")
		}
		close(connect)
		synctest.Wait()
		call, cancel := w.one(http.MethodPost, "tools/call"), w.one(http.MethodPost, wire.MethodCancelled)
		if cancel.body != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`+"\n" {
			t.Errorf("told %s", cancel.body)
		}
		if call.ctx.Err() != nil {
			t.Error("the stream was let go of before the server was told")
		}
		close(told)
		synctest.Wait()
		if call.ctx.Err() == nil {
			t.Error("the stream was kept")
		}
	})
}

// A call that waits for others was never sent, and nobody needs to be told.
func TestCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, noStream(hang), func(_ *Dialer, l *limits) { l.calls = 1 })
		w.open()
		synctest.Wait()
		w.send(5, "tools/call", `{}`)
		synctest.Wait()
		w.send(6, "resources/read", `{}`)
		w.send(7, "prompts/get", `{}`)
		w.notify(wire.MethodCancelled, `{"requestId":6}`)
		synctest.Wait()
		if n := len(w.requests(http.MethodPost, "prompts/get")); n != 0 {
			t.Error("there were two calls at the same time")
		}
		w.notify(wire.MethodCancelled, `{"requestId":5}`)
		synctest.Wait()
		w.one(http.MethodPost, "prompts/get")
		if n := len(w.requests(http.MethodPost, "resources/read")); n != 0 {
			t.Error("the call that was cancelled was sent")
		}
		w.one(http.MethodPost, wire.MethodCancelled)
	})
}

// Fault server-stops-reading: a server that does not take notifications holds up Write for as long as
// one of them may take, and no longer than its ctx.
func TestPostsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, func(w http.ResponseWriter, q asked) { <-q.ctx.Done() }, func(_ *Dialer, l *limits) { l.posts = 2 })
		start := time.Now()
		w.notify("notifications/a", `{}`)
		w.notify("notifications/b", `{}`)
		if d := time.Since(start); d != 0 {
			t.Errorf("Write waited %v for a server that takes nothing", d)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.Write(ctx, &wire.Request{Method: "notifications/c"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the third: %v", err)
		}
		w.notify("notifications/d", `{}`)
		if d := time.Since(start); d != postTimeout {
			t.Errorf("the fourth waited %v", d)
		}
		if err := w.failure(); err != nil {
			t.Errorf("the wire ended: %v", err)
		}
	})
}

// Nothing overtakes notifications/initialized.
func TestInitializedIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow = 3 * time.Second
		w := dialTest(t, func(w http.ResponseWriter, q asked) {
			if q.method == wire.MethodInitialized {
				<-time.After(slow)
			}
			noStream(nil)(w, q)
		})
		start := time.Now()
		w.open()
		if d := time.Since(start); d != slow {
			t.Errorf("Write took %v, want %v", d, slow)
		}
		synctest.Wait()
		if d := w.one(http.MethodGet, "").at.Sub(start); d != slow {
			t.Errorf("the standalone stream was opened after %v", d)
		}
	})
}

// Whatever is open, Close ends the session, returns, and leaves no goroutine: the
// bubble would wait for it in vain.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, inLegacy(hang))
		w.open()
		for id := range 50 {
			w.send(int64(10+id), "tools/call", `{}`)
		}
		synctest.Wait()
		start := time.Now()
		if err := w.Close(); err != nil || time.Since(start) != 0 {
			t.Errorf("Close took %v: %v", time.Since(start), err)
		}
		synctest.Wait()
		for _, q := range append(w.requests(http.MethodPost, "tools/call"), w.one(http.MethodGet, "")) {
			if q.ctx.Err() == nil {
				t.Error("a stream is left open")
			}
		}
		if got := w.one(http.MethodDelete, "").header.Get("Mcp-Session-Id"); got != "s-1" {
			t.Errorf("the session %q was ended", got)
		}
		if _, err := w.Read(); err != io.EOF {
			t.Errorf("Read: %v", err)
		}
		for _, msg := range []wire.Message{rpcCall(1, "x", `{}`), &wire.Request{Method: "x"}, &wire.Response{ID: wire.NumberID(1)}} {
			err := w.Write(t.Context(), msg)
			if e, ok := errors.AsType[*wire.Error](err); !ok || e.Kind != wire.KindGone {
				t.Errorf("Write: %v", err)
			}
		}
		_ = w.Close()
		w.one(http.MethodDelete, "")
	})
}

// A server that takes its time with DELETE is waited for, but not after Kill.
func TestKillDuringClose(t *testing.T) {
	for _, tt := range []struct {
		name string
		kill bool
		want time.Duration
	}{{"alone", false, endTimeout}, {"killed", true, time.Second}} {
		bubble(t, tt.name, func(t *testing.T) {
			w := dialTest(t, func(w http.ResponseWriter, q asked) {
				if q.http == http.MethodDelete {
					<-q.ctx.Done()
					return
				}
				noStream(hang)(w, q)
			})
			w.open()
			synctest.Wait()
			w.send(5, "tools/call", `{}`)
			start := time.Now()
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				_ = w.Close()
			}()
			if tt.kill {
				<-time.After(time.Second)
				w.Kill()
			}
			<-closed
			if d := time.Since(start); d != tt.want {
				t.Errorf("Close took %v, want %v", d, tt.want)
			}
		})
	}
}

func TestDialRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    Dialer
	}{
		{"no url", Dialer{}},
		{"no host", Dialer{URL: "https:///secret"}},
		{"another scheme", Dialer{URL: "file://host/secret"}},
		{"no url at all", Dialer{URL: "https://host/%zz?secret"}},
		{"a header over lines", Dialer{URL: "https://host", Header: http.Header{"X": {"secret\r\nEvil: 1"}}}},
		{"a header that is no name", Dialer{URL: "https://host", Header: http.Header{"X Y": {"secret"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := tt.d.Dial(t.Context(), wiretest.NewLog())
			e, ok := errors.AsType[*wire.Error](err)
			if w != nil || !ok || e.Kind != wire.KindSpawn {
				t.Fatalf("got %v, %v", w, err)
			}
			(&testConn{t: t, log: wiretest.NewLog()}).wantNoSecret(e)
		})
	}
}

// A connection that was kept over a long silence may have died in a suspend, and is not
// used again.
func TestConnectionsAfterASilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, func(w http.ResponseWriter, q asked) { reply(w, q, `"result":{}`) })
		for i, wait := range []time.Duration{0, silence - time.Second, silence} {
			<-time.After(wait)
			w.send(int64(i), "tools/call", modernCall(`"name":"x"`))
			w.wantNext(fmt.Sprintf(`result %d {}`, i))
			synctest.Wait()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.dials != 2 {
			t.Errorf("%d connections were made", w.dials)
		}
	})
}
