//go:build linux || darwin

package procgroup

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisorName tells this program that it is a supervisor, and tells people. It does
// not contain the program's own name: whoever kills the owner by name must not kill
// what cleans up after it.
const supervisorName = "mcp-supervisor"

// maxEndPause is the longest pause between two tries to end what does not end.
const maxEndPause = 5 * time.Second

// The files of a supervisor beside the three that it hands to the child.
const (
	controlFD = 3 // it reads the spec, then signals for the child, one byte each
	reportFD  = 4 // it writes lines: "started PID START WARNING" or "failed TEXT", then "exited STATUS"
)

// Supervise does not return in a process that was started as a supervisor. A program
// that uses [Owner.Start] calls it before anything else, and so do its tests.
func Supervise() {
	if len(os.Args) > 0 && os.Args[0] == supervisorName {
		// Without the second that the race detector takes for a goodbye.
		syscall.Exit(supervise())
	}
}

// supervise starts a child and returns when nothing of it is left: 0 then.
func supervise() int {
	// The death signal of the child is that of the thread that starts it.
	runtime.LockOSThread()
	closeOnExec()
	nameProcess()
	command, err := decodeSpec(rawFile(controlFD))
	if err == nil {
		err = adoptOrphans()
	}
	var s *supervisor
	if err == nil {
		s, err = startChild(command)
	}
	if err != nil {
		report("failed " + strconv.Quote(err.Error()))
		return 1
	}
	warning := ""
	if command.record != "" {
		if err := writeRecord(command.record, s.child); err != nil {
			warning = err.Error()
		}
	}
	report(fmt.Sprintf("started %d %d %s", s.child.pid, s.child.start, strconv.Quote(warning)))
	go s.obey()
	s.wait()
	if command.record != "" {
		_ = os.Remove(command.record) // the next owner looks whether it is still true
	}
	return 0
}

// closeOnExec keeps all files but the first three from the child: the pipes to the owner,
// and files that the owner has inherited.
func closeOnExec() {
	unix.CloseOnExec(controlFD)
	unix.CloseOnExec(reportFD)
	files, _ := os.ReadDir("/dev/fd") // what could be read is still worth closing
	for _, f := range files {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// supervisor is the state of a supervisor with its child.
type supervisor struct {
	child identity // its id is also that of its group and its session

	// mu guards gone, and is held while the group is signalled and while the child is
	// waited for: a group's id is nobody else's until its leader has been waited for.
	mu   sync.Mutex
	gone bool

	ending sync.Once
}

// startChild starts the child, lets go of its files and of the working directory, and ignores
// the signals that ask a process to end: a supervisor ends after its child.
func startChild(c spec) (*supervisor, error) {
	if c.umask >= 0 {
		syscall.Umask(c.umask)
	}
	pid, err := syscall.ForkExec(c.path, c.args, &syscall.ProcAttr{
		Dir: c.dir, Env: c.env, Files: []uintptr{0, 1, 2}, Sys: childAttributes(),
	})
	syscall.Umask(0o077)
	if err != nil {
		return nil, &os.PathError{Op: "fork/exec", Path: c.path, Err: err}
	}
	// Only now: children inherit what is ignored.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	for fd := range 3 {
		if err != nil || unix.Dup2(null, fd) != nil {
			_ = syscall.Close(fd)
		}
	}
	_ = syscall.Chdir("/")    // else the directory cannot be unmounted; nothing else hangs on it
	started, _ := lookAt(pid) // it is there until it is waited for
	return &supervisor{child: identity{pid, started.start}}, nil
}

// obey does what the owner says, and ends the child when it says no more.
func (s *supervisor) obey() {
	var command [1]byte
	for {
		n, err := rawFile(controlFD).Read(command[:])
		if sig := syscall.Signal(command[0]); n == 1 && sig != syscall.SIGKILL {
			s.signal(sig)
			continue
		}
		if n == 1 || err != nil {
			s.end()
			return
		}
	}
}

// signal sends sig to the child's group until the child has been waited for.
func (s *supervisor) signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.gone {
		_ = syscall.Kill(-s.child.pid, sig)
	}
}

// wait waits for the child and for whatever else becomes a child of this process,
// until there is nothing more to wait for. It ends what outlives the child.
func (s *supervisor) wait() {
	for {
		err := awaitAny(s.child.pid)
		if err == syscall.ECHILD {
			break
		}
		if err != nil {
			time.Sleep(endPause) // the system is out of something; ask again and again instead
		}
		var status syscall.WaitStatus
		s.mu.Lock()
		var pid int
		pid, err = syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if pid == s.child.pid {
			s.gone = true
		}
		s.mu.Unlock()
		if err == syscall.ECHILD {
			break
		}
		if pid == s.child.pid {
			report(fmt.Sprintf("exited %d", uint32(status)))
			go s.end()
		}
	}
	if !adopts {
		end(s.family().pick, endTime)
	}
}

// end ends the child and everything below it. Where orphans are adopted it goes
// on until wait has nothing more to wait for, which ends the process.
func (s *supervisor) end() {
	s.ending.Do(func() {
		s.signal(syscall.SIGKILL) // works without a process table too
		for pause := endPause; ; pause = min(2*pause, maxEndPause) {
			end(s.family().pick, endTime)
			if !adopts {
				return
			}
			time.Sleep(pause)
		}
	})
}

// family is what the supervisor's child has started.
func (s *supervisor) family() family {
	f := family{adopted: true}
	if !adopts {
		f.sessions = map[int]uint64{s.child.pid: s.child.start}
		marker := markerName + "=" + os.Getenv(markerName)
		f.marker = func(entry string) bool { return entry == marker }
	}
	return f
}

// report tells the owner something. An owner that has died misses nothing.
func report(line string) { _, _ = rawFile(reportFD).Write([]byte(line + "\n")) }

// rawFile is a file descriptor that is read and written without the poller, which
// would take more memory than the rest of the supervisor.
type rawFile int

func (f rawFile) Read(b []byte) (int, error) {
	for {
		n, err := syscall.Read(int(f), b)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (f rawFile) Write(b []byte) (int, error) {
	for {
		n, err := syscall.Write(int(f), b)
		if err != syscall.EINTR {
			return n, err
		}
	}
}
