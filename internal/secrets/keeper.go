package secrets

import (
	"context"
	"errors"
	"sync"
	"time"
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

// A keeper keeps secrets in one place, and in memory what the place does not have yet. It has the place do
// one thing at a time.
type keeper struct {
	place  place         // nil: in memory only
	slow   *trouble      // says that the place does not answer
	settle func()        // trouble may have come or gone; called with no lock held
	turn   chan struct{} // has one element while no operation is under way

	mu       sync.Mutex         // guards the fields that follow; never held while an operation runs
	idle     bool               // secrets are kept in another place
	known    map[string]*secret // by name
	trouble  *trouble           // why the place did not do what it was last asked; nil when it did
	refused  time.Time          // when the place last refused what it may have asked a person about; zero: it did not
	again    *time.Timer        // asks the place again; nil when there is no trouble
	pause    time.Duration      // what again waits
	since    time.Time          // when the operation under way began; zero when there is none
	patience time.Duration      // how long it may take before it is late
}

// A secret is what memory has of one. It never changes, but for dirty.
type secret struct {
	value []byte
	gone  bool // it was deleted
	dirty bool // the place does not have it yet, or has not deleted it yet; guarded by keeper.mu
}

func newKeeper(p place, slow *trouble, settle func()) *keeper {
	k := &keeper{place: p, slow: slow, settle: settle, turn: make(chan struct{}, 1), known: map[string]*secret{}, patience: patience}
	k.turn <- struct{}{}
	return k
}

// get returns a secret, which the caller must not change. The error is ErrNotFound or a trouble.
func (k *keeper) get(ctx context.Context, name string) ([]byte, error) {
	k.mu.Lock()
	e := k.known[name]
	have := k.place == nil || e != nil && e.dirty
	k.mu.Unlock()
	if !have {
		err := k.do(ctx, func() error { return k.perform(true, name) })
		k.mu.Lock()
		e = k.known[name] // what the place has, or a copy of before
		k.mu.Unlock()
		if err != nil && (e == nil || errors.Is(err, errDamaged)) {
			return nil, troubleOf(err)
		}
	}
	if e == nil || e.gone {
		return nil, ErrNotFound
	}
	return e.value, nil
}

// put makes e what is kept under a name. The trouble says why the place does not have it yet.
func (k *keeper) put(ctx context.Context, name string, e *secret) *trouble {
	k.mu.Lock()
	k.known[name] = e
	k.mu.Unlock()
	if k.place == nil {
		return nil
	}
	err := k.do(ctx, func() error { return k.perform(true, "") })
	k.mu.Lock()
	defer k.mu.Unlock()
	switch now := k.known[name]; { // perhaps newer than e
	case now == nil || !now.dirty:
		return nil
	case err != nil:
		return troubleOf(err)
	}
	return k.trouble
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

// do performs an operation and waits for it. When the caller or the place takes too long, it
// returns a trouble, and the place is tried again later: an operation that has not begun is left out, and
// one that has goes on. While the one under way is late, do returns at once.
func (k *keeper) do(ctx context.Context, run func() error) error {
	err := k.slow
	if !k.isLate() {
		k.mu.Lock()
		patient, cancel := context.WithTimeout(ctx, k.patience)
		k.mu.Unlock()
		defer cancel()
		select {
		case <-k.turn:
			select {
			case err := <-k.begin(run):
				return err
			case <-patient.Done():
			}
		case <-patient.Done():
		}
	}
	k.mu.Lock()
	k.tryAgain()
	k.mu.Unlock()
	k.settle()
	return err
}

// begin performs an operation, for who has the turn. The channel has what comes of it.
func (k *keeper) begin(run func() error) <-chan error {
	done := make(chan error, 1)
	k.mu.Lock()
	k.since = time.Now()
	k.mu.Unlock()
	go func() {
		err := run()
		late := k.isLate()
		k.mu.Lock()
		k.since = time.Time{}
		k.mu.Unlock()
		done <- err
		k.turn <- struct{}{}
		if late {
			k.settle()
		}
	}()
	return done
}

// isLate reports whether the place does not answer.
func (k *keeper) isLate() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.since.IsZero() && time.Since(k.since) >= k.patience
}

// perform uses the place: it reads the secret name into memory, unless that is "", and writes what waits to
// be written. may allows to ask a person. Who calls it has the turn.
func (k *keeper) perform(may bool, name string) error {
	defer k.settle()
	k.mu.Lock()
	ask := may && (k.refused.IsZero() || time.Since(k.refused) >= askAgain)
	k.mu.Unlock()
	err := k.place.ready(ask)
	var value []byte
	if err == nil && name != "" {
		value, err = k.place.get(name)
	}
	if !answers(err) {
		return k.note(err, ask)
	}
	k.mu.Lock()
	if e := k.known[name]; name != "" && (e == nil || !e.dirty) {
		if delete(k.known, name); err == nil {
			k.known[name] = &secret{value: value}
		}
	}
	k.mu.Unlock()
	_ = k.note(k.flush(), ask)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return err
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

// flush writes what waits to be written. It ends at the first error.
func (k *keeper) flush() error {
	for name, e := k.next(); e != nil; name, e = k.next() {
		var err error
		if e.gone {
			err = k.place.delete(name)
		} else {
			err = k.place.set(name, e.value)
		}
		if err != nil {
			return err
		}
		k.mu.Lock()
		e.dirty = false // one that is gone stays known as such, until it is read
		k.mu.Unlock()
	}
	return nil
}

// note notes how the place did: err, or nil, which it returns. asked says that a person may have been asked.
func (k *keeper) note(err error, asked bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.calm()
		return nil
	}
	k.trouble = troubleOf(err)
	if asked {
		k.refused = time.Now()
	}
	k.tryAgain()
	return err
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
	k.mu.Unlock()
	select {
	case <-k.turn:
		k.begin(func() error { return k.perform(false, "") })
	default:
		if k.isLate() {
			k.place.abandon()
			k.settle()
		}
	}
}
