package procgroup

import (
	"encoding/binary"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// setDeathSignal does nothing: macOS has no such thing. A child reads the end of
// its standard input when its owner dies, and [Reap] finds those that do not care.
func setDeathSignal(*syscall.SysProcAttr) {}

// awaitExit returns when the child has ended, and leaves it to be waited for.
func awaitExit(pid int) error {
	queue, err := unix.Kqueue()
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(queue) }()
	unix.CloseOnExec(queue)
	change := []unix.Kevent_t{{
		Ident:  uint64(pid),
		Filter: unix.EVFILT_PROC,
		Flags:  unix.EV_ADD | unix.EV_ONESHOT,
		Fflags: unix.NOTE_EXIT,
	}}
	event := make([]unix.Kevent_t, 1)
	for {
		_, err := unix.Kevent(queue, change, event, nil)
		switch err {
		case nil, unix.ESRCH: // it has ended, maybe before we asked
			return nil
		case unix.EINTR:
		default:
			return err
		}
	}
}

// processes returns the ids of all processes of this user.
func processes() []int {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	if err != nil {
		return nil
	}
	out := make([]int, 0, len(infos))
	for _, info := range infos {
		out = append(out, int(info.Proc.P_pid))
	}
	return out
}

// environment returns the environment a process was started with; nil when it is another
// user's, hidden, or has ended. settled is always true: execve shows no state in between.
func environment(pid int) (entries []string, settled bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Eproc.Ucred.Uid) != os.Geteuid() {
		return nil, true
	}
	// The layout: the number of arguments, the path of the program, NULs up to a
	// word's boundary, the arguments, the environment.
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(b) < 4 {
		return nil, true
	}
	arguments := int(binary.NativeEndian.Uint32(b))
	_, rest, _ := strings.Cut(string(b[4:]), "\x00")
	entries = strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	if arguments < 0 || arguments > len(entries) {
		return nil, true
	}
	return entries[arguments:], true
}
