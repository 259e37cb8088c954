package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/nowait"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxKeptLine is how many bytes of memory for lines are kept from one write to the next.
const maxKeptLine = 64 << 10

// outgoing is what is being written to the server. It is for one message after the other: see
// [wire.Wire].
type outgoing struct {
	now  *nowait.Writer // of stdin
	line []byte         // what was written last; reused while nobody writes the rest of it
	rest chan struct{}  // closed when the rest of the line is written, or never will be; nil when there is none
	err  error          // why not; set before rest is closed
}

// Write sends msg. When ctx ends while the server is slow to read, Write returns
// at once; a message that is written in part still goes out whole. A server that
// takes nothing for 10 s is killed, and Read says so. After the end of
// the wire the error is a [wire.Error] of [wire.KindGone], or the one that Read returns.
func (w *conn) Write(ctx context.Context, msg wire.Message) error {
	if err := w.flushed(ctx); err != nil {
		return err
	}
	line, err := wire.Append(w.out.line[:0], msg)
	if err != nil {
		return err
	}
	w.start(line)
	return w.flushed(ctx)
}

// TryWrite implements [wire.Wire].
func (w *conn) TryWrite(batch ...wire.Message) bool {
	if w.failure() != nil || w.out.rest != nil && !closed(w.out.rest) || w.out.err != nil {
		return false
	}
	w.out.rest = nil
	lines := w.out.line[:0]
	for _, m := range batch {
		var err error
		if lines, err = wire.Append(lines, m); err != nil {
			return false
		}
	}
	w.start(lines)
	return true
}

// start writes what the server takes of line at once, and the rest on a goroutine. Nothing is being
// written.
func (w *conn) start(line []byte) {
	n, err := w.out.now.Write(line)
	if err == nil && n == len(line) {
		w.out.line = line[:0]
		if cap(line) > maxKeptLine {
			w.out.line = nil
		}
		return
	}
	// The pipe may have broken: the writer of the rest finds out.
	rest := make(chan struct{})
	w.out.line, w.out.rest = nil, rest
	if !w.spawn(func() {
		w.out.err = w.writeLine(line[n:])
		close(rest)
	}) {
		w.out.err = wire.Gone(w.failure())
		close(rest)
	}
}

// spawn runs f on a goroutine that Close waits for, unless the wire has ended.
func (w *conn) spawn(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure() != nil {
		return false
	}
	w.writing.Go(f)
	return true
}

// flushed returns when the last message is written.
func (w *conn) flushed(ctx context.Context) error {
	if w.out.rest == nil {
		return nil
	}
	select {
	case <-w.out.rest:
		if w.out.err == nil {
			w.out.rest = nil
		}
		return w.out.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// writeLine writes one line, and kills a server that has stopped reading.
func (w *conn) writeLine(line []byte) error {
	err := writeSteadily(w.stdin, line, w.limits.stall)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.fail(&wire.Error{
			Kind:    wire.KindUnresponsive,
			Message: fmt.Sprintf("the server has not read its input for %s, so it was stopped; restart it", wire.Span(w.limits.stall)),
		})
		w.proc.Kill()
	}
	return wire.Gone(w.failure()) // else it has closed its input or ended: Read says which
}

// looks is how often a writer checks for progress in the time in which something must be read.
const looks = 10

// deadlineWriter is the writing end of a pipe.
type deadlineWriter interface {
	io.Writer
	SetWriteDeadline(time.Time) error
}

// writeSteadily writes line, however slowly it is read. The error is [os.ErrDeadlineExceeded] when
// nothing of it was read for as long as stall; that comes up to a tenth of stall late. It leaves no
// deadline behind: one that has passed would fail every write that does not wait.
func writeSteadily(to deadlineWriter, line []byte, stall time.Duration) error {
	defer func() { _ = to.SetWriteDeadline(time.Time{}) }()
	for read := time.Now(); ; {
		_ = to.SetWriteDeadline(time.Now().Add(stall / looks))
		n, err := to.Write(line)
		if n > 0 {
			line, read = line[n:], time.Now()
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(read) >= stall {
			return err
		}
	}
}
