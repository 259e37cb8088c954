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

// A line performs the operations of one place, one after the other, on a goroutine that is there
// while there is something to do.
type line struct {
	place place
	slow  *trouble // says that the place does not answer
	moved func()   // late has changed; called with no lock held

	mu      sync.Mutex // guards the fields that follow; never held while a job runs
	queue   []*job     // those that somebody waits for, and at most a few others
	running bool       // a goroutine works on the queue
	since   time.Time  // when the job under way began; zero when there is none
	late    bool       // the job under way takes longer than wait
	wait    time.Duration
}

// A job is one operation.
type job struct {
	run  func() (answered bool)
	done chan struct{} // closed when it has run
}

func newLine(p place, slow *trouble, moved func()) *line {
	return &line{place: p, slow: slow, moved: moved, wait: patience}
}

// do performs an operation and waits for it. When the caller or the place takes too long, it
// returns an error: an operation that has not begun is left out, and one that has goes on. While
// the one under way is late, do returns at once.
func (l *line) do(ctx context.Context, run func() (answered bool)) error {
	j := &job{run: run, done: make(chan struct{})}
	wait, ok := l.add(j)
	if !ok {
		return l.slow
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		l.drop(j)
		return l.slow.from(ctx.Err())
	case <-timer.C:
		l.drop(j)
		l.overdue() // so the line is late when its caller says so
		return l.slow
	}
}

// start performs an operation that nobody waits for. It does nothing while the one under way is late,
// and reports whether it does.
func (l *line) start(run func() (answered bool)) bool {
	_, ok := l.add(&job{run: run, done: make(chan struct{})})
	return ok
}

// isLate reports whether the place does not answer.
func (l *line) isLate() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.late
}

// add puts a job in the queue, unless the line is late. It returns how long to wait for it.
func (l *line) add(j *job) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.late {
		return 0, false
	}
	l.queue = append(l.queue, j)
	if !l.running {
		l.running = true
		go l.work()
	}
	return l.wait, true
}

// drop takes a job out of the queue, if it has not begun.
func (l *line) drop(j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, queued := range l.queue {
		if queued == j {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			return
		}
	}
}

// work runs the jobs of the queue until there is none.
func (l *line) work() {
	for {
		l.mu.Lock()
		if len(l.queue) == 0 {
			l.running = false
			l.mu.Unlock()
			return
		}
		j := l.queue[0]
		l.queue = l.queue[1:]
		l.since = time.Now()
		overdue := time.AfterFunc(l.wait, l.overdue)
		l.mu.Unlock()

		answered := j.run()

		overdue.Stop()
		l.mu.Lock()
		was := l.late
		l.late, l.since = false, time.Time{}
		close(j.done)
		switch {
		case was:
			l.wait = patience
		case answered:
			l.wait = patienceAfter
		}
		l.mu.Unlock()
		if was {
			l.moved()
		}
	}
}

// overdue notes it when the job under way takes too long.
func (l *line) overdue() {
	l.mu.Lock()
	is := !l.late && !l.since.IsZero() && time.Since(l.since) >= l.wait
	l.late = l.late || is
	l.mu.Unlock()
	if is {
		l.moved()
	}
}
