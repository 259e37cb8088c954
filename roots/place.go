package roots

import (
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
)

const pollShare = 10 // folders without a watch are read again at most a tenth of the time

// A place is what is probably on one disk: one folder, or everything that the configuration
// lists.
type place struct {
	entries []entry
	reader  *reader
	watch   *fswatch.Watch // of what leads to where the reader reads
	reading *rerun.Runner  // runs Set.read
	poll    time.Time      // when to read what has no watch, or zero; used only by Set.read

	// Guarded by Set.mu.
	found found
	late  bool // somebody has waited in vain since it answered last
}

// newPlace returns a place about which nothing is known yet, and begins to read it.
func (s *Set) newPlace(entries []entry) *place {
	p := &place{entries: entries}
	p.reading = rerun.New(func() { s.read(p) })
	p.reader = newReader(entries, s.hub, s.debounce.Trigger)
	p.watch = s.hub.Watch(func() {
		p.reader.moved.Store(true)
		s.debounce.Trigger()
	})
	p.reading.Again()
	return p
}

// close ends the watches. It does not wait for the disk.
func (p *place) close() {
	p.reader.close()
	p.watch.Close()
}

// read reads from the disk what may have changed in a place, and watches the paths that lead there.
func (s *Set) read(p *place) {
	if p.reader.ended.Load() {
		return
	}
	began := time.Now()
	polled := !p.poll.IsZero() && !began.Before(p.poll)
	now := s.scan(p.reader, polled)
	if polled {
		p.poll = time.Time{}
	}
	if now.polled > 0 && p.poll.IsZero() {
		wait := max(s.pace.poll, pollShare*time.Since(began))
		p.poll = time.Now().Add(wait)
		time.AfterFunc(wait, s.debounce.Trigger)
	}
	s.mu.Lock()
	late := p.late
	p.found, p.late = now, false
	s.mu.Unlock()
	p.watch.Set(now.watch...) // triggers a check if the paths differ, for changes in between
	if late {
		s.debounce.Trigger() // nobody waited
	}
}

// look has every place read again, and waits for the places that are expected to answer.
func (s *Set) look() {
	s.mu.Lock()
	ends := map[*place]<-chan struct{}{}
	for _, p := range s.places {
		if end := p.reading.Again(); !p.late {
			ends[p] = end
		}
	}
	s.mu.Unlock()
	late := time.NewTimer(s.pace.patience)
	defer late.Stop()
	for _, end := range ends {
		select {
		case <-end:
		case <-late.C:
			s.giveUp(ends)
			return
		}
	}
}

// giveUp notes which places have not answered.
func (s *Set) giveUp(ends map[*place]<-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, end := range ends {
		select {
		case <-end:
		default:
			p.late = true
		}
	}
}
