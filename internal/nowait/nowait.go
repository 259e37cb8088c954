// Package nowait writes without waiting: what the other side takes at once, and no more.
package nowait

import "syscall"

// Write writes as much of b to c as it takes at once, and returns how much that was. It never waits
// for the other side: when c takes nothing now, it returns 0, nil. On Windows it always does.
//
// c must be one that Go's poller serves, such as a net.Conn or an *os.File of os.Pipe. Write is not
// for use while another goroutine writes to c: it waits for that one.
//
// The errors are those of the system's write, such as EPIPE, and that c is closed.
func Write(c syscall.Conn, b []byte) (n int, err error) { return write(c, b) }
