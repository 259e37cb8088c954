package mcpserver

import (
	"encoding/json"
	"maps"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A subscription is a resource that the agent wants to hear of.
type subscription struct{ server, uri string }

// subscribes reports whether the agent wants to hear of a resource.
func (s *session) subscribes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.subs) > 0
}

// subscribe serves resources/subscribe.
func (s *session) subscribe(c *call) (json.RawMessage, error) {
	uri := rawjson.String(c.params, "uri")
	server, err := s.owner(c, uri)
	if err != nil {
		return nil, err
	}
	// Before the answer: updates may come with it.
	of := subscription{server, uri}
	s.mu.Lock()
	l := s.legacy.listen
	before := slices.Contains(s.subs[of], l)
	if !before {
		s.subs[of] = append(s.subs[of], l)
	}
	s.mu.Unlock()
	result, err := s.pass(c, server, c.params)
	if err != nil && !before {
		s.mu.Lock()
		s.leave(l, of)
		s.mu.Unlock()
	}
	return result, err
}

// unsubscribe serves resources/unsubscribe.
func (s *session) unsubscribe(c *call) (json.RawMessage, error) {
	uri := rawjson.String(c.params, "uri")
	server, err := s.owner(c, uri)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	unused := s.leave(s.legacy.listen, subscription{server, uri})
	s.mu.Unlock()
	if !unused {
		return json.RawMessage("{}"), nil // a listen of the modern era still wants it
	}
	return s.pass(c, server, c.params)
}

// leave ends what a listen has to do with a resource, and reports whether nobody wants to hear of that any more. The
// caller holds mu.
func (s *session) leave(l *listen, of subscription) (unused bool) {
	s.subs[of] = slices.DeleteFunc(s.subs[of], func(other *listen) bool { return other == l })
	if unused = len(s.subs[of]) == 0; unused {
		delete(s.subs, of)
	}
	return unused
}

// resubscribe takes up all subscriptions at the daemon, which has forgotten them.
func (s *session) resubscribe(at *attachment) {
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.subs))
	s.mu.Unlock()
	for _, of := range all {
		s.spawn(func() {
			if _, err := at.Call(s.ctx, wire.MethodSubscribe, of.request(), nil); err != nil && s.ctx.Err() == nil {
				s.o.Log.Warn("a subscription could not be taken up again", zap.String("server", of.server), zap.String("uri", of.uri), zap.Error(err))
			}
		})
	}
}

// request is what subscribes or unsubscribes.
func (of subscription) request() editorapi.MCPRequest {
	return editorapi.MCPRequest{Server: of.server, Params: rawjson.Set(nil, "uri", rawjson.Quote(of.uri))}
}

// updated passes on notifications/resources/updated to who subscribed. Updates matter also to an agent that
// does not read for a while, and come as fast and as large as servers send them. So an agent that is behind
// is told once of each resource.
func (s *session) updated(n editorapi.MCPNotification) {
	behind := s.out.behind()
	s.mu.Lock()
	defer s.mu.Unlock()
	var told []*listen
	for _, uri := range n.Subscribed {
		params := n.Params
		if behind {
			params = rawjson.Set(nil, "uri", rawjson.Quote(uri))
		}
		for _, l := range s.subs[subscription{n.Server, uri}] {
			if l.acknowledged && (behind || !slices.Contains(told, l)) {
				told = append(told, l)
				s.out.once(&wire.Request{Method: wire.MethodUpdated, Params: l.marked(params)})
			}
		}
	}
}
