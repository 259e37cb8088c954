package secrets

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const somebody = "https://mcp.example.com/mcp (user)"

// A fakePlace is a keyring that the test has in its hand.
type fakePlace struct {
	mu      sync.Mutex
	secrets map[string]string
	gate    chan struct{} // while not nil, operations wait until it is closed
	failure error         // what operations fail with
	asked   int           // calls of ready that may have asked a person, and did
	began   int           // operations
	working int           // operations under way
}

func newFake() *fakePlace { return &fakePlace{secrets: map[string]string{}} }

func (f *fakePlace) with(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// operation does op when the gate is open, with mu held.
func (f *fakePlace) operation(op func() error) error {
	f.mu.Lock()
	gate := f.gate
	f.began++
	f.working++
	f.mu.Unlock()
	if gate != nil {
		<-gate
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.working--
	if f.failure != nil {
		return f.failure
	}
	return op()
}

func (f *fakePlace) ready(ask bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ask {
		f.asked++
	}
	return nil
}

func (f *fakePlace) abandon() {}

func (f *fakePlace) get(name string) (value []byte, err error) {
	err = f.operation(func() error {
		v, ok := f.secrets[name]
		if !ok {
			return ErrNotFound
		}
		value = []byte(v)
		return nil
	})
	return value, err
}

func (f *fakePlace) set(name string, value []byte) error {
	return f.operation(func() error { f.secrets[name] = string(value); return nil })
}

func (f *fakePlace) delete(name string) error {
	return f.operation(func() error { delete(f.secrets, name); return nil })
}

// has fails the test unless the place has exactly these secrets.
func (f *fakePlace) has(t *testing.T, want map[string]string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !maps.Equal(f.secrets, want) {
		t.Errorf("the place has %v, want %v", f.secrets, want)
	}
}

// A stand is a Store with a fake keyring, or with a real one.
type stand struct {
	*Store
	fake    *fakePlace
	dir     string
	changed atomic.Int64
	told    chan struct{} // of a Store with a real keyring: has one after Changed was called
}

// rest has a bubble do what it still has to, also what waits for the lock of a file.
func rest() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func privateDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// errTrouble is what lacks and sets want of an error that says why a place does not answer.
var errTrouble = errors.New("any trouble")

func isTrouble(err error) bool {
	_, ok := errors.AsType[*trouble](err)
	return ok
}

// is reports whether err is the error that a test wants.
func is(err, want error) bool { return want == errTrouble && isTrouble(err) || errors.Is(err, want) }

// finds fails the test unless Get finds want.
func (s *stand) finds(t *testing.T, name, want string) {
	t.Helper()
	if got, err := s.Get(t.Context(), name); err != nil || string(got) != want {
		t.Errorf("Get(%q) = %q, %v; want %q", name, got, err, want)
	}
}

// lacks fails the test unless Get fails with want.
func (s *stand) lacks(t *testing.T, name string, want error) {
	t.Helper()
	if got, err := s.Get(t.Context(), name); !is(err, want) || got != nil {
		t.Errorf("Get(%q) = %q, %v; want the error %v", name, got, err, want)
	}
}

func (s *stand) sets(t *testing.T, name, value string, want error) {
	t.Helper()
	if err := s.Set(t.Context(), name, []byte(value)); !is(err, want) {
		t.Errorf("Set(%q) = %v, want %v", name, err, want)
	}
}

// hasProblem fails the test unless Problem has a text, and has been told changed times.
func (s *stand) hasProblem(t *testing.T, part string, changed int64) {
	t.Helper()
	got := s.Problem()
	if (part == "") != (got == "") || !strings.Contains(got, part) {
		t.Errorf("the problem is %q, want one with %q", got, part)
	}
	if n := s.changed.Load(); n != changed {
		t.Errorf("Changed was called %d times, want %d", n, changed)
	}
}

// bubble runs a test with a Store in a bubble. What the Store still does when the test ends, it does in the
// folder that is removed then.
func bubble(t *testing.T, p Place, test func(t *testing.T, s *stand)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stand{fake: newFake(), dir: privateDir(t)}
		t.Cleanup(rest)
		s.Store = open(Options{Place: p, Dir: s.dir, Changed: func() { s.changed.Add(1) }}, s.fake)
		test(t, s)
	})
}

func TestPlaces(t *testing.T) {
	for _, p := range []Place{Keyring, File, Memory} {
		t.Run(string(p), func(t *testing.T) {
			bubble(t, p, func(t *testing.T, s *stand) {
				s.lacks(t, "a", ErrNotFound)
				s.sets(t, "a", "1", nil)
				s.sets(t, "b", "", nil)
				s.finds(t, "a", "1")
				s.finds(t, "b", "")
				big := bytes.Repeat([]byte("v"), maxValue)
				s.sets(t, "a", string(big), nil)
				got, err := s.Get(t.Context(), "a")
				if err != nil || !bytes.Equal(got, big) {
					t.Errorf("Get: %d bytes, %v", len(got), err)
				}
				got[0] = 'x' // changes nothing
				if err := s.Set(t.Context(), "a", append(big, 'v')); err == nil || isTrouble(err) {
					t.Errorf("Set of too large a value: %v", err)
				}
				s.finds(t, "a", string(big))
				for range 2 { // also what is not there
					if err := s.Delete(t.Context(), "a"); err != nil {
						t.Errorf("Delete: %v", err)
					}
				}
				s.lacks(t, "a", ErrNotFound)
				s.finds(t, "b", "")
				s.hasProblem(t, "", 0)
			})
		})
	}
}

// The place is read each time, since another process may have changed a secret; but what waits to be
// written is newer than what the place has.
func TestWhichIsNewer(t *testing.T) {
	bubble(t, Keyring, func(t *testing.T, s *stand) {
		s.sets(t, "a", "1", nil)
		s.sets(t, "b", "1", nil)
		s.fake.with(func() { s.fake.secrets["a"] = "2" })
		s.finds(t, "a", "2")
		s.fake.with(func() { delete(s.fake.secrets, "a") })
		s.lacks(t, "a", ErrNotFound)
		s.fake.with(func() { s.fake.failure = keyringLocked })
		s.sets(t, "a", "3", errTrouble)
		if err := s.Delete(t.Context(), "b"); !isTrouble(err) {
			t.Errorf("Delete: %v", err)
		}
		s.fake.with(func() { s.fake.failure = nil })
		s.finds(t, "a", "3")
		s.lacks(t, "b", ErrNotFound)
	})
}

// A person who said no is left alone for a while, however many ask.
func TestAsksOnce(t *testing.T) {
	bubble(t, Keyring, func(t *testing.T, s *stand) {
		s.fake.failure = keyringLocked
		for range 10 {
			s.sets(t, "a", "1", errTrouble)
			s.lacks(t, "b", errTrouble)
		}
		time.Sleep(askAgain - time.Second)
		s.lacks(t, "b", errTrouble)
		synctest.Wait()
		if s.fake.asked != 1 {
			t.Errorf("asked %d times, want once", s.fake.asked)
		}
		s.fake.with(func() { s.fake.failure = nil })
		time.Sleep(time.Second)
		s.lacks(t, "b", ErrNotFound)
		s.hasProblem(t, "", 2)
		s.fake.has(t, map[string]string{"a": "1"})
	})
}
