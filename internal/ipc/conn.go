package ipc

import (
	"net"

	"github.com/mcp-editord/mcp-editord/internal/nowait"
)

// A Conn is one end of a connection to a daemon. It can be written to without waiting: so a message
// needs no goroutine of its own.
type Conn struct {
	*net.UnixConn
	now     *nowait.Writer // of the connection
	release func()         // makes room for another connection; may be called more than once
}

func newConn(conn *net.UnixConn, release func()) *Conn {
	return &Conn{conn, nowait.NewWriter(conn), release}
}

// TryWrite writes as much of b as the other end takes at once, and returns how much that was. When it
// takes nothing now, it returns 0, nil. It is not for use while Write runs.
func (c *Conn) TryWrite(b []byte) (n int, err error) { return c.now.Write(b) }

// Close closes the connection. It may be called more than once.
func (c *Conn) Close() error {
	defer c.release()
	return c.UnixConn.Close()
}
