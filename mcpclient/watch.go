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

// steadyStream is how long a stream must last to be opened again without a growing
// back-off.
const steadyStream = 10 * time.Second

// A watcher keeps the one stream open on which a server of the modern era tells of
// changes: of its lists, and of the resources that are watched (MCP 2026-07-28,
// Subscriptions). When the book changes, another stream takes its place.
//
// Over HTTP the new stream is opened before the old one is given up, so that nothing is
// missed. On stdio the old one is ended first, because some servers, such as go-sdk's, keep
// one subscription for each connection and forget it when any stream of that ends. The
// lists are read again then.
type watcher struct {
	s    *session
	asks chan watchAsk // to keep

	// For openFirst, and then for the goroutine of keep, which also changes stream.
	kinds  []wire.ListKind        // whose changes the server can tell of
	stream atomic.Pointer[stream] // nil when none is open
}

// A watchAsk asks keep to watch a resource, or no longer to.
type watchAsk struct {
	ctx  context.Context
	uri  string
	want bool
	done chan error // has room for the outcome
}

func newWatcher(s *session) *watcher {
	kinds := slices.DeleteFunc(wire.ListKinds(), func(kind wire.ListKind) bool {
		return !s.peer.declares(kind.Capability() + ".listChanged")
	})
	return &watcher{s: s, asks: make(chan watchAsk), kinds: kinds}
}

// tells reports whether the server tells of changes of a list. w is nil for a server of
// the legacy era, which does so unasked.
func (w *watcher) tells(kind wire.ListKind) bool { return w == nil || w.stream.Load().tells(kind) }

// watch adds uri to the watched resources, or removes it, and returns when the server has
// agreed. An added uri is in the book then; a removed one leaves the book before it is no
// longer watched. The caller has the turn of the book.
func (w *watcher) watch(ctx context.Context, uri string, want bool) error {
	ask := watchAsk{ctx, uri, want, make(chan error, 1)}
	select {
	case w.asks <- ask:
		return <-ask.done
	case <-ctx.Done():
		return gaveUp(ctx, wire.MethodListen)
	case <-w.s.ctx.Done():
		return w.s.gone(wire.MethodListen)
	}
}

// serve does what watch asks for.
func (w *watcher) serve(ask watchAsk) error {
	last := w.stream.Load()
	if !ask.want && (last == nil || !slices.Contains(last.asked, ask.uri)) {
		return nil
	}
	uris := w.s.watched.list()
	if i, has := slices.BinarySearch(uris, ask.uri); ask.want && !has {
		uris = slices.Insert(uris, i, ask.uri)
	}
	overlap := w.s.wire.Streamable()
	if last != nil && !overlap {
		w.s.leave(last)
		w.stream.Store(nil)
	}
	next, err := w.open(ask.ctx, uris)
	if err != nil {
		return err
	}
	if ask.want && slices.Contains(next.refused, ask.uri) {
		next.close()
		return wire.Errorf(wire.KindCapabilityNotSupported, "resources.subscribe",
			"server %q does not tell of changes of %.200q", w.s.opts.Name, ask.uri)
	}
	w.use(next)
	if last != nil && overlap {
		last.close()
	}
	if ask.want && !w.s.watched.add(w.s, ask.uri) {
		return w.s.gone(wire.MethodListen)
	}
	return nil
}

// use makes next the stream in use; it is nil when there is nothing to tell of. It ends the
// watch of resources in the book that the server does not watch: "the client SHOULD check
// the acknowledged filter against what it requested and handle any unsupported types
// gracefully" (ibid., Acknowledgment).
func (w *watcher) use(next *stream) {
	if next != nil {
		for _, uri := range next.refused {
			w.s.watched.end(w.s, uri, "the server no longer tells of its changes")
		}
	}
	last := w.stream.Swap(next)
	other := func(kind wire.ListKind) bool { return last.tells(kind) != next.tells(kind) }
	if last.ended() || slices.ContainsFunc(w.kinds, other) {
		w.s.catalog.stale(w.kinds...) // some were not told of meanwhile, and some no longer are
	}
}

// openFirst opens the first stream. It returns when that is open, fails or takes longer than
// firstListing, or when ctx ends; keep goes on from there. The error says why it is not open.
func (w *watcher) openFirst(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, firstListing)
	defer cancel()
	first, err := w.open(ctx, w.s.watched.list())
	if err != nil {
		w.s.log.say("%s failed: %v", wire.MethodListen, err)
		return err
	}
	w.use(first)
	return nil
}

// keep does what watch asks for, and opens the stream again whenever it has ended, until the
// session ends. It has the lists read again for what the stream would have told meanwhile.
func (w *watcher) keep() {
	wait := firstBackoff // grows with each attempt, and not when something else wakes us
	for {
		var over <-chan struct{}
		var again <-chan time.Time
		begun := time.Now()
		now := w.stream.Load()
		if now != nil {
			over = now.over
		} else if len(w.kinds) > 0 || len(w.s.watched.list()) > 0 {
			again = time.After(wait)
		}
		select {
		case <-over:
			if time.Since(begun) >= steadyStream {
				wait = firstBackoff
			}
			if now.err != nil {
				w.s.log.say("the stream of changes ended: %v", now.err)
			}
			w.stream.Store(nil)
		case <-again:
			wait = min(2*wait, maxBackoff)
			w.reopen()
		case ask := <-w.asks:
			ask.done <- w.serve(ask)
		case <-w.s.ctx.Done():
			return
		}
	}
}

// reopen opens the stream anew. It does not ask again for what the server refuses.
func (w *watcher) reopen() {
	uris := w.s.watched.list()
	next, err := w.open(w.s.ctx, uris)
	if refusedFor(err) && len(uris) > 0 {
		for _, uri := range uris {
			w.s.watched.end(w.s, uri, fmt.Sprintf("the server has refused to tell of changes: %.500s", err))
		}
		next, err = w.open(w.s.ctx, nil)
	}
	switch {
	case refusedFor(err):
		w.s.log.say("%s was refused, so the server does not tell of changes of its lists: %v", wire.MethodListen, err)
		w.s.catalog.stale(w.kinds...) // they counted as good until told otherwise
		w.kinds = nil
	case err == nil:
		w.use(next)
	}
}

// refusedFor reports whether err is the server's answer, which will be the same again.
func refusedFor(err error) bool {
	e, ok := errors.AsType[*wire.Error](err)
	return ok && (e.Kind == wire.KindRPC || e.Kind == wire.KindScope || e.Kind == wire.KindHTTP && !e.Temporary())
}
