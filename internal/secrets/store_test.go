package secrets

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

const somebody = "https://mcp.example.com/mcp (user)"

// A fakePlace is a keyring that the test has in its hand.
type fakePlace struct {
	mu      sync.Mutex
	secrets map[string]string
	gate    chan struct{} // while not nil, operations wait until it is closed
	failure error         // what operations fail with
	held    bool          // it cannot be used without asking
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
	} else if f.held {
		return errHeld
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

// A stand is a Store with a fake keyring.
type stand struct {
	*Store
	fake    *fakePlace
	dir     string
	changed atomic.Int64
}

// newStand is for tests in a bubble: what the store still does when the test ends, it does in the
// folder that is removed then.
func newStand(t *testing.T, p Place) *stand {
	t.Helper()
	s := &stand{fake: newFake(), dir: privateDir(t)}
	t.Cleanup(synctest.Wait)
	s.Store = open(Options{Place: p, Dir: s.dir, Log: zap.NewNop(), Changed: func() { s.changed.Add(1) }}, s.fake)
	return s
}

func privateDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

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
	if got, err := s.Get(t.Context(), name); !errors.Is(err, want) || got != nil {
		t.Errorf("Get(%q) = %q, %v; want the error %v", name, got, err, want)
	}
}

func (s *stand) sets(t *testing.T, name, value string, want error) {
	t.Helper()
	if err := s.Set(t.Context(), name, []byte(value)); !errors.Is(err, want) {
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

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, p := range []Place{Keyring, File, Memory} {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t, p)
				s.lacks(t, "a", ErrNotFound)
				s.sets(t, "a", "1", nil)
				s.sets(t, "b", "", nil)
				s.finds(t, "a", "1")
				s.finds(t, "b", "")
				s.sets(t, "a", "2", nil)
				s.finds(t, "a", "2")
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

// What a caller does with a value afterwards changes nothing.
func TestCopies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Memory)
		value := []byte("1")
		if err := s.Set(t.Context(), "a", value); err != nil {
			t.Fatal(err)
		}
		value[0] = 'x'
		got, err := s.Get(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		got[0] = 'x'
		s.finds(t, "a", "1")
	})
}

// Another process may have changed a secret.
func TestReadsThePlaceEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Keyring)
		s.sets(t, "a", "1", nil)
		s.fake.with(func() { s.fake.secrets["a"] = "2" })
		s.finds(t, "a", "2")
		s.fake.with(func() { delete(s.fake.secrets, "a") })
		s.lacks(t, "a", ErrNotFound)
	})
}

// What waits to be written is newer than what the place has.
func TestMemoryIsNewer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Keyring)
		s.sets(t, "a", "1", nil)
		s.sets(t, "b", "1", nil)
		s.fake.with(func() { s.fake.failure = keyringLocked })
		s.sets(t, "a", "2", ErrMemoryOnly)
		if err := s.Delete(t.Context(), "b"); !errors.Is(err, ErrUnavailable) {
			t.Errorf("Delete: %v", err)
		}
		s.fake.with(func() { s.fake.failure = nil })
		s.finds(t, "a", "2")
		s.lacks(t, "b", ErrNotFound)
	})
}

// A person who said no is left alone for a while, however many ask.
func TestAsksOnce(t *testing.T) {
	t.Parallel()
	for _, held := range []bool{false, true} {
		t.Run(fmt.Sprint("held=", held), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t, Keyring)
				s.fake.held = held
				s.fake.failure = keyringLocked
				for range 10 {
					s.sets(t, "a", "1", ErrMemoryOnly)
					s.lacks(t, "b", ErrUnavailable)
				}
				time.Sleep(askAgain - time.Second)
				s.lacks(t, "b", ErrUnavailable)
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
		})
	}
}

// What is kept nowhere else is not thrown away for something new.
func TestTooMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Memory)
		for i := range maxSecrets {
			s.sets(t, fmt.Sprint(i), "1", nil)
		}
		s.sets(t, "one more", "1", errTooMany)
		s.sets(t, "1", "2", nil)
		s.finds(t, "0", "1")
		s.Use(Keyring) // where copies make room
		for i := range maxSecrets + 1 {
			s.sets(t, fmt.Sprint(i), "1", nil)
		}
		s.finds(t, "0", "1")
	})
}

func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Memory)
		long := strings.Repeat("n", maxName)
		big := strings.Repeat("v", maxValue)
		s.sets(t, long, big, nil)
		s.finds(t, long, big)
		for _, name := range []string{"", long + "n", "a\x00b", "\xff"} {
			if err := s.Set(t.Context(), name, nil); err == nil || errors.Is(err, ErrMemoryOnly) {
				t.Errorf("Set of a name of %d bytes: %v", len(name), err)
			}
			if _, err := s.Get(t.Context(), name); err == nil || errors.Is(err, ErrNotFound) {
				t.Errorf("Get of a name of %d bytes: %v", len(name), err)
			}
			if err := s.Delete(t.Context(), name); err == nil {
				t.Errorf("Delete of a name of %d bytes succeeds", len(name))
			}
			if _, err := s.Lock(t.Context(), name); err == nil {
				t.Errorf("Lock of a name of %d bytes succeeds", len(name))
			}
		}
		if err := s.Set(t.Context(), "a", []byte(big+"v")); err == nil || errors.Is(err, ErrMemoryOnly) {
			t.Errorf("Set of too large a value: %v", err)
		}
	})
}

// Values are in no error, no log and nothing that fmt prints.
func TestValuesAreNotShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const value = "hunter2-hunter2"
		core, logged := observer.New(zap.DebugLevel)
		fake := newFake()
		s := open(Options{Place: Keyring, Dir: privateDir(t), Log: zap.New(core)}, fake)
		var shown []string
		show := func(err error) {
			if err != nil {
				shown = append(shown, fmt.Sprintf("%v %+v %#v", err, err, err))
			}
		}
		show(s.Set(t.Context(), "kept", []byte(value)))
		fake.with(func() { fake.failure = errors.New("broken") })
		show(s.Set(t.Context(), "a", []byte(value)))
		_, err := s.Get(t.Context(), "b")
		show(err)
		synctest.Wait()
		show(s.Set(t.Context(), "c", []byte(strings.Repeat(value, maxValue))))
		if len(shown) != 3 {
			t.Fatalf("there were %d errors, want 3: %q", len(shown), shown)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q", "%d"} {
			for _, each := range []any{s, struct{ S *Store }{s}, []*Store{s}, reflect.ValueOf(s).Elem()} {
				shown = append(shown, fmt.Sprintf(verb, each))
			}
		}
		for _, entry := range logged.All() {
			shown = append(shown, entry.Message, fmt.Sprint(entry.ContextMap()))
		}
		if logged.Len() == 0 {
			t.Error("nothing was logged")
		}
		for _, text := range shown {
			for _, bad := range []string{value, fmt.Sprintf("%x", value), fmt.Sprint([]byte(value))} {
				if strings.Contains(text, strings.Trim(bad, "[]")) {
					t.Errorf("the value is in %q", text)
				}
			}
		}
	})
}
