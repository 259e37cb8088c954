package roots

import (
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
)

// patience is how long a caller waits for a disk that does not answer.
const patience = 2 * time.Second

// A place is what is probably on one disk: one folder, or everything that the configuration
// lists.
type place struct {
	entries []entry
	watch   *fswatch.Watch
	reading *rerun.Runner // runs read

	// Guarded by Set.mu.
	found found
	late  bool // somebody has waited in vain since it answered last
}

// newPlace returns a place about which nothing is known yet, and begins to read it.
func (s *Set) newPlace(entries []entry) *place {
	p := &place{entries: entries}
	p.watch = s.hub.Watch(s.debounce.Trigger)
	p.reading = rerun.New(func() { s.read(p) })
	p.reading.Again()
	return p
}

// read reads a place from the disk, and watches the paths it has read.
func (s *Set) read(p *place) {
	now := s.scan(p.entries)
	s.mu.Lock()
	news := p.late || !slices.Equal(p.found.roots, now.roots)
	p.found, p.late = now, false
	s.mu.Unlock()
	p.watch.Set(now.watch...) // triggers a check if the paths differ, for changes in between
	if news {
		s.debounce.Trigger() // perhaps nobody waited
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
	late := time.NewTimer(patience)
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
