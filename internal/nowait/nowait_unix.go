//go:build unix

package nowait

import (
	"os"
	"syscall"
)

// system is what a [Writer] has on this system. It keeps what each write would otherwise allocate.
type system struct {
	raw   syscall.RawConn
	once  func(fd uintptr) (over bool) // tryOnce of the Writer; nil before the first write
	b     []byte                       // what is being written; nil between writes
	n     int
	wrong error
}

func (w *Writer) write(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	if w.once == nil {
		if w.raw, err = w.to.SyscallConn(); err != nil {
			return 0, err
		}
		w.once = w.tryOnce
	}
	w.b, w.n, w.wrong = b, 0, nil
	err = w.raw.Write(w.once)
	w.b = nil
	if err != nil {
		return 0, err
	}
	return w.n, w.wrong
}

// tryOnce is write(2) on a descriptor that does not block.
func (w *Writer) tryOnce(fd uintptr) (over bool) {
	for {
		n, err := syscall.Write(int(fd), w.b)
		switch err {
		case nil:
			w.n = n
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
		default:
			w.wrong = os.NewSyscallError("write", err)
		}
		return true // whatever came of it: false would wait
	}
}
