package mcpserver

import (
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Updates of resources matter also to an agent that does not read for a while, and come as fast and as
// large as servers send them. So an agent that is behind is told once of each resource, when it has read.

// behind reports whether so much waits for the agent that news would be left out.
func (w *writer) behind() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isBehind()
}

// isBehind is behind for who holds mu.
func (w *writer) isBehind() bool { return w.waiting > maxWaitingNews || len(w.queue) > maxWaitingLines }

// awaitReading waits until the agent is not behind any more, or the writer has ended.
func (w *writer) awaitReading() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.isBehind() && !w.closed {
		w.room.Wait()
	}
}

// missUpdate notes that resources were updated, of which the agent is told when it has read what waits. The
// caller holds mu.
func (s *session) missUpdate(server string, uris []string) {
	first := len(s.missed) == 0
	for _, uri := range uris {
		if of := (subscription{server, uri}); s.subs[of] != nil {
			s.missed[of] = true
		}
	}
	if first && len(s.missed) > 0 {
		s.spawn(s.tellMissed)
	}
}

// tellMissed tells the agent of all updates that it has missed.
func (s *session) tellMissed() {
	s.out.awaitReading()
	s.mu.Lock()
	defer s.mu.Unlock()
	for of := range s.missed {
		s.tellUpdated(of.server, []string{of.uri}, rawjson.Set(nil, "uri", rawjson.Quote(of.uri)))
	}
	clear(s.missed)
}

// tellUpdated sends an update to who subscribed to one of uris. The caller holds mu.
func (s *session) tellUpdated(server string, uris []string, params []byte) {
	legacy, listens := s.subscribers(server, uris)
	if legacy {
		s.out.send(&wire.Request{Method: wire.MethodUpdated, Params: params})
	}
	for _, l := range listens {
		s.out.send(&wire.Request{Method: wire.MethodUpdated, Params: l.marked(params)})
	}
}
