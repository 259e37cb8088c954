package ipc

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"

	"github.com/mcp-editord/mcp-editord/internal/nowait"
)

// What the daemon says on the socket of an editor that was handed over to it. No byte of LSP begins
// with them: a header field has a name.
const (
	wordTaken = 0 // the daemon reads and writes the editor's pipes from now on
	wordEnded = 1 // the editor has ended the session; the socket closes after it
)

// A Conn is the daemon's side of the connection of one editor. The editor is at the other end of the
// socket itself, or [Attach] is and hands it over: with one byte on the socket it sends the
// descriptors of the editor's stdin and stdout. The bytes up to that one come before what stdin has.
// From then on Conn reads stdin and writes stdout, and the socket says only that attach lives, and
// what the words above mean.
//
// Attach may hand over once, and before anything was written to the socket. Descriptors that come at
// another time or are not what they should be are closed, and end the connection.
type Conn struct {
	socket  *net.UnixConn
	now     *nowait.Writer // of socket; for TryWrite
	release func()         // makes room for another connection

	mu     sync.Mutex // guards the fields that follow
	stage  stage
	editor *editorPipes // set while stage is handed
	tail   tail         // of what was read; not kept while stage is plain
	lost   error        // why the pipes of the editor were closed before Close, nil if they were not
	eof    bool         // the editor has ended its stdin
}

// stage is what becomes of a connection.
type stage int

const (
	fresh  stage = iota // nothing was written; attach may hand over
	plain               // the editor speaks on the socket
	handed              // the editor speaks on its pipes
	closed
)

func newConn(socket *net.UnixConn, release func()) *Conn {
	return &Conn{socket: socket, now: nowait.NewWriter(socket), release: release}
}

// Read reads what the editor says. It returns io.EOF when the editor or attach is gone.
func (c *Conn) Read(b []byte) (n int, err error) {
	c.mu.Lock()
	stage, editor := c.stage, c.editor
	c.mu.Unlock()
	switch {
	case len(b) == 0:
		return 0, nil
	case stage == fresh:
		n, err = c.receive(b)
	case editor != nil:
		n, err = editor.in.Read(b)
	default:
		return c.socket.Read(b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stage == plain: // since a moment ago
	case c.lost != nil:
		return 0, c.lost
	case editor != nil && errors.Is(err, syscall.ECONNRESET): // an editor that ends without having read everything
		err = io.EOF
		fallthrough
	default:
		c.tail.add(b[:n])
		c.eof = c.eof || err == io.EOF
	}
	return n, err
}

// Write writes to the editor.
func (c *Conn) Write(b []byte) (int, error) {
	if out := c.out(); out != nil {
		return out.Write(b)
	}
	return c.socket.Write(b)
}

// TryWrite writes as much of b as the editor takes at once, and returns how much that was. It never
// waits: when the editor takes nothing now, it returns 0, nil. It is not for use while Write runs.
func (c *Conn) TryWrite(b []byte) (n int, err error) {
	if out := c.out(); out != nil {
		return out.TryWrite(b)
	}
	return c.now.Write(b)
}

// out returns the stdout of an editor that was handed over, and nil for the socket. Once something
// is written to the socket, nobody can be handed over any more.
func (c *Conn) out() *pipe {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stage == fresh {
		c.stage = plain
	}
	if c.editor == nil {
		return nil
	}
	return c.editor.out
}

// Close closes the connection, with the descriptors that were handed over. It tells attach whether
// the editor wanted that. It may be called more than once.
func (c *Conn) Close() error {
	c.mu.Lock()
	before := c.stage
	wanted := c.eof || c.tail.saidExit()
	c.stage = closed
	c.mu.Unlock()
	switch before {
	case closed:
		return nil
	case handed:
		c.editor.close() // first: when attach reads the word, nobody uses them any more
		if wanted {
			_, _ = c.socket.Write([]byte{wordEnded}) // attach may be gone
		}
	}
	defer c.release()
	return c.socket.Close()
}
