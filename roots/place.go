package roots

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
)

const (
	// gather is how long hints are gathered before they are followed. It is shorter than quiet: when the
	// time has come to tell, what there is to tell has been read.
	gather = 20 * time.Millisecond

	pollShare = 10 // folders without a watch are read again at most a tenth of the time
)

// A place is what is probably on one disk: one folder, or everything that the configuration
// lists.
type place struct {
	entries []entry
	reader  *reader
	watch   *fswatch.Watch      // of what leads to where the reader reads
	reading *rerun.Runner       // runs Set.read
	soon    *debounce.Debouncer // runs reading
	poll    *time.Timer         // runs reading, for what has no watch
	due     atomic.Bool         // the timer has run
	armed   bool                // it will; used only by Set.read

	// Guarded by Set.mu.
	found found
	late  bool // somebody has waited in vain since it answered last
}

// newPlace returns a place about which nothing is known yet, and begins to read it.
func (s *Set) newPlace(entries []entry) *place {
	p := &place{entries: entries}
	p.reading = rerun.New(func() { s.read(p) })
	p.soon = debounce.New(gather, gather, func() { p.reading.Again() })
	p.poll = time.AfterFunc(time.Hour, func() {
		p.due.Store(true)
		p.reading.Again()
	})
	p.poll.Stop()
	hinted := func() {
		s.debounce.Trigger()
		p.soon.Trigger()
	}
	p.reader = newReader(entries, s.hub, hinted)
	p.watch = s.hub.Watch(func() {
		p.reader.moved.Store(true)
		hinted()
	})
	p.reading.Again()
	return p
}

// close ends the watches. It does not wait for the disk.
func (p *place) close() {
	p.reader.close()
	p.watch.Close()
	p.soon.Stop()
	p.poll.Stop()
}

// read reads from the disk what may have changed in a place, and watches the paths that lead there.
func (s *Set) read(p *place) {
	if p.reader.ended.Load() {
		return
	}
	began := time.Now()
	polled := p.due.Swap(false)
	p.armed = p.armed && !polled
	now := s.scan(p.reader, polled)
	s.mu.Lock()
	alone := p.late || polled && (!slices.Equal(p.found.roots, now.roots) || !slices.Equal(p.found.problems, now.problems))
	p.found, p.late = now, false
	s.mu.Unlock()
	p.watch.Set(now.watch...) // triggers a check if the paths differ, for changes in between
	if now.polled > 0 && !p.armed && !p.reader.ended.Load() {
		p.armed = true
		p.poll.Reset(max(s.pace.poll, pollShare*time.Since(began)))
	}
	if alone {
		s.debounce.Trigger() // no event did, or nobody waited
	}
}

// look has every place read again, and waits for the places that are expected to answer.
func (s *Set) look() {
	s.mu.Lock()
	places := slices.Clone(s.places)
	var expected []*place
	var ends []<-chan struct{}
	for _, p := range places {
		end := p.reading.Again()
		if !p.late {
			expected, ends = append(expected, p), append(ends, end)
		}
	}
	s.mu.Unlock()
	late := time.NewTimer(s.pace.patience)
	defer late.Stop()
	for i, end := range ends {
		select {
		case <-end:
		case <-late.C:
			s.giveUp(expected[i:], ends[i:])
			return
		}
	}
}

// giveUp notes which places have not answered.
func (s *Set) giveUp(places []*place, ends []<-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, end := range ends {
		select {
		case <-end:
		default:
			places[i].late = true
		}
	}
}
