package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	listenPatience = 4 * time.Second // for servers to confirm subscriptions
	maxListened    = 1000            // subscriptions of one request
	maxListens     = 100             // requests
)

// A listen is a subscriptions/listen of the agent: "the stream stays open and delivers notifications until
// the client cancels it" (MCP 2026-07-28, Subscriptions). An agent of the legacy era has one that it did not
// ask for.
type listen struct {
	id    wire.ID         // the zero ID in the legacy era
	lists map[string]bool // notifications that the agent wants, by their method

	cancel context.CancelFunc

	acknowledged bool // session.mu guards it
}

// announced are the lists whose changes have a notification and a flag of their own.
var announced = []wire.ListKind{wire.ListTools, wire.ListPrompts, wire.ListResources}

// beginListen begins to serve subscriptions/listen. It does not wait.
func (s *session) beginListen(r *wire.Request) {
	filter := rawjson.Get(r.Params, "notifications")
	if !rawjson.IsObject(filter) {
		s.respond(r.ID, nil, wire.RPCErrorf(wire.CodeInvalidParams, "the member notifications is missing, or not an object"))
		return
	}
	l := &listen{id: r.ID, lists: map[string]bool{}}
	honored := json.RawMessage("{}")
	for _, kind := range announced {
		if flag := kind.ChangedFlag(); string(rawjson.Get(filter, flag)) == "true" {
			l.lists[kind.Changed()] = true
			honored = rawjson.Set(honored, flag, []byte("true"))
		}
	}
	var uris []string
	for element := range rawjson.Elements(rawjson.Get(filter, "resourceSubscriptions")) {
		if uri, ok := rawjson.Text(element); ok && !slices.Contains(uris, uri) && len(uris) < maxListened {
			uris = append(uris, uri)
		}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	l.cancel = cancel
	s.mu.Lock()
	var refusal *wire.Error
	switch {
	case s.calls[l.id] != nil || s.listens[l.id] != nil:
		refusal = wire.RPCErrorf(wire.CodeInvalidRequest, "a request with the id %v is under way; use another id", l.id)
	case len(s.listens) >= maxListens:
		refusal = wire.RPCErrorf(wire.CodeInternalError, "busy: there are %d subscriptions; cancel some of them", maxListens)
	default:
		s.listens[l.id] = l
	}
	s.mu.Unlock()
	if refusal != nil {
		cancel()
		s.respond(l.id, nil, refusal)
		return
	}
	s.spawn(func() {
		if len(uris) > 0 {
			list, _ := json.Marshal(s.listenTo(ctx, l, uris)) // strings
			honored = rawjson.Set(honored, "resourceSubscriptions", list)
		}
		s.acknowledge(l, honored)
	})
}

// listenTo subscribes to resources, and returns those for which that has not failed.
func (s *session) listenTo(ctx context.Context, l *listen, uris []string) []string {
	known := s.shelf.settled(ctx)
	ctx, cancel := context.WithTimeout(ctx, listenPatience)
	defer cancel()
	honored := make([]string, len(uris)) // "" for one that is refused
	var all sync.WaitGroup
	for i, uri := range uris {
		server, unknown := known.resource(uri, nil)
		if unknown != nil {
			continue
		}
		of := subscription{server, uri}
		s.mu.Lock()
		if s.listens[l.id] != l { // it was cancelled, and endListen has been here
			s.mu.Unlock()
			break
		}
		s.subs[of] = append(s.subs[of], l)
		s.mu.Unlock()
		all.Go(func() {
			_, err := s.pass(&call{ctx: ctx, method: wire.MethodSubscribe}, server, of.request().Params)
			// One that is late is taken up as soon as its server is there, and one that was cut off by a
			// daemon that has ended with the next.
			if err == nil || ctx.Err() != nil || !answeredBy(err) {
				honored[i] = uri
				return
			}
			s.mu.Lock()
			s.leave(l, of)
			s.mu.Unlock()
		})
	}
	all.Wait()
	return slices.DeleteFunc(honored, func(uri string) bool { return uri == "" })
}

// acknowledge says what the agent gets: "The server MUST send notifications/subscriptions/acknowledged as
// the first message carrying the subscription's ID […] The notifications field in the acknowledgment
// reflects the subset the server agreed to honor."
func (s *session) acknowledge(l *listen, honored json.RawMessage) {
	s.mu.Lock()
	if s.listens[l.id] != l {
		s.mu.Unlock()
		return // it was cancelled
	}
	s.out.send(&wire.Request{Method: wire.MethodAcknowledged, Params: rawjson.Set(l.marked(nil), "notifications", honored)})
	l.acknowledged = true
	s.mu.Unlock()
	s.shelf.tell()
}

// marked returns the params of a notification of l: "All notifications delivered on the stream carry
// io.modelcontextprotocol/subscriptionId in _meta […] The value is the JSON-RPC ID of the
// subscriptions/listen request."
func (l *listen) marked(params json.RawMessage) json.RawMessage {
	if !l.id.IsValid() {
		return params
	}
	return rawjson.SetPath(params, []byte(l.id.String()), "_meta", wire.MetaSubscriptionID)
}

// endListen ends a listen that the agent has cancelled.
func (s *session) endListen(l *listen) {
	s.mu.Lock()
	delete(s.listens, l.id)
	var unused []subscription
	for of, listens := range s.subs {
		if slices.Contains(listens, l) && s.leave(l, of) {
			unused = append(unused, of)
		}
	}
	s.mu.Unlock()
	l.cancel()
	at := s.link.current()
	if at == nil {
		return
	}
	for _, of := range unused {
		s.spawn(func() { _, _ = at.Call(s.ctx, wire.MethodUnsubscribe, of.request(), nil) }) // it ends with the attachment at the latest
	}
}

// closeListens ends all listens: "When the server ends a subscription on its own initiative (for example,
// during shutdown), it SHOULD respond to the original subscriptions/listen request with a completion
// result" (MCP 2026-07-28, Subscriptions, Graceful Closure).
func (s *session) closeListens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, l := range s.listens {
		delete(s.listens, id)
		if !id.IsValid() {
			continue
		}
		l.cancel()
		s.respond(id, completed(l.marked(nil)), nil)
	}
}
