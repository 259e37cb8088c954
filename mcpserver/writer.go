package mcpserver

import (
	"io"
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
	to  io.Writer
	log *zap.Logger

	mu      sync.Mutex // guards the fields that follow
	room    *sync.Cond // on mu: there may be room again, or the writer has ended
	queue   [][]byte
	waiting int  // bytes in queue and in the write under way
	writing bool // somebody is: at most one at a time
	closed  bool // nothing more is taken; what is queued is written
	ended   bool // done is closed

	done chan struct{} // closed when nothing is written any more
}

func newWriter(to io.Writer, log *zap.Logger) *writer {
	w := &writer{to: to, log: log, done: make(chan struct{})}
	w.room = sync.NewCond(&w.mu)
	return w
}

// send writes m, however much waits.
func (w *writer) send(m wire.Message) {
	line, err := wire.Encode(m)
	if err != nil { // what we pass on was checked where it came in
		w.log.Error("a message to the agent is not valid", zap.Error(err))
		r, ok := m.(*wire.Response)
		if !ok {
			return
		}
		line, _ = wire.Encode(&wire.Response{ID: r.ID, Error: wire.RPCErrorf(wire.CodeInternalError, "the answer is not valid JSON")})
	}
	w.push(line, true)
}

// tell writes a notification that matters only to who keeps up: it is left out when too much waits.
func (w *writer) tell(m *wire.Request) {
	if line, err := wire.Encode(m); err == nil {
		w.push(line, false)
	}
}

func (w *writer) push(line []byte, always bool) {
	w.mu.Lock()
	if w.closed || !always && (w.waiting > maxWaitingNews || len(w.queue) > maxWaitingLines) {
		w.mu.Unlock()
		return
	}
	w.queue = append(w.queue, line)
	w.waiting += len(line)
	if !w.writing {
		w.writing = true
		go w.write() // ends when nothing is left
	}
	w.mu.Unlock()
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
	w.endIfIdle()
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-time.After(patience): // the agent does not read; the write under way ends with the process
	}
}

// endIfIdle ends a closed writer of which nobody writes, and so nothing is left to write. mu is held.
func (w *writer) endIfIdle() {
	if w.closed && !w.writing && !w.ended {
		w.ended = true
		close(w.done)
	}
}

// write writes what is queued, at the pace of the agent.
func (w *writer) write() {
	for line, more := w.next(); more; line, more = w.next() {
		_, err := w.to.Write(line)
		w.wrote(line, err)
	}
}

// next takes the next message out of the queue. If there is none, it returns false, and nobody is writing
// any more.
func (w *writer) next() (line []byte, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.queue, w.writing = nil, false
		w.endIfIdle()
		return nil, false
	}
	line = w.queue[0]
	w.queue[0] = nil // so that its memory can go
	w.queue = w.queue[1:]
	return line, true
}

// wrote notes that a message is written, or that the agent takes nothing any more.
func (w *writer) wrote(line []byte, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting -= len(line)
	if err != nil {
		w.log.Debug("the agent does not read any more", zap.Error(err))
		w.closed, w.queue = true, nil
	}
	w.room.Broadcast()
}
