//go:build unix

package ipc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipe is a pipe or a stream socket that other processes have open too. They may change what they
// share with us, its flags, and that must not make us wait: see newPipe.
type pipe struct {
	f      *os.File
	raw    syscall.RawConn
	socket bool // each read and write says itself that it must not wait
}

// newPipe makes a pipe of fd, which mode, O_RDONLY or O_WRONLY, says the use of. It owns fd, also
// when it fails.
//
// Go's poller wants O_NONBLOCK, which is not a property of fd but of what all the processes share.
// On Linux a pipe is opened a second time, and a socket has the flag only while the poller looks.
// Elsewhere, and for the pipes of another user, attach puts the flag back in the end.
func newPipe(fd, mode int) (*pipe, error) {
	p, err := openPipe(fd, mode)
	if err != nil {
		return nil, err
	}
	if err := p.f.SetDeadline(time.Time{}); err != nil {
		p.Close()
		return nil, fmt.Errorf("watching descriptor %d: %w", fd, err)
	}
	return p, nil
}

// openPipe is newPipe without a look at whether the poller took the pipe.
func openPipe(fd, mode int) (*pipe, error) {
	socket, err := isSocket(fd)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil && flags&unix.O_ACCMODE != mode && flags&unix.O_ACCMODE != unix.O_RDWR {
		err = errors.New("it is open for the other direction")
	}
	if err == nil && !socket {
		fd = reopen(fd, mode)
	}
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("descriptor %d: %w", fd, err)
	}
	f := os.NewFile(uintptr(fd), "an editor's pipe")
	if socket && sendsNow && flags&unix.O_NONBLOCK == 0 {
		err = unix.SetNonblock(fd, false)
	}
	raw, rawErr := f.SyscallConn()
	if err := errors.Join(err, rawErr); err != nil {
		f.Close()
		return nil, err
	}
	return &pipe{f: f, raw: raw, socket: socket}, nil
}

// isSocket reports whether fd is a stream socket. It fails when fd is not a pipe either.
func isSocket(fd int) (bool, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return false, fmt.Errorf("looking at descriptor %d: %w", fd, err)
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return false, nil
	case unix.S_IFSOCK:
		kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
		if err == nil && kind == unix.SOCK_STREAM {
			return true, nil
		}
	}
	return false, fmt.Errorf("descriptor %d is neither a pipe nor a stream socket", fd)
}

func (p *pipe) Read(b []byte) (n int, err error) {
	var failed error
	err = p.raw.Read(func(fd uintptr) bool {
		n, failed = p.readOnce(int(fd), b)
		return failed != unix.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, os.NewSyscallError("read", failed)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (p *pipe) Write(b []byte) (written int, err error) {
	var failed error
	err = p.raw.Write(func(fd uintptr) bool {
		for written < len(b) && failed == nil {
			n, err := p.writeOnce(int(fd), b[written:])
			if err == unix.EAGAIN {
				return false
			}
			written, failed = written+n, err
		}
		return true
	})
	if err == nil && failed != nil {
		err = os.NewSyscallError("write", failed)
	}
	return written, err
}

// TryWrite is Write of what is taken at once.
func (p *pipe) TryWrite(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	var failed error
	err = p.raw.Write(func(fd uintptr) bool {
		n, failed = p.writeOnce(int(fd), b)
		return true
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil && failed != unix.EAGAIN:
		return 0, os.NewSyscallError("write", failed)
	}
	return n, nil
}

// readOnce is read(2), but for EINTR.
func (p *pipe) readOnce(fd int, b []byte) (n int, err error) {
	for {
		if p.socket {
			n, _, err = unix.Recvfrom(fd, b, unix.MSG_DONTWAIT)
		} else {
			n, err = unix.Read(fd, b)
		}
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// writeOnce is write(2), but for EINTR.
func (p *pipe) writeOnce(fd int, b []byte) (n int, err error) {
	for {
		if p.socket {
			n, err = unix.SendmsgN(fd, b, nil, nil, unix.MSG_DONTWAIT)
		} else {
			n, err = unix.Write(fd, b)
		}
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// Close closes the pipe and ends what waits for it. It may be called more than once, and on nil.
func (p *pipe) Close() {
	if p != nil {
		p.f.Close()
	}
}
