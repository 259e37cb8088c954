package secrets

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// errKilled is what a killed program would not return.
var errKilled = errors.New("killed")

// A mapRing is a keyring in memory, with entries of at most limit bytes.
type mapRing struct {
	mu      sync.Mutex
	entries map[string]string
	limit   int
	left    int // changes until the program is killed; negative: it is not
}

func newMapRing() *mapRing { return &mapRing{entries: map[string]string{}, limit: partBytes, left: -1} }

func (r *mapRing) change(apply func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == 0 {
		return errKilled
	}
	r.left--
	apply()
	return nil
}

func (r *mapRing) Get(entry string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, ok := r.entries[entry]
	if !ok {
		return "", ErrNotFound
	}
	return text, nil
}

func (r *mapRing) Set(entry, text string) error {
	if len(text) > r.limit {
		return fmt.Errorf("%d bytes are too many", len(text))
	}
	return r.change(func() { r.entries[entry] = text })
}

func (r *mapRing) Delete(entry string) error {
	if _, err := r.Get(entry); err != nil {
		return err
	}
	return r.change(func() { delete(r.entries, entry) })
}

func (r *mapRing) place(t *testing.T, part int) *keyringPlace {
	r.limit = part
	return &keyringPlace{ring: r, bus: noBusNeeded{}, part: part, lock: filepath.Join(privateDir(t), "lock")}
}

type noBusNeeded struct{}

func (noBusNeeded) look(bool) error { return nil }
func (noBusNeeded) abandon()        {}

// value returns n bytes that are different each time.
func value(t *testing.T, n int) []byte {
	t.Helper()
	v := make([]byte, n)
	if _, err := rand.Read(v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Whenever a write or a deletion is killed, what is read is what was there before or what was to be
// there; and the next change leaves nothing behind.
func TestKilledWrite(t *testing.T) {
	t.Parallel()
	const part = 100
	sizes := []int{-1, 99, 100, 250} // -1: none
	for _, before := range sizes {
		for _, after := range sizes {
			for _, again := range sizes {
				name := fmt.Sprintf("%d, %d, %d", before, after, again)
				for steps := 0; ; steps++ {
					if !killAfter(t, name, part, before, after, again, steps) {
						break
					}
				}
			}
		}
	}
}

// killAfter kills a change from before to after after some steps, and then changes to again. It
// reports whether there were that many steps.
func killAfter(t *testing.T, name string, part, before, after, again, steps int) bool {
	t.Helper()
	ring := newMapRing()
	k := ring.place(t, part)
	put := func(size int) ([]byte, error) {
		if size < 0 {
			return nil, k.delete("a")
		}
		v := value(t, size)
		return v, k.set("a", v)
	}
	old, err := put(before)
	if err != nil {
		t.Fatal(err)
	}
	ring.left = steps
	fresh, _ := put(after)
	killed := ring.left == 0
	ring.left = -1

	got, err := k.get("a")
	isOld := before < 0 && errors.Is(err, ErrNotFound) || before >= 0 && err == nil && bytes.Equal(got, old)
	isNew := after < 0 && errors.Is(err, ErrNotFound) || after >= 0 && err == nil && bytes.Equal(got, fresh)
	if !isOld && !isNew {
		t.Errorf("%s, killed after %d steps: read %d bytes, %v; want what was there or what was to be", name, steps, len(got), err)
	}
	if _, err := put(again); err != nil {
		t.Fatal(err)
	}
	entries := map[int]int{-1: 0, 99: 1, 100: 2, 250: 4}[again]
	if len(ring.entries) != entries {
		t.Errorf("%s, killed after %d steps: %d entries are left, want %d", name, steps, len(ring.entries), entries)
	}
	return killed
}

// What somebody else has changed is not taken for a value, and a write repairs it.
func TestDamagedEntries(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "+", "+a", "+c 1", "+a 0", "+a -1", "+a 9999999", "+a 1 ", "+a 2", "+b 1"} {
		ring := newMapRing()
		k := ring.place(t, 100)
		ring.entries["a"] = text
		ring.entries["a #a1"] = "part"
		if got, err := k.get("a"); !errors.Is(err, errDamaged) {
			t.Errorf("read %q from %q, %v; want that it is damaged", got, text, err)
		}
		if err := k.set("a", []byte("1")); err != nil {
			t.Errorf("writing over %q: %v", text, err)
		}
		if want := map[string]string{"a": "=1"}; !maps.Equal(ring.entries, want) {
			t.Errorf("writing over %q leaves %v, want %v", text, ring.entries, want)
		}
	}
}

// A keyring that says it has kept a value, and has not.
func TestKeyringForgets(t *testing.T) {
	t.Parallel()
	for _, keeps := range []int{0, 1} {
		ring := newMapRing()
		k := ring.place(t, 100)
		k.ring = forgetful{ring, keeps}
		if err := k.set("a", []byte("1")); !errors.Is(err, errNotKept) {
			t.Errorf("keeping a value in a keyring that keeps %d bytes: %v, want %v", keeps, err, errNotKept)
		}
	}
}

// A forgetful keyring keeps the first bytes of a text.
type forgetful struct {
	*mapRing
	keeps int
}

func (f forgetful) Set(entry, text string) error {
	if f.keeps == 0 {
		return nil
	}
	return f.mapRing.Set(entry, text[:f.keeps])
}

func TestEntryOf(t *testing.T) {
	t.Parallel()
	const plainName = "https://mcp.example.com/mcp (user)"
	if got := entryOf(plainName); got != plainName {
		t.Errorf("the entry of %q is %q", plainName, got)
	}
	if got, want := entryOf("https://A.example/é\n'$(x)"), "https://A.example/___"; !strings.HasPrefix(got, want) {
		t.Errorf("the entry is %q, want one that begins with %q", got, want)
	}
	seen := map[string]string{}
	long := strings.Repeat("n", maxPlain)
	for _, name := range []string{"a", "A", "á", "a\n", "a'", `a"`, "a #a1", "a_#a1", long, long + "n", long + "m", strings.Repeat("N", 1000), entryOf("A"), entryOf(long + "n")} {
		entry := entryOf(name)
		if len(entry) > maxPlain+34 || strings.ContainsAny(entry, "\n'\"$\\`é") {
			t.Errorf("the entry of %q is %q", name, entry)
		}
		if other, ok := seen[strings.ToLower(entry)]; ok {
			t.Errorf("%q and %q have the same entry %q", name, other, entry)
		}
		seen[strings.ToLower(entry)] = name
	}
}

// A library that breaks off costs the operation, not the program.
func TestKeyringPanics(t *testing.T) {
	t.Parallel()
	k := newMapRing().place(t, 100)
	k.ring = panics{}
	if err := k.set("a", nil); err == nil || answers(err) {
		t.Errorf("Set: %v", err)
	}
	if _, err := k.get("a"); err == nil || answers(err) {
		t.Errorf("Get: %v", err)
	}
}

type panics struct{ ring }
