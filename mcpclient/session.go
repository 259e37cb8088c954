package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// writeGrace is how long after a failed write the reader has to learn the reason:
// longer than a wire goes on reading after its process has ended.
const writeGrace = 4 * time.Second

// session is the conversation on one wire, from before the handshake to the end of
// the wire. One goroutine of its own reads; more answer the requests of the server, and
// write while the server is slow to read. All of them end with the session.
type session struct {
	opts    *Options
	wire    wire.Wire
	log     *lifeLog
	counts  *counts
	catalog *catalog
	level   *atomic.Value
	watched *watched

	declared    *atomic.Pointer[capabilities]
	initialized atomic.Pointer[json.RawMessage] // what initialize told the server; nil before, and in the modern era
	modern      atomic.Bool                     // the era in which requests are sent; the handshake decides
	peer        *peer                           // set by the handshake, before anybody else has the session
	watcher     *watcher                        // likewise; nil in the legacy era
	relay       *relay
	cork        cork.Cork // of the reader
	logging     bucket    // of messages for the log, which keeps more than is relayed; for the goroutine of the reader

	probeLost bool // the server lost server/discover; for the goroutine of the handshake

	out     outbox
	ctx     context.Context // ends with the session
	left    chan struct{}   // closed when the host knows that the session takes no calls any more
	cancel  context.CancelFunc
	running sync.WaitGroup // the session's goroutines; none begins after its end

	// mu guards the fields that follow. Host and Wire are not called with it held,
	// and nothing is posted.
	mu        sync.Mutex
	deadlines deadlines
	ended     *wire.Error        // why it ended; nil before
	pending   map[int64]*pending // our requests that have no answer yet
	lastID    int64
	callers   int                   // Calls under way
	drained   chan struct{}         // closed when callers is 0; nil unless the session is being drained
	incoming  map[wire.ID]*incoming // the server's requests that have no answer yet
	visitors  map[*visitor]struct{} // the calls that wait for a user to be somewhere
	lastSign  lastSign
	probing   bool // a ping is under way
}

// newSession starts a session on wire. It must be ended.
func (c *Client) newSession(w wire.Wire, log *lifeLog) *session {
	s := &session{
		opts: &c.opts, wire: w, log: log, counts: &c.counts, catalog: c.catalog, level: &c.level, watched: c.watched, declared: &c.declared,
		left:     make(chan struct{}),
		pending:  map[int64]*pending{},
		incoming: map[wire.ID]*incoming{},
		visitors: map[*visitor]struct{}{},
		lastSign: signNow(0),
	}
	s.relay = newRelay(s.opts.Host.Notification, s.leftOut)
	s.logging = newBucket(otherRate, otherRate)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.running.Go(s.read)
	return s
}

// read reads messages from the wire, in order, until the wire ends.
func (s *session) read() {
	defer s.relay.close()
	defer s.cork.Flush()
	for {
		m, err := s.wire.Read()
		if err != nil {
			reason := *wire.AsError(err, wire.KindExit, "the connection to server %q ended", s.opts.Name)
			reason.Stderr = s.log.stderr.Last(maxErrorLines)
			s.end(&reason)
			return
		}
		s.heard()
		more := s.wire.Ready()
		s.cork.More(more)
		switch m := m.(type) {
		case *wire.Response:
			s.answered(m)
		case *wire.Request:
			switch {
			case s.refuseDeep(m):
			case m.IsCall():
				s.requested(m)
			default:
				s.notified(m.Method, m.Params)
			}
		}
		if !more {
			s.cork.Flush()
		}
	}
}

// writeFailed ends the session. When a server exits, a write may fail first. The
// reader knows better why, so it gets time to say so.
func (s *session) writeFailed(err error) {
	select {
	case <-s.ctx.Done():
	case <-time.After(writeGrace):
		s.end(wire.Errorf(wire.KindUnresponsive, "", "server %q no longer takes messages: %v", s.opts.Name, err))
	}
}

// spawn runs f on a goroutine of the session, unless that has ended.
func (s *session) spawn(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return false
	}
	s.running.Go(f)
	return true
}

// end ends the session: every request under way fails, nothing is sent any more.
// The first reason counts. The wire is left to its owner.
func (s *session) end(reason *wire.Error) {
	s.mu.Lock()
	if s.ended != nil {
		s.mu.Unlock()
		return
	}
	s.ended = reason
	s.cancel()
	if s.deadlines.timer != nil {
		s.deadlines.timer.Stop()
	}
	var over []settled
	for _, p := range s.pending {
		over = append(over, s.take(p, answer{err: goneError(s.opts.Name, p.method, reason)}))
	}
	s.mu.Unlock()
	for _, o := range over {
		s.settle(o)
	}
}

// reason returns why the session ended, nil when it has not.
func (s *session) reason() *wire.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// gone is the error of a request that was under way when the session ended.
func (s *session) gone(method string) *wire.Error {
	return goneError(s.opts.Name, method, s.reason())
}

func goneError(name, method string, reason *wire.Error) *wire.Error {
	message := wording.Adding(wording.OfServer(name, reason.Message), fmt.Sprintf(", and %s is not repeated", method))
	e := wire.Errorf(wire.KindGone, method, "%s", message)
	e.Stderr = reason.Stderr
	return e
}

// enterCall counts a Call, from before its first request to after its last, unless
// no more are taken.
func (s *session) enterCall() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drained != nil {
		return notReady(s.opts.Name, StateStopped, nil)
	}
	s.callers++
	return nil
}

func (s *session) leaveCall() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callers--
	if s.callers == 0 && s.drained != nil {
		close(s.drained)
	}
}

// drain takes no more Calls and returns when none is under way, or ctx or the
// session has ended.
func (s *session) drain(ctx context.Context) {
	drained := make(chan struct{})
	s.mu.Lock()
	s.drained = drained
	if s.callers == 0 {
		close(drained)
	}
	s.mu.Unlock()
	select {
	case <-drained:
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
}
