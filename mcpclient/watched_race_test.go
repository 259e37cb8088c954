package mcpclient

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// holders is a host that knows who subscribes to what.
type holders struct {
	memHost

	mu sync.Mutex
	of map[string]map[int]bool
}

func (h *holders) SubscriptionEnded(uri, _ string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.of, uri)
}

func (h *holders) hold(uri string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.of[uri]) > 0
}

// holder is one subscriber of uri.
type holder struct {
	h   *holders
	uri string
	id  int
}

func (s holder) Join() error {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if s.h.of[s.uri] == nil {
		s.h.of[s.uri] = map[int]bool{}
	}
	s.h.of[s.uri][s.id] = true
	return nil
}

func (s holder) Leave() bool {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	delete(s.h.of[s.uri], s.id)
	return len(s.h.of[s.uri]) == 0
}

// However subscriptions come, go and end at the same time, a resource is watched as long as
// it has a subscriber, and no longer.
func TestSubscriptionsEndWhileOthersComeAndGo(t *testing.T) {
	t.Run("2025-11-25", func(t *testing.T) { testComeAndGo(t, newResourceServer(), (*Client).restartNow) })
	t.Run("2026-07-28", func(t *testing.T) { testComeAndGo(t, newModernServer(), (*Client).dropStream) })
}

// restartNow restarts the server.
func (c *Client) restartNow() { _ = c.Restart().Wait(context.Background()) }

// dropStream ends the stream of changes, if there is one, as the server would.
func (c *Client) dropStream() {
	s, err := c.ready(context.Background(), nil)
	if err != nil {
		return
	}
	s.mu.Lock()
	var open int64
	for id, p := range s.pending {
		if p.method == wire.MethodListen {
			open = id
		}
	}
	s.mu.Unlock()
	s.finish(open, answer{result: json.RawMessage(`{}`)})
}

func testComeAndGo(t *testing.T, m *memServer, disturb func(c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		m.wires = make(chan *memWire, 1000)
		var mu sync.Mutex // guards the fields that follow
		var life *memWire // the last one
		watches := map[string]bool{}
		// answer answers r after a while, if it is still about the same life.
		answer := func(w *memWire, r *wire.Request, with func()) {
			time.AfterFunc(time.Duration(rand.IntN(50))*time.Millisecond, func() {
				mu.Lock()
				defer mu.Unlock()
				if life != w {
					life, watches = w, map[string]bool{}
				}
				with()
			})
		}
		agrees := func(uri string) bool {
			watches[uri] = rand.IntN(4) > 0
			return watches[uri]
		}
		m.take(wire.MethodListen, func(w *memWire, r *wire.Request) {
			answer(w, r, func() {
				clear(watches)
				uris := []string{}
				for v := range rawjson.Elements(rawjson.Path(r.Params, "notifications", "resourceSubscriptions")) {
					if uri := strings.Trim(string(v), `"`); agrees(uri) {
						uris = append(uris, uri)
					}
				}
				list, _ := json.Marshal(uris)
				w.acknowledge(r, `{"toolsListChanged":true,"resourceSubscriptions":`+string(list)+`}`)
			})
		})
		m.take(wire.MethodSubscribe, func(w *memWire, r *wire.Request) {
			answer(w, r, func() {
				if agrees(rawjson.String(r.Params, "uri")) {
					w.reply(r, `{}`)
				} else {
					w.refuse(r, `{"code":-32002,"message":"no"}`)
				}
			})
		})
		m.take(wire.MethodUnsubscribe, func(w *memWire, r *wire.Request) {
			answer(w, r, func() {
				watches[rawjson.String(r.Params, "uri")] = false
				w.reply(r, `{}`)
			})
		})
		h := &holders{of: map[string]map[int]bool{}}
		c, _ := startMem(t, m, h, nil)
		for range 50 {
			var all sync.WaitGroup
			for id := range 4 {
				all.Go(func() {
					for range 5 {
						uri := string(rune('a' + rand.IntN(3)))
						by := holder{h, uri, id}
						call := Call{Params: rawjson.Set(nil, "uri", rawjson.Quote(uri))}
						if rand.IntN(3) > 0 {
							call.Method = wire.MethodSubscribe
							_, _ = c.Subscribe(t.Context(), call, by) // it may be refused
						} else {
							call.Method = wire.MethodUnsubscribe
							_, _ = c.Unsubscribe(t.Context(), call, by)
						}
						<-time.After(time.Duration(rand.IntN(50)) * time.Millisecond)
					}
				})
			}
			<-time.After(time.Duration(rand.IntN(200)) * time.Millisecond)
			disturb(c)
			all.Wait()
			<-time.After(5 * time.Minute)
			synctest.Wait()
			mu.Lock()
			for _, uri := range []string{"a", "b", "c"} {
				if heard := h.hold(uri); c.watched.has(uri) != heard || watches[uri] != heard {
					t.Errorf("%s: somebody hears of it: %v; it is in the book: %v; the server watches it: %v", uri, heard, c.watched.has(uri), watches[uri])
				}
			}
			mu.Unlock()
		}
	})
}
