package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// outgoing is one message on its way to the server.
type outgoing struct {
	line []byte
	done chan error // gets the outcome; has room for it
}

// Write sends msg. When ctx ends while the server is slow to read, Write returns
// at once; a message that is written in part still goes out whole. A server that
// takes nothing for 10 s is killed, and Read says so. After the end of
// the wire the error is a [wire.Error] of [wire.KindGone], or the one that Read returns.
func (w *conn) Write(ctx context.Context, msg wire.Message) error {
	line, err := wire.Encode(msg)
	if err != nil {
		return err
	}
	o := outgoing{line: line, done: make(chan error, 1)}
	select {
	case w.out <- o:
	case <-w.failed:
		return w.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gone is the error of a write to a wire that has ended.
func (w *conn) gone() error {
	if e, ok := errors.AsType[*wire.Error](w.failure()); ok {
		return e
	}
	return wire.Errorf(wire.KindGone, "", "the connection to the server is closed")
}

// writeAll writes the messages one after the other until the wire has ended.
func (w *conn) writeAll() {
	defer close(w.writerDone)
	for {
		select {
		case o := <-w.out:
			o.done <- w.writeLine(o.line)
		case <-w.failed:
			return
		}
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
			Message: fmt.Sprintf("the server has not read its input for %v, so it was stopped; restart it", w.limits.stall),
		})
		w.proc.Kill()
	}
	return w.gone() // else it has closed its input or ended: Read says which
}

// looks is how often a writer checks for progress in the time in which something must be read.
const looks = 10

// deadlineWriter is the writing end of a pipe.
type deadlineWriter interface {
	io.Writer
	SetWriteDeadline(time.Time) error
}

// writeSteadily writes line, however slowly it is read. The error is [os.ErrDeadlineExceeded] when
// nothing of it was read for as long as stall; that comes up to a tenth of stall late.
func writeSteadily(to deadlineWriter, line []byte, stall time.Duration) error {
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
