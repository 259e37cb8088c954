//go:build unix

package nowait

import (
	"os"
	"syscall"
)

func write(c syscall.Conn, b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		n, failed = once(int(fd), b)
		return true // whatever came of it: false would wait
	})
	if err != nil {
		return 0, err
	}
	return n, failed
}

// once is write(2) on a descriptor that does not block.
func once(fd int, b []byte) (int, error) {
	for {
		n, err := syscall.Write(fd, b)
		switch err {
		case nil:
			return n, nil
		case syscall.EINTR:
		case syscall.EAGAIN:
			return 0, nil
		default:
			return 0, os.NewSyscallError("write", err)
		}
	}
}
