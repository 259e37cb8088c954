package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// The messages about one resource (MCP 2025-11-25, Server, Resources,
// Subscriptions). At 2026-07-28, which has no such requests, the client makes
// subscriptions/listen of them.
const (
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
	methodUpdated     = "notifications/resources/updated"
)

// Limits of the subscriptions of one connection.
const (
	maxSubscriptions = 1000    // resources
	maxSubscribedURI = 8 << 10 // bytes of the URI of each
)

// subscription is one resource of a server that editors want to hear of. The server
// knows of one subscriber, whoever shares the connection: it is asked when the
// first editor comes and told when the last one has gone.
type subscription struct {
	// turn has room for the one whose request about this resource is under way.
	// Others wait for it without a lock.
	turn chan struct{}

	// Guarded by d.mu.
	holders []*editor // those who hear of it; while it is being asked for, the one who asks too
	asked   bool      // the server has accepted it; changed by whose turn it is
	users   int       // who have the turn or wait for it
}

// forward sends a request of e to the server, which hears of subscriptions only what it does
// not know.
func (c *connection) forward(ctx context.Context, e *editor, call mcpclient.Call) (json.RawMessage, error) {
	var share func(context.Context, *editor, string, mcpclient.Call) (json.RawMessage, error)
	switch call.Method {
	case methodSubscribe:
		share = c.subscribe
	case methodUnsubscribe:
		share = c.unsubscribe
	default:
		return c.client.Call(ctx, call)
	}
	uri := rawjson.String(call.Params, "uri")
	if uri == "" {
		return c.client.Call(ctx, call) // for the server to judge
	}
	return share(ctx, e, uri, call)
}

// subscribe makes e one of those who hear of uri. When that fails it leaves nothing.
func (c *connection) subscribe(ctx context.Context, e *editor, uri string, call mcpclient.Call) (json.RawMessage, error) {
	if len(uri) > maxSubscribedURI {
		return nil, invalid(c.name, "params.uri", fmt.Sprintf("the uri of a subscription has at most %d bytes", maxSubscribedURI))
	}
	s, err := c.takeTurn(ctx, uri)
	if err != nil {
		return nil, err
	}
	defer c.endTurn(uri, s)

	// Before the server knows: its first update may come with its answer.
	asked, err := c.hold(s, e)
	switch {
	case err != nil:
		return nil, err
	case asked:
		return json.RawMessage("{}"), nil
	}
	result, err := c.client.Call(ctx, call)
	c.d.mu.Lock()
	if err != nil {
		s.drop(e)
	}
	s.asked = err == nil
	left := s.asked && len(s.holders) == 0 // e went while the server answered
	c.d.mu.Unlock()
	if left {
		c.withdraw(uri, s)
		return nil, c.hasLeft()
	}
	return result, err
}

// hold adds e to the holders, and tells whether the server knows of them already.
// The caller has the turn.
func (c *connection) hold(s *subscription, e *editor) (asked bool, err error) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	switch {
	case !slices.Contains(c.members, e):
		return false, c.hasLeft()
	case !s.asked && len(c.subscriptions) > maxSubscriptions:
		return false, invalid(c.name, "params.uri", fmt.Sprintf("there are %d subscriptions to resources of server %s; end some of them first", maxSubscriptions, c.name))
	}
	if !slices.Contains(s.holders, e) {
		s.holders = append(s.holders, e)
	}
	return s.asked, nil
}

// hasLeft is the error for an editor that was put on another connection, or on none.
func (c *connection) hasLeft() error {
	return &editorapi.Error{Kind: editorapi.KindServerGone, Server: c.name, Message: "the editor's connection to server " + c.name + " has changed meanwhile; subscribe again"}
}

// unsubscribe takes e from those who hear of uri, whatever the server says. What nobody
// subscribed to is for the server to judge.
func (c *connection) unsubscribe(ctx context.Context, e *editor, uri string, call mcpclient.Call) (json.RawMessage, error) {
	s, err := c.takeTurn(ctx, uri)
	if err != nil {
		return nil, err
	}
	defer c.endTurn(uri, s)

	c.d.mu.Lock()
	s.drop(e)
	others := len(s.holders) > 0
	if !others {
		s.asked = false
	}
	c.d.mu.Unlock()
	if others {
		return json.RawMessage("{}"), nil
	}
	return c.client.Call(ctx, call)
}

// unsubscribeAll takes e, which leaves the connection, from all that it hears of. d.mu is held.
func (c *connection) unsubscribeAll(e *editor) {
	var orphans []string
	for uri, s := range c.subscriptions {
		s.drop(e)
		if s.asked && len(s.holders) == 0 {
			orphans = append(orphans, uri)
		}
	}
	if len(orphans) == 0 || c.d.closing {
		return
	}
	c.d.running.Go(func() {
		for _, uri := range orphans {
			c.settle(uri)
		}
	})
}

// settle tells the server that nobody wants to hear of uri any more, if that is so
// when its turn has come.
func (c *connection) settle(uri string) {
	s, err := c.takeTurn(c.d.ctx, uri)
	if err != nil {
		return // the daemon is ending
	}
	defer c.endTurn(uri, s)
	c.d.mu.Lock()
	left := s.asked && len(s.holders) == 0
	c.d.mu.Unlock()
	if left {
		c.withdraw(uri, s)
	}
}

// withdraw tells the server that nobody hears of uri. The caller has the turn. When
// it fails, the server says more than it needs to, and the rest is dropped here.
func (c *connection) withdraw(uri string, s *subscription) {
	c.d.mu.Lock()
	s.asked = false
	c.d.mu.Unlock()
	params := rawjson.Set(nil, "uri", rawjson.Quote(uri))
	if _, err := c.client.Call(c.d.ctx, mcpclient.Call{Method: methodUnsubscribe, Params: params}); err != nil {
		c.log.Debug("unsubscribing for an editor that has left", zap.Error(err))
	}
}

// takeTurn waits until no other request about uri is under way. Who gets the turn
// ends it with endTurn.
func (c *connection) takeTurn(ctx context.Context, uri string) (*subscription, error) {
	c.d.mu.Lock()
	s := c.subscriptions[uri]
	if s == nil {
		s = &subscription{turn: make(chan struct{}, 1)}
		c.subscriptions[uri] = s
	}
	if s.users++; s.users > 1 {
		c.log.Debug("a request about a resource waits for its turn")
	}
	c.d.mu.Unlock()
	select {
	case s.turn <- struct{}{}:
		return s, nil
	case <-ctx.Done():
		c.forget(uri, s)
		return nil, ctx.Err()
	}
}

func (c *connection) endTurn(uri string, s *subscription) {
	<-s.turn
	c.forget(uri, s)
}

// forget counts one user less, and drops what nobody needs any more.
func (c *connection) forget(uri string, s *subscription) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	s.users--
	if s.users == 0 && len(s.holders) == 0 && !s.asked {
		delete(c.subscriptions, uri)
		c.log.Debug("nobody hears of a resource any more")
	}
}

// drop takes e from the holders. d.mu is held.
func (s *subscription) drop(e *editor) {
	s.holders = slices.DeleteFunc(s.holders, func(h *editor) bool { return h == e })
}

// subscribers returns who hears of an update of uri. d.mu is held.
//
// "The URI of the resource that has been updated. This might be a sub-resource of
// the one that the client actually subscribed to" (MCP 2025-11-25, Schema,
// ResourceUpdatedNotificationParams).
func (c *connection) subscribers(uri string) []*editor {
	found := map[*editor]bool{}
	for subscribed, s := range c.subscriptions {
		if isWithin(uri, subscribed) {
			for _, e := range s.holders {
				found[e] = true
			}
		}
	}
	return slices.Collect(maps.Keys(found))
}

// isWithin tells whether uri is the resource of or one below it: with more path, a
// query or a fragment.
func isWithin(uri, of string) bool {
	rest, ok := strings.CutPrefix(uri, of)
	return ok && (rest == "" || strings.HasSuffix(of, "/") || strings.ContainsRune("/?#", rune(rest[0])))
}
