package ipc

import (
	"net"

	"github.com/mcp-editord/mcp-editord/internal/nowait"
)

// dialed is a connection to the daemon that can be written to without waiting, as the daemon's own
// side can: so a message needs no goroutine of its own.
type dialed struct {
	*net.UnixConn
	now *nowait.Writer // of the connection
}

func newDialed(conn *net.UnixConn) *dialed { return &dialed{conn, nowait.NewWriter(conn)} }

// TryWrite writes as much of b as the daemon takes at once, and returns how much that was. When it takes
// nothing now, it returns 0, nil. It is not for use while Write runs.
func (c *dialed) TryWrite(b []byte) (n int, err error) { return c.now.Write(b) }
