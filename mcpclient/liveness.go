package mcpclient

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	silentAfter = 60 * time.Second // without a message, before a call asks whether the wire lives
	pingTimeout = 10 * time.Second // for anything to come back
)

// lastSign is when the server last sent something. It keeps the wall clock beside the
// monotonic one, because the latter stands still while the machine sleeps.
type lastSign struct {
	at    time.Time // with the monotonic clock
	wall  time.Time // without
	count int64     // of messages so far
}

func signNow(count int64) lastSign {
	now := time.Now()
	return lastSign{at: now, wall: now.Round(0), count: count}
}

// silence returns how long ago that was, by the clock that says more.
func (l lastSign) silence(now time.Time) time.Duration {
	return max(now.Sub(l.at), now.Round(0).Sub(l.wall))
}

// heard notes a message of the server.
func (s *session) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastSign = signNow(s.lastSign.count + 1)
}

// ping asks for nothing but an answer. The modern era has no ping, but every server
// there answers server/discover.
func (s *session) ping(ctx context.Context, call Call) (json.RawMessage, error) {
	if !s.modern.Load() {
		return s.request(ctx, wire.MethodPing, call.Params, call.Timeout)
	}
	if _, err := s.request(ctx, wire.MethodDiscover, nil, call.Timeout); err != nil {
		return nil, err
	}
	return json.RawMessage("{}"), nil
}

// probe pings a server that has been silent for long, beside the call that is
// about to go out. "If no response is received within a reasonable timeout
// period, the sender MAY: Consider the connection stale" (MCP 2025-11-25, Ping).
func (s *session) probe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil || s.probing || s.lastSign.silence(time.Now()) < silentAfter {
		return
	}
	s.probing = true
	before := s.lastSign.count
	s.running.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, pingTimeout)
		defer cancel()
		_, err := s.ping(ctx, Call{Method: wire.MethodPing})
		s.mu.Lock()
		s.probing = false
		silent := s.lastSign.count == before
		s.mu.Unlock()
		// An error that the server sent is a sign of life as well.
		if wire.KindOf(err) == wire.KindTimeout && silent {
			s.end(wire.Errorf(wire.KindUnresponsive, "", "server %q was silent for long and has not answered a ping within %s", s.opts.Name, wire.Span(pingTimeout)))
		}
	})
}
