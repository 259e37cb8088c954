package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Limits of the subscriptions of one connection.
const (
	maxSubscriptions = 1000    // resources
	maxSubscribedURI = 8 << 10 // bytes of the URI of each
)

// This file is about resources/subscribe and its kin (MCP 2025-11-25, Server, Resources,
// Subscriptions). 2026-07-28 has no such requests; the client makes subscriptions/listen of them.

// subscriber is an editor that wants to hear of a resource of a server. The daemon knows
// who hears of what; what the server watches is known to its client alone, which asks it
// when the first subscriber joins and tells it when the last one leaves.
type subscriber struct {
	c   *connection
	uri string
	e   *editor // nil for those who have left the connection
}

var _ mcpclient.Subscriber = subscriber{}

// Join implements [mcpclient.Subscriber].
func (s subscriber) Join() error {
	s.c.d.mu.Lock()
	defer s.c.d.mu.Unlock()
	holders, known := s.c.holders[s.uri]
	switch {
	case !slices.Contains(s.c.members, s.e):
		return s.c.hasEnded()
	case !known && len(s.c.holders) >= maxSubscriptions:
		return invalid(s.c.name, "params.uri", "there are %d subscriptions to resources of server %q; end some of them first", maxSubscriptions, s.c.name)
	case !slices.Contains(holders, s.e):
		s.c.holders[s.uri] = append(holders, s.e)
	}
	return nil
}

// Leave implements [mcpclient.Subscriber].
func (s subscriber) Leave() (last bool) {
	s.c.d.mu.Lock()
	defer s.c.d.mu.Unlock()
	return s.c.drop(s.uri, s.e)
}

// drop takes e from those who hear of uri, and tells whether nobody is left. d.mu is held.
func (c *connection) drop(uri string, e *editor) (last bool) {
	left := slices.DeleteFunc(c.holders[uri], func(h *editor) bool { return h == e })
	if len(left) > 0 {
		c.holders[uri] = left
		return false
	}
	delete(c.holders, uri)
	c.log.Debug("nobody hears of a resource any more")
	return true
}

// forward sends a request of e to the server, which hears of subscriptions only what it does
// not know. answered is that of [editorapi.Call].
func (c *connection) forward(ctx context.Context, e *editor, call mcpclient.Call, answered func() <-chan struct{}) (json.RawMessage, error) {
	uri := rawjson.String(call.Params, "uri")
	switch call.Method {
	case wire.MethodSubscribe:
		return c.subscribe(ctx, subscriber{c, uri, e}, call, answered)
	case wire.MethodUnsubscribe:
		return c.client.Unsubscribe(ctx, call, subscriber{c, uri, e})
	default:
		return c.client.Call(ctx, call)
	}
}

// subscribe makes by one of those who hear of its resource. When that fails it leaves nothing.
func (c *connection) subscribe(ctx context.Context, by subscriber, call mcpclient.Call, answered func() <-chan struct{}) (json.RawMessage, error) {
	if len(by.uri) > maxSubscribedURI {
		return nil, invalid(c.name, "params.uri", "the uri of a subscription has at most %d bytes; subscribe to a shorter one", maxSubscribedURI)
	}
	result, err := c.client.Subscribe(ctx, call, by)
	if err != nil {
		return nil, err
	}
	c.d.mu.Lock()
	_, untold := by.e.ended[subscription{c.name, by.uri}]
	c.d.mu.Unlock()
	if untold { // the end of a subscription before this one
		by.e.told(ctx)
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if !slices.Contains(c.holders[by.uri], by.e) { // it left, or the subscription ended, while the server answered
		return nil, c.hasEnded()
	}
	by.e.answering(answered)
	return result, nil
}

// hasEnded is the error for an editor whose subscription has ended while it was made: it was
// put on another connection, or on none, or the server has changed its mind.
func (c *connection) hasEnded() error {
	return &editorapi.Error{Kind: editorapi.KindServerGone, Server: c.name, Message: fmt.Sprintf("the subscription to a resource of server %q has ended while it was made; subscribe again", c.name)}
}

// unsubscribeAll takes e, which leaves the connection, from all that it hears of. d.mu is held.
func (c *connection) unsubscribeAll(e *editor) {
	var orphans []string
	for uri := range c.holders {
		if c.drop(uri, e) {
			orphans = append(orphans, uri)
		}
	}
	if len(orphans) == 0 || c.d.closing {
		return
	}
	c.d.running.Go(func() {
		for _, uri := range orphans {
			c.release(uri)
		}
	})
}

// release tells the server that nobody wants to hear of uri any more, if that is so when
// what is under way is over. When it fails, the server says more than it needs to, and the
// rest is dropped here.
func (c *connection) release(uri string) {
	call := mcpclient.Call{Method: wire.MethodUnsubscribe, Params: rawjson.Set(nil, "uri", rawjson.Quote(uri))}
	_, err := c.client.Unsubscribe(c.d.ctx, call, subscriber{c: c, uri: uri})
	c.log.Debug("unsubscribed for an editor that has left", zap.Error(err))
}

// subscription names what an editor hears of.
type subscription struct{ server, uri string }

// ending is the end of a subscription that its editor has not been told of.
type ending struct{ reason string }

// SubscriptionEnded implements [mcpclient.Host].
func (c *connection) SubscriptionEnded(uri, reason string) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	for _, e := range c.holders[uri] {
		if e.ended == nil {
			e.ended = map[subscription]*ending{}
		}
		e.ended[subscription{c.name, uri}] = &ending{safetext.Line(reason, math.MaxInt)}
		e.telling.Again()
	}
	delete(c.holders, uri)
}

// tellEnded tells which subscriptions have ended. Until it has, they are in e.ended. It runs
// on e.telling.
func (e *editor) tellEnded() {
	e.d.mu.Lock()
	untold, answers := maps.Clone(e.ended), slices.Clone(e.answers)
	e.d.mu.Unlock()
	if len(untold) == 0 {
		return
	}
	e.awaitAnswers(answers)
	for of, ended := range untold {
		e.api.SubscriptionEnded(of.server, of.uri, ended.reason)
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	for of, ended := range untold {
		if e.ended[of] == ended {
			delete(e.ended, of)
		}
	}
}

// subscribers returns who hears of an update of uri, and which subscriptions of each of them
// it is for, in order. d.mu is held.
//
// "The URI of the resource that has been updated. This might be a sub-resource of
// the one that the client actually subscribed to" (MCP 2025-11-25, Schema,
// ResourceUpdatedNotificationParams).
func (c *connection) subscribers(uri string) map[*editor][]string {
	found := map[*editor][]string{}
	for subscribed, holders := range c.holders {
		if isWithin(uri, subscribed) {
			for _, e := range holders {
				found[e] = append(found[e], subscribed)
			}
		}
	}
	for _, subscribed := range found {
		slices.Sort(subscribed)
	}
	return found
}

// isWithin tells whether uri is the resource of or one below it: with more path, a
// query or a fragment.
func isWithin(uri, of string) bool {
	rest, ok := strings.CutPrefix(uri, of)
	return ok && (rest == "" || strings.HasSuffix(of, "/") || strings.ContainsRune("/?#", rune(rest[0])))
}
