package mcpclient

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// thinProgress is the progress of one call. In a flood it keeps the last one back and hands it over
// when there is time, at the latest before the result.
type thinProgress struct {
	bucket
	held  json.RawMessage // nil when nothing is
	timer *time.Timer     // runs while something is held; nil before

	delivering bool            // somebody calls progress
	next       json.RawMessage // what he is to deliver next; nil for nothing
	ended      *answer         // what he hands over after that; nil while the call is under way
}

// stop forgets what is held.
func (t *thinProgress) stop() {
	t.held = nil
	if t.timer != nil {
		t.timer.Stop()
	}
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
	if p.progress == nil {
		s.mu.Unlock()
		return
	}
	now := time.Now()
	if p.thin.held == nil && p.thin.take(now) {
		s.deliver(p, params)
		return
	}
	held := p.thin.held != nil
	if !held && len(params) <= maxHeldProgress {
		p.thin.timer = time.AfterFunc(p.thin.wait(now), func() { s.release(id) })
	}
	if len(params) <= maxHeldProgress {
		p.thin.held = bytes.Clone(params)
	}
	s.mu.Unlock()
	if held || len(params) > maxHeldProgress {
		s.leftOut(wire.MethodProgress) // the one before, or this one
	}
}

// release hands over the progress that is held for a request.
func (s *session) release(id int64) {
	s.mu.Lock()
	p := s.pending[id]
	if p == nil || p.thin.held == nil {
		s.mu.Unlock()
		return
	}
	held := p.thin.held
	p.thin.stop()
	p.thin.take(time.Now())
	s.deliver(p, held)
}

// deliver hands params to p, and releases s.mu, which is held. If somebody else is doing so, he
// delivers them next: nobody waits, and they stay in order.
func (s *session) deliver(p *pending, params json.RawMessage) {
	t := &p.thin
	if t.delivering {
		missed := t.next != nil
		t.next = bytes.Clone(params)
		s.mu.Unlock()
		if missed {
			s.leftOut(wire.MethodProgress)
		}
		return
	}
	t.delivering = true
	for params != nil {
		s.mu.Unlock()
		p.progress(params)
		s.mu.Lock()
		params, t.next = t.next, nil
	}
	t.delivering = false
	ended := t.ended
	s.mu.Unlock()
	if ended != nil {
		s.settle(settled{p, *ended})
	}
}
