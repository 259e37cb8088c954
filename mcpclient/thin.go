package mcpclient

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// How much of a flood is relayed: so many at once, and then so many a second.
const (
	thinBurst = 100
	thinRate  = 50 // a second

	otherRate = 1000 // of unknown notifications, and of lines of the log; also their burst

	maxHeld         = 1000    // that wait at a time, of one method
	maxHeldBytes    = 4 << 20 // of them together; what does not fit is left out
	maxHeldProgress = 64 << 10
)

// A bucket lets a burst through, and then one for each interval.
type bucket struct {
	every time.Duration
	burst int
	full  time.Time // when the whole burst is there again
}

func newBucket(perSecond, burst int) bucket {
	return bucket{every: time.Second / time.Duration(perSecond), burst: burst}
}

// take takes one, if there is one.
func (b *bucket) take(now time.Time) bool {
	if b.full.Before(now) {
		b.full = now
	}
	if b.wait(now) > 0 {
		return false
	}
	b.full = b.full.Add(b.every)
	return true
}

// wait returns how long there is none, after take has said so.
func (b *bucket) wait(now time.Time) time.Duration {
	return b.full.Sub(now) - time.Duration(b.burst-1)*b.every
}

// A relay hands the notifications of one session to the host, in order. In a flood of
// notifications whose last one says it all, it keeps the last of each key back and hands
// it over when there is time.
type relay struct {
	to      func(method string, params json.RawMessage)
	leftOut func(method string) // counts

	// mu guards the fields that follow. It is held while to runs.
	mu      sync.Mutex
	streams map[string]*thinned // by method; "" for unknown ones
	closed  bool
}

// thinned has the notifications of one method.
type thinned struct {
	bucket
	held  map[string]json.RawMessage // by key
	order []string                   // the keys of held
	bytes int                        // of held
	timer *time.Timer                // runs while something is held
}

func newRelay(to func(string, json.RawMessage), leftOut func(string)) *relay {
	r := &relay{to: to, leftOut: leftOut, streams: map[string]*thinned{"": {bucket: newBucket(otherRate, otherRate)}}}
	for _, method := range []string{wire.MethodMessage, wire.MethodUpdated, wire.MethodToolsChanged, wire.MethodPromptsChanged, wire.MethodResourcesChanged} {
		r.streams[method] = &thinned{bucket: newBucket(thinRate, thinBurst), held: map[string]json.RawMessage{}}
	}
	return r
}

// notify hands over a notification, now or later, or leaves it out.
func (r *relay) notify(method string, params json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.streams[method]
	if s == nil || method == "" {
		s = r.streams[""]
	}
	switch {
	case r.closed:
	case len(s.held) == 0 && s.take(time.Now()):
		r.to(method, params)
	case s.held == nil: // their order and each of them may matter
		r.leftOut(method)
	default:
		r.hold(s, method, params)
	}
}

// hold keeps a notification back, in place of the last one of its key. r.mu is held.
func (r *relay) hold(s *thinned, method string, params json.RawMessage) {
	key := ""
	if method == wire.MethodUpdated {
		key = rawjson.String(params, "uri")
	}
	before, again := s.held[key]
	bytes := s.bytes - len(before) + len(params)
	full := bytes > maxHeldBytes || !again && len(s.held) == maxHeld
	if again || full {
		r.leftOut(method) // the one before, or this one
	}
	if full {
		return
	}
	if !again {
		s.order = append(s.order, key)
	}
	s.held[key], s.bytes = slices.Clone(params), bytes
	if !again && len(s.held) == 1 {
		s.timer = time.AfterFunc(s.wait(time.Now()), func() { r.release(s, method) })
	}
}

// release hands over the notification that has waited longest.
func (r *relay) release(s *thinned, method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.closed && len(s.order) > 0 {
		now := time.Now()
		if !s.take(now) {
			s.timer.Reset(s.wait(now))
			return
		}
		r.first(s, method)
	}
}

// first hands over the first that is held. r.mu is held.
func (r *relay) first(s *thinned, method string) {
	key := s.order[0]
	params := s.held[key]
	s.order = slices.Delete(s.order, 0, 1)
	delete(s.held, key)
	s.bytes -= len(params)
	r.to(method, params)
}

// close hands over what is held, and nothing after that.
func (r *relay) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for method, s := range r.streams {
		if s.timer != nil {
			s.timer.Stop()
		}
		for len(s.order) > 0 {
			r.first(s, method)
		}
	}
}
