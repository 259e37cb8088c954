package mcpserver

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// What waits for an agent that does not read.
const (
	maxWaiting      = 16 << 20 // bytes; above it, nothing more is read from the agent
	maxWaitingNews  = 1 << 20  // bytes; above it, news is left out
	maxWaitingLines = 1024     // messages; likewise
)

// A writer writes messages to the agent in their order. A goroutine does so while there are any: nobody
// who has a message waits for the agent.
type writer struct {
	to   io.Writer
	log  *zap.Logger
	done chan struct{} // closed when nothing is written any more
	end  func()        // closes it

	mu      sync.Mutex // guards the fields that follow
	room    *sync.Cond // on mu: there may be room again, or the writer has ended
	queue   [][]byte
	waiting int  // bytes in queue and in the write under way
	writing bool // somebody is: at most one at a time
	closed  bool // nothing more is taken; what is queued is written
}

func newWriter(to io.Writer, log *zap.Logger) *writer {
	w := &writer{to: to, log: log, done: make(chan struct{})}
	w.end = sync.OnceFunc(func() { close(w.done) })
	w.room = sync.NewCond(&w.mu)
	return w
}

// send writes m, however much waits.
func (w *writer) send(m wire.Message) { w.push(m, func([]byte) bool { return true }) }

// tell writes a notification that matters only to who keeps up: it is left out when too much waits.
func (w *writer) tell(m *wire.Request) { w.push(m, func([]byte) bool { return !w.isBehind() }) }

// once writes a notification, unless the same waits already.
func (w *writer) once(m *wire.Request) {
	w.push(m, func(line []byte) bool {
		return !slices.ContainsFunc(w.queue, func(other []byte) bool { return bytes.Equal(other, line) })
	})
}

// push queues m if it is wanted, which is asked with mu held.
func (w *writer) push(m wire.Message, wanted func(line []byte) bool) {
	line, err := wire.Encode(m)
	if r, ok := m.(*wire.Response); ok && err != nil { // what we pass on was checked where it came in
		refusal := wire.RPCErrorf(wire.CodeInternalError, "the answer is not valid JSON")
		line, err = wire.Encode(&wire.Response{ID: r.ID, Error: refusal})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil || w.closed || !wanted(line) {
		return
	}
	w.queue = append(w.queue, line)
	w.waiting += len(line)
	if !w.writing {
		w.writing = true
		go w.write() // ends when nothing is left
	}
}

// isBehind reports whether so much waits for the agent that news is left out. The caller holds mu.
func (w *writer) isBehind() bool { return w.waiting > maxWaitingNews || len(w.queue) > maxWaitingLines }

// behind is isBehind for who does not hold mu.
func (w *writer) behind() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isBehind()
}

// awaitRoom waits while the agent leaves too much unread.
func (w *writer) awaitRoom() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.waiting > maxWaiting && !w.closed {
		w.room.Wait()
	}
}

// close has what is queued written, and nothing more taken. It waits so long at most.
func (w *writer) close(patience time.Duration) {
	w.mu.Lock()
	w.closed = true
	w.room.Broadcast()
	if !w.writing {
		w.end()
	}
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-time.After(patience): // the agent does not read; the write under way ends with the process
	}
}

// write writes what is queued, at the pace of the agent.
func (w *writer) write() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 {
		line := w.queue[0]
		w.queue[0] = nil // so that its memory can go
		w.queue = w.queue[1:]
		w.mu.Unlock()
		_, err := w.to.Write(line)
		w.mu.Lock()
		w.waiting -= len(line)
		if err != nil {
			w.log.Debug("the agent does not read any more", zap.Error(err))
			w.closed, w.queue = true, nil
		}
		w.room.Broadcast()
	}
	w.queue, w.writing = nil, false
	if w.closed {
		w.end()
	}
}
