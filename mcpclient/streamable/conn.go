package streamable

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// conn is the [wire.Wire] of a [Dialer].
//
// Goroutines: one for each request until its answer is there, one for each
// notification and response until it is taken, one for the standalone stream or
// the stream of HTTP+SSE. All of them have ended when Close returns. Each keeps
// a message that it has read until Read takes it, and reads nothing meanwhile: a
// slow reader holds back the server.
type conn struct {
	url        *url.URL // as configured
	header     http.Header
	transport  *http.Transport
	client     *http.Client // of transport
	log        wire.LogSink
	limits     *limits
	memory     *budget.Budget
	authorizer Authorizer // nil for none

	in    chan wire.Message // to Read; unbuffered
	calls chan struct{}     // holds a value for each request at the endpoint
	posts chan struct{}     // and for each notification and response

	ctx     context.Context // of all that is sent
	abort   context.CancelFunc
	running sync.WaitGroup // the goroutines; none begins once life has ended
	closing sync.Once

	// life ends with the wire, and its cause is why. mu is held where that is decided.
	life context.Context
	end  context.CancelCauseFunc

	// mu guards the fields that follow. Nothing waits with it held.
	mu      sync.Mutex
	pending map[wire.ID]*call
	session string    // Mcp-Session-Id; "" when the server has given none
	version string    // that initialize has settled; "" before
	used    time.Time // when the last HTTP request was made, by the clock on the wall
	sse     bool      // HTTP+SSE is spoken
	link    *link     // its stream; nil before it is opened
}

// call is a request under way.
type call struct {
	id     wire.ID
	method string
	modern bool // of 2026-07-28

	ctx    context.Context // of its POST and its stream
	cancel context.CancelFunc

	// conn.mu guards the fields that follow.
	started  bool          // it is on its way: it does not wait for others, or for an access token
	sent     chan struct{} // made when it has started; closed when it has been written, or was not
	given    bool          // the server is told that it was cancelled; sent does not change any more
	answered bool          // its answer was read, on whatever stream
	letGo    *time.Timer   // lets go of the stream after the answer
}

// Read returns the next message. After Close and Kill the error is io.EOF.
func (w *conn) Read() (wire.Message, error) {
	if err := w.failure(); err != nil {
		return nil, err
	}
	select {
	case msg := <-w.in:
		return msg, nil
	case <-w.life.Done():
		return nil, w.failure()
	}
}

// deliver hands msg to Read, unless the wire ends before.
func (w *conn) deliver(msg wire.Message) {
	if r, ok := msg.(*wire.Response); ok {
		w.answering(r)
	}
	select {
	case w.in <- msg:
	case <-w.life.Done():
	case <-w.ctx.Done():
	}
}

// answering takes note of an answer. "After the JSON-RPC response has been sent,
// the server SHOULD terminate the SSE stream" (MCP 2025-11-25, Transports): when it
// does not, we do.
func (w *conn) answering(r *wire.Response) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.pending[r.ID]
	if c == nil || c.answered {
		return
	}
	c.answered = true
	c.letGo = time.AfterFunc(linger, c.cancel)
	if c.method == wire.MethodInitialize && r.Error == nil {
		w.version = rawjson.String(r.Result, "protocolVersion")
	}
}

// answered reports whether the answer of c was read.
func (w *conn) answered(c *call) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return c.answered
}

// refuse logs something that is not a message, and returns the error for a request that has it as
// its only answer.
func (w *conn) refuse(part []byte, why error) error {
	if errors.Is(why, wire.ErrNoID) {
		w.log.Line(wire.LogDaemon, "got an error without an id: "+wire.Clip(part))
		if e := wire.ErrorOf(part); e != nil {
			return e
		}
	} else {
		w.log.Skipped(false)
		w.log.Line(wire.LogDaemon, "skipped a message that is not valid: "+why.Error()+": "+wire.Clip(part))
	}
	return wire.Errorf(wire.KindInvalidResult, "", "the server's answer is not a valid message: %v", why)
}

// spawn runs f on a goroutine of the wire, unless the wire has ended.
func (w *conn) spawn(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure() != nil {
		return false
	}
	w.running.Go(f)
	return true
}

// fail ends the wire for err, unless it has ended already, and wakes Read. What is
// under way is left to Close.
func (w *conn) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end(err)
}

// lose ends the wire for err. When other calls wait for their answer, it first waits a moment: they
// are about to be refused too, for the lost session or the access token that is missing, and their
// callers shall hear that they were refused unread.
func (w *conn) lose(err error) {
	w.mu.Lock()
	others := false
	for _, c := range w.pending {
		others = others || !c.answered
	}
	w.mu.Unlock()
	if kind := wire.KindOf(err); kind != wire.KindSessionLost && kind != wire.KindSignInNeeded || !others {
		w.fail(err)
		return
	}
	w.spawn(func() {
		pause(w.ctx, othersWait)
		w.fail(err)
	})
}

// failure returns why the wire has ended, nil while it has not.
func (w *conn) failure() error { return context.Cause(w.life) }

// Close ends the session, aborts everything under way and waits for its end.
// It always returns nil.
//
// "Clients that no longer need a particular session […] SHOULD send an HTTP DELETE
// to the MCP endpoint with the MCP-Session-Id header, to explicitly terminate the
// session. The server MAY respond to this request with HTTP 405" (MCP 2025-11-25,
// Transports, Session Management).
func (w *conn) Close() error {
	w.fail(io.EOF)
	w.closing.Do(func() {
		w.mu.Lock()
		session := w.session
		w.mu.Unlock()
		if session != "" && !wire.EndsWire(w.failure()) {
			ctx, cancel := context.WithTimeout(w.ctx, endTimeout)
			if resp, err := w.do(ctx, request{method: http.MethodDelete, url: w.url.String(), header: w.headers()}); err == nil {
				_ = resp.Body.Close()
			}
			cancel()
		}
		w.abort()
		w.running.Wait()
		w.transport.CloseIdleConnections()
	})
	return nil
}

// Kill aborts everything under way. Close is still needed to wait for its end.
func (w *conn) Kill() {
	w.fail(io.EOF)
	w.abort()
}

// PID returns 0: the server is not our process.
func (w *conn) PID() int { return 0 }

// Streamable reports whether the wire is Streamable HTTP. It is unless the configuration or the
// endpoint says that it is HTTP+SSE.
func (w *conn) Streamable() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.sse
}
