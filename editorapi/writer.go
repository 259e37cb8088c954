package editorapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/buffers"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/wording"
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
	answer class = iota // always taken: there are no more than requests in flight
	notice              // notifications that cannot wait: the peer is disconnected
	news                // many or large, but must arrive, as questions must: waits while the queue is half full
	hint                // progress and notifications of servers: left out while the queue is half full
)

// A writer owns the writing side of a connection. Messages are written in the order in which they
// were pushed. Whoever pushes a message writes it himself if nobody else is writing and the peer takes
// it at once; what queues up meanwhile goes out with the next write. Only when the peer does not take
// a message at once, or others push ever more, does a goroutine write, so nobody else ever waits for
// the peer or for them. It closes the connection when it ends.
type writer struct {
	to      io.WriteCloser
	failed  func(error) // told once, when the writer ends the connection by itself
	memory  *budget.Budget
	done    chan struct{} // closed when nothing is written any more and the connection is closed
	closing sync.Once     // of to

	mu      sync.Mutex // guards the fields that follow
	wake    sync.Cond  // on mu: any of them changed
	queue   []queued
	load    [2]load // of answers, and of all else
	writing bool    // somebody is: at most one at a time
	unread  int     // answers that wait in the queue
	closed  bool    // nothing more is taken; what is queued is written
	ended   bool    // done is closed
	drain   *time.Timer
	held    bool // see hold
	later   []queued

	joined []byte // memory for messages that are written together; for the one who writes
}

// A tryWriter is a connection that can write without waiting: as much as the other side takes at once.
type tryWriter interface {
	TryWrite(b []byte) (n int, err error)
}

// Messages are joined into one write as long as they are small.
const (
	maxJoined = 64 << 10 // bytes of one write
	maxJoin   = 16 << 10 // bytes of a message that is copied to be written with others

	maxKeptJoined = 4 << 10 // bytes of memory that is kept for the next write
)

type queued struct {
	frame   []byte
	class   class
	ctx     context.Context // of news: until it ends, they wait for room; see drop
	claimed int             // of the memory; see claim
	buffer  []byte          // what frame is in when that is from package buffers; nil otherwise
}

type load struct{ messages, bytes int }

// full reports whether size bytes more are too many. An empty queue takes a message of any size.
func (l load) full(size int) bool {
	return l.messages > 0 && (l.messages >= maxQueuedMessages || l.bytes+size > maxQueuedBytes)
}

// half reports whether the queue is half full.
func (l load) half() bool { return l.messages >= maxQueuedMessages/2 || l.bytes >= maxQueuedBytes/2 }

// newWriter returns a writer. failed is called without a lock held. Answers that wait are
// counted in memory.
func newWriter(to io.WriteCloser, failed func(error), memory *budget.Budget) *writer {
	w := &writer{to: to, failed: failed, memory: memory, done: make(chan struct{})}
	w.wake.L = &w.mu
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
	why := errorf(KindTooLarge, "", "there is no memory left for the %s of the answer; ask for less, or later", wording.Size(int64(len(frame)-frameRoom)))
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

// awaitRoom returns when there is room for the answer to one more message.
func (w *writer) awaitRoom() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.crowded() {
		w.wake.Wait()
	}
}

// hasRoom reports whether awaitRoom would not wait.
func (w *writer) hasRoom() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.crowded()
}

// crowded reports whether too many answers wait for one more. w.mu is held.
func (w *writer) crowded() bool { return !w.closed && w.load[answer].messages >= maxQueuedMessages }

// errNotSent is the error of a message that was taken back before there was room for it.
var errNotSent = errors.New("it was taken back before it was sent")

// drop takes back the message that was queued with ctx, and reports whether it was still there.
func (w *writer) drop(ctx context.Context) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, queue := range []*[]queued{&w.queue, &w.later} {
		if i := slices.IndexFunc(*queue, func(m queued) bool { return m.ctx == ctx }); i >= 0 {
			w.unload((*queue)[i])
			*queue = slices.Delete(*queue, i, i+1)
			w.wake.Broadcast()
			return true
		}
	}
	return false
}

// push sends a frame begun with newFrame. It waits only for the class news.
func (w *writer) push(frame []byte, c class) error { return w.pushSealed(seal(frame), c, 0) }

// pushSealed is push for a frame that has its header and that others may share. claimed is what
// claim took for it; that is given back when the frame is written or never will be.
func (w *writer) pushSealed(frame []byte, c class, claimed int) error {
	return w.enqueue(queued{frame: frame, class: c, claimed: claimed, ctx: context.Background()}, false)
}

// enqueue puts a message into the queue as its class says, and writes what is queued, unless that is to
// wait for Flush.
func (w *writer) enqueue(m queued, later bool) error {
	w.mu.Lock()
	l := w.loadOf(m.class)
	switch m.class {
	case answer:
	case news:
		defer context.AfterFunc(m.ctx, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.wake.Broadcast()
		})()
		for !w.closed && l.half() && m.ctx.Err() == nil {
			w.wake.Wait()
		}
		if m.ctx.Err() != nil {
			w.mu.Unlock()
			return errNotSent
		}
	case hint:
		if l.half() {
			w.mu.Unlock()
			return ErrLeftOut
		}
	case notice:
		if !w.closed && l.full(len(m.frame)) {
			w.mu.Unlock()
			err := fmt.Errorf("%d messages or %d bytes wait for it: %w", maxQueuedMessages, maxQueuedBytes, errPeerStalled)
			w.fail(err)
			return err
		}
	}
	if w.closed {
		w.mu.Unlock()
		w.over(m)
		return io.ErrClosedPipe
	}
	l.messages++
	l.bytes += len(m.frame)
	if w.held && m.class != answer {
		w.later = append(w.later, m)
		w.mu.Unlock()
		return nil
	}
	w.queue = append(w.queue, m)
	if m.class == answer {
		w.unread++
	}
	if w.held {
		w.held = false
		w.queue = append(w.queue, w.later...)
		w.later = nil
	}
	w.mu.Unlock()
	if !later {
		w.Flush()
	}
	return nil
}

// Flush implements [cork.Flusher]: it writes what is queued.
func (w *writer) Flush() {
	w.mu.Lock()
	write := !w.writing && len(w.queue) > 0
	w.writing = w.writing || write
	w.mu.Unlock()
	if write {
		w.write()
	}
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
	if len(w.queue) > 0 && !w.writing { // it was held back
		w.writing = true
		go w.write()
	}
	w.endIfIdle()
}

// fail ends the connection at once, because of err.
func (w *writer) fail(err error) {
	w.mu.Lock()
	first := !w.closed
	w.closed = true
	for _, m := range w.queue {
		w.over(m)
	}
	w.queue = nil
	w.wake.Broadcast()
	w.mu.Unlock()
	if first {
		w.failed(err) // before whoever reads finds the connection closed and takes that for the reason
	}
	w.closeConnection()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endIfIdle()
}

// endIfIdle ends a closed writer of which nobody writes, and so nothing is left to write. w.mu is
// held.
func (w *writer) endIfIdle() {
	if !w.closed || w.writing || w.ended {
		return
	}
	w.ended = true
	if w.drain != nil {
		w.drain.Stop()
	}
	w.closeConnection()
	close(w.done)
}

func (w *writer) closeConnection() {
	w.closing.Do(func() { _ = w.to.Close() }) // whoever uses it learns from its own error
}

// maxBorrowed is how many writes somebody who has pushed one message makes for others.
const maxBorrowed = 16

// write writes what is queued, here as far as the peer takes it at once and others do not push ever
// more, and the rest on a goroutine.
func (w *writer) write() {
	to, ok := w.to.(tryWriter)
	writes := 0
	for m, more := w.next(); more; m, more = w.next() {
		n := 0
		if writes++; ok && writes <= maxBorrowed {
			var err error
			if n, err = to.TryWrite(m.frame); err == nil && n == len(m.frame) {
				w.over(m)
				continue
			}
		}
		go w.writePatiently(m, n) // and finds out why, if the connection has broken
		return
	}
}

// writePatiently writes the rest of m after n bytes, and then what has queued up meanwhile, at the
// pace of the peer.
func (w *writer) writePatiently(m queued, n int) {
	stall := time.AfterFunc(stallLimit, func() {
		w.fail(fmt.Errorf("nothing could be written for %v: %w", stallLimit, errPeerStalled))
	})
	defer stall.Stop()
	for more := true; more; m, more = w.next() {
		err := w.writeFrame(m.frame[n:], stall)
		n = 0
		w.over(m)
		if err != nil {
			w.fail(fmt.Errorf("writing a message: %w", err))
		}
	}
}

// over gives back what a message holds that is written or never will be.
func (w *writer) over(m queued) {
	w.memory.Release(m.claimed)
	buffers.Put(m.buffer)
}

// writeFrame writes a frame. stall runs while the peer takes nothing.
func (w *writer) writeFrame(frame []byte, stall *time.Timer) error {
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

// next takes the next message out of the queue, or as many small ones as go into one write. If there
// is none, it returns false, and nobody is writing any more.
func (w *writer) next() (queued, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.writing = false
		w.queue = nil
		if cap(w.joined) > maxKeptJoined {
			w.joined = nil
		}
		w.endIfIdle()
		return queued{}, false
	}
	m := w.takeFirst()
	if len(w.queue) > 0 && len(m.frame) <= maxJoin {
		m = w.join(m)
	}
	w.wake.Broadcast()
	return m, true
}

// join adds to first the small messages that follow it in the queue. w.mu is held.
func (w *writer) join(first queued) queued {
	all := queued{frame: append(w.joined[:0], first.frame...), claimed: first.claimed}
	for len(w.queue) > 0 && len(w.queue[0].frame) <= maxJoin && len(all.frame)+len(w.queue[0].frame) <= maxJoined {
		m := w.takeFirst()
		all.frame = append(all.frame, m.frame...)
		all.claimed += m.claimed
	}
	w.joined = all.frame
	return all
}

// takeFirst takes the first message out of the queue. w.mu is held.
func (w *writer) takeFirst() queued {
	m := w.queue[0]
	w.queue[0] = queued{} // so that its memory can go
	w.queue = w.queue[1:]
	w.unload(m)
	if m.class == answer {
		w.unread--
	}
	return m
}

// unload takes a message out of the tally. w.mu is held.
func (w *writer) unload(m queued) {
	l := w.loadOf(m.class)
	l.messages--
	l.bytes -= len(m.frame)
}
