package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// outgoing is one message on its way to the server.
type outgoing struct {
	line []byte
	done chan error // gets what became of it; has room for it
}

// Write sends msg. When ctx ends while the server is slow to read, Write returns
// at once; a message of which a part is written goes out whole nevertheless. A
// server that takes nothing for 10 s is killed, and Read tells so. After the end of
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

// writeLine writes one line, however slowly the server reads, as long as it does.
func (w *conn) writeLine(line []byte) error {
	for {
		_ = w.stdin.SetWriteDeadline(time.Now().Add(w.limits.stall))
		n, err := w.stdin.Write(line)
		line = line[n:]
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return w.gone() // it has closed its input or ended: Read says which
		case n == 0:
			w.fail(&wire.Error{
				Kind:    wire.KindUnresponsive,
				Message: fmt.Sprintf("the server has not read its input for %v, so it was stopped; restart it", w.limits.stall),
			})
			w.proc.Kill()
			return w.gone()
		}
	}
}
