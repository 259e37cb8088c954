// Package nowait writes without waiting: what the other side takes at once, and no more.
package nowait

import "syscall"

// A Writer writes to one connection.
type Writer struct {
	to syscall.Conn
	system
}

// NewWriter returns a Writer to a connection that Go's poller serves, such as a net.Conn or an
// *os.File of os.Pipe.
func NewWriter(to syscall.Conn) *Writer { return &Writer{to: to} }

// Write writes as much of b as the other side takes at once, and returns how much that was. It never
// waits for the other side: when that takes nothing now, Write returns 0, nil. On Windows it always
// does.
//
// Write is for one goroutine after the other. It is not for use while another one writes to the
// connection itself: it waits for that one.
//
// The errors are those of the system's write, such as EPIPE, and that the connection is closed.
func (w *Writer) Write(b []byte) (n int, err error) { return w.write(b) }
