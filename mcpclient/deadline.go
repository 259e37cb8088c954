package mcpclient

import (
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// deadlines end the requests of a session that are without a sign of life for too long. One timer
// serves all of them, and is set only for the first to be due: most requests are answered long
// before, and to set a timer for each costs more than to read its answer. session.mu guards them.
type deadlines struct {
	timer *time.Timer // runs session.expire; nil before the first request with a timeout
	next  time.Time   // when it is due; the zero time when it does not run
}

// alive restarts the clock of p. A call must not run out of time while the user thinks about a
// question that it led to, so all clocks stand still as long as a request of the server is being
// answered. s.mu is held.
func (s *session) alive(p *pending) {
	if p.timeout == 0 {
		return
	}
	p.deadline = time.Now().Add(p.timeout)
	if len(s.incoming) == 0 {
		s.wakeBy(p.deadline)
	}
}

// wakeBy has expire run at that time, or before. s.mu is held.
func (s *session) wakeBy(at time.Time) {
	d := &s.deadlines
	if !d.next.IsZero() && !at.Before(d.next) {
		return
	}
	d.next = at
	if d.timer == nil {
		d.timer = time.AfterFunc(time.Until(at), s.expire)
	} else {
		d.timer.Reset(time.Until(at))
	}
}

// expire ends the requests that are due.
func (s *session) expire() {
	now := time.Now()
	var over []settled
	s.mu.Lock()
	s.deadlines.next = time.Time{}
	if len(s.incoming) == 0 {
		for _, p := range s.pending {
			switch {
			case p.timeout == 0:
			case p.deadline.After(now):
				s.wakeBy(p.deadline)
			default:
				over = append(over, s.take(p, answer{
					err:  wire.Errorf(wire.KindTimeout, p.method, "server %q has not answered %s and has shown no sign of life for %s", s.opts.Name, p.method, wire.Span(p.timeout)),
					tell: "no answer within the time limit",
				}))
			}
		}
	}
	s.mu.Unlock()
	for _, o := range over {
		s.settle(o)
	}
}
