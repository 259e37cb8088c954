//go:build linux || darwin

package procgroup

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-editord/mcp-editord/internal/filepages"
)

// supervisorName marks a process of this program as a supervisor, for itself and in lists of
// processes. It does not contain the program's own name: if you kill the owner by name, you
// must not kill the process that cleans up after it.
const supervisorName = "mcp-supervisor"

// maxEndPause is the longest pause between two tries to end processes that do not end.
const maxEndPause = 5 * time.Second

// The files of a supervisor beside the three that it hands to the child.
const (
	controlFD = 3 // it reads the spec, then signals for the child, one byte each
	reportFD  = 4 // it writes lines: "started PID START" or "failed TEXT", then "exited STATUS"
)

// Supervise does not return in a process that is a supervisor. A program
// that uses [Owner.Start] calls it before anything else, and so do its tests.
func Supervise() {
	if len(os.Args) > 0 && os.Args[0] == supervisorName {
		// Skips the second that the race detector takes at exit.
		syscall.Exit(supervise())
	}
}

// supervise starts a child, and returns 0 when nothing of it is left. It returns 1 when the child
// does not start.
func supervise() int {
	// The death signal of the child comes when the thread that starts it ends.
	runtime.LockOSThread()
	unix.CloseOnExec(controlFD)
	unix.CloseOnExec(reportFD)
	CloseOnExec()
	nameProcess()
	// The pipes block, so they need no poller, which would take more memory than the rest.
	s := &supervisor{
		control: bufio.NewReader(os.NewFile(controlFD, "control")),
		reports: os.NewFile(reportFD, "reports"),
	}
	command, err := decodeCommand(s.control)
	if err == nil {
		err = adoptOrphans()
	}
	if err == nil {
		err = s.start(command)
	}
	if err != nil {
		s.report("failed %q", err.Error())
		return 1
	}
	s.report("started %d %d", s.child.pid, s.child.start)
	filepages.Release()
	go s.obey()
	s.wait()
	return 0
}

// supervisor is the state of a supervisor with its child.
type supervisor struct {
	control *bufio.Reader // from the owner
	reports *os.File      // to the owner

	child identity // its id is also that of its group and its session

	// mu guards gone, and is held while this process signals the group: that may not be the child's
	// any more once it is gone. A system gives an id again only after all others.
	mu   sync.Mutex
	gone bool

	ending sync.Once
}

// start starts the child. It lets go of the child's files and of the working directory, and
// ignores the signals that ask a process to end: a supervisor ends after its child.
func (s *supervisor) start(c Command) error {
	if c.Umask != nil {
		syscall.Umask(*c.Umask)
	}
	pid, err := syscall.ForkExec(c.Path, c.Args, &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: []uintptr{0, 1, 2}, Sys: childAttributes(),
	})
	syscall.Umask(0o077)
	if err != nil {
		return &os.PathError{Op: "fork/exec", Path: c.Path, Err: err}
	}
	// Only now, because children inherit ignored signals.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	for fd := range 3 {
		if err != nil || unix.Dup2(null, fd) != nil {
			_ = syscall.Close(fd)
		}
	}
	_ = syscall.Chdir("/")    // else the directory cannot be unmounted; nothing else depends on it
	started, _ := lookAt(pid) // it is there until this process waits for it
	s.child = identity{pid, started.start}
	return nil
}

// obey does what the owner says, and ends the child when the owner falls silent.
func (s *supervisor) obey() {
	for {
		command, err := s.control.ReadByte()
		sig := syscall.Signal(command)
		if err != nil || sig == syscall.SIGKILL {
			s.end()
			return
		}
		s.signal(sig)
	}
}

// signal sends sig to the child's group, unless wait has waited for the child.
func (s *supervisor) signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.gone {
		_ = syscall.Kill(-s.child.pid, sig)
	}
}

// wait waits for the child and for everything else that becomes a child of this process,
// until there is nothing more to wait for. It ends what outlives the child.
func (s *supervisor) wait() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.ECHILD {
			break
		}
		if pid == s.child.pid {
			s.mu.Lock()
			s.gone = true
			s.mu.Unlock()
			s.report("exited %d", uint32(status))
			go s.end()
		}
	}
	if !adopts {
		end(s.family(), endTime)
	}
}

// end ends the child and everything below it. Where this process adopts orphans, end goes
// on until wait has nothing more to wait for, which ends the process.
func (s *supervisor) end() {
	s.ending.Do(func() {
		s.signal(syscall.SIGKILL) // works without a process table too
		for pause := endPause; ; pause = min(2*pause, maxEndPause) {
			end(s.family(), endTime)
			if !adopts {
				return
			}
			time.Sleep(pause)
		}
	})
}

// family returns what the supervisor's child has started.
func (s *supervisor) family() family {
	if adopts {
		return family{adopted: true}
	}
	return family{leader: s.child, marker: markerName + "=" + os.Getenv(markerName)}
}

// report writes a line to the owner. An owner that has died misses nothing.
func (s *supervisor) report(line string, args ...any) {
	_, _ = fmt.Fprintf(s.reports, line+"\n", args...)
}
