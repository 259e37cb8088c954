package stdio

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// conn is the [wire.Wire] of a [Dialer].
//
// Goroutines: supervise and the reader of stderr end when the process has ended. Reading and
// writing are done by whoever calls Read and Write; what the server does not take at once is
// written by a goroutine, which ends with the pipe. The
// file descriptors are released by Close, which must be called.
type conn struct {
	proc   *procgroup.Process
	log    wire.LogSink
	limits *limits

	stdin, stdout, stderr *os.File

	out     outgoing
	writing sync.WaitGroup // the goroutine that writes the rest of a line; none begins after life

	// reading is held by Read, and by Close once nothing is read any more. It guards
	// what follows.
	reading sync.Mutex
	lines   *wire.LineReader
	batch   []wire.Message // of the frame read last
	taken   int            // how many of them were returned
	badRun  int            // frames in a row that are no messages
	bad     string         // the first of them

	ended chan struct{} // closed when the process has ended and stderr is read

	// life ends with the wire, and its cause is why. mu is held where that is decided.
	mu   sync.Mutex
	life context.Context
	end  context.CancelCauseFunc

	closing sync.Once
}

// Read returns the next message. After Close and Kill the error is io.EOF.
func (w *conn) Read() (wire.Message, error) {
	w.reading.Lock()
	defer w.reading.Unlock()
	for w.taken == len(w.batch) {
		w.batch, w.taken = w.batch[:0], 0
		frame, err := w.lines.Next()
		if err := w.failure(); err != nil {
			return nil, err // the frame may be half of one
		}
		if err == nil {
			w.take(frame)
		} else if tooLong, ok := errors.AsType[*wire.TooLong](err); ok {
			w.skipped(tooLong)
		} else {
			return nil, w.over()
		}
	}
	if err := w.failure(); err != nil {
		return nil, err
	}
	msg := w.batch[w.taken]
	w.batch[w.taken] = nil
	w.taken++
	return msg, nil
}

// Ready implements [wire.Wire].
func (w *conn) Ready() bool {
	w.reading.Lock()
	defer w.reading.Unlock()
	return w.taken < len(w.batch) || w.lines.Ready()
}

// over returns the final error of a wire whose standard output has ended.
func (w *conn) over() error {
	message := "the server closed its standard output and kept running, so it was stopped; see its log"
	select {
	case <-w.life.Done():
		return w.failure()
	case <-w.ended:
		message = "the server " + w.proc.Exit() + "; see its log"
	case <-time.After(w.limits.linger):
	}
	w.fail(&wire.Error{Kind: wire.KindExit, Message: message})
	w.proc.Kill()
	return w.failure()
}

// fail ends the wire for err, unless it has ended already, and wakes Read.
func (w *conn) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure() != nil {
		return
	}
	w.end(err)
	_ = w.stdout.SetReadDeadline(time.Unix(1, 0))
}

// failure returns why the wire has ended, nil while it has not.
func (w *conn) failure() error { return context.Cause(w.life) }

// supervise waits for the end of the process. A process that escaped it may still hold
// the pipes open, so from then on reading has a time limit.
func (w *conn) supervise() {
	defer close(w.ended)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		w.readStderr()
	}()
	<-w.proc.Done()
	end := time.Now().Add(w.limits.drain)
	w.mu.Lock()
	if w.failure() == nil { // else the limit is over already
		_ = w.stdout.SetReadDeadline(end)
	}
	w.mu.Unlock()
	_ = w.stderr.SetReadDeadline(end)
	<-drained
}

// Close ends the server in steps: its standard input is closed, its group gets
// SIGTERM, then SIGKILL (MCP 2025-11-25, Lifecycle, Shutdown, stdio). It always returns nil.
func (w *conn) Close() error {
	w.fail(io.EOF)
	w.closing.Do(func() {
		_ = w.stdin.Close()
		discarded := make(chan struct{})
		go func() {
			defer close(discarded)
			w.discardStdout()
		}()
		if !w.endedWithin(w.limits.grace) {
			_ = w.proc.Signal(syscall.SIGTERM)
			if !w.endedWithin(w.limits.grace) {
				w.proc.Kill()
				if !w.endedWithin(w.limits.linger + w.limits.drain) {
					w.log.Line(wire.LogDaemon, "the process cannot be ended, because the operating system does not let it go")
				}
			}
		}
		// Nothing that still holds the pipes can be reached.
		_ = w.stdout.Close()
		_ = w.stderr.Close()
		<-discarded
		w.writing.Wait()
	})
	return nil
}

// Kill ends the server at once. Close is still needed to release the rest.
func (w *conn) Kill() {
	w.fail(io.EOF)
	w.proc.Kill()
}

// endedWithin waits for the end of the process.
func (w *conn) endedWithin(d time.Duration) bool {
	select {
	case <-w.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// discardStdout reads what the server still writes, because a server that blocks in
// writing does not see the end of its input. The wire has failed, so no Read comes in
// between.
func (w *conn) discardStdout() {
	w.reading.Lock()
	defer w.reading.Unlock()
	w.lines.Abandon()
	_ = w.stdout.SetReadDeadline(time.Time{})
	_, _ = io.Copy(io.Discard, w.stdout)
}

// PID returns the id of the server's process.
func (w *conn) PID() int { return w.proc.PID() }

// Streamable implements [wire.Wire].
func (w *conn) Streamable() bool { return false }
