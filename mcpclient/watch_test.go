package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// filters returns what the client has asked to be told of, one stream after the other.
func (m *memServer) filters() []string {
	var filters []string
	for _, r := range m.requests(wire.MethodListen) {
		filters = append(filters, string(rawjson.Get(r.Params, "notifications")))
	}
	return filters
}

func subscribe(t *testing.T, c *Client, uri string)   { mustWatch(t, c, wire.MethodSubscribe, uri) }
func unsubscribe(t *testing.T, c *Client, uri string) { mustWatch(t, c, wire.MethodUnsubscribe, uri) }

func mustWatch(t *testing.T, c *Client, method, uri string) {
	t.Helper()
	if err := watch(t, c, method, uri); err != nil {
		t.Errorf("%s of %s: %v", method, uri, err)
	}
}

func watch(t *testing.T, c *Client, method, uri string) error {
	result, err := c.call(t.Context(), Call{Method: method, Params: rawjson.Set(nil, "uri", rawjson.Quote(uri))})
	if err == nil && string(result) != "{}" {
		t.Errorf("%s: %s", method, result)
	}
	return err
}

// One stream tells of everything. Over HTTP a new one is open before the old one is
// given up (MCP 2026-07-28, Subscriptions); on stdio the old one is given up first.
func TestWatch(t *testing.T) {
	for _, streamable := range []bool{false, true} {
		bubble(t, fmt.Sprint("Streamable HTTP: ", streamable), func(t *testing.T) {
			m := newModernServer()
			m.streamable = streamable
			h := &memHost{}
			c, w := startMem(t, m, h, nil)
			for _, step := range []struct{ method, uri string }{
				{wire.MethodSubscribe, "b"}, {wire.MethodSubscribe, "a"}, {wire.MethodSubscribe, "b"}, {wire.MethodUnsubscribe, "c"}, {wire.MethodUnsubscribe, "b"}, {wire.MethodUnsubscribe, "a"},
			} {
				mustWatch(t, c, step.method, step.uri)
				synctest.Wait() // for the cancellation of the stream before
			}
			want := []string{
				`{"toolsListChanged":true}`,
				`{"toolsListChanged":true,"resourceSubscriptions":["b"]}`,
				`{"toolsListChanged":true,"resourceSubscriptions":["a","b"]}`,
				`{"toolsListChanged":true,"resourceSubscriptions":["a"]}`,
				`{"toolsListChanged":true}`,
			}
			if got := m.filters(); !slices.Equal(got, want) {
				t.Errorf("asked for %q", got)
			}
			synctest.Wait()
			// Each cancellation is for a stream before the one that was opened last, which over
			// HTTP is there already.
			var last []string
			for _, r := range m.requests(wire.MethodListen, wire.MethodCancelled) {
				if r.IsCall() {
					last = append(last, idOf(r))
					continue
				}
				got := string(rawjson.Get(r.Params, "requestId"))
				candidates := last
				if streamable {
					candidates = last[:len(last)-1]
				}
				if !slices.Contains(candidates, got) || !streamable && len(last) != 1 {
					t.Errorf("cancelled %s with %v open", got, last)
				}
				last = slices.DeleteFunc(last, func(id string) bool { return id == got })
			}
			if len(last) != 1 {
				t.Errorf("%v are open", last)
			}
			w.say(t, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+last[0]+`},"uri":"a"}}`)
			synctest.Wait()
			if told := h.told(); len(told) != 1 || !strings.Contains(told[0], `"uri":"a"`) {
				t.Errorf("told %q", told)
			}
			w.quiet(t)
		})
	}
}

// A server that can tell of nothing is asked for nothing.
func TestNothingToWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.answer("server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{"subscribe":true}}}`)
		c, _ := startMem(t, m, &memHost{}, nil)
		<-time.After(time.Hour)
		if n := m.times(wire.MethodListen); n != 0 {
			t.Errorf("%d streams", n)
		}
		subscribe(t, c, "a")
		unsubscribe(t, c, "a")
		<-time.After(time.Hour)
		if got := m.filters(); !slices.Equal(got, []string{`{"resourceSubscriptions":["a"]}`}) || m.times(wire.MethodCancelled) != 1 {
			t.Errorf("streams %q, %d cancelled", got, m.times(wire.MethodCancelled))
		}
	})
}

// However a stream ends, it is opened again with a growing pause, and the lists are
// read again.
func TestWatchIsReopened(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, w *memWire, r *wire.Request)
	}{
		{"graceful", func(_ *testing.T, w *memWire, r *wire.Request) { w.reply(r, `{"resultType":"complete"}`) }},
		{"cancelled by the server", func(t *testing.T, w *memWire, r *wire.Request) {
			w.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+idOf(r)+`}}`)
		}},
		{"the connection was lost", func(_ *testing.T, w *memWire, r *wire.Request) { w.fail(r, wire.Errorf(wire.KindGone, "", "it broke")) }},
		{"busy", func(_ *testing.T, w *memWire, r *wire.Request) { w.fail(r, wire.Errorf(wire.KindHTTP, "503", "busy")) }},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newModernServer()
			streams := make(chan *wire.Request, 10)
			m.take(wire.MethodListen, func(w *memWire, r *wire.Request) {
				w.acknowledge(r, `{"toolsListChanged":true}`)
				streams <- r
			})
			_, w := startMem(t, m, &memHost{}, nil)
			open := <-streams
			for i, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
				lists := m.times("tools/list")
				begun := time.Now()
				tt.end(t, w, open)
				open = <-streams
				if d := time.Since(begun); d != pause*time.Second {
					t.Errorf("pause %d was %v, want %d s", i, d, pause)
				}
				synctest.Wait()
				<-time.After(relistInterval)
				synctest.Wait()
				if n := m.times("tools/list") - lists; n != 1 {
					t.Errorf("%d listings after end %d", n, i)
				}
			}
			<-time.After(steadyStream)
			begun := time.Now()
			tt.end(t, w, open)
			<-streams
			if d := time.Since(begun); d != firstBackoff {
				t.Errorf("the pause after a steady stream was %v", d)
			}
		})
	}
}

// A stream that drops while another one is on its way still leaves a gap.
func TestStreamDropsWhileSubscribing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		_, w, c := startSettled(t, m)
		first := m.requests(wire.MethodListen)[0]
		m.leave(wire.MethodListen)
		lists := m.times("tools/list")
		done := goCall(t.Context(), c, Call{Method: wire.MethodSubscribe, Params: json.RawMessage(`{"uri":"a"}`)})
		r := w.request(t, wire.MethodListen)
		w.fail(first, wire.Errorf(wire.KindGone, "", "it broke"))
		<-time.After(5 * time.Second)
		w.acknowledge(r, `{"toolsListChanged":true,"resourceSubscriptions":["a"]}`)
		(<-done).ok(t)
		<-time.After(relistInterval)
		synctest.Wait()
		if n := m.times("tools/list") - lists; n != 1 {
			t.Errorf("%d listings", n)
		}
	})
}

// startSettled is startMem, but returns when everything that it has begun is over.
func startSettled(t *testing.T, m *memServer) (*memHost, *memWire, *Client) {
	h := &memHost{}
	c, w := startMem(t, m, h, nil)
	<-time.After(relistInterval)
	synctest.Wait()
	return h, w, c
}

// The client does not ask again for what the server refuses, and its lists are good for no
// longer than they say.
func TestWatchIsRefused(t *testing.T) {
	for _, refusal := range []struct{ how, says string }{
		{memError + `{"code":-32601,"message":"no such method"}`, "no such method"},
		{"wire httpError 400", "the wire says httpError"},
	} {
		bubble(t, refusal.says, func(t *testing.T) {
			m := newModernServer()
			m.answer("tools/list", `{"tools":[],"ttlMs":0}`)
			h, w, c := startSettled(t, m)
			subscribe(t, c, "a")
			streams := m.requests(wire.MethodListen)
			m.behave(wire.MethodListen, refusal.how)
			w.reply(streams[len(streams)-1], `{}`)
			<-time.After(time.Minute)
			synctest.Wait()
			n := m.times(wire.MethodListen)
			if n != len(streams)+2 { // with and without the resource
				t.Errorf("%d streams after that", n-len(streams))
			}
			h.wantEnded(t, "a: the server has refused to tell of changes: "+refusal.says)
			lists := m.times("tools/list")
			if _, err := c.List(t.Context(), wire.ListTools); err != nil || m.times("tools/list") != lists+1 {
				t.Errorf("%v, %d listings", err, m.times("tools/list")-lists)
			}
			<-time.After(time.Hour)
			if m.times(wire.MethodListen) != n {
				t.Error("it was asked for again")
			}
			if err := watch(t, c, wire.MethodSubscribe, "a"); err == nil {
				t.Error("it can be watched")
			}
		})
	}
}

// "Notification types the server does not support are omitted" (ibid., Acknowledgment).
func TestWatchAgreedInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.answer("tools/list", `{"tools":[],"ttlMs":0}`)
		m.take(wire.MethodListen, func(w *memWire, r *wire.Request) { w.acknowledge(r, `{"resourceSubscriptions":["a"]}`) })
		h, _, c := startSettled(t, m)
		subscribe(t, c, "a")
		wantKind(t, watch(t, c, wire.MethodSubscribe, "b"), wire.KindCapabilityNotSupported)
		// The server does not tell of its tools, so they are good only for ttlMs.
		n := m.times("tools/list")
		if _, err := c.List(t.Context(), wire.ListTools); err != nil || m.times("tools/list") != n+1 {
			t.Errorf("%v, %d listings", err, m.times("tools/list")-n)
		}
		// After a restart it no longer watches a, which may be asked for anew.
		m.take(wire.MethodListen, func(w *memWire, r *wire.Request) { w.acknowledge(r, `{}`) })
		c.Restart().must(t)
		filters := m.filters()
		if got := filters[len(filters)-1]; got != `{"toolsListChanged":true,"resourceSubscriptions":["a"]}` {
			t.Errorf("asked for %s", got)
		}
		h.wantEnded(t, "a: the server no longer tells of its changes")
		wantLog(t, c, "the subscription to a has ended: the server no longer tells")
		wantKind(t, watch(t, c, wire.MethodSubscribe, "a"), wire.KindCapabilityNotSupported)
		h.wantEnded(t)
	})
}

// A server that never acknowledges is ready all the same, and asked again.
func TestWatchIsNotAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.leave(wire.MethodListen)
		c := newMemClient(t, m, &memHost{}, nil)
		begun := time.Now()
		c.Start().must(t)
		if d := time.Since(begun); d != firstListing {
			t.Errorf("ready after %v", d)
		}
		if len(c.Lists().Of(wire.ListTools)) != 1 {
			t.Error("it has no tools")
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		if n := m.times(wire.MethodListen); n != 2 || m.times(wire.MethodCancelled) != 1 {
			t.Errorf("%d streams, %d cancelled", n, m.times(wire.MethodCancelled))
		}
		// An acknowledgment that comes twice, late or for another id does no harm.
		w := <-m.wires
		first, second := w.request(t, wire.MethodListen), w.request(t, wire.MethodListen)
		for _, r := range []*wire.Request{first, second, second} {
			w.acknowledge(r, `{"toolsListChanged":true}`)
		}
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"`+idOf(second)+`"}}}`)
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}`)
		<-time.After(time.Hour)
		if n := m.times(wire.MethodListen); n != 2 {
			t.Errorf("%d streams", n)
		}
	})
}
