package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/cork"
)

// A peer is one end of a connection, of the daemon or of a [Client]: jsonrpc2
// with a stream and a handler chain of our own. chain.go has what comes in, this file what
// goes out and the end.
type peer struct {
	conn   jsonrpc2.Conn
	out    *writer
	served served
	gone   error // what requests fail with once the other side has gone
	log    *zap.Logger
	memory *budget.Budget // for requests being served, and for answers that wait; nil for no limit

	// ctx ends when the connection does. jsonrpc2 ends no handler's context by
	// itself when reading ends.
	ctx    context.Context
	cancel context.CancelFunc

	running sync.WaitGroup // the goroutines that serve requests

	mu       sync.Mutex // guards the fields that follow
	inFlight map[jsonrpc2.ID]*request
	awaited  map[jsonrpc2.ID][]chan struct{} // answers that are about to be pushed, in order; see request.answered
	serving  int                             // requests being served, also those that were answered early
	ended    bool                            // the connection has ended or is about to
	reason   error                           // why; nil for an orderly end
}

// served handles what a peer receives.
type served interface {
	// gate is asked about each request before anything else, in the order of the
	// wire. It answers those whose effect later messages must see, and those
	// that the lifecycle forbids; handled is false for the others.
	gate(method string, params json.RawMessage) (result any, err error, handled bool)

	// inOrder does the part of a request that must keep the order of the wire, without waiting for
	// anything, and returns the rest; nil when there is no such part.
	inOrder(r *request) (rest func() (any, error))

	// passes reports whether requests of this method are only passed on, now. begin then begins to do
	// so, now or as later has it: it must not wait for anybody, and sees to it that request.done is
	// called exactly once.
	passes(method string) bool
	begin(r *request, later *cork.Cork)

	// request serves a request for which inOrder returned nil. It is called concurrently.
	request(r *request) (any, error)

	// notification handles a notification, in the order of the wire. It must not
	// wait for anybody. method and params are valid until it returns.
	notification(method string, params json.RawMessage)
}

// newPeer returns a peer that reads nothing until start.
func newPeer(rwc io.ReadWriteCloser, s served, gone error, log *zap.Logger, memory *budget.Budget) *peer {
	p := &peer{memory: memory, served: s, gone: gone, log: log, inFlight: map[jsonrpc2.ID]*request{}, awaited: map[jsonrpc2.ID][]chan struct{}{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.out = newWriter(rwc, p.end, memory)
	p.conn = jsonrpc2.NewConn(
		&stream{in: newFrameReader(rwc), out: p.out, log: log, ended: p.end, answered: p.answered, pass: p.pass},
		jsonrpc2.WithCodec(codec{}),
	)
	return p
}

// start begins to read.
func (p *peer) start() { p.conn.Go(context.Background(), p.handle) }

// end ends the connection because of err; nil and io.EOF are the orderly ends. What is queued
// is still written. Only the first call counts.
func (p *peer) end(err error) {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	p.mu.Lock()
	first := !p.ended
	if first {
		p.ended, p.reason = true, err
	}
	p.mu.Unlock()
	p.cancel()
	p.out.close()
	if first {
		go p.stopAll() // not here: whoever could not push a message may hold the lock of its progress
	}
}

// wait returns when the connection has ended and nothing reads or writes any
// more. Requests may still be served: see running.
func (p *peer) wait() error {
	<-p.conn.Done()
	<-p.out.done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reason
}

// ask sends a request and waits for its answer. An error from the peer is an [*RPCError]. If ctx
// ends first, the request is taken back: the peer is sent $/cancelRequest, unless the request still waits to be sent
// and so never is. Nobody waits for the peer to read that.
func (p *peer) ask(ctx context.Context, method string, params any, c class) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	waiting, stop := context.WithCancel(context.WithValue(ctx, classKey{}, c))
	defer stop()
	defer context.AfterFunc(p.ctx, stop)()

	var result json.RawMessage
	id, err := p.conn.Call(waiting, method, params, &result)
	var answered *jsonrpc2.Error
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &answered):
		return nil, &RPCError{Code: int64(answered.Code), Message: answered.Message, Data: json.RawMessage(answered.Data)}
	case p.ctx.Err() != nil:
		return nil, p.gone
	case ctx.Err() != nil:
		if err != errNotSent && !p.out.drop(waiting) {
			raw := json.RawMessage(appendID(nil, id))
			_ = p.notify(protocol.MethodCancelRequest, map[string]json.RawMessage{"id": raw}, min(c, notice)) // the peer may go at the same time
		}
		return nil, ctx.Err()
	default: // jsonrpc2 has found the end before us
		p.log.Debug("a request could not be sent", zap.String("method", method), zap.Error(err))
		return nil, p.gone
	}
}

// notify sends a notification; nil params are left out.
func (p *peer) notify(method string, params any, c class) error {
	if p.ctx.Err() != nil {
		return p.gone
	}
	var raw []byte
	if params != nil {
		var err error
		if raw, err = (codec{}).Marshal(params); err != nil {
			return fmt.Errorf("encoding %s: %w", method, err)
		}
	}
	return p.sent(p.out.push(jsonrpc2.AppendNotification(newFrame(), method, raw), c))
}

// sent turns the error of pushing a notification into one for its sender.
func (p *peer) sent(err error) error {
	if err != nil && err != ErrLeftOut {
		return p.gone
	}
	return err
}
