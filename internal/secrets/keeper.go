package secrets

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rerun"
)

const (
	// What a caller waits for a place. A keyring that nobody has to unlock answers in milliseconds, or in
	// seconds on a busy machine.
	patience = 4 * time.Second
	// How long a keyring that has refused is left alone where using it may show a window: a server
	// that is started again and again must not cause a window each time.
	askAgain = 5 * time.Minute
	// How often a place that did not answer is tried again, without asking a person. Each time
	// takes twice as long as the one before, from retryFirst to retryMost.
	retryFirst = 2 * time.Second
	retryMost  = 5 * time.Minute
)

// A place keeps secrets for good. Its methods may take any time; all but abandon are
// called one at a time.
type place interface {
	// ready tells whether the place can be used now. With ask, it may be used although a person has to
	// be asked first.
	ready(ask bool) error
	get(name string) ([]byte, error) // the error is ErrNotFound when there is none
	set(name string, value []byte) error
	delete(name string) error // that there is none is no error
	// abandon ends an operation that nobody will ever answer. It is called while one is late.
	abandon()
}

// A keeper keeps secrets in one place, and in memory what the place does not have yet.
type keeper struct {
	place  place         // nil: in memory only
	slow   *trouble      // says that the place does not answer
	settle func()        // trouble may have come or gone; called with no lock held
	runner *rerun.Runner // runs sync

	mu       sync.Mutex         // guards the fields that follow; never held while the place is used
	idle     bool               // secrets are kept in another place
	known    map[string]*secret // by name
	wanted   map[string]bool    // the names of secrets that somebody waits for
	asked    bool               // somebody waits, and may be asked to unlock the place
	trouble  *trouble           // why the place did not do what it was last asked; nil when it did
	refused  time.Time          // when the place last refused what it may have asked a person about; zero: it did not
	again    *time.Timer        // asks the place again; nil when there is no trouble
	pause    time.Duration      // what again waits
	since    time.Time          // when the sync under way began; zero when there is none
	patience time.Duration      // how long it may take before it is late
}

// A secret is what memory has of one. It never changes, but for dirty.
type secret struct {
	value []byte
	why   error // why there is no value; nil when there is one
	dirty bool  // the place does not have it yet, or has not deleted it yet; guarded by keeper.mu
}

func newKeeper(p place, slow *trouble, settle func()) *keeper {
	k := &keeper{place: p, slow: slow, settle: settle, known: map[string]*secret{}, wanted: map[string]bool{}, patience: patience}
	k.runner = rerun.New(k.sync)
	return k
}

// get returns a secret, which the caller must not change. The error is ErrNotFound or a trouble.
func (k *keeper) get(ctx context.Context, name string) ([]byte, error) {
	k.mu.Lock()
	e := k.known[name]
	have := k.place == nil || e != nil && e.dirty
	if !have {
		k.wanted[name] = true
	}
	k.mu.Unlock()
	var t *trouble
	if !have {
		t = k.wait(ctx)
		k.mu.Lock()
		e = k.known[name] // what the place has, or a copy of before
		k.mu.Unlock()
	}
	switch {
	case e != nil:
		return e.value, e.why
	case t != nil:
		return nil, t
	}
	return nil, ErrNotFound
}

// put makes e what is kept under a name. The trouble says why the place does not have it yet.
func (k *keeper) put(ctx context.Context, name string, e *secret) *trouble {
	k.mu.Lock()
	k.known[name] = e
	k.mu.Unlock()
	if k.place == nil {
		return nil
	}
	t := k.wait(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.known[name]; now == nil || !now.dirty { // perhaps newer than e
		return nil
	}
	return t
}

// use says whether the place is used from now on. Either way the keeper begins anew.
func (k *keeper) use(is bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.idle, k.known = !is, map[string]*secret{}
	k.calm()
}

// current returns the trouble that there is now, nil for none.
func (k *keeper) current() *trouble {
	if k.isLate() {
		return k.slow
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.trouble
}

// wait has the place do what there is to do, and waits for it. The trouble says why it did not. When the caller or the
// place takes too long, the place is tried again later; while a sync is late, nobody waits.
func (k *keeper) wait(ctx context.Context) *trouble {
	if !k.isLate() {
		k.mu.Lock()
		k.asked = true
		patient, cancel := context.WithTimeout(ctx, k.patience)
		k.mu.Unlock()
		defer cancel()
		select {
		case <-k.runner.Again():
			k.mu.Lock()
			defer k.mu.Unlock()
			return k.trouble
		case <-patient.Done():
		}
	}
	k.mu.Lock()
	k.tryAgain()
	k.mu.Unlock()
	k.settle()
	return k.slow
}

// isLate reports whether the place does not answer.
func (k *keeper) isLate() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.since.IsZero() && time.Since(k.since) >= k.patience
}

// sync uses the place, and notes how it did.
func (k *keeper) sync() {
	k.mu.Lock()
	k.since = time.Now()
	names := slices.Collect(maps.Keys(k.wanted))
	clear(k.wanted)
	ask := k.asked && (k.refused.IsZero() || time.Since(k.refused) >= askAgain)
	k.asked = false
	k.mu.Unlock()
	err := k.perform(ask, names)
	k.mu.Lock()
	k.since = time.Time{}
	if err == nil {
		k.calm()
	} else {
		k.trouble = troubleOf(err)
		if ask {
			k.refused = time.Now()
		}
		k.tryAgain()
	}
	k.mu.Unlock()
	k.settle()
}

// perform reads secrets into memory, and writes what waits to be written. It ends at the first error. ask allows to ask
// a person.
func (k *keeper) perform(ask bool, names []string) error {
	if err := k.place.ready(ask); err != nil {
		return err
	}
	for _, name := range names {
		value, err := k.place.get(name)
		if !answers(err) {
			return err
		}
		k.mu.Lock()
		if e := k.known[name]; e == nil || !e.dirty {
			delete(k.known, name)
			if !errors.Is(err, ErrNotFound) {
				k.known[name] = &secret{value: value, why: err}
			}
		}
		k.mu.Unlock()
	}
	for name, e := k.next(); e != nil; name, e = k.next() {
		var err error
		if e.why != nil {
			err = k.place.delete(name)
		} else {
			err = k.place.set(name, e.value)
		}
		if err != nil {
			return err
		}
		k.mu.Lock()
		e.dirty = false
		k.mu.Unlock()
	}
	return nil
}

// next returns a secret that waits to be written; e is nil when there is none.
func (k *keeper) next() (name string, e *secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, e := range k.known {
		if e.dirty {
			return name, e
		}
	}
	return "", nil
}

// tryAgain has the place tried again after a while. The caller holds mu.
func (k *keeper) tryAgain() {
	if k.again == nil && !k.idle {
		k.pause = min(max(2*k.pause, retryFirst), retryMost)
		k.again = time.AfterFunc(k.pause, k.retry)
	}
}

// calm forgets the trouble of the place. The caller holds mu.
func (k *keeper) calm() {
	k.trouble, k.refused, k.pause = nil, time.Time{}, 0
	if k.again != nil {
		k.again.Stop()
		k.again = nil
	}
}

// retry looks whether the place answers again, without asking a person.
func (k *keeper) retry() {
	k.mu.Lock()
	k.again = nil
	k.tryAgain() // until calm
	idle := k.since.IsZero()
	k.mu.Unlock()
	switch {
	case idle:
		k.runner.Again()
	case k.isLate():
		k.place.abandon()
		k.settle()
	}
}
