package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// leaveGrace is how long a server has to say that it has ended a stream.
const leaveGrace = 250 * time.Millisecond

// A stream is one subscriptions/listen that was acknowledged.
type stream struct {
	request *pending
	close   context.CancelFunc
	kinds   []wire.ListKind // of the lists in it
	asked   []string        // the URIs of the resources in it
	agreed  json.RawMessage // what the server agreed to; nil when it did not say
	refused []string        // those of asked that are not in it
	over    chan struct{}   // closed at its end
	err     error           // set before; nil when the server has ended it in the orderly way
}

// open opens a stream and returns when the server has acknowledged it. It is nil
// when there is nothing to tell of.
func (w *watcher) open(ctx context.Context, uris []string) (*stream, error) {
	if len(w.kinds) == 0 && len(uris) == 0 {
		return nil, nil
	}
	s := w.s
	life, cancel := context.WithCancel(s.ctx)
	acknowledged := make(chan json.RawMessage, 1)
	next := &stream{
		request: &pending{method: wire.MethodListen, acknowledged: acknowledged},
		close:   cancel, over: make(chan struct{}), kinds: w.kinds, asked: uris,
	}
	alive := s.spawn(func() {
		defer cancel()
		_, next.err = s.roundTrip(life, next.request, w.filter(uris))
		close(next.over)
	})
	if !alive {
		cancel()
		return nil, s.gone(wire.MethodListen)
	}
	select {
	case params := <-acknowledged:
		next.agree(rawjson.Get(params, "notifications"))
		return next, nil
	case <-next.over:
		if next.err != nil {
			return nil, next.err
		}
		return nil, wire.Errorf(wire.KindGone, wire.MethodListen, "server %q has ended a subscription before it acknowledged it", s.opts.Name)
	case <-time.After(readTimeout):
		cancel()
		return nil, wire.Errorf(wire.KindTimeout, wire.MethodListen, "server %q has not acknowledged a subscription within %s", s.opts.Name, wire.Span(readTimeout))
	case <-ctx.Done():
		cancel()
		return nil, gaveUp(ctx, wire.MethodListen)
	}
}

// filter is the params of subscriptions/listen (ibid., Notification Filter).
func (w *watcher) filter(uris []string) json.RawMessage {
	filter := json.RawMessage("{}")
	for _, kind := range w.kinds {
		filter = rawjson.Set(filter, kind.ChangedFlag(), []byte("true"))
	}
	if len(uris) > 0 {
		list, _ := json.Marshal(uris) // strings are always JSON
		filter = rawjson.Set(filter, "resourceSubscriptions", list)
	}
	return rawjson.Set(nil, "notifications", filter)
}

// tells reports whether the server has agreed to tell of changes of a list. st may be nil.
func (st *stream) tells(kind wire.ListKind) bool {
	return st != nil && slices.Contains(st.kinds, kind) &&
		(st.agreed == nil || string(rawjson.Get(st.agreed, kind.ChangedFlag())) == "true")
}

// ended reports whether st, which may be nil, is over.
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

// agree records the filter of the acknowledgment, nil when there is none: "Notification types
// the server does not support are omitted" (ibid., Acknowledgment).
func (st *stream) agree(filter json.RawMessage) {
	if st.agreed = filter; filter == nil {
		return
	}
	uris := map[string]bool{}
	for v := range rawjson.Elements(rawjson.Get(filter, "resourceSubscriptions")) {
		uri, _ := rawjson.Text(v)
		uris[uri] = true
	}
	for _, uri := range st.asked {
		if !uris[uri] {
			st.refused = append(st.refused, uri)
		}
	}
}

// leave ends a stream and waits a little for the server to do so too.
func (s *session) leave(st *stream) {
	s.withdraw(st.request, "nobody watches any more")
	select {
	case <-st.over:
	case <-time.After(leaveGrace):
		s.finish(st.request.id, answer{err: wire.Errorf(wire.KindGone, wire.MethodListen, "it was left")})
	case <-s.ctx.Done():
	}
}

// acknowledged handles notifications/subscriptions/acknowledged.
func (s *session) acknowledged(params json.RawMessage) {
	id, ok := rawjson.Int(rawjson.Get(params, "_meta"), wire.MetaSubscriptionID)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pending[id]; p != nil && p.acknowledged != nil {
		select {
		case p.acknowledged <- bytes.Clone(params):
		default: // it has been acknowledged before
		}
	}
}
