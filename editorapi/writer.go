package editorapi

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// Limits of what waits to be written to one peer. The memory budget limits the bytes of answers.
const (
	maxQueuedMessages = 1024     // of answers, and as many of all else
	maxQueuedBytes    = 16 << 20 // of all else; a single message may be larger
)

// stallLimit is how long one chunk may take before the peer counts as not reading.
const (
	stallLimit = 30 * time.Second
	chunk      = 256 << 10 // bytes
)

// drainLimit is how long close tries to write what is queued.
const drainLimit = time.Second

// errPeerStalled is why a peer that does not read is disconnected.
var errPeerStalled = errors.New("the other side has stopped reading")

// class says what happens to a message when the queue is full.
type class int

const (
	answer class = iota // waits for room: there are no more than requests in flight
	notice              // notifications that cannot wait: the peer is disconnected
	news                // many or large, but must arrive, as questions must: waits while the queue is half full
	hint                // progress and notifications of servers: left out while the queue is half full
)

// A writer owns the writing side of a connection: one goroutine writes messages in
// the order in which they were pushed, so that nobody else ever waits for the peer
// in the middle of a frame. It closes the connection when it ends.
type writer struct {
	to      io.WriteCloser
	failed  func(error) // told once, when the writer ends the connection by itself
	memory  *budget.Budget
	done    chan struct{}
	closing sync.Once // of to

	mu     sync.Mutex // guards the fields that follow
	wake   sync.Cond  // on mu: any of them changed
	queue  []queued
	load   [2]load // of answers, and of all else
	unread int     // answers that wait, in the queue or for room in it
	closed bool    // nothing more is taken; what is queued is written
	drain  *time.Timer
	held   bool // see hold
	later  []queued
}

type queued struct {
	frame   []byte
	class   class
	claimed int // of the memory; see claim
}

type load struct{ messages, bytes int }

// full reports whether size bytes more are too many. An empty queue takes a message of any size.
func (l load) full(size int) bool {
	return l.messages > 0 && (l.messages >= maxQueuedMessages || l.bytes+size > maxQueuedBytes)
}

// half reports whether the queue is half full.
func (l load) half() bool { return l.messages >= maxQueuedMessages/2 || l.bytes >= maxQueuedBytes/2 }

// newWriter starts a writer. failed is called without a lock held. Answers that wait are
// counted in memory.
func newWriter(to io.WriteCloser, failed func(error), memory *budget.Budget) *writer {
	w := &writer{to: to, failed: failed, memory: memory, done: make(chan struct{})}
	w.wake.L = &w.mu
	go w.run()
	return w
}

// newFrame returns the beginning of a frame: room for the header that push writes.
func newFrame() []byte { return make([]byte, frameRoom, 512) }

const (
	headerName = "Content-Length: "
	frameRoom  = len(headerName) + len("67108864") + 8 + len("\r\n\r\n") // 8 more digits: what we send has no limit
)

// seal takes a frame begun with newFrame and writes its header in front of its body.
func seal(frame []byte) []byte {
	var header [frameRoom]byte
	h := append(header[:0], headerName...)
	h = strconv.AppendInt(h, int64(len(frame)-frameRoom), 10)
	h = append(h, "\r\n\r\n"...)
	frame = frame[frameRoom-len(h):]
	copy(frame, h)
	return frame
}

// claim takes memory for an answer begun with newFrame. If there is not enough, it returns an error
// in place of the answer; that needs no memory.
func (w *writer) claim(frame []byte) (_ []byte, claimed int) {
	if size := cap(frame); w.memory.Acquire(size) {
		return frame, size
	}
	w.mu.Lock()
	unread := w.unread
	w.mu.Unlock()
	why := errorf(KindTooLarge, "", "there is no memory left for the %d bytes of the answer; ask for less, or later", len(frame)-frameRoom)
	if unread > 0 {
		why = errorf(KindBusy, "", "%d unread answers use up the memory for answers; read them first", unread)
	}
	id := rawjson.Get(frame[frameRoom:], "id")
	refusal := errorAnswer(id, jsonrpc2.Code(why.Kind.Code()), why.Message, encodeOwn(why)...)
	return append(newFrame(), refusal...), 0
}

// roomForHints reports whether there is room for hints now.
func (w *writer) roomForHints() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.loadOf(hint).half()
}

// push queues a frame begun with newFrame. It blocks only for the classes answer and news.
func (w *writer) push(frame []byte, c class) error { return w.pushSealed(seal(frame), c, 0) }

// pushSealed is push for a frame that has its header and that others may share. claimed is what
// claim took for it; that is given back when the frame is written or never will be.
func (w *writer) pushSealed(frame []byte, c class, claimed int) error {
	w.mu.Lock()
	l := w.loadOf(c)
	switch c {
	case answer:
		w.unread++
		for !w.closed && l.messages >= maxQueuedMessages {
			w.wake.Wait()
		}
	case news:
		for !w.closed && l.half() {
			w.wake.Wait()
		}
	case hint:
		if l.half() {
			w.mu.Unlock()
			return ErrLeftOut
		}
	case notice:
		if !w.closed && l.full(len(frame)) {
			w.mu.Unlock()
			err := fmt.Errorf("%d messages or %d bytes wait for it: %w", maxQueuedMessages, maxQueuedBytes, errPeerStalled)
			w.fail(err)
			return err
		}
	}
	defer w.mu.Unlock()
	if w.closed {
		w.memory.Release(claimed)
		return io.ErrClosedPipe
	}
	l.messages++
	l.bytes += len(frame)
	if w.held && c != answer {
		w.later = append(w.later, queued{frame: frame, class: c})
		return nil
	}
	w.queue = append(w.queue, queued{frame, c, claimed})
	if w.held {
		w.held = false
		w.queue = append(w.queue, w.later...)
		w.later = nil
	}
	w.wake.Broadcast()
	return nil
}

// hold keeps back everything but answers until the next answer is pushed: nothing may overtake the
// answer to initialize (LSP 3.18, Initialize Request).
func (w *writer) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = true
}

// waiting returns how many answers wait to be read.
func (w *writer) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unread
}

// loadOf returns the tally that a class counts in. Called with mu held.
func (w *writer) loadOf(c class) *load { return &w.load[min(c, 1)] }

// close takes no more messages, writes what is queued and closes the connection. It
// does not wait for that: done is closed afterwards.
func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	w.drain = time.AfterFunc(drainLimit, w.closeConnection)
	w.wake.Broadcast()
}

// fail ends the connection at once, because of err.
func (w *writer) fail(err error) {
	w.mu.Lock()
	first := !w.closed
	w.closed = true
	for _, m := range w.queue {
		w.memory.Release(m.claimed)
	}
	w.queue = nil
	w.wake.Broadcast()
	w.mu.Unlock()
	if first {
		w.failed(err) // before whoever reads finds the connection closed and takes that for the reason
	}
	w.closeConnection()
}

func (w *writer) closeConnection() {
	w.closing.Do(func() { _ = w.to.Close() }) // whoever uses it learns from its own error
}

// run writes until the writer is closed and nothing is left.
func (w *writer) run() {
	defer close(w.done)
	defer w.closeConnection()
	stall := time.AfterFunc(stallLimit, func() {
		w.fail(fmt.Errorf("nothing could be written for %v: %w", stallLimit, errPeerStalled))
	})
	stall.Stop()
	defer stall.Stop()
	for {
		m, ok := w.next()
		if !ok {
			return
		}
		err := w.write(m.frame, stall)
		w.memory.Release(m.claimed)
		if err != nil {
			w.fail(fmt.Errorf("writing a message: %w", err))
			return
		}
	}
}

// write writes a frame. stall runs while the peer takes nothing.
func (w *writer) write(frame []byte, stall *time.Timer) error {
	for len(frame) > 0 {
		stall.Reset(stallLimit)
		n, err := w.to.Write(frame[:min(len(frame), chunk)])
		stall.Stop()
		if err != nil {
			return err
		}
		frame = frame[n:]
	}
	return nil
}

// next waits for the next message and takes it out of the queue. It returns false
// when there will be none.
func (w *writer) next() (queued, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && !w.closed {
		w.wake.Wait()
	}
	if len(w.queue) == 0 {
		if w.drain != nil {
			w.drain.Stop()
		}
		return queued{}, false
	}
	m := w.queue[0]
	w.queue[0] = queued{} // so that its memory can go
	w.queue = w.queue[1:]
	l := w.loadOf(m.class)
	l.messages--
	l.bytes -= len(m.frame)
	if m.class == answer {
		w.unread--
	}
	w.wake.Broadcast()
	return m, true
}
