//go:build unix

package ipc

import (
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// offer is an editor whose stdin and stdout can be handed over to the daemon: see [Conn].
type offer struct {
	stdin, stdout *os.File
	flags         [2]int // of their files, as they were before
}

// newOffer returns nil when stdin or stdout is neither a pipe nor a stream socket.
func newOffer(stdin io.Reader, stdout io.Writer) *offer {
	o := &offer{}
	var isIn, isOut bool
	o.stdin, isIn = stdin.(*os.File)
	o.stdout, isOut = stdout.(*os.File)
	if !isIn || !isOut {
		return nil
	}
	for i, f := range o.files() {
		var err error
		onFD(f, func(fd int) {
			if _, err = isSocket(fd); err == nil {
				o.flags[i], err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			}
		})
		if err != nil {
			return nil
		}
	}
	return o
}

func (o *offer) files() [2]*os.File { return [2]*os.File{o.stdin, o.stdout} }

// send writes b, which is not empty, and lets the descriptors go with its last byte.
func (o *offer) send(to *net.UnixConn, b []byte) error {
	last := len(b) - 1
	if _, err := to.Write(b[:last]); err != nil {
		return err
	}
	var err error
	onFD(o.stdin, func(in int) {
		onFD(o.stdout, func(out int) {
			_, _, err = to.WriteMsgUnix(b[last:], unix.UnixRights(in, out), nil)
		})
	})
	return err
}

// wait returns when the daemon says something or is gone, or [lastWords] after the editor is: then
// it returns true. It reads nothing of either.
func (o *offer) wait(daemon *net.UnixConn) (editorGone bool) {
	raw, err := daemon.SyscallConn()
	if err != nil {
		return false // it is closed
	}
	onFD(o.stdin, func(in int) {
		_ = raw.Control(func(fd uintptr) { // it is closed, or what follows runs
			both := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(in)}}
			poll(both, -1)
			if editorGone = both[1].Revents != 0; editorGone {
				poll(both[:1], int(lastWords.Milliseconds()))
			}
		})
	})
	return editorGone
}

// poll is poll(2), but for EINTR. Whoever reads finds out about other errors.
func poll(fds []unix.PollFd, milliseconds int) {
	for {
		if _, err := unix.Poll(fds, milliseconds); err != unix.EINTR {
			return
		}
	}
}

// restore gives the files the flags back that they had, as far as the daemon may have changed them.
func (o *offer) restore() {
	for i, f := range o.files() {
		onFD(f, func(fd int) { _ = unix.SetNonblock(fd, o.flags[i]&unix.O_NONBLOCK != 0) }) // a file that is closed needs none
	}
}

// onFD calls do with the descriptor of f, unless f is closed.
func onFD(f *os.File, do func(fd int)) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { do(int(fd)) })
}
