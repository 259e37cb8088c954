package secrets

import (
	"context"
	"sync"
	"time"
)

// What a caller waits for a place. A keyring that nobody has to unlock answers in milliseconds. One
// that has not answered yet may be none at all, and whoever connects a server should not notice;
// one that has answered is worth waiting for on a busy machine.
const (
	patience      = 2 * time.Second
	patienceAfter = 10 * time.Second // after an answer, until it is late again
)

// A place keeps secrets for good. Its methods may take any time; all but abandon are
// called one at a time.
type place interface {
	// ready tells whether the place can be used now. With ask, it may be used although a person has to
	// be asked first. [errHeld] means: that cannot be known without asking.
	ready(ask bool) error
	get(name string) ([]byte, error) // the error is ErrNotFound when there is none
	set(name string, value []byte) error
	delete(name string) error // that there is none is no error
	// abandon ends an operation that nobody will ever answer. It is called while one is late.
	abandon()
}

// A line performs the operations of one place, one at a time.
type line struct {
	place place
	slow  *trouble      // says that the place does not answer
	ended func()        // an operation has ended that was late; called with no lock held
	turn  chan struct{} // has one element while no operation is under way

	mu    sync.Mutex    // guards the fields that follow; never held while an operation runs
	since time.Time     // when the operation under way began; zero when there is none
	wait  time.Duration // how long it may take before it is late
}

func newLine(p place, slow *trouble, ended func()) *line {
	l := &line{place: p, slow: slow, ended: ended, turn: make(chan struct{}, 1), wait: patience}
	l.turn <- struct{}{}
	return l
}

// do performs an operation and waits for it. When the caller or the place takes too long, it
// returns an error: an operation that has not begun is left out, and one that has goes on. While
// the one under way is late, do returns at once.
func (l *line) do(ctx context.Context, run func()) error {
	if l.isLate() {
		return l.slow
	}
	l.mu.Lock()
	wait := l.wait
	l.mu.Unlock()
	within := func(c <-chan struct{}) error {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-c:
			return nil
		case <-ctx.Done():
			return l.slow.from(ctx.Err())
		case <-timer.C:
			return l.slow
		}
	}
	if err := within(l.turn); err != nil {
		return err
	}
	return within(l.begin(run))
}

// start performs an operation that nobody waits for. It does nothing while one is under way, and reports
// whether it does.
func (l *line) start(run func()) bool {
	select {
	case <-l.turn:
		l.begin(run)
		return true
	default:
		return false
	}
}

// begin performs an operation, for who has the turn. It returns what is closed when it has run.
func (l *line) begin(run func()) <-chan struct{} {
	done := make(chan struct{})
	l.mu.Lock()
	l.since = time.Now()
	l.mu.Unlock()
	go func() {
		run()
		late := l.isLate()
		l.mu.Lock()
		if l.since, l.wait = (time.Time{}), patienceAfter; late {
			l.wait = patience
		}
		l.mu.Unlock()
		close(done)
		l.turn <- struct{}{}
		if late {
			l.ended()
		}
	}()
	return done
}

// isLate reports whether the place does not answer.
func (l *line) isLate() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.since.IsZero() && time.Since(l.since) >= l.wait
}
