package streamable

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/wiretest"
)

// gaps returns how much time there was between the requests.
func gaps(found []asked) []time.Duration {
	var d []time.Duration
	for i := 1; i < len(found); i++ {
		d = append(d, found[i].at.Sub(found[i-1].at))
	}
	return d
}

func wantGaps(t *testing.T, found []asked, want ...time.Duration) {
	t.Helper()
	if got := gaps(found); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the requests came after %v, want %v", got, want)
	}
}

// polled serves a call whose stream ends before its answer, and then resumed.
func polled(first string, resumed func(w http.ResponseWriter, q asked, call asked, n int)) handler {
	var call asked
	n := 0
	return noStream(func(w http.ResponseWriter, q asked) {
		if q.http == http.MethodPost {
			call = q
			openStream(w, first)
			return
		}
		n++
		resumed(w, q, call, n)
	})
}

func TestResume(t *testing.T) {
	for _, tt := range []struct {
		name    string
		first   string
		resumed func(w http.ResponseWriter, q asked, call asked, n int)
		want    string
		ids     []string // Last-Event-ID of each GET
		waits   []time.Duration
	}{
		{"the answer follows", "id: a\ndata:", func(w http.ResponseWriter, q, call asked, n int) {
			openStream(w, "id: b\ndata: "+message(call, `"result":{}`))
		}, "result 5 {}", []string{"a"}, []time.Duration{time.Second}},
		{"what retry says is waited for", "retry: 7000\nid: a\ndata:", func(w http.ResponseWriter, q, call asked, n int) {
			if n < 3 {
				openStream(w, "id: b"+strconv.Itoa(n)+"\nretry: 0\ndata:")
				return
			}
			openStream(w, "data: "+message(call, `"result":{}`))
		}, "result 5 {}", []string{"a", "b1", "b2"}, []time.Duration{7 * time.Second, 100 * time.Millisecond, 100 * time.Millisecond}},
		{"retry has a limit", "retry: 99999999999999999999\nid: a\ndata:", func(w http.ResponseWriter, q, call asked, n int) {
			openStream(w, "data: "+message(call, `"result":{}`))
		}, "result 5 {}", []string{"a"}, []time.Duration{time.Minute}},
		{"five times without progress", "id: a\ndata:", func(w http.ResponseWriter, q, call asked, n int) {
			if n%2 == 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			openStream(w, "id: a\ndata:")
		}, "serverGone 5", []string{"a", "a", "a", "a", "a"}, []time.Duration{time.Second, time.Second, time.Second, time.Second, time.Second}},
		{"Retry-After", "id: a\ndata:", func(w http.ResponseWriter, q, call asked, n int) {
			if n == 1 {
				w.Header().Set("Retry-After", "9")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			openStream(w, "data: "+message(call, `"result":{}`))
		}, "result 5 {}", []string{"a", "a"}, []time.Duration{time.Second, 9 * time.Second}},
		{"a server that does not know of it", "id: a\ndata:", func(w http.ResponseWriter, q, call asked, n int) {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}, "serverGone 5", []string{"a"}, []time.Duration{time.Second}},
		{"an id that cannot be sent", "id: a\x01\ndata:", nil, "serverGone 5", nil, nil},
		{"nothing to resume at", "data:", nil, "serverGone 5", nil, nil},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			w := dialTest(t, polled(tt.first, tt.resumed))
			w.open()
			synctest.Wait()
			w.send(5, "tools/call", `{}`)
			w.wantNext(tt.want)
			all := append(w.requests(http.MethodPost, "tools/call"), w.requests(http.MethodGet, "")[1:]...)
			var ids []string
			for _, q := range all[1:] {
				ids = append(ids, q.header.Get("Last-Event-ID"))
			}
			if fmt.Sprint(ids) != fmt.Sprint(tt.ids) {
				t.Errorf("resumed at %q, want %q", ids, tt.ids)
			}
			wantGaps(t, all, tt.waits...)
		})
	}
}

// The answer may come on another stream than that of its request, which is then let go of.
func TestAnswerOnStandaloneStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan asked)
		w := dialTest(t, inLegacy(func(w http.ResponseWriter, q asked) {
			if q.http == http.MethodPost {
				openStream(w, "id: 1\ndata:")
				calls <- q
				<-q.ctx.Done()
				return
			}
			openStream(w)
			openStream(w, "data: "+message(<-calls, `"result":{}`))
			<-q.ctx.Done()
		}))
		w.open()
		w.send(5, "tools/call", `{}`)
		w.wantNext("result 5 {}")
		<-time.After(linger + time.Millisecond)
		synctest.Wait()
		if q := w.one(http.MethodPost, "tools/call"); q.ctx.Err() == nil {
			t.Error("the stream of the request was kept")
		}
		if n := len(w.requests(http.MethodGet, "")); n != 1 {
			t.Errorf("%d streams were opened", n)
		}
	})
}

func TestStandaloneStream(t *testing.T) {
	status := func(status int) func(w http.ResponseWriter, q asked, n int) {
		return func(w http.ResponseWriter, q asked, n int) { w.WriteHeader(status) }
	}
	const s = time.Second
	for _, tt := range []struct {
		name  string
		serve func(w http.ResponseWriter, q asked, n int)
		waits []time.Duration // between the GETs of the first two minutes
	}{
		{"none", status(405), nil},
		{"not found", status(404), nil},
		{"not allowed", status(401), nil},
		{"not implemented", status(501), nil},
		{"a page", func(w http.ResponseWriter, q asked, n int) { _, _ = io.WriteString(w, "<p>") }, nil},
		{"it ends at once", func(w http.ResponseWriter, q asked, n int) { openStream(w) }, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s}},
		{"it fails", status(500), []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s}},
		{"a message is a new beginning", func(w http.ResponseWriter, q asked, n int) {
			if n == 3 {
				openStream(w, aNotification)
				return
			}
			if n == 6 {
				<-q.ctx.Done()
			}
			openStream(w)
		}, []time.Duration{s, 2 * s, s, s, 2 * s}},
		{"a server that wants to be polled", func(w http.ResponseWriter, q asked, n int) {
			openStream(w, fmt.Sprintf("id: %d\nretry: 30000\ndata:", n))
		}, []time.Duration{30 * s, 30 * s, 30 * s}},
		{"Retry-After", func(w http.ResponseWriter, q asked, n int) {
			w.Header().Set("Retry-After", "50")
			w.WriteHeader(http.StatusTooManyRequests)
		}, []time.Duration{50 * s, 50 * s}},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			n := 0
			w := dialTest(t, inLegacy(func(w http.ResponseWriter, q asked) {
				n++
				tt.serve(w, q, n)
			}))
			w.open()
			time.AfterFunc(119*time.Second, w.Kill)
			for {
				msg, err := w.Read()
				if err != nil {
					break
				}
				if got := wiretest.Show(msg); got != "request null notifications/x {}" {
					t.Errorf("got %s", got)
				}
			}
			wantGaps(t, w.requests(http.MethodGet, ""), tt.waits...)
		})
	}
}

// The stream goes on where it was, and a session that is lost meanwhile ends the wire.
func TestStandaloneStreamSessionLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		w := dialTest(t, inLegacy(func(w http.ResponseWriter, q asked) {
			if n++; n > 1 {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			openStream(w, "id: a\n"+aNotification)
		}))
		w.open()
		w.wantNext("request null notifications/x {}")
		w.wantEnd(wire.KindSessionLost)
		if got := w.requests(http.MethodGet, "")[1].header.Get("Last-Event-ID"); got != "a" {
			t.Errorf("resumed at %q", got)
		}
		_ = w.Close()
		if n := len(w.requests(http.MethodDelete, "")); n != 0 {
			t.Error("a lost session was ended")
		}
	})
}

// Fault message-flood: a reader that is slow holds back the server.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		written := 0
		w := dialTest(t, func(w http.ResponseWriter, q asked) {
			openStream(w)
			for q.ctx.Err() == nil {
				if _, err := io.WriteString(w, aNotification+"\n\n"); err != nil {
					return
				}
				written += len(aNotification) + 2
			}
		})
		w.send(1, "tools/call", modernCall(""+`"name":"x"`))
		for range 3 {
			w.wantNext("request null notifications/x {}")
		}
		synctest.Wait()
		if written > 4*readBuffer {
			t.Errorf("the server got rid of %d bytes", written)
		}
		_ = w.Close()
	})
}

// All that a lost session has refused say so, whichever is answered first.
func TestSessionLostByTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, inLegacy(func(w http.ResponseWriter, q asked) {
			if q.http == http.MethodPost {
				if q.method == "tools/call" {
					<-time.After(othersWait / 2)
				}
				w.WriteHeader(http.StatusNotFound)
			}
		}))
		w.open()
		synctest.Wait()
		w.send(5, "tools/call", `{}`)
		w.send(6, "tools/call", `{}`)
		w.notify("notifications/x", `{}`)
		w.wantError(wire.KindSessionLost)
		w.wantError(wire.KindSessionLost)
		w.wantEnd(wire.KindSessionLost)
	})
}
