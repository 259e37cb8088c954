package ipc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/filepages"
)

// lastWords is how long the daemon may go on writing after the editor is gone.
const lastWords = time.Second

// Attach bridges an editor's stdio to the daemon of p, and starts one if there is none. It adds env
// (lines of NAME=value) and umask (in octal) to the editor's initialize where they are absent, because
// servers run with the editor's environment and not with the daemon's (editor protocol, section 1).
// Everything else passes byte for byte.
//
// When the first message is initialize, and stdin and stdout are pipes or sockets, Attach hands them
// over (see [Conn]), and then only waits. Else, and for a daemon that does not know of that,
// it copies both ways until the editor ends stdin.
//
// It returns nil when stdin ends, and when the daemon closes the connection
// after exit (LSP 3.18, Exit Notification). When the daemon goes away otherwise, it
// ends the servers that the daemon may have left and returns an error.
//
// Nothing interrupts a Read of stdin: after an error, one may go on until stdin or
// the process ends.
func Attach(ctx context.Context, p Paths, stdin io.Reader, stdout io.Writer, env []string, umask string) error {
	conn, at, err := connect(ctx, p, serveCommand)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() {
		conn.CloseWrite() // wakes whoever reads or writes, as Close does, and whoever polls
		conn.CloseRead()
	})()

	offer := newOffer(stdin, stdout)
	if offer != nil {
		defer offer.restore()
	}
	up := &toDaemon{conn: conn, offer: offer, answered: make(chan bool, 1)}
	fromEditor := make(chan error, 1)
	fromDaemon := make(chan error, 1)
	go func() {
		if err := copyFromEditor(up, stdin, env, umask); err != errHandedOver {
			fromEditor <- err
		}
	}()
	go func() { fromDaemon <- up.copyToEditor(stdout) }()

	select {
	case err = <-fromEditor:
		conn.CloseWrite() // fails when the daemon is gone, and then there is nothing to tell it
		select {
		case <-fromDaemon:
		case <-time.After(lastWords):
		}
		if up.err() == nil {
			if err != nil {
				return fmt.Errorf("reading from the editor: %w", err)
			}
			return nil
		}
	case err = <-fromDaemon:
		if err == errEnded {
			return nil
		}
		if err != nil && !isReadError(err) {
			return fmt.Errorf("writing to the editor: %w", err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case up.saidExit():
		return nil
	default:
		return daemonGone(at)
	}
}

// isReadError reports whether reading from the daemon failed, and not writing to the editor.
func isReadError(err error) bool {
	op := (*net.OpError)(nil)
	return errors.As(err, &op) && op.Op == "read"
}

// daemonGone says why the connection is gone, and ends the servers of a daemon that has ended.
func daemonGone(p Paths) error {
	lock, err := acquireLock(p.LockFile(), lockPatience)
	if err == nil && lock == nil {
		return fmt.Errorf("the daemon closed the connection to this editor; the reason is in %s", p.LogFile())
	}
	if err != nil {
		return fmt.Errorf("the daemon has ended (%w); restart mcp-editord in the editor", err)
	}
	defer lock.Close()
	if _, err := reap(p); err != nil {
		return fmt.Errorf("the daemon has ended (ending its servers: %w); restart mcp-editord in the editor", err)
	}
	return fmt.Errorf("the daemon has ended: the reason is in %s or %s; restart mcp-editord in the editor", p.LogFile(), p.ErrorFile())
}

var (
	errHandedOver = errors.New("the daemon has the editor")
	errEnded      = errors.New("the editor has ended the session")
)

// toDaemon is the connection to the daemon. It remembers the end of what was written.
type toDaemon struct {
	conn     *net.UnixConn
	offer    *offer    // nil when the editor cannot be handed over
	answered chan bool // takes whether the daemon has taken the editor, with the first that it says

	mu     sync.Mutex // guards the fields that follow
	tail   tail
	failed error
}

func (t *toDaemon) Write(b []byte) (int, error) {
	// Before the write: the daemon may close as soon as it has read.
	t.mu.Lock()
	t.tail.add(b)
	t.mu.Unlock()
	n, err := t.conn.Write(b)
	return n, t.note(err)
}

// handOver writes b and offers the editor to the daemon. It returns [errHandedOver] when the daemon
// has taken it, nil when the daemon is an older one.
func (t *toDaemon) handOver(b []byte) error {
	if err := t.offer.send(t.conn, b); err != nil {
		return t.note(err)
	}
	if <-t.answered {
		return errHandedOver
	}
	return nil
}

// note remembers why writing failed.
func (t *toDaemon) note(err error) error {
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.failed = err
	}
	return err
}

// err returns why writing failed, nil if it did not.
func (t *toDaemon) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// saidExit reports whether the last frame was the exit notification.
func (t *toDaemon) saidExit() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tail.saidExit()
}

// copyToEditor copies what the daemon says to stdout, until the daemon closes the connection.
// When the daemon takes the editor, it waits for the end, and returns [errEnded] if the editor wanted it.
func (t *toDaemon) copyToEditor(stdout io.Writer) error {
	if t.offer != nil {
		word, err := t.readByte()
		t.answered <- err == nil && word == wordTaken
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case word == wordTaken:
			return t.awaitEnd()
		}
		if _, err := stdout.Write([]byte{word}); err != nil {
			return err
		}
	}
	// Without the methods of a file, so that errors of reading stay apart from those of writing.
	_, err := io.Copy(struct{ io.Writer }{stdout}, t.conn)
	return err
}

// awaitEnd waits for the end of a session that the daemon has with the editor. It returns [errEnded]
// if the editor wanted it or is gone.
func (t *toDaemon) awaitEnd() error {
	filepages.Release() // this process is only going to wait
	if t.offer.wait(t.conn) {
		return errEnded
	}
	switch word, err := t.readByte(); {
	case err == nil && word == wordEnded:
		return errEnded
	case err == io.EOF:
		return nil
	default:
		return err
	}
}

func (t *toDaemon) readByte() (byte, error) {
	b := make([]byte, 1)
	_, err := t.conn.Read(b)
	return b[0], err
}

// copyFromEditor copies from the editor to the daemon until the editor ends the
// stream, and adds env and umask to its first message. It copies what is not a frame as it
// is: the daemon refuses it and logs the reason. When the daemon takes the editor, it stops
// and returns [errHandedOver].
func copyFromEditor(to *toDaemon, from io.Reader, env []string, umask string) error {
	in := bufio.NewReader(from)
	initialize := false
	first, readErr := readFirst(in, func(body []byte) []byte {
		initialize = editorapi.IsInitialize(body)
		return editorapi.WithEnvironment(body, editorapi.Environment(env), umask)
	})
	var err error
	// Only initialize is certain to be answered, which is how an older daemon shows itself.
	if initialize && to.offer != nil {
		more, _ := in.Peek(in.Buffered())
		_, _ = in.Discard(len(more))
		err = to.handOver(append(first, more...))
	} else {
		_, err = to.Write(first)
	}
	if err != nil {
		return err
	}
	var malformed editorapi.FrameError
	switch {
	case readErr == nil, errors.As(readErr, &malformed):
		_, err := io.Copy(to, in)
		return err
	case readErr == io.EOF, readErr == io.ErrUnexpectedEOF:
		return nil
	default:
		return readErr
	}
}

// readFirst reads one frame and returns it with what edit makes of its body. With an
// error it returns the bytes that were read.
func readFirst(in *bufio.Reader, edit func(body []byte) []byte) ([]byte, error) {
	var frame editorapi.Frame
	if err := frame.Read(in); err != nil {
		return append(frame.Header, frame.Body...), err
	}
	edited := edit(frame.Body)
	if bytes.Equal(edited, frame.Body) {
		return append(frame.Header, frame.Body...), nil
	}
	return frame.WithBody(edited), nil
}
