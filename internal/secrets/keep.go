package secrets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
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

var (
	errHeld    = errors.New("a person was asked a short while ago") // the place cannot be used without asking one again
	errFull    = errors.New("there is no room")                     // for this value; else the place works
	errNotKept = errors.New("it did not keep what it was given")    // although it said so
)

// A trouble is why a place cannot keep or find secrets, and what to do, for people. It follows "because".
type trouble struct {
	text  string
	cause error // nil when text says it all
}

func (t *trouble) Error() string { return t.text }

func (t *trouble) Unwrap() error { return t.cause }

// from returns the same trouble with one more cause.
func (t *trouble) from(err error) *trouble { return &trouble{t.text, errors.Join(t.cause, err)} }

// troubleOf returns why an operation failed.
func troubleOf(err error) *trouble {
	if t, ok := errors.AsType[*trouble](err); ok {
		return t
	}
	return &trouble{"the keyring failed: " + safetext.Line(err.Error(), 200) + unlockIt, err}
}

// What to do when there is no keyring, or none that answers.
const (
	orFile   = `, or set "credentials": "file"`
	unlockIt = "; unlock it" + orFile
)

var (
	keyringSlow   = &trouble{"the keyring does not answer" + unlockIt, nil}
	errDamaged    = &trouble{"it is damaged in the keyring; delete it there, and log in again", nil} // it is not what was kept, though the place works
	keyringLocked = &trouble{"the keyring is locked" + unlockIt, nil}
	noKeyring     = &trouble{"no keyring answers; install one such as gnome-keyring" + orFile, ErrNoKeyring}
	noBus         = &trouble{"there is no D-Bus session, and so no keyring; start the daemon in your desktop session" + orFile, ErrNoKeyring}
	diskSlow      = &trouble{"the disk does not answer; check the disk of the state directory", nil}
)

// A failure is an error of a Store for its callers.
type failure struct {
	kind error // ErrUnavailable or ErrMemoryOnly
	text string
	why  *trouble
}

func fail(kind error, name, what string, why *trouble) *failure {
	return &failure{kind, fmt.Sprintf("the credential %q %s, because %v", name, what, why), why}
}

func (f *failure) Error() string { return f.text }

func (f *failure) Unwrap() []error { return []error{f.kind, f.why} }

// answers reports whether an operation with that error has shown that its place works.
func answers(err error) bool {
	return err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, errDamaged)
}

// line returns the line of the place; nil when that is memory. The caller holds mu.
func (s *Store) line() *line {
	switch s.place {
	case Default, Keyring:
		return s.keyring
	case File:
		return s.file
	}
	return nil
}

// clean deletes what is in clear where no file is the place: what killed writes have left, and the file
// where somebody has said that another place is to be used.
func (s *Store) clean() {
	go func() {
		_ = s.file.do(context.Background(), func() {
			s.mu.Lock()
			p := s.place
			s.mu.Unlock()
			var err error
			if p != File {
				err = s.file.place.(*filePlace).remove(p != Default)
			}
			s.mu.Lock()
			s.stray = err
			s.mu.Unlock()
			s.settle()
		})
	}()
}

// room makes room for one more secret in memory. It reports false when there is none,
// because all that are there are nowhere else. The caller holds mu.
func (s *Store) room(name string) bool {
	if s.known[name] != nil || len(s.known) < maxSecrets {
		return true
	}
	for other, e := range s.known {
		if !e.dirty && s.line() != nil {
			delete(s.known, other)
			return true
		}
	}
	return false
}

// keep makes e what is kept under a name. t says why the place does not have it yet.
func (s *Store) keep(ctx context.Context, name string, e *secret) (t *trouble, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		l := s.line()
		switch {
		case l == nil && e.gone:
			delete(s.known, name)
			return nil, nil
		case !s.room(name):
			return nil, errTooMany
		}
		e.dirty = l != nil
		s.known[name] = e
		if l == nil {
			return nil, nil
		}
		s.mu.Unlock()
		err := s.use(ctx, l, func() {
			if _, e := s.next(l, nil); e != nil {
				_, _ = s.perform(l, true, "")
			}
		})
		s.mu.Lock()
		now := s.known[name] // perhaps newer than e
		switch {
		case s.line() != l:
			continue
		case now == nil || !now.dirty:
			return nil, nil
		case err != nil:
			return troubleOf(err), nil
		case s.trouble != nil:
			return s.trouble, nil
		case now != e: // e was kept, and somebody has set another value since
			return nil, nil
		}
	}
}

// use has a line perform an operation. When that takes too long, the place is tried again.
func (s *Store) use(ctx context.Context, l *line, run func()) error {
	err := l.do(ctx, run)
	if err != nil {
		s.mu.Lock()
		s.tryAgain()
		s.mu.Unlock()
		s.settle()
	}
	return err
}

// perform uses the place of a line: it reads the secret name, unless that is "", and writes what waits to be
// written. may allows to ask a person. It runs on the line. found is nil when there is none.
func (s *Store) perform(l *line, may bool, name string) (found *secret, err error) {
	defer s.settle()
	s.mu.Lock()
	ask := may && (s.refused.IsZero() || time.Since(s.refused) >= askAgain)
	s.mu.Unlock()
	if err = l.place.ready(ask); err == nil && name != "" {
		var value []byte
		if value, err = l.place.get(name); err == nil {
			found = &secret{value: hide(value)}
		}
	}
	if !answers(err) {
		return nil, s.note(l, err, ask)
	}
	s.mu.Lock()
	if e := s.known[name]; name != "" && s.line() == l && (e == nil || !e.dirty) { // a copy, for when the place does not answer
		if delete(s.known, name); found != nil && s.room(name) {
			s.known[name] = found
		}
	}
	s.mu.Unlock()
	_ = s.note(l, s.flush(l), ask)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return found, err
}

// next returns a secret that waits to be written to the place of a line and was not tried; e is nil when
// there is none. One to delete comes first, which makes room.
func (s *Store) next(l *line, tried map[*secret]bool) (name string, e *secret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line() != l {
		return "", nil
	}
	for other, candidate := range s.known {
		if candidate.dirty && !tried[candidate] && (e == nil || candidate.gone) {
			name, e = other, candidate
		}
	}
	return name, e
}

// flush writes what waits to be written. It ends at the first error, unless that is [errFull].
func (s *Store) flush(l *line) (full error) {
	tried := map[*secret]bool{}
	for {
		name, e := s.next(l, tried)
		if e == nil {
			return full
		}
		tried[e] = true
		var err error
		if e.gone {
			err = l.place.delete(name)
		} else {
			err = l.place.set(name, e.value())
		}
		switch {
		case errors.Is(err, errFull):
			full = err
			continue
		case err != nil:
			return err
		}
		s.mu.Lock()
		if s.known[name] == e && s.line() == l {
			if e.dirty = false; e.gone {
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
	switch {
	case s.line() != l:
	case err == nil:
		s.calm()
	case errors.Is(err, errHeld):
		s.tryAgain()
		if s.trouble != nil {
			return s.trouble
		}
	default:
		s.trouble = troubleOf(err)
		if asked {
			s.refused = time.Now()
		}
		s.tryAgain()
	}
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
	s.again = nil
	l := s.line()
	if l != nil {
		s.tryAgain() // until calm
	}
	s.mu.Unlock()
	if l != nil && !l.start(func() { _, _ = s.perform(l, false, "") }) && l.isLate() {
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

// current returns the trouble that there is now, nil for none. The caller holds mu.
func (s *Store) current() *trouble {
	if l := s.line(); l != nil && l.isLate() {
		return l.slow
	}
	return s.trouble
}

// problem returns what Problem does. The caller holds mu.
func (s *Store) problem() string {
	switch t := s.current(); {
	case t != nil:
		return fmt.Sprintf("credentials are forgotten when the daemon ends, because %v", t)
	case s.stray != nil:
		return fmt.Sprintf("credentials stay in clear, because %v", s.stray)
	}
	return ""
}
