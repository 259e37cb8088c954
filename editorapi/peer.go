package editorapi

import (
	"bytes"
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

// A peer is one end of a connection, of the daemon or of a [Client]. read.go has how messages come in,
// chain.go what becomes of requests, this file what goes out and the end.
type peer struct {
	in     *frameReader
	out    *writer
	served served
	gone   error // what requests fail with once the other side has gone
	log    *zap.Logger
	memory *budget.Budget // for requests being served, and for answers that wait; nil for no limit

	ctx    context.Context // ends when the connection does
	cancel context.CancelFunc

	read    chan struct{}  // closed when nothing is read any more
	running sync.WaitGroup // the goroutines that serve requests

	// encoding is held while an answer is encoded, so that there is never more than one that the
	// writer does not know of yet.
	encoding sync.Mutex

	mu       sync.Mutex // guards the fields that follow
	inFlight map[jsonrpc2.ID]*request
	asked    map[jsonrpc2.ID]chan<- outcome // what the other side is asked; each has room for its answer
	lastID   int64                          // of asked
	serving  int                            // requests being served, also those that were answered early
	ended    bool                           // the connection has ended or is about to
	reason   error                          // why; nil for an orderly end
}

// An outcome is the answer to a request.
type outcome struct {
	result json.RawMessage
	err    error
}

// served handles what a peer receives.
type served interface {
	// gate is asked about each request before anything else, in the order of the
	// wire. It answers those whose effect later messages must see, and those
	// that the lifecycle forbids; handled is false for the others.
	gate(method string, params json.RawMessage) (result any, err error, handled bool)

	// serve does the part of a request that must keep the order of the wire, without waiting for
	// anything, and returns the rest, which is called concurrently.
	serve(r *request) (rest func() (any, error))

	// passes reports whether requests of this method are only passed on, now. begin then begins to do
	// so, now or as later has it: it must not wait for anybody, and sees to it that request.done is
	// called exactly once.
	passes(method string) bool
	begin(r *request, later *cork.Cork)

	// notification handles a notification, in the order of the wire. It must not
	// wait for anybody. method and params are valid until it returns.
	notification(method string, params json.RawMessage)
}

// newPeer returns a peer that reads nothing until start.
func newPeer(rwc io.ReadWriteCloser, s served, gone error, log *zap.Logger, memory *budget.Budget) *peer {
	p := &peer{
		in: newFrameReader(rwc), served: s, gone: gone, log: log, memory: memory, read: make(chan struct{}),
		inFlight: map[jsonrpc2.ID]*request{}, asked: map[jsonrpc2.ID]chan<- outcome{},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.out = newWriter(rwc, p.end, memory)
	return p
}

// start begins to read.
func (p *peer) start() {
	go func() {
		defer close(p.read)
		p.end(p.readAll())
	}()
}

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
	<-p.read
	<-p.out.done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reason
}

// ask sends a request and waits for its answer. An error from the peer is an [*RPCError]. If ctx
// ends first, the request is taken back: the peer is sent $/cancelRequest, unless the request still waits to be sent
// and so never is. Nobody waits for the peer to read that. named gets the id of the request before it is sent; nil
// when nobody wants it.
func (p *peer) ask(ctx context.Context, method string, params any, named func(id json.RawMessage)) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := encodeParams(method, params)
	if err != nil {
		return nil, err
	}
	answered := make(chan outcome, 1)
	p.mu.Lock()
	p.lastID++
	id := jsonrpc2.NewNumberID(p.lastID)
	p.asked[id] = answered
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.asked, id)
	}()
	rawID := json.RawMessage(appendID(nil, id))
	if named != nil {
		named(rawID)
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(p.ctx, stop)()
	frame := seal(jsonrpc2.AppendCall(newFrame(), id, method, raw))
	err = p.out.enqueue(queued{frame: frame, class: news, ctx: waiting}, false)
	if err == nil {
		select {
		case o := <-answered:
			return o.result, o.err
		case <-waiting.Done():
		}
	}
	if p.ctx.Err() != nil || ctx.Err() == nil { // the writer has found the end before us
		return nil, p.gone
	}
	if err == nil && !p.out.drop(waiting) {
		// The peer may go at the same time.
		_ = p.notify(protocol.MethodCancelRequest, map[string]json.RawMessage{"id": rawID}, notice)
	}
	return nil, ctx.Err()
}

// settle hands an answer to who has asked, if somebody still waits for it.
func (p *peer) settle(m message) {
	id, _ := parseID(m.id)
	p.mu.Lock()
	answered := p.asked[id]
	delete(p.asked, id)
	p.mu.Unlock()
	switch {
	case answered == nil:
	case m.failure == nil:
		answered <- outcome{result: bytes.Clone(m.result)}
	default:
		failure := new(RPCError)
		if err := decode(m.failure, failure, "error"); err != nil {
			failure = &RPCError{Code: int64(jsonrpc2.InternalError), Message: err.Error()}
		}
		answered <- outcome{err: failure}
	}
}

// notify sends a notification; nil params are left out.
func (p *peer) notify(method string, params any, c class) error {
	if p.ctx.Err() != nil {
		return p.gone
	}
	raw, err := encodeParams(method, params)
	if err != nil {
		return err
	}
	return p.sent(p.out.push(jsonrpc2.AppendNotification(newFrame(), method, raw), c))
}

// encodeParams encodes the params of a message; nil for none.
func encodeParams(method string, params any) ([]byte, error) {
	if params == nil {
		return nil, nil
	}
	raw, err := encode(params)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", method, err)
	}
	return raw, nil
}

// sent turns the error of pushing a notification into one for its sender.
func (p *peer) sent(err error) error {
	if err != nil && err != ErrLeftOut {
		return p.gone
	}
	return err
}
