package mcpclient

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxHeldBack is how many messages wait for those that are about to follow.
const maxHeldBack = 32

// An outbox has the messages of one session that wait to be written, in order. Whoever has a message
// writes it himself if nobody else is writing and the wire takes it at once; what queues up
// meanwhile goes out with the next write. Only when the wire does not take a message at once, or others
// post ever more, does a goroutine of the session write, so nobody else ever waits for the server or
// for them.
//
// A request waits for as long as its caller does, so there are no more of them than callers. There is
// room for so many other messages, and only the one who writes makes room.
type outbox struct {
	mu      sync.Mutex // guards the fields that follow; never held while the wire is called
	queue   []wire.Message
	others  int            // of those in queue that are not requests: answers and notifications
	spare   []wire.Message // the memory of the batch before
	writing bool           // somebody is: at most one at a time
	room    chan struct{}  // closed when there is room again; nil while nobody waits for that
}

// put adds m and reports whether the caller has to write now, which he need not when c holds s back. A
// message that is not a request is refused while the outbox is full: full is closed when there is room
// again.
func (o *outbox) put(m wire.Message, s *session, c *cork.Cork) (write bool, full <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r, ok := m.(*wire.Request); !ok || !r.IsCall() {
		if o.others >= maxOutgoing {
			if o.room == nil {
				o.room = make(chan struct{})
			}
			return false, o.room
		}
		o.others++
	}
	o.queue = append(o.queue, m)
	if o.writing || len(o.queue) < maxHeldBack && c.Hold(s) {
		return false, nil
	}
	o.writing = true
	return true, nil
}

// full reports whether there is no room but for requests.
func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.others >= maxOutgoing
}

// flush reports whether the caller has to write what was held back.
func (o *outbox) flush() (write bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	write = !o.writing && len(o.queue) > 0
	o.writing = o.writing || write
	return write
}

// next returns what is queued, for the one who writes; written is the batch before. With nothing
// queued it returns nil, and nobody is writing any more.
func (o *outbox) next(written []wire.Message) []wire.Message {
	clear(written)
	o.mu.Lock()
	defer o.mu.Unlock()
	if written != nil {
		o.spare = written[:0]
	}
	if len(o.queue) == 0 {
		o.writing = false
		return nil
	}
	batch := o.queue
	o.queue, o.others, o.spare = o.spare, 0, nil
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
	return batch
}

// drop takes a request out of the queue, and reports whether it was there.
func (o *outbox) drop(m *wire.Request) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.Index(o.queue, wire.Message(m))
	if i < 0 {
		return false
	}
	o.queue = slices.Delete(o.queue, i, i+1)
	return true
}

// post sends m, now or as c has it. It does not wait: full is not nil when m was refused, and is closed
// when there is room for it. It must not be called with a lock held.
func (s *session) post(m wire.Message, c *cork.Cork) (full <-chan struct{}) {
	write, full := s.out.put(m, s, c)
	if write {
		s.write()
	}
	return full
}

// Flush implements [cork.Flusher].
func (s *session) Flush() {
	if s.out.flush() {
		s.write()
	}
}

// postWhen is post that waits for room, until ctx or the session ends. It reports whether m was
// sent.
func (s *session) postWhen(ctx context.Context, m wire.Message) bool {
	for {
		full := s.post(m, nil)
		if full == nil {
			return s.ctx.Err() == nil
		}
		select {
		case <-full:
		case <-ctx.Done():
			return false
		case <-s.ctx.Done():
			return false
		}
	}
}

// maxBorrowed is how many batches somebody who has posted one message writes, most of it for others.
const maxBorrowed = 16

// write writes what is queued, here as far as the wire takes it at once and others do not post ever
// more, and the rest on a goroutine.
func (s *session) write() {
	writes := 0
	for batch := s.out.next(nil); batch != nil; batch = s.out.next(batch) {
		if writes++; writes > maxBorrowed || !s.wire.TryWrite(batch...) {
			s.spawn(func() { s.writePatiently(batch) }) // else it has ended, and nothing more is written
			return
		}
	}
}

// writePatiently writes batch, and then what has queued up meanwhile, at the pace of the server.
func (s *session) writePatiently(batch []wire.Message) {
	for ; batch != nil; batch = s.out.next(batch) {
		for _, m := range batch {
			if err := s.wire.Write(s.ctx, m); err != nil {
				s.writeFailed(err)
				return // as if writing for ever
			}
		}
	}
}

// notify sends a notification.
func (s *session) notify(ctx context.Context, method string, params json.RawMessage) error {
	switch {
	case s.postWhen(ctx, &wire.Request{Method: method, Params: params}):
		return nil
	case s.ctx.Err() != nil:
		return s.gone(method)
	default:
		return gaveUp(ctx, method)
	}
}

// respond sends the answer to a request of the server, if there is room. It does not wait: the reader
// calls it.
func (s *session) respond(id wire.ID, result json.RawMessage, failure *wire.Error) {
	s.post(&wire.Response{ID: id, Result: result, Error: failure}, nil)
}
