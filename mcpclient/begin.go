package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A Begun is a call that [Client.Begin] has begun.
type Begun struct {
	c    *Client
	call Call
	done Done

	mu      sync.Mutex // guards the fields that follow
	s       *session   // where request is under way
	request *pending
	cancel  context.CancelFunc // of the goroutine that makes the rest of the call; nil while there is none
	given   bool               // Cancel was called
}

// Done gets the outcome of a call. result is only valid until Done returns. What Done writes may wait as
// c has it; c may be nil, and must not be used afterwards.
type Done func(result json.RawMessage, err error, c *cork.Cork)

// Begin is [Client.Call] for callers that do not wait. done gets what Call would return, exactly once
// and perhaps before Begin returns. The request is sent now, or as later has it. done must not wait
// for anybody: it may run on the goroutine that reads from the server, and what waits for that
// waits for done. call.Params must not change until then.
//
// The call has no goroutine of its own as long as the server is ready and answers the request as it
// is. For all else it gets one.
func (c *Client) Begin(call Call, later *cork.Cork, done Done) *Begun {
	b := &Begun{c: c, call: call, done: done}
	if s := c.direct(&b.call); s == nil || !b.send(s, later) {
		b.onward(func(ctx context.Context) (json.RawMessage, error) { return c.Call(ctx, call) })
	}
	return b
}

// Cancel ends the call, as the end of its ctx ends a [Client.Call]. It does not wait, and has no
// effect on a call that is over.
func (b *Begun) Cancel() {
	b.mu.Lock()
	b.given = true
	s, request, cancel := b.s, b.request, b.cancel
	b.mu.Unlock()
	switch {
	case cancel != nil:
		cancel()
	case s != nil:
		s.giveUp(request, wire.Errorf(wire.KindCancelled, "", "%s was cancelled", b.call.Method))
	}
}

// direct returns the session in which call can be sent as it is, with its Timeout filled in; nil if
// it must wait, or takes more than to send it.
func (c *Client) direct(call *Call) *session {
	switch call.Method {
	case wire.MethodListen, wire.MethodPing, wire.MethodSetLevel, wire.MethodSubscribe, wire.MethodUnsubscribe:
		return nil
	}
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s == nil || s.reason() != nil || checkParams(call.Params) != nil || s.peer.check(call.Method) != nil {
		return nil
	}
	if call.Timeout == 0 {
		call.Timeout = c.opts.timeout(call.Method)
	}
	return s
}

// send sends the request, and reports whether it did.
func (b *Begun) send(s *session, later *cork.Cork) bool {
	if s.enterCall() != nil {
		return false
	}
	s.probe()
	b.call.told = s.tell(b.call)
	p := s.pendingFor(b.call, b.call.Params)
	p.waiter = b
	b.s, b.request = s, p
	if s.begin(p, b.call.Params, later) != nil {
		b.s, b.request = nil, nil
		s.leaveCall()
		return false
	}
	return true
}

// answered implements [waiter]. Most calls are over with their first answer.
func (b *Begun) answered(a answer) {
	b.mu.Lock()
	s := b.s
	b.mu.Unlock()
	if s.isLast(a.result, a.err) {
		s.leaveCall()
		b.done(a.result, a.err, a.cork)
		return
	}
	result := json.RawMessage(bytes.Clone(a.result))
	b.onward(func(ctx context.Context) (json.RawMessage, error) {
		result, err := s.rounds(ctx, b.call, result, a.err)
		s.leaveCall()
		return b.c.again(ctx, s, b.call, result, err)
	})
}

// onward makes the rest of the call on a goroutine of its own.
func (b *Begun) onward(rest func(context.Context) (json.RawMessage, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	b.mu.Lock()
	b.cancel = cancel
	given := b.given
	b.mu.Unlock()
	if given {
		cancel()
	}
	go func() {
		defer cancel()
		result, err := rest(ctx)
		b.done(result, err, nil)
	}()
}
