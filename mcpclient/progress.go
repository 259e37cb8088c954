package mcpclient

import (
	"encoding/json"
	"strconv"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// progressToken is the JSON of a request's id, which is its progress token too.
func progressToken(id int64) json.RawMessage {
	return strconv.AppendInt(nil, id, 10)
}

// progressed hands progress to its call, on the goroutine of the reader: what the
// wire brought before the result is handed over before the result. Progress of
// no call under way is dropped ("Progress notifications MUST only reference tokens
// that: Were provided in an active request", MCP 2025-11-25, Progress).
func (s *session) progressed(params json.RawMessage) {
	id, ok := rawjson.Int(params, "progressToken")
	if !ok {
		return
	}
	s.mu.Lock()
	p := s.pending[id]
	if p == nil || !p.caller {
		s.mu.Unlock()
		return
	}
	s.alive(p)
	p.delivery.Lock() // before mu is released, so that the call cannot return in between
	s.mu.Unlock()
	defer p.delivery.Unlock()
	if p.progress != nil {
		p.progress(params)
	}
}
