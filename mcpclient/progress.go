package mcpclient

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// thinProgress is the progress of one call. In a flood it keeps the last one back and hands it over
// when there is time, at the latest before the result.
type thinProgress struct {
	// mu guards the fields that follow. It is held while progress is handed over, which must not
	// block, so it stays in order, and its call ends after it. session.mu is not taken with it held.
	mu    sync.Mutex
	over  bool            // the call has ended
	held  json.RawMessage // nil when nothing is
	timer *time.Timer     // runs while something is held; nil before
	bucket
}

// progressed hands progress to its call, on the goroutine of the reader: what the
// wire brought before the result is handed over before the result. It drops
// progress of calls that are not under way ("Progress notifications MUST only reference tokens
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
	s.mu.Unlock()
	if p.progress == nil {
		return
	}
	t := &p.thin
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	switch {
	case t.over:
		return
	case t.held == nil && t.take(now):
		p.progress(params)
		return
	case len(params) > maxHeldProgress:
		s.leftOut(wire.MethodProgress)
		return
	case t.held != nil:
		s.leftOut(wire.MethodProgress) // the one before
	default:
		t.timer = time.AfterFunc(t.wait(now), func() { p.release(false) })
	}
	t.held = bytes.Clone(params)
}

// release hands over the progress that is held. With over, nothing is handed over any more.
func (p *pending) release(over bool) {
	t := &p.thin
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = t.over || over
	if t.held == nil {
		return
	}
	t.timer.Stop()
	t.take(time.Now())
	p.progress(t.held)
	t.held = nil
}
