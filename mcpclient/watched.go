package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// watched is the one book of the resources that the server watches for its host. A
// restarted server has forgotten them, and its new session asks it again for those in
// the book.
//
// A request about a resource has the turn to its end. Whatever ends a watch unasked does
// not wait for the turn: it ends only what is in the book, and a resource is not in the book
// while the server is asked for it.
type watched struct {
	host Host
	turn chan struct{} // has room for the one whose request is under way

	// mu guards the fields that follow. It is held while a subscriber joins and while
	// the host is told of an end, so that each subscriber hears of each end.
	mu      sync.Mutex
	session *session        // that watches them: the one that was opened last
	uris    map[string]bool // that are watched, or will be when the server runs again
}

func newWatched(host Host) *watched {
	return &watched{host: host, turn: make(chan struct{}, 1), uris: map[string]bool{}}
}

// handTo makes s the session that watches what is in the book.
func (w *watched) handTo(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session = s
}

// list returns what is watched, in order.
func (w *watched) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.uris))
}

func (w *watched) has(uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.uris[uri]
}

// take waits for the turn, which done ends.
func (w *watched) take(ctx context.Context, method string) (done func(), err error) {
	select {
	case w.turn <- struct{}{}:
		return func() { <-w.turn }, nil
	case <-ctx.Done():
		return nil, gaveUp(ctx, method)
	}
}

// join has by join, and reports whether the resource is watched already. The caller has
// the turn.
func (w *watched) join(uri string, by Subscriber) (already bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.uris[uri], by.Join()
}

// add puts a resource into the book: the server of s has agreed to watch it. It returns false when
// another session has been opened meanwhile, because its server was not asked. The caller has the
// turn.
func (w *watched) add(s *session, uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != s {
		return false
	}
	w.uris[uri] = true
	return true
}

// drop takes a resource out of the book, and reports whether it was there. The caller has
// the turn.
func (w *watched) drop(uri string) (was bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was = w.uris[uri]
	delete(w.uris, uri)
	return was
}

// end takes a resource out of the book, because the server of s no longer watches it, and
// tells the host. It ignores every session but the last one.
func (w *watched) end(s *session, uri, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != s || !w.uris[uri] {
		return
	}
	delete(w.uris, uri)
	s.log.say("the subscription to %s has ended: %s", clip(uri), reason)
	w.host.SubscriptionEnded(uri, reason)
}

// A Subscriber wants to hear of a resource, perhaps as one of several. The methods of all
// subscribers of one resource are called one after the other. They must not block and must
// not call back into the Client.
type Subscriber interface {
	// Join counts the subscriber in. It comes before the server is asked, because the
	// first update may come before the server's answer. An error ends the request.
	Join() error

	// Leave counts the subscriber out, and reports whether nobody is left.
	Leave() (last bool)
}

// Subscribe makes call, a resources/subscribe, for by. It asks the server if that does not
// watch the resource yet. A watched resource is watched after a restart too. When the error
// is not nil, by has left again.
func (c *Client) Subscribe(ctx context.Context, call Call, by Subscriber) (json.RawMessage, error) {
	uri, done, err := c.about(ctx, call)
	if err != nil {
		return nil, err
	}
	defer done()
	already, err := c.watched.join(uri, by)
	switch {
	case err != nil:
		return nil, err
	case already:
		return json.RawMessage("{}"), nil
	}
	result, err := c.dispatch(ctx, call)
	if err != nil {
		by.Leave()
	}
	return result, err
}

// Unsubscribe makes call, a resources/unsubscribe, for by. It asks the server when nobody
// is left, and also about a resource that nobody has subscribed to. Whatever the server
// says, the resource is no longer watched.
func (c *Client) Unsubscribe(ctx context.Context, call Call, by Subscriber) (json.RawMessage, error) {
	uri, done, err := c.about(ctx, call)
	if err != nil {
		return nil, err
	}
	defer done()
	if !by.Leave() {
		return json.RawMessage("{}"), nil
	}
	was := c.watched.drop(uri)
	result, err := c.dispatch(ctx, call)
	if kind := wire.KindOf(err); (kind == wire.KindNotReady || kind == wire.KindSignInNeeded) && was {
		return json.RawMessage("{}"), nil // there is no server to tell, and the next one is not asked
	}
	return result, err
}

// about waits for the turn, for a call that is about a resource.
func (c *Client) about(ctx context.Context, call Call) (uri string, done func(), err error) {
	if err := checkParams(call.Params); err != nil {
		return "", nil, err
	}
	if uri = rawjson.String(call.Params, "uri"); uri == "" {
		return "", nil, wire.Errorf(wire.KindInvalidParams, "uri", "the member \"uri\" of %s is missing; it names the resource", call.Method)
	}
	done, err = c.watched.take(ctx, call.Method)
	return uri, done, err
}

// subscription asks the server for resources/subscribe or resources/unsubscribe. In the
// modern era, the stream that brings the other changes also watches resources (MCP
// 2026-07-28, Subscriptions). The caller has the turn.
func (s *session) subscription(ctx context.Context, call Call) (json.RawMessage, error) {
	uri := rawjson.String(call.Params, "uri")
	subscribe := call.Method == wire.MethodSubscribe
	if s.modern.Load() {
		return json.RawMessage("{}"), s.watcher.watch(ctx, uri, subscribe)
	}
	result, err := s.whole(ctx, call)
	if err == nil && subscribe && !s.watched.add(s, uri) {
		return nil, s.gone(call.Method)
	}
	return result, err
}

// restore asks a restarted server of the legacy era again for what it was asked before.
func (s *session) restore() {
	s.restoreLevel()
	for _, uri := range s.watched.list() {
		s.rewatch(uri)
	}
}

// rewatch subscribes again to a resource, unless somebody has unsubscribed meanwhile.
func (s *session) rewatch(uri string) {
	done, err := s.watched.take(s.ctx, wire.MethodSubscribe)
	if err != nil {
		return
	}
	defer done()
	if !s.watched.has(uri) {
		return
	}
	if err := s.peer.check(wire.MethodSubscribe); err != nil {
		s.watched.end(s, uri, "the server no longer offers subscriptions")
		return
	}
	_, err = s.request(s.ctx, wire.MethodSubscribe, rawjson.Set(nil, "uri", rawjson.Quote(uri)), readTimeout)
	if err != nil && !s.endsWith(err) {
		s.watched.end(s, uri, fmt.Sprintf("the server did not accept it again: %.500s", err))
	}
}

// endsWith reports whether s has ended, or is about to, because of err: the next session asks
// again.
func (s *session) endsWith(err error) bool { return wire.EndsWire(err) || s.reason() != nil }
