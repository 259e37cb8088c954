// Package secrets keeps secrets of the user in the system's keyring, in a file or in memory.
//
// Invariants of a [Store]:
//
//   - Nothing is written in clear, except with the place [File].
//   - No caller waits for a keyring longer than its context and [patience] allow. A keyring that
//     hangs, such as one that waits for you to unlock it, costs one goroutine, however many ask.
//   - What was set and could not be kept is in memory. It is written as soon as the place answers,
//     and until then it is what Get returns.
//   - The place is read each time: another process may have changed a secret. A copy in memory is
//     used only while the place does not answer.
//   - Nothing goes from one place to another.
//   - No value is in a log, in an error, or in what fmt prints.
package secrets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
)

// A Place is where secrets are kept.
type Place string

// The places.
const (
	Default Place = ""        // the keyring, though nobody has said so: a file of before stays where it is
	Keyring Place = "keyring" // of the system: Secret Service, Keychain, Credential Manager
	File    Place = "file"    // a file that only this user can read, in clear
	Memory  Place = "memory"  // until the process ends; also any other word
)

// Limits.
const (
	maxName    = 1 << 10  // bytes of a name
	maxValue   = 64 << 10 // bytes of a value
	maxSecrets = 256      // in memory, so 16 MiB at most
)

var (
	// ErrNotFound means that there is no secret of that name.
	ErrNotFound = errors.New("there is no such credential")
	// ErrUnavailable means that the place does not answer. The error that wraps it says why, and
	// what to do.
	ErrUnavailable = errors.New("credentials are unavailable")
	// ErrNoKeyring is within the other two where there is no keyring at all, rather than one that does
	// not answer or is locked.
	ErrNoKeyring = errors.New("there is no keyring")
	// ErrMemoryOnly means that a value is kept, but only until the process ends or the place
	// answers. The error that wraps it says why, and what to do.
	ErrMemoryOnly = errors.New("the credential is kept in memory only")

	errTooMany = errors.New("memory is full of credentials that are kept nowhere else; delete some")
)

// Options say how to keep secrets. [Open] copies them.
type Options struct {
	Place   Place
	Dir     string // the daemon's state directory, which exists and is this user's alone
	Log     *zap.Logger
	Changed func() // what Problem returns has changed; called with no lock held, perhaps concurrently; may be nil
}

// A Store keeps secrets. [Open] makes one. Its methods are safe for concurrent use. It lives as
// long as the process.
type Store struct {
	log           *zap.Logger
	changed       func()
	locks         string // the folder of the locks of names
	keyring, file *line

	mu      sync.Mutex // guards the fields that follow; never held while a place is asked; comes before the locks of lines
	place   Place
	known   map[string]*secret // by name
	trouble *trouble           // why the place did not do what it was last asked; nil when it did
	stray   error              // why a file with secrets in clear is still there; nil when none is
	refused time.Time          // when the keyring last refused what it may have asked a person about; zero: it did not
	told    string             // the problem that Changed was last called for
	again   *time.Timer        // asks the place again; nil when there is no trouble
	wait    time.Duration      // what again waits
}

// A secret is what memory has of one. It never changes, but for dirty.
type secret struct {
	value hidden
	gone  bool // it was deleted
	dirty bool // the place does not have it yet, or has not deleted it yet; guarded by Store.mu
}

// A hidden value is one that fmt does not print, though it looks into unexported fields.
type hidden func() []byte

func hide(value []byte) hidden { return func() []byte { return value } }

// Open returns a Store. It never waits and never fails: with no keyring, a Store keeps secrets in
// memory, and [Store.Problem] says so.
func Open(o Options) *Store {
	return open(o, &keyringPlace{
		ring: systemRing{},
		bus:  systemBus(),
		part: partBytes,
		lock: filepath.Join(o.Dir, "locks", "keyring.lock"),
	})
}

// open is Open with a keyring.
func open(o Options, k place) *Store {
	s := &Store{log: o.Log, changed: o.Changed, locks: filepath.Join(o.Dir, "locks"), known: map[string]*secret{}, place: o.Place}
	if s.log == nil {
		s.log = zap.NewNop()
	}
	s.keyring = newLine(k, keyringSlow, s.settle)
	s.file = newLine(&filePlace{dir: o.Dir}, diskSlow, s.settle)
	s.clean()
	return s
}

// Use changes where secrets are kept. It returns at once, and reports whether that is another place, which
// has nothing of the one before.
func (s *Store) Use(p Place) (moved bool) {
	s.mu.Lock()
	if p == s.place {
		s.mu.Unlock()
		return false
	}
	was := s.line()
	s.place = p
	if moved = s.line() != was; moved {
		s.known = map[string]*secret{}
		s.calm()
	}
	s.mu.Unlock()
	s.clean()
	s.settle()
	return moved
}

// Get returns the secret name. The error is [ErrNotFound] when there is none, and [ErrUnavailable]
// when the place does not answer and memory has no copy. The caller may change the value.
func (s *Store) Get(ctx context.Context, name string) ([]byte, error) {
	if err := check(name, nil); err != nil {
		return nil, err
	}
	for {
		s.mu.Lock()
		l, e := s.line(), s.known[name]
		have := l == nil || e != nil && e.dirty
		s.mu.Unlock()
		if have {
			return e.read()
		}
		var found *secret // like failed, only read when do says that it is there
		var failed error
		err := s.use(ctx, l, func() { found, failed = s.perform(l, true, name) })
		if err == nil {
			err = failed
		}
		s.mu.Lock()
		moved, e := s.line() != l, s.known[name]
		s.mu.Unlock()
		switch {
		case moved:
			continue
		case err == nil:
			return found.read()
		case e != nil && !errors.Is(err, errDamaged):
			return e.read()
		}
		return nil, fail(ErrUnavailable, name, "cannot be read", troubleOf(err))
	}
}

// Set keeps a value, which may be empty, under a name. It returns nil once the value is kept for
// good; with the place [Memory], at once. When it cannot be kept for good, it is kept in memory and
// the error is [ErrMemoryOnly]; the Store goes on trying. With any other error it is not kept.
func (s *Store) Set(ctx context.Context, name string, value []byte) error {
	if err := check(name, value); err != nil {
		return err
	}
	t, err := s.keep(ctx, name, &secret{value: hide(bytes.Clone(value))})
	if t != nil {
		return fail(ErrMemoryOnly, name, "is kept only until the daemon ends", t)
	}
	return err
}

// Delete forgets a secret. That there is none is no error. When the place does not answer, the
// error is [ErrUnavailable]: Get no longer finds the secret, and the Store goes on trying.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := check(name, nil); err != nil {
		return err
	}
	t, err := s.keep(ctx, name, &secret{gone: true})
	if t != nil {
		return fail(ErrUnavailable, name, "is not deleted yet", t)
	}
	return err
}

// Problem returns "", or what to tell people: why secrets are forgotten when the daemon ends,
// and what to do.
func (s *Store) Problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem()
}

// Forgets reports whether what is set now is forgotten when the process ends.
func (s *Store) Forgets() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.line() == nil || s.current() != nil
}

// Format has fmt print no secrets, whatever the verb.
func (s *Store) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "secrets.Store") }

// read returns what a secret is for a caller of Get.
func (e *secret) read() ([]byte, error) {
	if e == nil || e.gone {
		return nil, ErrNotFound
	}
	return bytes.Clone(e.value()), nil
}

// check refuses what is out of bounds.
func check(name string, value []byte) error {
	switch {
	case name == "" || !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return errors.New("the name of a credential must be text")
	case len(name) > maxName:
		return fmt.Errorf("the name of a credential has %d bytes; at most %d are allowed", len(name), maxName)
	case len(value) > maxValue:
		return fmt.Errorf("the credential %q has %d bytes; at most %d are allowed", name, len(value), maxValue)
	}
	return nil
}
