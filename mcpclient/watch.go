package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// steadyStream is how long a stream lasts that is opened again without a growing
// back-off.
const steadyStream = 10 * time.Second

// A watcher keeps the one stream open on which a server of the modern era tells of
// changes: of its lists, and of the resources that are watched (MCP 2026-07-28,
// Subscriptions). When others are in the book, another stream takes its place.
//
// Over HTTP that is opened before the one in use is given up, so that nothing is
// missed. On stdio the one in use is ended first: there are servers, go-sdk's for one,
// that keep one subscription for each connection, and forget it when any stream of that
// ends. The lists are read again then.
type watcher struct {
	s *session

	// turn holds one token. Who has it may use the fields that follow.
	turn   chan struct{}
	kinds  []ListKind // whose changes the server can tell of
	stream *stream    // nil when none is open

	changed chan struct{}              // one token: stream is another one
	covered atomic.Pointer[[]ListKind] // the kinds of which the stream in use tells
}

func newWatcher(s *session) *watcher {
	w := &watcher{s: s, turn: make(chan struct{}, 1), changed: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	for _, kind := range listKinds() {
		if s.peer.declares(kind.how().capability + ".listChanged") {
			w.kinds = append(w.kinds, kind)
		}
	}
	return w
}

// tells reports whether the server tells of changes of a list. A nil watcher is that
// of a server of the legacy era, which does so unasked.
func (w *watcher) tells(kind ListKind) bool {
	if w == nil {
		return true
	}
	covered := w.covered.Load()
	return covered != nil && slices.Contains(*covered, kind)
}

// watch makes uri one of the resources that are watched, or no longer one, and returns
// when the server has agreed. uri is in the book then, which it has left before it is
// watched no longer. The caller has its turn.
func (w *watcher) watch(ctx context.Context, uri string, want bool) error {
	select {
	case <-w.turn:
	case <-ctx.Done():
		return gaveUp(ctx, wire.MethodListen)
	case <-w.s.ctx.Done():
		return w.s.gone(wire.MethodListen)
	}
	defer w.release()
	last := w.stream
	if !want && (last == nil || !slices.Contains(last.asked, uri)) {
		return nil
	}
	uris := w.s.watched.uris()
	if i, has := slices.BinarySearch(uris, uri); want && !has {
		uris = slices.Insert(uris, i, uri)
	}
	overlap := w.s.wire.Streamable()
	if last != nil && !overlap {
		w.s.leave(last)
		w.stream = nil
		w.covered.Store(nil)
	}
	next, err := w.open(ctx, uris)
	if err != nil {
		return err
	}
	if want && !next.watches(uri) {
		next.close()
		return wire.Errorf(wire.KindCapabilityNotSupported, "resources.subscribe", "server %q does not tell of changes of %.200q", w.s.opts.Name, uri)
	}
	w.use(next)
	if last != nil && overlap {
		last.close()
	}
	if want && !w.s.watched.add(w.s, uri) {
		return w.s.gone(wire.MethodListen)
	}
	return nil
}

// use makes next the stream in use; it is nil when there is nothing to tell of. What the
// server does not watch of the resources in the book has ended: "the client SHOULD check
// the acknowledged filter against what it requested and handle any unsupported types
// gracefully" (ibid., Acknowledgment). The caller has the turn.
func (w *watcher) use(next *stream) {
	for _, uri := range next.refused() {
		w.s.watched.end(w.s, uri, "the server does not tell of its changes any more")
	}
	last := w.stream
	w.stream = next
	covered := next.covers(w.kinds)
	before := w.covered.Swap(covered)
	if last.ended() || before == nil || !slices.Equal(*before, *covered) {
		w.s.catalog.stale(w.kinds...) // what was not told of meanwhile, and what no longer is
	}
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// openFirst opens the first stream. It returns when that is open, cannot be had, takes
// longer than firstListing, or ctx ends; keep goes on from there.
func (w *watcher) openFirst(ctx context.Context) {
	if !w.take() {
		return
	}
	defer w.release()
	ctx, cancel := context.WithTimeout(ctx, firstListing)
	defer cancel()
	first, err := w.open(ctx, w.s.watched.uris())
	if err != nil {
		w.s.log.say("%s failed: %v", wire.MethodListen, err)
		return
	}
	w.use(first)
}

// keep opens the stream again whenever it has ended, until the session does. What it
// would have told meanwhile is read from the lists.
func (w *watcher) keep() {
	wait := firstBackoff // grows with each attempt, and not when something else wakes us
	for {
		now, wanted := w.look()
		var over <-chan struct{}
		var again <-chan time.Time
		begun := time.Now()
		switch {
		case now != nil:
			over = now.over
		case wanted:
			again = time.After(wait)
		}
		select {
		case <-over:
			if time.Since(begun) >= steadyStream {
				wait = firstBackoff
			}
			w.ended(now)
		case <-again:
			wait = min(2*wait, maxBackoff)
			w.reopen()
		case <-w.changed:
		case <-w.s.ctx.Done():
			return
		}
	}
}

// take waits for the turn; false when the session has ended.
func (w *watcher) take() bool {
	select {
	case <-w.turn:
		return true
	case <-w.s.ctx.Done():
		return false
	}
}

func (w *watcher) release() { w.turn <- struct{}{} }

// look returns the stream, and whether there should be one.
func (w *watcher) look() (now *stream, wanted bool) {
	if !w.take() {
		return nil, false
	}
	defer w.release()
	return w.stream, len(w.kinds) > 0 || len(w.s.watched.uris()) > 0
}

// ended forgets a stream that has ended, unless another one has taken its place.
func (w *watcher) ended(now *stream) {
	if !w.take() {
		return
	}
	defer w.release()
	if w.stream != now {
		return
	}
	w.stream = nil
	w.covered.Store(nil)
	if now.err != nil {
		w.s.log.say("the stream of changes ended: %v", now.err)
	}
}

// reopen opens the stream anew, unless there is one by now. What the server refuses is
// not asked for again.
func (w *watcher) reopen() {
	if !w.take() {
		return
	}
	defer w.release()
	if w.stream != nil {
		return
	}
	uris := w.s.watched.uris()
	next, err := w.open(w.s.ctx, uris)
	if refusedFor(err) && len(uris) > 0 {
		for _, uri := range uris {
			w.s.watched.end(w.s, uri, fmt.Sprintf("the server has refused to tell of changes: %.500s", err))
		}
		next, err = w.open(w.s.ctx, nil)
	}
	switch {
	case refusedFor(err):
		w.s.log.say("%s was refused, and changes of the lists are not told of: %v", wire.MethodListen, err)
		w.s.catalog.stale(w.kinds...) // they were taken to be good until told otherwise
		w.kinds = nil
	case err == nil:
		w.use(next)
	}
}

// refusedFor tells whether err is the server's answer, which will be the same again.
func refusedFor(err error) bool {
	e, ok := errors.AsType[*wire.Error](err)
	return ok && (e.Kind == wire.KindRPC || e.Kind == wire.KindHTTP && !e.Temporary())
}
