package procgroup

import (
	"encoding/binary"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts is false: orphans go to the system's first process.
const adopts = false

func adoptOrphans() error { return nil }

func nameProcess() {}

// thisProgram returns a path of this very program.
func thisProgram() (string, error) { return os.Executable() }

// childAttributes makes a child the leader of a session. There is no death
// signal: the owner ends the child of a killed supervisor.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// processes returns all processes of this user.
func processes() []process {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	if err != nil {
		return nil
	}
	out := make([]process, 0, len(infos))
	for i := range infos {
		out = append(out, fromKinfo(&infos[i]))
	}
	return out
}

// lookAt returns the line of one process in the process table.
func lookAt(pid int) (process, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return process{}, false
	}
	return fromKinfo(info), true
}

func fromKinfo(info *unix.KinfoProc) process {
	const zombie = 5 // SZOMB of sys/proc.h
	p := process{
		pid: int(info.Proc.P_pid), parent: int(info.Eproc.Ppid), group: int(info.Eproc.Pgid),
		start:  uint64(info.Proc.P_starttime.Sec)*1e6 + uint64(info.Proc.P_starttime.Usec),
		zombie: info.Proc.P_stat == zombie,
	}
	if session, err := unix.Getsid(p.pid); err == nil {
		p.session = session
	}
	return p
}

// environment returns the environment that a process of this user was started with. It is nil when
// the process is hidden or has ended.
func environment(pid int) []string {
	// The layout: the number of arguments, the path of the program, NULs up to a
	// word's boundary, the arguments, the environment.
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(b) < 4 {
		return nil
	}
	arguments := int(binary.NativeEndian.Uint32(b))
	_, rest, _ := strings.Cut(string(b[4:]), "\x00")
	entries := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	if arguments < 0 || arguments > len(entries) {
		return nil
	}
	return entries[arguments:]
}
