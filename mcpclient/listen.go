package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	// steadyStream is how long a stream lasts that is opened again without a growing
	// back-off.
	steadyStream = 10 * time.Second

	// leaveGrace is how long a server has to say that it has ended a stream.
	leaveGrace = 250 * time.Millisecond
)

// A listener keeps the one stream open on which a server of the modern era tells of
// changes: of its lists, and of the resources that are watched (MCP 2026-07-28,
// Subscriptions). When other resources are watched, another stream takes its place.
//
// Over HTTP that is opened before the one in use is given up, so that nothing is
// missed. On stdio the one in use is ended first: there are servers, go-sdk's for one,
// that keep one subscription for each connection, and forget it when any stream of that
// ends. The lists are read again then.
type listener struct {
	s *session

	// turn holds one token. Who has it may use the fields that follow.
	turn   chan struct{}
	kinds  []ListKind // whose changes the server can tell of
	uris   []string   // in order
	stream *stream    // nil when none is open

	changed chan struct{}              // one token: stream is another one
	covered atomic.Pointer[[]ListKind] // the kinds of which the stream in use tells
}

// A stream is one subscriptions/listen that was acknowledged.
type stream struct {
	request *pending
	close   context.CancelFunc
	agreed  json.RawMessage // what the server agreed to; nil when it did not say
	uris    map[string]bool // of the resources in it
	over    chan struct{}   // closed at its end
	err     error           // set before; nil when the server has ended it in the orderly way
}

func newListener(s *session) *listener {
	l := &listener{s: s, turn: make(chan struct{}, 1), changed: make(chan struct{}, 1), uris: s.kept.subscribed()}
	l.turn <- struct{}{}
	for _, kind := range listKinds() {
		if s.peer.declares(kind.how().capability + ".listChanged") {
			l.kinds = append(l.kinds, kind)
		}
	}
	return l
}

// tells reports whether the server tells of changes of a list. A nil listener is that
// of a server of the legacy era, which does so unasked.
func (l *listener) tells(kind ListKind) bool {
	if l == nil {
		return true
	}
	covered := l.covered.Load()
	return covered != nil && slices.Contains(*covered, kind)
}

// watch makes uri one of the resources that are watched, or no longer one, and returns
// when the server has agreed.
func (l *listener) watch(ctx context.Context, uri string, want bool) error {
	select {
	case <-l.turn:
	case <-ctx.Done():
		return gaveUp(ctx, wire.MethodListen)
	case <-l.s.ctx.Done():
		return l.s.gone(wire.MethodListen)
	}
	defer l.release()
	i, has := slices.BinarySearch(l.uris, uri)
	if has == want && (!want || l.stream != nil) {
		return nil
	}
	uris := slices.Clone(l.uris)
	switch {
	case !has:
		uris = slices.Insert(uris, i, uri)
	case !want:
		uris = slices.Delete(uris, i, i+1)
	}
	if !want {
		l.uris = uris // whatever comes of it
	}
	last := l.stream
	overlap := l.s.wire.Streamable()
	if last != nil && !overlap {
		l.s.leave(last)
		l.stream = nil
		l.covered.Store(nil)
	}
	next, err := l.open(ctx, uris)
	if err != nil {
		return err
	}
	if want && !next.watches(uri) {
		next.close()
		return wire.Errorf(wire.KindCapabilityNotSupported, "resources.subscribe", "server %q does not tell of changes of %.200q", l.s.opts.Name, uri)
	}
	l.use(next, uris)
	if last != nil && overlap {
		last.close()
	}
	return nil
}

// leave ends a stream and waits, for a little, until the server has done so too.
func (s *session) leave(st *stream) {
	s.withdraw(st.request, nil, "nobody listens any more")
	late := time.NewTimer(leaveGrace)
	defer late.Stop()
	select {
	case <-st.over:
	case <-late.C:
		s.finish(st.request.id, answer{err: wire.Errorf(wire.KindGone, wire.MethodListen, "it was left")})
	case <-s.ctx.Done():
	}
}

// use makes next the stream in use. Resources that the server does not watch are
// forgotten: "the client SHOULD check the acknowledged filter against what it requested
// and handle any unsupported types gracefully" (ibid., Acknowledgment). The caller has
// the turn.
func (l *listener) use(next *stream, uris []string) {
	uris = slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
		if next.watches(uri) {
			return false
		}
		l.s.kept.unsubscribe(uri)
		l.s.log.say("changes of the resource %s are not told of any more", clip(uri))
		return true
	})
	last := l.stream
	l.stream, l.uris = next, uris
	covered := next.covers(l.kinds)
	before := l.covered.Swap(covered)
	if last.ended() || before == nil || !slices.Equal(*before, *covered) {
		l.s.catalog.stale(l.kinds...) // what was not told of meanwhile, and what no longer is
	}
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// open opens a stream and returns when the server has acknowledged it. It is nil
// when there is nothing to tell of. The caller has the turn.
func (l *listener) open(ctx context.Context, uris []string) (*stream, error) {
	if len(l.kinds) == 0 && len(uris) == 0 {
		return nil, nil
	}
	s := l.s
	life, cancel := context.WithCancel(s.ctx)
	acknowledged := make(chan json.RawMessage, 1)
	next := &stream{
		request: &pending{method: wire.MethodListen, acknowledged: acknowledged},
		close:   cancel, over: make(chan struct{}),
	}
	alive := s.begin(func() {
		defer cancel()
		_, next.err = s.roundTrip(life, next.request, l.filter(uris))
		close(next.over)
	})
	if !alive {
		cancel()
		return nil, s.gone(wire.MethodListen)
	}
	late := time.NewTimer(s.opts.ReadTimeout)
	defer late.Stop()
	select {
	case params := <-acknowledged:
		next.agree(rawjson.Get(params, "notifications"))
		return next, nil
	case <-next.over:
		if next.err != nil {
			return nil, next.err
		}
		return nil, wire.Errorf(wire.KindGone, wire.MethodListen, "server %q has ended a subscription before it acknowledged it", s.opts.Name)
	case <-late.C:
		cancel()
		return nil, wire.Errorf(wire.KindTimeout, wire.MethodListen, "server %q has not acknowledged a subscription within %v", s.opts.Name, s.opts.ReadTimeout)
	case <-ctx.Done():
		cancel()
		return nil, gaveUp(ctx, wire.MethodListen)
	}
}

// filter is the params of subscriptions/listen (ibid., Notification Filter).
func (l *listener) filter(uris []string) json.RawMessage {
	filter := json.RawMessage("{}")
	for _, kind := range l.kinds {
		filter = rawjson.Set(filter, kind.how().flag, []byte("true"))
	}
	if len(uris) > 0 {
		list, _ := json.Marshal(uris) // strings are always JSON
		filter = rawjson.Set(filter, "resourceSubscriptions", list)
	}
	return rawjson.Set(nil, "notifications", filter)
}

// covers returns which of kinds the server has agreed to tell of.
func (st *stream) covers(kinds []ListKind) *[]ListKind {
	var covered []ListKind
	for _, kind := range kinds {
		if st != nil && (st.agreed == nil || string(rawjson.Get(st.agreed, kind.how().flag)) == "true") {
			covered = append(covered, kind)
		}
	}
	return &covered
}

// ended tells whether st, which may be nil, is over.
func (st *stream) ended() bool {
	if st == nil {
		return true
	}
	select {
	case <-st.over:
		return true
	default:
		return false
	}
}

// watches tells whether the server has agreed to watch a resource: "Notification types
// the server does not support are omitted" (ibid., Acknowledgment).
func (st *stream) watches(uri string) bool {
	return st.agreed == nil || st.uris[uri]
}

// agree takes the filter of the acknowledgment.
func (st *stream) agree(filter json.RawMessage) {
	st.agreed, st.uris = filter, map[string]bool{}
	for v := range rawjson.Elements(rawjson.Get(filter, "resourceSubscriptions")) {
		var uri string
		if json.Unmarshal(v, &uri) == nil {
			st.uris[uri] = true
		}
	}
}

// start opens the first stream. It returns when that is open, cannot be had, takes longer
// than firstListing, or ctx ends; keep goes on from there.
func (l *listener) start(ctx context.Context) {
	if !l.take() {
		return
	}
	defer l.release()
	ctx, cancel := context.WithTimeout(ctx, firstListing)
	defer cancel()
	first, err := l.open(ctx, l.uris)
	if err != nil {
		l.s.log.say("%s failed: %v", wire.MethodListen, err)
		return
	}
	l.use(first, l.uris)
}

// keep opens the stream again whenever it has ended, until the session does. What it
// would have told meanwhile is read from the lists.
func (l *listener) keep() {
	wait := firstBackoff // grows with each attempt, and not when something else wakes us
	for {
		now, wanted := l.look()
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
			l.ended(now)
		case <-again:
			wait = min(2*wait, maxBackoff)
			l.reopen()
		case <-l.changed:
		case <-l.s.ctx.Done():
			return
		}
	}
}

// take waits for the turn; false when the session has ended.
func (l *listener) take() bool {
	select {
	case <-l.turn:
		return true
	case <-l.s.ctx.Done():
		return false
	}
}

func (l *listener) release() { l.turn <- struct{}{} }

// look returns the stream, and whether there should be one.
func (l *listener) look() (now *stream, wanted bool) {
	if !l.take() {
		return nil, false
	}
	defer l.release()
	return l.stream, len(l.kinds) > 0 || len(l.uris) > 0
}

// ended forgets a stream that has ended, unless another one has taken its place.
func (l *listener) ended(now *stream) {
	if !l.take() {
		return
	}
	defer l.release()
	if l.stream != now {
		return
	}
	l.stream = nil
	l.covered.Store(nil)
	if now.err != nil {
		l.s.log.say("the stream of changes ended: %v", now.err)
	}
}

// reopen opens the stream anew, unless there is one by now. What the server refuses is
// not asked for again.
func (l *listener) reopen() {
	if !l.take() {
		return
	}
	defer l.release()
	if l.stream != nil {
		return
	}
	uris := l.uris
	next, err := l.open(l.s.ctx, uris)
	if refusedFor(err) && len(uris) > 0 {
		l.s.log.say("%s failed, and %d resources are not watched any more: %v", wire.MethodListen, len(uris), err)
		for _, uri := range uris {
			l.s.kept.unsubscribe(uri)
		}
		l.uris, uris = nil, nil
		next, err = l.open(l.s.ctx, uris)
	}
	switch {
	case refusedFor(err):
		l.s.log.say("%s was refused, and changes of the lists are not told of: %v", wire.MethodListen, err)
		l.s.catalog.stale(l.kinds...) // they were taken to be good until told otherwise
		l.kinds = nil
	case err == nil:
		l.use(next, uris)
	}
}

// refusedFor tells whether err is the server's answer, which will be the same again.
func refusedFor(err error) bool {
	e, ok := errors.AsType[*wire.Error](err)
	return ok && (e.Kind == wire.KindRPC || e.Kind == wire.KindHTTP && !e.Temporary())
}

// acknowledged takes notifications/subscriptions/acknowledged.
func (s *session) acknowledged(params json.RawMessage) {
	id, ok := rawjson.Int(rawjson.Get(params, "_meta"), metaSubscriptionID)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pending[id]; p != nil && p.acknowledged != nil {
		select {
		case p.acknowledged <- params:
		default: // it has been acknowledged before
		}
	}
}
