package editorapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
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

	answer chan struct{} // closed with its answer; nil while nobody waits for that. peer.mu guards it

	// The fields of a request that is passed on. peer.mu guards those after ended.
	ended   atomic.Bool // done was called
	over    bool        // it has its answer
	stopped bool        // somebody has stopped it
	abort   func()      // aborts the call; nil before the call has begun
}

// rawID returns the id as JSON.
func (r *request) rawID() json.RawMessage { return appendID(nil, r.id) }

// handle is the jsonrpc2.Handler of a peer, the head of the chain. It is called in
// the order of the wire and returns exactly one answer for every request.
// For a notification it returns no error: that would end the connection.
func (p *peer) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	// Until Async the method and the params are borrowed from the buffer of the stream.
	method, params := req.Method(), json.RawMessage(req.Params())
	if !req.IsCall() {
		_, _ = p.guard(method, func() (any, error) { // guard has logged the error
			if method == protocol.MethodCancelRequest {
				p.cancelRequest(params)
			} else {
				p.served.notification(method, params)
			}
			return nil, nil
		})
		return nil, nil
	}

	var handled bool
	result, err := p.guard(method, func() (result any, err error) {
		result, err, handled = p.served.gate(method, params)
		return result, err
	})
	if !handled && err == nil {
		// What serves a cancelled request outlives this handler.
		r := p.newRequest(req.ID(), strings.Clone(method), bytes.Clone(params))
		r.ctx, r.cancel = context.WithCancelCause(p.ctx)
		if err = p.admit(r); err != nil {
			r.cancel(err)
		} else {
			serve := p.inOrder(r)
			jsonrpc2.Async(ctx)
			result, err = p.serve(r, serve)
		}
	}
	if err != nil {
		return nil, wireError(err, p.log)
	}
	return result, nil
}

// newRequest returns a request that is not admitted yet.
func (p *peer) newRequest(id jsonrpc2.ID, method string, params json.RawMessage) *request {
	return &request{peer: p, id: id, method: method, params: params, size: len(params)}
}

// answered returns a channel that is closed once nothing can overtake the answer to r. Whoever sends
// what the editor must read after the answer waits for it. It is not for requests that are passed on. Of a
// request that is no longer in flight it is closed already: its id may be that of another one.
func (r *request) answered() <-chan struct{} {
	r.peer.mu.Lock()
	defer r.peer.mu.Unlock()
	if r.answer == nil {
		r.answer = make(chan struct{})
		if r.peer.inFlight[r.id] != r {
			close(r.answer)
		}
	}
	return r.answer
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
func (p *peer) inOrder(r *request) (serve func() (any, error)) {
	serve = func() (any, error) { return p.served.request(r) }
	_, err := p.guard(r.method, func() (any, error) {
		if rest := p.served.inOrder(r); rest != nil {
			serve = rest
		}
		return nil, nil
	})
	if err != nil {
		return func() (any, error) { return nil, err }
	}
	return serve
}

// serve serves r with f and returns its answer. It answers a cancelled request at once, and drops
// what f returns later.
func (p *peer) serve(r *request, f func() (any, error)) (any, error) {
	type outcome struct {
		result any
		err    error
	}
	done := make(chan outcome, 1)
	p.running.Go(func() {
		result, err := p.guard(r.method, f)
		done <- outcome{result, err}
		p.release(r)
	})
	var o outcome
	select {
	case o = <-done:
		if o.err != nil && r.ctx.Err() != nil {
			o.err = context.Cause(r.ctx)
		}
	case <-r.ctx.Done():
		o.err = context.Cause(r.ctx)
	}
	r.progress.end()
	// The id may be used again as soon as the answer is on the wire.
	p.mu.Lock()
	delete(p.inFlight, r.id)
	if r.answer != nil {
		p.awaited[r.id] = append(p.awaited[r.id], r.answer)
	}
	p.mu.Unlock()
	r.cancel(context.Canceled)
	return o.result, o.err
}

// answered is called when an answer has been pushed.
func (p *peer) answered(body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.awaited) == 0 {
		return
	}
	id, _ := parseID(rawjson.Get(body, "id"))
	awaited := p.awaited[id]
	if len(awaited) == 0 {
		return
	}
	close(awaited[0])
	if p.awaited[id] = awaited[1:]; len(awaited) == 1 {
		delete(p.awaited, id)
	}
}

// cancelRequest handles $/cancelRequest. An id that is not in flight is not an error: the answer
// may be on its way.
func (p *peer) cancelRequest(params json.RawMessage) {
	var cancel struct {
		ID json.RawMessage `json:"id"`
	}
	if err := decode(params, &cancel, ""); err != nil {
		p.log.Warn("a $/cancelRequest is not valid", zap.Error(err))
		return
	}
	id, ok := parseID(cancel.ID)
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
func (p *peer) guard(method string, f func() (any, error)) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			p.log.Error("a handler panicked", zap.String("method", strings.Clone(method)), zap.Any("panic", v), zap.Stack("stack"))
			result, err = nil, errorf(KindInternal, "", "mcp-editord made a mistake with %s; its log file has the details", fmt.Sprintf("%.100q", method))
		}
	}()
	return f()
}
