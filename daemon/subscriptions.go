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

// This file implements resources/subscribe and resources/unsubscribe (MCP 2025-11-25, Server,
// Resources, Subscriptions). 2026-07-28 has no such requests; the client turns them into
// subscriptions/listen.

// subscriber is an editor that wants to hear of a resource of a server. The daemon knows who hears
// of what. Only the client knows what the server watches: it asks the server when the first
// subscriber joins, and tells it when the last one leaves.
type subscriber struct {
	c   *connection
	uri string
	e   *editor // nil stands for editors that have left the connection
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
		return invalid(s.c.name, "params.uri", "server %q has %d subscriptions, the most that are allowed; end some of them first", s.c.name, maxSubscriptions)
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

// drop takes e off those who hear of uri, and reports whether nobody is left. d.mu is held.
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

// forward sends a request of e to the server. The server hears of a subscription only if it is new
// to it. answered is that of [editorapi.Call].
func (c *connection) forward(ctx context.Context, e *editor, call mcpclient.Call, answered <-chan struct{}) (json.RawMessage, error) {
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

// subscribe adds by to those who hear of its resource. When it fails it leaves nothing behind.
func (c *connection) subscribe(ctx context.Context, by subscriber, call mcpclient.Call, answered <-chan struct{}) (json.RawMessage, error) {
	if len(by.uri) > maxSubscribedURI {
		return nil, invalid(c.name, "params.uri", "the uri of a subscription must not exceed %d bytes; subscribe to a shorter one", maxSubscribedURI)
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

// hasEnded returns the error for a subscription that ended while it was being made: the editor was
// put on another connection or on none, or the server ended it.
func (c *connection) hasEnded() error {
	return &editorapi.Error{Kind: editorapi.KindServerGone, Server: c.name, Message: fmt.Sprintf("the subscription to a resource of server %q ended while it was being made; subscribe again", c.name)}
}

// unsubscribeAll ends all subscriptions of e, which leaves the connection. d.mu is held.
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
		for _, uri := range orphans { // unless somebody wants to hear of it once what is under way about it has ended
			call := mcpclient.Call{Method: wire.MethodUnsubscribe, Params: rawjson.Set(nil, "uri", rawjson.Quote(uri))}
			_, err := c.client.Unsubscribe(c.d.ctx, call, subscriber{c: c, uri: uri}) // if that fails, updates come and are dropped
			c.log.Debug("unsubscribed for an editor that has left", zap.Error(err))
		}
	})
}

// subscription names a resource that an editor hears of.
type subscription struct{ server, uri string }

// SubscriptionEnded implements [mcpclient.Host].
func (c *connection) SubscriptionEnded(uri, reason string) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	for _, e := range c.holders[uri] {
		if e.ended == nil {
			e.ended = map[subscription]*string{}
		}
		e.ended[subscription{c.name, uri}] = new(safetext.Line(reason, math.MaxInt))
		e.telling.Again()
	}
	delete(c.holders, uri)
}

// tellEnded tells the editor which subscriptions have ended. They stay in e.ended until it has. It
// runs on e.telling.
func (e *editor) tellEnded() {
	e.d.mu.Lock()
	untold, answers := maps.Clone(e.ended), slices.Clone(e.answers)
	e.d.mu.Unlock()
	if len(untold) == 0 {
		return
	}
	e.awaitAnswers(answers)
	for of, reason := range untold {
		e.api.SubscriptionEnded(of.server, of.uri, *reason)
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	for of, reason := range untold {
		if e.ended[of] == reason { // it has not ended once more
			delete(e.ended, of)
		}
	}
}

// subscribers returns the editors that hear of an update of uri, each with the subscriptions that
// it is for, sorted. d.mu is held.
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

// isWithin reports whether uri is the resource of, or one below it: with more path, a query or a
// fragment.
func isWithin(uri, of string) bool {
	rest, ok := strings.CutPrefix(uri, of)
	return ok && (rest == "" || strings.HasSuffix(of, "/") || strings.ContainsRune("/?#", rune(rest[0])))
}
