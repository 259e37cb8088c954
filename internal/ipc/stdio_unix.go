//go:build unix

package ipc

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Stdio returns stdin and stdout for a program that serves on them until it ends. Where both are pipes or
// stream sockets, no thread waits in a read or a write, and what is returned for stdout also has the
// method TryWrite, which writes what the other side takes at once; else they are returned as they are.
//
// restore closes what was returned, and gives the files the flags back that they had: other
// processes may have them open too.
func Stdio(stdin io.Reader, stdout io.Writer) (in io.Reader, out io.Writer, restore func()) {
	asTheyAre := func() {}
	o := newOffer(stdin, stdout)
	if o == nil {
		return stdin, stdout, asTheyAre
	}
	from, inErr := ownPipe(o.stdin, unix.O_RDONLY)
	to, outErr := ownPipe(o.stdout, unix.O_WRONLY)
	restore = func() {
		from.Close()
		to.Close()
		o.restore()
	}
	if errors.Join(inErr, outErr) != nil {
		restore()
		return stdin, stdout, asTheyAre
	}
	return from, to, restore
}

// ownPipe is newPipe of a descriptor of our own for f.
func ownPipe(f *os.File, mode int) (p *pipe, err error) {
	err = errors.New("it is closed")
	onFD(f, func(fd int) {
		var own int
		if own, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3); err == nil { // not one of the standard ones
			p, err = newPipe(own, mode)
		}
	})
	return p, err
}
