package streamable

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Write sends msg. It waits only while too many notifications and responses are
// on their way, and for notifications/initialized until it is taken. A request
// beyond the limit waits on a goroutine of its own; there are never more of them
// than requests that the session waits for. After the end of the wire the error
// is a [wire.Error] of [wire.KindGone], or the one that Read returns.
func (w *conn) Write(ctx context.Context, msg wire.Message) error {
	body, err := wire.Encode(msg)
	if err != nil {
		return err
	}
	header := w.postHeaders(msg)
	r, ok := msg.(*wire.Request)
	switch {
	case !ok:
		_, err = w.post(ctx, "an answer", header, body, nil)
		return err
	case r.IsCall():
		return w.startCall(r, header, body)
	case r.Method == wire.MethodCancelled:
		return w.cancelCall(ctx, r, header, body)
	case r.Method == wire.MethodInitialized:
		return w.initialized(ctx, header, body)
	default:
		_, err = w.post(ctx, r.Method, header, body, nil)
		return err
	}
}

// Ready implements [wire.Wire].
func (w *conn) Ready() bool { return false }

// TryWrite implements [wire.Wire]. Only requests have a goroutine each, and so need not wait.
func (w *conn) TryWrite(batch ...wire.Message) bool {
	r, ok := batch[0].(*wire.Request)
	return len(batch) == 1 && ok && r.IsCall() && w.Write(w.ctx, r) == nil
}

// initialized sends notifications/initialized and waits until it is taken, because
// nothing may overtake it. Then the server gets the standalone stream to speak on. initialized
// waits for that too, but not for long: a server drops what it has to say there while there is no
// stream, and some do not answer before they have something to say.
func (w *conn) initialized(ctx context.Context, header http.Header, body []byte) error {
	done, err := w.post(ctx, wire.MethodInitialized, header, body, nil)
	if err != nil {
		return err
	}
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if !w.Streamable() {
		return nil
	}
	opened := make(chan struct{})
	if !w.spawn(func() { w.keepStandalone(sync.OnceFunc(func() { close(opened) })) }) {
		return wire.Gone(w.failure())
	}
	select {
	case <-opened:
	case <-time.After(streamWait):
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// startCall sends a request on a goroutine of its own.
func (w *conn) startCall(r *wire.Request, header http.Header, body []byte) error {
	c := &call{id: r.ID, method: r.Method, modern: modernVersion(r) != ""}
	c.ctx, c.cancel = context.WithCancel(w.ctx)
	w.mu.Lock()
	w.pending[c.id] = c
	w.mu.Unlock()
	if !w.spawn(func() { w.run(c, header, body) }) {
		w.forget(c)
		return wire.Gone(w.failure())
	}
	return nil
}

// forget releases what a call holds.
func (w *conn) forget(c *call) {
	c.cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.letGo != nil {
		c.letGo.Stop()
	}
	if w.pending[c.id] == c {
		delete(w.pending, c.id)
	}
}

// run sends a request and sees to its answer.
func (w *conn) run(c *call, header http.Header, body []byte) {
	defer w.forget(c)
	select {
	case w.calls <- struct{}{}:
		defer func() { <-w.calls }()
	case <-c.ctx.Done():
		return
	}
	failure := w.exchange(c.ctx, c, header, body)
	if failure == nil || c.ctx.Err() != nil {
		return // nobody waits for a call that was cancelled
	}
	w.answer(c, wire.AsError(failure, wire.KindGone, "%s was not sent", c.method))
	if wire.EndsWire(failure) {
		w.lose(failure)
	}
}

// leave notes that c goes to the endpoint. The function that it returns notes that c is there, or has
// failed.
func (w *conn) leave(c *call) (sent func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	done := make(chan struct{})
	c.started, c.sent = true, done
	return sync.OnceFunc(func() { close(done) })
}

// hold notes that the endpoint has refused c unread: from now on it waits as if it had not been sent.
// If it was cancelled meanwhile, it ends here.
func (w *conn) hold(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.started = false
	if c.given {
		c.cancel()
	}
}

// answer answers c with failure, unless it has its answer.
func (w *conn) answer(c *call, failure *wire.Error) {
	if !w.answered(c) {
		w.deliver(&wire.Response{ID: c.id, Error: failure})
	}
}

// exchange sends a request and hands on what comes back. It returns why there is
// no answer, nil when there is one, or when it comes on the stream of HTTP+SSE.
func (w *conn) exchange(ctx context.Context, c *call, header http.Header, body []byte) error {
	endpoint, streamable, err := w.endpoint(ctx)
	if err != nil {
		return err
	}
	resp, err := w.do(ctx, request{http.MethodPost, endpoint, header, body, c})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode/100 != 2:
		refusal := w.refusal(resp, header.Get(headerSession) != "")
		if c.method != wire.MethodInitialize || !streamable || !older(resp.StatusCode, refusal) {
			return refusal
		}
		err := w.fallBack(ctx)
		switch {
		case err == nil:
			return w.exchange(ctx, c, header, body)
		case wire.KindOf(err) == wire.KindSignInNeeded:
			return err // it may speak HTTP+SSE to those who have signed in
		}
		return refusal
	case !streamable:
		return nil
	}
	if c.method == wire.MethodInitialize {
		// net/http only lets values through that it would also send.
		w.mu.Lock()
		w.session = resp.Header.Get(headerSession)
		w.mu.Unlock()
	}
	switch kind := mediaType(resp); {
	case resp.StatusCode == http.StatusAccepted || resp.StatusCode == http.StatusNoContent:
		return wire.Errorf(wire.KindInvalidResult, strconv.Itoa(resp.StatusCode), "%s took %s without an answer (%d); check the url and the type of the server", w.url.Host, c.method, resp.StatusCode)
	case kind == streamType:
		return w.follow(ctx, c, resp)
	case kind == jsonType:
		return w.takeBody(ctx, c, resp)
	default:
		return wire.Errorf(wire.KindInvalidResult, kind, "%s answered %s with the type %.80q, which MCP does not have; check the url of the server", w.url.Host, c.method, kind)
	}
}

// takeBody hands on a response that is JSON.
func (w *conn) takeBody(ctx context.Context, c *call, resp *http.Response) error {
	claim := w.memory.Claim()
	defer claim.Release()
	frame, err := readUpTo(resp.Body, w.limits.frame, &claim)
	switch {
	case errors.Is(err, errTooLarge), err == nil && !claim.Grow(len(frame)): // for what is made of it
		w.log.Skipped(true)
		return w.tooLarge()
	case err != nil:
		return w.noResponse(ctx, err, true)
	}
	var skipped error
	wire.Each(frame, w.deliver, func(part []byte, why error) { skipped = w.refuse(part, why) })
	switch {
	case w.answered(c):
		return nil
	case skipped != nil:
		return skipped
	}
	return wire.Errorf(wire.KindInvalidResult, "", "the server's response to %s does not answer it", c.method)
}

// tooLarge is the error of an answer over the limit.
func (w *conn) tooLarge() *wire.Error {
	return wire.Errorf(wire.KindTooLarge, "", "the server's answer is over the limit of %s or over the memory that is left; ask it for less", wording.Size(int64(w.limits.frame)))
}

// older reports whether a refusal of initialize may be that of a server of HTTP+SSE:
// "400 Bad Request, 404 Not Found, or 405 Method Not Allowed and the response body
// is not a recognized modern JSON-RPC error" (MCP 2026-07-28, Streamable HTTP,
// HTTP+SSE Transport).
func older(status int, refusal error) bool {
	if !slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed}, status) {
		return false
	}
	e := wire.AsRPC(refusal)
	return e == nil || !slices.Contains([]int64{wire.CodeMethodNotFound, wire.CodeHeaderMismatch, wire.CodeMissingCapability, wire.CodeUnsupportedVersion}, e.Code)
}

// post sends a message that has no answer, on a goroutine of its own. The channel is closed when the
// message was taken or has failed, which is logged. cancels is the call that the message cancels,
// nil for none: the message does not overtake that call, and afterwards post lets go of it.
func (w *conn) post(ctx context.Context, name string, header http.Header, body []byte, cancels *call) (<-chan struct{}, error) {
	select {
	case w.posts <- struct{}{}:
	case <-w.life.Done():
		return nil, wire.Gone(w.failure())
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	done := make(chan struct{})
	if !w.spawn(func() {
		defer close(done)
		defer func() { <-w.posts }()
		ctx, cancel := context.WithTimeout(w.ctx, postTimeout)
		defer cancel()
		if cancels != nil {
			defer cancels.cancel()
			select {
			case <-cancels.sent:
			case <-ctx.Done():
			}
		}
		if err := w.tell(ctx, header, body); err != nil && w.ctx.Err() == nil {
			w.log.Line(wire.LogDaemon, name+" was not taken: "+err.Error())
			if wire.EndsWire(err) {
				w.lose(err)
			}
		}
	}) {
		<-w.posts
		return nil, wire.Gone(w.failure())
	}
	return done, nil
}

// tell sends a message that has no answer and waits until it is taken.
func (w *conn) tell(ctx context.Context, header http.Header, body []byte) error {
	endpoint, _, err := w.endpoint(ctx)
	if err != nil {
		return err
	}
	resp, err := w.do(ctx, request{method: http.MethodPost, url: endpoint, header: header, body: body})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return w.refusal(resp, header.Get(headerSession) != "")
	}
	if mediaType(resp) != streamType { // which may have no end
		w.discard(resp)
	}
	return nil
}

// cancelCall sends notifications/cancelled. At 2026-07-28 "closing the SSE response
// stream is itself the cancellation signal and no notifications/cancelled message
// is expected" (Streamable HTTP). Before, "disconnection SHOULD NOT be interpreted
// as the client cancelling its request" (MCP 2025-11-25, Transports), so cancelCall
// lets go of the stream once the server has been told.
func (w *conn) cancelCall(ctx context.Context, r *wire.Request, header http.Header, body []byte) error {
	id, _ := wire.ParseID(rawjson.Get(r.Params, "requestId"))
	w.mu.Lock()
	c := w.pending[id]
	tell := c != nil && c.started && !c.modern
	switch {
	case tell:
		c.given = true
	case c != nil:
		c.cancel() // with the lock held, so that it does not start after all
	}
	sse := w.sse
	w.mu.Unlock()
	switch {
	case c == nil && sse: // its answer comes on another stream
		_, err := w.post(ctx, r.Method, header, body, nil)
		return err
	case !tell:
		return nil // there is nothing to tell: it was not sent, or its answer is on its way
	}
	_, err := w.post(ctx, r.Method, header, body, c)
	return err
}
