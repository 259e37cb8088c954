package secrets

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"
)

const (
	// How long a keyring that has refused is left alone where using it may show a window: a server
	// that is started again and again must not cause a window each time.
	askAgain = 5 * time.Minute
	// How often a place that did not answer is tried again, without asking a person. Each time
	// takes twice as long as the one before, from retryFirst to retryMost.
	retryFirst = 2 * time.Second
	retryMost  = 5 * time.Minute
)

// line returns the line of the place; nil when that is memory. The caller holds mu.
func (s *Store) line() *line {
	switch s.place {
	case Keyring:
		return s.keyring
	case File:
		return s.file
	}
	return nil
}

// isDirty reports whether memory has of a secret what the place does not.
func (s *Store) isDirty(e *secret) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e != nil && e.dirty
}

// copied keeps a copy of what the place of a line has, unless memory has something newer.
func (s *Store) copied(l *line, name string, value []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.known[name]; s.line() == l && (e == nil || !e.dirty) && s.room(name) {
		s.known[name] = &secret{value: hide(value)}
	}
}

// room makes room for one more secret in memory. It reports false when there is none,
// because all that are there are nowhere else. The caller holds mu.
func (s *Store) room(name string) bool {
	if s.known[name] != nil || len(s.known) < maxSecrets {
		return true
	}
	if s.line() != nil {
		for other, e := range s.known {
			if !e.dirty {
				delete(s.known, other)
				return true
			}
		}
	}
	return false
}

// keep makes e what is kept under a name. t says why the place does not have it yet.
func (s *Store) keep(ctx context.Context, name string, e *secret) (t *trouble, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.room(name) {
		return nil, errTooMany
	}
	e.dirty = true
	s.known[name] = e
	for {
		l := s.line()
		if l == nil {
			if e.dirty = false; e.gone && s.known[name] == e {
				delete(s.known, name)
			}
			return nil, nil
		}
		s.mu.Unlock()
		err := l.do(ctx, func() bool { return s.perform(l, true, nil) == nil })
		s.mu.Lock()
		now := s.known[name] // perhaps newer than e
		switch {
		case s.line() != l:
			continue
		case now == nil || !now.dirty:
			return nil, nil
		case err != nil:
			return l.troubleOf(err), nil
		case s.trouble != nil:
			return s.trouble, nil
		case now != e: // e was kept, and somebody has set another value since
			return nil, nil
		}
	}
}

// errIdle means that there was nothing to do, so a place was not asked.
var errIdle = errors.New("nothing waits")

// perform uses the place of a line: it does op, and writes what waits to be written. With a nil op,
// it returns errIdle when nothing waits. may allows to ask a person. It runs on the line.
func (s *Store) perform(l *line, may bool, op func() error) error {
	defer s.settle()
	adopted := s.adopt(l)
	if op == nil && !adopted && !s.waits(l) {
		return errIdle
	}
	ask := may && s.mayAsk()
	if err := l.place.ready(ask); err != nil {
		return s.note(l, err, false)
	}
	var result error
	if op != nil {
		if result = op(); !answers(result) {
			return s.note(l, result, ask)
		}
	}
	failed := s.flush(l)
	_ = s.note(l, failed, ask)
	if failed == nil {
		s.disown(l)
		s.leave()
	}
	if op == nil {
		return failed
	}
	return result
}

// answers reports whether an operation with that error has shown that its place works.
func answers(err error) bool {
	return err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, errDamaged)
}

// mayAsk reports whether it is time to ask a person again.
func (s *Store) mayAsk() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused.IsZero() || time.Since(s.refused) >= askAgain
}

// waits reports whether something waits to be written to the place of a line.
func (s *Store) waits(l *line) bool {
	_, e := s.unwritten(l, nil)
	return e != nil
}

// unwritten returns a secret that waits to be written to the place of a line and is not among
// unfit; e is nil when there is none.
func (s *Store) unwritten(l *line, unfit map[*secret]bool) (name string, e *secret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line() != l {
		return "", nil
	}
	for other, candidate := range s.known {
		if candidate.dirty && !unfit[candidate] {
			name, e = other, candidate
		}
		if e != nil && e.gone { // makes room
			break
		}
	}
	return name, e
}

// flush writes what waits to be written. It ends at the first error, unless that is [errFull].
func (s *Store) flush(l *line) error {
	var full error
	unfit := map[*secret]bool{}
	for {
		name, e := s.unwritten(l, unfit)
		if e == nil {
			s.adopt(l) // a file that has come since the operation began
			if name, e = s.unwritten(l, unfit); e == nil {
				return full
			}
		}
		var err error
		there := false
		if e.old {
			_, err = l.place.get(name)
			there = err == nil
		}
		switch {
		case there:
		case e.gone:
			err = l.place.delete(name)
		case answers(err):
			err = l.place.set(name, e.value())
		}
		if errors.Is(err, errFull) {
			full, unfit[e] = err, true
			continue
		}
		if err != nil {
			return err
		}
		s.mu.Lock()
		if s.known[name] == e && s.line() == l {
			e.dirty = false
			if e.gone || there {
				delete(s.known, name)
			}
		}
		s.mu.Unlock()
	}
}

// note notes how the place of a line did: err, or nil. asked says that a person may have been
// asked. It returns err, or why nobody was asked.
func (s *Store) note(l *line, err error, asked bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, errHeld) && s.trouble != nil {
		err = s.trouble
	}
	if s.line() != l {
		return err
	}
	if err == nil {
		s.calm()
		return nil
	}
	s.trouble = l.troubleOf(err)
	if asked {
		s.refused = time.Now()
	}
	s.tryAgain()
	return err
}

// tryAgain has the place tried again after a while. The caller holds mu.
func (s *Store) tryAgain() {
	if s.again == nil {
		s.wait = min(max(2*s.wait, retryFirst), retryMost)
		s.again = time.AfterFunc(s.wait, s.retry)
	}
}

// calm forgets the trouble of the place. The caller holds mu.
func (s *Store) calm() {
	s.trouble, s.refused, s.wait = nil, time.Time{}, 0
	if s.again != nil {
		s.again.Stop()
		s.again = nil
	}
}

// retry looks whether the place answers again, without asking a person.
func (s *Store) retry() {
	s.mu.Lock()
	s.again = nil // note and settle set it again
	l := s.line()
	s.mu.Unlock()
	if l == nil {
		return
	}
	if !l.start(func() bool { return s.perform(l, false, func() error { return nil }) == nil }) {
		l.place.abandon()
		s.settle()
	}
}

// settle tells of a problem that is new or over.
func (s *Store) settle() {
	s.mu.Lock()
	problem := s.problem()
	same := problem == s.told
	s.told = problem
	if l := s.line(); l != nil && l.isLate() {
		s.tryAgain()
	}
	s.mu.Unlock()
	switch {
	case same:
		return
	case problem != "":
		s.log.Warn("credentials", zap.String("problem", problem))
	default:
		s.log.Info("credentials are kept again")
	}
	if s.changed != nil {
		s.changed()
	}
}
