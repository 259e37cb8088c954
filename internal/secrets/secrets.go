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
//   - No value is in a log or in an error.
package secrets

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/zalando/go-keyring"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/rerun"
)

// A Place is where secrets are kept.
type Place string

// The places.
const (
	Default Place = ""        // the keyring, though nobody has said so: a file of before stays where it is
	Keyring Place = "keyring" // of the system: Secret Service, Keychain, Credential Manager
	File    Place = "file"    // a file that only this user can read, in clear
	Memory  Place = "memory"  // until the process ends
)

// maxValue bounds the bytes of a value.
const maxValue = 64 << 10

var (
	// ErrNotFound means that there is no secret of that name.
	ErrNotFound = keyring.ErrNotFound
	// ErrNoKeyring is within an error where there is no keyring at all, rather than one that does not answer or is
	// locked.
	ErrNoKeyring = errors.New("there is no keyring")
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
	log     *zap.Logger
	changed func()
	locks   string            // the folder of the locks of names
	keepers map[Place]*keeper // of all places but Default
	file    *filePlace
	cleaner *rerun.Runner // runs clean

	mu    sync.Mutex // guards the fields that follow; comes before the locks of keepers
	place Place
	stray error  // why a file with secrets in clear is still there; nil when none is
	told  string // the problem that Changed was last called for
}

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

// open is Open with the place of a keyring.
func open(o Options, ring place) *Store {
	s := &Store{
		log: cmp.Or(o.Log, zap.NewNop()), changed: o.Changed,
		locks: filepath.Join(o.Dir, "locks"), file: &filePlace{dir: o.Dir}, place: o.Place,
	}
	s.keepers = map[Place]*keeper{
		Keyring: newKeeper(ring, keyringSlow, s.settle),
		File:    newKeeper(s.file, diskSlow, s.settle),
		Memory:  newKeeper(nil, nil, s.settle),
	}
	s.cleaner = rerun.New(s.clean)
	s.cleaner.Again()
	return s
}

// at returns who keeps secrets in a place. The configuration has refused all other words.
func (s *Store) at(p Place) *keeper { return s.keepers[cmp.Or(p, Keyring)] }

// now returns who keeps secrets now.
func (s *Store) now() *keeper {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at(s.place)
}

// Use changes where secrets are kept. It returns at once, and reports whether that is another place, which
// has nothing of the one before.
func (s *Store) Use(p Place) (moved bool) {
	s.mu.Lock()
	was, same := s.place, s.place == p
	s.place = p
	s.mu.Unlock()
	if same {
		return false
	}
	if moved = s.at(was) != s.at(p); moved {
		s.at(was).use(false)
		s.at(p).use(true)
	}
	s.cleaner.Again()
	s.settle()
	return moved
}

// clean deletes what killed writes have left in clear, and the file where somebody has said that another place is
// to be used.
func (s *Store) clean() {
	err := s.file.clean(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.place != File && s.place != Default
	})
	s.mu.Lock()
	s.stray = err
	s.mu.Unlock()
	s.settle()
}

// Get returns the secret name. The error is [ErrNotFound] when there is none. When the place does not answer and memory
// has no copy, it says why, and what to do. The caller may change the value.
func (s *Store) Get(ctx context.Context, name string) ([]byte, error) {
	value, err := s.now().get(ctx, name)
	if t, ok := errors.AsType[*trouble](err); ok {
		return nil, fmt.Errorf("the credential %q cannot be read, because %w", name, t)
	}
	return bytes.Clone(value), err
}

// Set keeps a value, which may be empty, under a name. It returns nil once the value is kept for
// good; with the place [Memory], at once. When it cannot be kept for good, it is kept in memory, the
// error says why and what to do, and the Store goes on trying. A value that is too large is not kept at all.
func (s *Store) Set(ctx context.Context, name string, value []byte) error {
	if len(value) > maxValue {
		return fmt.Errorf("the credential %q has %d bytes; at most %d are allowed", name, len(value), maxValue)
	}
	if t := s.now().put(ctx, name, &secret{value: bytes.Clone(value), dirty: true}); t != nil {
		return fmt.Errorf("the credential %q is kept only until the daemon ends, because %w", name, t)
	}
	return nil
}

// Delete forgets a secret. That there is none is no error. When the place does not answer, the
// error says why: Get no longer finds the secret, and the Store goes on trying.
func (s *Store) Delete(ctx context.Context, name string) error {
	if t := s.now().put(ctx, name, &secret{why: ErrNotFound, dirty: true}); t != nil {
		return fmt.Errorf("the credential %q is not deleted yet, because %w", name, t)
	}
	return nil
}

// Problem returns "", or what to tell people: why secrets are forgotten when the daemon ends or stay
// in clear, and what to do.
func (s *Store) Problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem()
}

// problem is Problem for who holds mu.
func (s *Store) problem() string {
	if t := s.at(s.place).current(); t != nil {
		return fmt.Sprintf("credentials are forgotten when the daemon ends, because %v", t)
	}
	if s.stray != nil {
		return fmt.Sprintf("credentials stay in clear, because %v", s.stray)
	}
	return ""
}

// Forgets reports whether what is set now is forgotten when the process ends.
func (s *Store) Forgets() bool {
	k := s.now()
	return k.place == nil || k.current() != nil
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
