package editorapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxServing is how many requests of one peer are served at the same time.
const maxServing = 1024

// A request is a request from the peer while it is served.
type request struct {
	peer   *peer
	id     jsonrpc2.ID
	method string
	params json.RawMessage // nil when absent
	size   int             // of the memory

	// ctx ends when the peer cancels the request or goes away, and once the request is answered.
	// Both are nil when the request is passed on; see pass.go.
	ctx    context.Context
	cancel context.CancelCauseFunc

	progress progress

	// answered is closed with its answer, unless the editor has gone; nil when the request is passed on.
	answered chan struct{}
	over     bool // it has its answer; peer.mu guards it

	// The fields of a request that is passed on. peer.mu guards those after ended.
	ended   atomic.Bool // done was called
	stopped bool        // somebody has stopped it
	abort   func()      // aborts the call; nil before the call has begun
}

// rawID returns the id as JSON.
func (r *request) rawID() json.RawMessage { return appendID(nil, r.id) }

// handle handles a message, in the order of the wire. What it keeps of m it copies.
func (p *peer) handle(m message) {
	if m.method == nil {
		p.settle(m)
		return
	}
	method, _ := rawjson.Text(m.method)
	params := json.RawMessage(m.params)
	if string(params) == "null" { // there are clients that write it for "none"
		params = nil
	}
	if m.id == nil {
		_ = p.guard(method, func() { // guard has logged the error
			if method == protocol.MethodCancelRequest {
				p.cancelRequest(params)
			} else {
				p.served.notification(method, params)
			}
		})
		return
	}
	id, _ := parseID(m.id)
	r := p.newRequest(id, method, bytes.Clone(params))
	var result any
	var err error
	handled := true // also when it panics
	panicked := p.guard(method, func() { result, err, handled = p.served.gate(method, params) })
	err = cmp.Or(err, panicked)
	r.answered = make(chan struct{})
	r.ctx, r.cancel = context.WithCancelCause(p.ctx)
	if !handled {
		err = p.admit(r)
	}
	if handled || err != nil {
		r.cancel(err)
		p.encoded(result, err, func(raw json.RawMessage, err error) { p.write(r, raw, err, nil) })
		return
	}
	p.serve(r, p.inOrder(r))
}

// newRequest returns a request that is not admitted yet.
func (p *peer) newRequest(id jsonrpc2.ID, method string, params json.RawMessage) *request {
	return &request{peer: p, id: id, method: method, params: params, size: len(params)}
}

// admit enters a request among those in flight. It is called in the order of the
// wire, so that a $/cancelRequest that follows finds it.
func (p *peer) admit(r *request) error {
	unread := p.out.waiting()
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.inFlight[r.id]; ok {
		return invalidRequest("a request with the id %v is under way; use another id", r.id)
	}
	if p.serving+unread >= maxServing {
		return errorf(KindBusy, "", "%d requests are under way; wait for some of them, or cancel them", maxServing)
	}
	if p.ended {
		return p.gone
	}
	if !p.memory.Acquire(r.size) {
		return errorf(KindBusy, "", "requests under way and unread answers use up the memory for them; wait for some of them")
	}
	p.inFlight[r.id] = r
	p.serving++
	return nil
}

// release gives back what r holds, when nothing serves it any more.
func (p *peer) release(r *request) {
	p.memory.Release(r.size)
	p.mu.Lock()
	p.serving--
	p.mu.Unlock()
}

// inOrder does the part of r that must keep the order of the wire, and returns a function that
// serves the rest.
func (p *peer) inOrder(r *request) (rest func() (any, error)) {
	if err := p.guard(r.method, func() { rest = p.served.serve(r) }); err != nil {
		return fails(err)
	}
	return rest
}

// serve serves r with f on a goroutine of its own. One that is cancelled has its answer by then, and
// what f returns is dropped.
func (p *peer) serve(r *request, f func() (any, error)) {
	p.running.Go(func() {
		var result any
		var err error
		panicked := p.guard(r.method, func() { result, err = f() })
		err = cmp.Or(err, panicked)
		if err != nil && r.ctx.Err() != nil {
			err = context.Cause(r.ctx)
		}
		p.encoded(result, err, func(raw json.RawMessage, err error) { p.answer(r, raw, err, nil) })
		r.cancel(context.Canceled)
		p.release(r)
	})
}

// encoded has send hand over an answer.
func (p *peer) encoded(result any, err error, send func(json.RawMessage, error)) {
	p.encoding.Lock()
	defer p.encoding.Unlock()
	var raw json.RawMessage
	if err == nil {
		raw, err = encode(result)
	}
	if raw == nil {
		raw = json.RawMessage("null")
	}
	send(raw, err)
}

// cancelRequest handles $/cancelRequest. An id that is not in flight is not an error: the answer
// may be on its way.
func (p *peer) cancelRequest(params json.RawMessage) {
	id, ok := parseID(rawjson.Get(params, "id"))
	if !ok {
		p.log.Warn("a $/cancelRequest has no id")
		return
	}
	p.mu.Lock()
	r := p.inFlight[id]
	p.mu.Unlock()
	if r != nil {
		p.stop(r, errorf(KindCancelled, "", "the request was cancelled"))
	}
}

// guard calls f. A panic becomes an error, and its stack goes to the log: one bad
// request costs one request.
func (p *peer) guard(method string, f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p.log.Error("a handler panicked", zap.String("method", method), zap.Any("panic", v), zap.Stack("stack"))
			err = errorf(KindInternal, "", "mcp-editord made a mistake with %s; its log file has the details", fmt.Sprintf("%.100q", method))
		}
	}()
	f()
	return nil
}
