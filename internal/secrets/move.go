package secrets

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// Use changes where secrets are kept, and returns at once. What memory has goes to the new place.
//
//   - From a file to the keyring, everything moves. The file is deleted once the keyring has all of
//     it; while the keyring does not answer, the file stays, and Problem says so.
//   - From a file to memory, the file is deleted at once. What this process has read from it or
//     written to it stays in memory.
//   - From the keyring, what this process has read from it or written to it moves, and is deleted
//     from the keyring unless a person would have to be asked. All else stays in the keyring, which
//     has no list of names, and where only this user can read it.
//
// [Open] does the same with a file that it finds.
func (s *Store) Use(p Place) {
	s.mu.Lock()
	if p == s.place {
		s.mu.Unlock()
		return
	}
	s.leaving = nil
	if s.place == Keyring {
		s.leaving = slices.Collect(maps.Keys(s.known))
	}
	was := s.line()
	s.place = p
	now := s.line()
	s.calm()
	s.stray = nil
	for name, e := range s.known {
		if now == nil && e.gone {
			delete(s.known, name)
			continue
		}
		// A new one: a write of the old one that is under way says nothing about the new place.
		s.known[name] = &secret{value: e.value, gone: e.gone, old: was != nil && !e.dirty, dirty: now != nil}
	}
	s.mu.Unlock()
	s.arrive()
	s.settle()
}

// arrive begins to use the place.
func (s *Store) arrive() {
	s.mu.Lock()
	l := s.line()
	s.mu.Unlock()
	if l != s.file {
		s.file.start(func() bool {
			s.discard()
			s.settle()
			return false
		})
	}
	if l == nil {
		s.leave()
		return
	}
	l.start(func() bool { return s.perform(l, true, nil) == nil })
}

// leave has the keyring forget what is now elsewhere.
func (s *Store) leave() {
	s.mu.Lock()
	names := s.leaving
	if s.place == Keyring || len(names) == 0 {
		s.mu.Unlock()
		return
	}
	s.leaving = nil
	s.mu.Unlock()
	s.keyring.start(func() bool {
		for _, name := range names {
			s.mu.Lock()
			back := s.place == Keyring
			s.mu.Unlock()
			if back || s.keyring.place.ready(false) != nil || s.keyring.place.delete(name) != nil {
				return false
			}
		}
		return true
	})
}

// discard deletes what is in clear where no file is the place: the file while memory is, and what
// killed writes have left.
func (s *Store) discard() {
	s.mu.Lock()
	place := s.place
	s.mu.Unlock()
	switch place {
	case File:
	case Keyring:
		s.disk.tidy()
	default:
		s.strayed(s.disk.remove(nil))
	}
}

// adopt reads a file that is to move into the keyring: its secrets wait to be written. It reports
// whether there is one.
func (s *Store) adopt(l *line) bool {
	if l != s.keyring {
		return false
	}
	if !s.disk.exists() {
		s.strayed(nil)
		return false
	}
	found, content, err := s.disk.load()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.strayed(err)
		}
		return false
	}
	sum := sha256.Sum256(content)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line() != l {
		return false
	}
	if s.adopted == sum {
		return true // its secrets are in memory, or already in the keyring
	}
	s.adopted = sum
	for name, value := range found { // of a bounded file: maxSecrets does not apply
		if e := s.known[name]; e == nil || !e.dirty || e.old {
			s.known[name] = &secret{value: hide(value), dirty: true}
		}
	}
	return true
}

// disown deletes the file when the keyring has what adopt has read from it.
func (s *Store) disown(l *line) {
	if l != s.keyring || !s.disk.exists() {
		return
	}
	s.mu.Lock()
	sum, mine := s.adopted, s.line() == l
	s.mu.Unlock()
	if mine && sum != [sha256.Size]byte{} {
		s.strayed(s.disk.remove(&sum))
	}
}

// strayed notes why the file is still there; nil: it is not.
func (s *Store) strayed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.place == File {
		return
	}
	switch {
	case err == nil:
		s.stray, s.adopted = nil, [sha256.Size]byte{}
		return
	case errors.Is(err, errChanged):
		s.stray = nil
		s.tryAgain()
		return
	}
	s.stray = nil
	if !errors.As(err, &s.stray) {
		s.stray = &trouble{why: fmt.Sprintf("deleting %s failed: %s", s.disk.path(), safetext.Line(err.Error(), 200)), todo: "delete it", cause: err}
	}
}
