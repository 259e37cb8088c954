package editorapi

import (
	"bytes"
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/cork"
)

// A request that the daemon only passes on gets no goroutine. The goroutine that reads from the peer sends it to the server, and the one that reads from
// the server writes the answer to the peer.

// pass begins to serve a request that is only passed on, in the order of the wire. It reports false
// for any other message.
func (p *peer) pass(m message, later *cork.Cork) bool {
	if !m.isRequest() {
		return false
	}
	method := string(m.method[1 : len(m.method)-1])
	if !p.served.passes(method) {
		return false
	}
	id, _ := parseID(m.id)
	r := p.newRequest(id, method, bytes.Clone(m.params))
	if p.admit(r) != nil {
		return false // handle answers it
	}
	p.running.Add(1)
	if err := p.guard(method, func() { p.served.begin(r, later) }); err != nil {
		r.done(nil, err, nil)
	}
	return true
}

// done ends a request that is passed on. Only the first call counts: who has begun the call may panic
// afterwards. result is raw JSON, and only valid until done returns. done implements [Done].
func (r *request) done(result json.RawMessage, err error, c *cork.Cork) {
	if r.ended.Swap(true) {
		return
	}
	_ = r.peer.guard(r.method, func() { r.peer.answer(r, result, err, c) }) // guard has logged the error
	r.peer.release(r)
	r.peer.running.Done()
}

// aborts says how to abort a request that is passed on, for when the editor cancels it or goes. abort
// may be called even when the request is done.
func (r *request) aborts(abort func()) {
	r.peer.mu.Lock()
	r.abort = abort
	given := r.stopped
	r.peer.mu.Unlock()
	if given {
		abort()
	}
}

// answer answers a request, unless it has its answer.
func (p *peer) answer(r *request, result json.RawMessage, err error, c *cork.Cork) {
	p.mu.Lock()
	over := r.over
	r.over = true
	if !over {
		delete(p.inFlight, r.id) // the id may be used again as soon as the answer is on the wire
	}
	p.mu.Unlock()
	if over {
		return
	}
	r.progress.end()
	if p.write(r, result, err, c) && r.answered != nil {
		close(r.answered)
	}
}

// write writes the answer to r, and reports whether nothing can overtake it any more.
func (p *peer) write(r *request, result json.RawMessage, err error, c *cork.Cork) (written bool) {
	if err == nil {
		var id [maxNumber]byte
		err = p.out.pushResult(appendID(id[:0], r.id), result, c)
	} else {
		c.Flush() // as with a large result
		failure := wireError(err, p.log)
		refusal := errorAnswer(r.rawID(), jsonrpc2.Code(failure.Code), failure.Message, failure.Data...)
		frame, claimed := p.out.claim(append(newFrame(), refusal...))
		err = p.out.pushSealed(seal(frame), answer, claimed)
	}
	if err != nil {
		p.log.Debug("an answer finds nobody", zap.String("method", r.method), zap.Error(err))
	}
	return err == nil
}

// stop ends r because of cause: the peer has cancelled it, or has gone.
func (p *peer) stop(r *request, cause error) {
	p.answer(r, nil, cause, nil)
	if r.cancel != nil {
		r.cancel(cause)
		return
	}
	p.mu.Lock()
	r.stopped = true
	abort := r.abort
	p.mu.Unlock()
	if abort != nil {
		abort()
	}
}

// stopAll stops what is passed on when the peer has gone.
func (p *peer) stopAll() {
	p.mu.Lock()
	var left []*request
	for _, r := range p.inFlight {
		if r.cancel == nil {
			left = append(left, r)
		}
	}
	p.mu.Unlock()
	for _, r := range left {
		p.stop(r, context.Canceled) // as what has a context of its own
	}
}
