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
	"syscall"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/filepages"
)

// lastWords is how long the daemon may go on writing after the editor is gone.
const lastWords = time.Second

const maxExit = 512 // bytes of a frame that may be the exit notification

// Attach bridges an editor's stdio to the daemon of p, and starts one if there is none. It adds env
// (lines of NAME=value) and umask (in octal) to the editor's initialize where they are absent, because
// servers run with the editor's environment and not with the daemon's (editor protocol, section 1).
// Everything else passes byte for byte.
//
// It returns nil when the editor ends stdin or is gone, and when the daemon closes the connection
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
	defer context.AfterFunc(ctx, func() { conn.Close() })()

	up := &toDaemon{conn: conn}
	fromEditor := make(chan error, 1)
	fromDaemon := make(chan error, 1)
	go func() { fromEditor <- copyFromEditor(up, stdin, env, umask) }()
	go func() {
		// Without the methods of a file, so that errors of reading stay apart from those of writing.
		_, err := io.Copy(struct{ io.Writer }{stdout}, conn)
		fromDaemon <- err
	}()

	select {
	case err = <-fromEditor:
		conn.CloseWrite() // fails when the daemon is gone, and then there is nothing to tell it
		select {
		case <-fromDaemon:
		case <-time.After(lastWords):
		}
		if !isConnError(err, "write") {
			if err != nil && !isGone(err) {
				return fmt.Errorf("reading from the editor: %w", err)
			}
			return nil
		}
	case err = <-fromDaemon:
		switch {
		case err == nil, isConnError(err, "read"):
		case isGone(err):
			return nil
		default:
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

// isConnError reports whether op failed on the connection to the daemon, and not on the editor's pipes.
func isConnError(err error, op string) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == op
}

// isGone reports whether an error of the editor's pipes means that it has ended.
func isGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
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
	defer lock.Close() // until then no daemon lives whose servers carry the same name
	if _, err := p.ServerOwner().Reap(); err != nil {
		return fmt.Errorf("the daemon has ended (ending its servers: %w); restart mcp-editord in the editor", err)
	}
	return fmt.Errorf("the daemon has ended: the reason is in %s or %s; restart mcp-editord in the editor", p.LogFile(), p.ErrorFile())
}

// toDaemon is the connection to the daemon. It remembers the end of what was written.
type toDaemon struct {
	conn net.Conn

	mu   sync.Mutex // guards tail
	tail []byte     // of what was written: maxExit bytes at most
}

func (t *toDaemon) Write(b []byte) (int, error) {
	// Before the write: the daemon may close as soon as it has read.
	t.mu.Lock()
	tail := append(t.tail, b[max(0, len(b)-maxExit):]...)
	t.tail = tail[:copy(tail, tail[max(0, len(tail)-maxExit):])]
	t.mu.Unlock()
	return t.conn.Write(b)
}

// saidExit reports whether the last frame was the exit notification.
func (t *toDaemon) saidExit() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := bytes.LastIndex(t.tail, []byte("\r\n\r\n"))
	return end >= 0 && editorapi.IsExit(t.tail[end+4:])
}

// copyFromEditor copies from the editor to the daemon until the editor ends the
// stream, and adds env and umask to its first message. It copies what is not a frame as it
// is: the daemon refuses it and logs the reason.
func copyFromEditor(to io.Writer, from io.Reader, env []string, umask string) error {
	in := bufio.NewReader(from)
	first, readErr := readFirst(in, env, umask)
	if _, err := to.Write(first); err != nil {
		return err
	}
	filepages.Release() // of what only the start needed
	switch {
	case readErr == nil, errors.As(readErr, new(editorapi.FrameError)):
		_, err := io.Copy(to, in)
		return err
	case readErr == io.EOF, readErr == io.ErrUnexpectedEOF:
		return nil
	default:
		return readErr
	}
}

// readFirst reads one frame and returns it with env and umask. With an error it returns the bytes that
// were read.
func readFirst(in *bufio.Reader, env []string, umask string) ([]byte, error) {
	var frame editorapi.Frame
	if err := frame.Read(in); err != nil {
		return append(frame.Header, frame.Body...), err
	}
	edited := editorapi.WithEnvironment(frame.Body, editorapi.Environment(env), umask)
	if bytes.Equal(edited, frame.Body) {
		return append(frame.Header, frame.Body...), nil
	}
	return editorapi.Sealed(edited), nil
}
