//go:build linux || darwin

package procgroup

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	startTime = 20 * time.Second // how long a supervisor may take to start its child
	// patience is how long a supervisor may take to end everything once the child has ended or must
	// end. Then the owner kills the supervisor, which its child may have stopped, and ends the rest.
	patience = 500 * time.Millisecond
)

// supervisorRuntime sets Go's runtime of a supervisor. Fewer threads take less memory. Without GOGC
// it collects nothing while it waits, which it else does every two minutes; the limit is for one that
// searches the process table for long, because something does not end.
var supervisorRuntime = []string{"GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=16MiB"}

// A Process is a running or ended child. Its methods are safe for concurrent use.
type Process struct {
	child  identity
	marker string // the whole entry of the environment

	supervisor *exec.Cmd
	reports    *os.File      // from the supervisor
	lines      *bufio.Reader // of reports; only run reads it, once the child has started
	control    *os.File      // to the supervisor

	// mu guards gone and impatient, and is held during a write to control.
	mu        sync.Mutex
	gone      bool        // the child has ended
	impatient *time.Timer // kills the supervisor; nil until something must end

	done chan struct{}
	exit string // set before done is closed
}

// Start starts c as a child of o, in a session of its own, with the marker in its
// environment. This program must call [Supervise] first. On Linux this process becomes
// a subreaper.
func (o Owner) Start(c Command) (*Process, error) {
	if o == "" || strings.ContainsAny(string(o), "/\x00") {
		return nil, fmt.Errorf("%q cannot be the owner of a process", o)
	}
	if os.Args[0] == supervisorName {
		return nil, errors.New("this program does not call procgroup.Supervise first")
	}
	p := &Process{marker: o.marker() + rand.Text(), done: make(chan struct{})}
	// The marker is last: programs that write their title over their
	// arguments and environment reach the end last.
	c.Env = append((&exec.Cmd{Env: c.Env, Dir: c.Dir}).Environ(), p.marker)
	text, err := c.encode()
	if err != nil {
		return nil, err
	}
	if err := p.startSupervisor(c); err != nil {
		return nil, err
	}
	if err := p.startChild(text); err != nil {
		_ = p.supervisor.Process.Kill()
		p.bury()
		return nil, err
	}
	go p.run()
	return p, nil
}

// startSupervisor runs this program once more, with the files of the child and two
// pipes.
func (p *Process) startSupervisor(c Command) error {
	program, err := thisProgram()
	if err != nil {
		return fmt.Errorf("finding this program to supervise it: %w", err)
	}
	if err := adoptOrphans(); err != nil { // for what a killed supervisor leaves
		return err
	}
	control, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	theirs, report, err := os.Pipe()
	if err != nil {
		_, _ = control.Close(), ours.Close()
		return err
	}
	cmd := &exec.Cmd{
		Path: program, Args: []string{supervisorName, c.Path},
		// The marker is for Reap.
		Env:        append(append(Unmarked(os.Environ()), supervisorRuntime...), p.marker),
		ExtraFiles: []*os.File{control, report},
		// A group of its own keeps Ctrl-C from it. It stays in this session, unlike adopted
		// orphans. If it is stopped when the owner dies, the kernel lets it
		// go on (POSIX, _exit: orphaned process groups).
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
	err = cmd.Start()
	_, _ = control.Close(), report.Close()
	if err != nil {
		_, _ = ours.Close(), theirs.Close()
		return fmt.Errorf("running this program again to supervise it: %w", err)
	}
	p.supervisor, p.control, p.reports, p.lines = cmd, ours, theirs, bufio.NewReaderSize(theirs, 256)
	return nil
}

// startChild says to the supervisor what to start and reads the outcome.
func (p *Process) startChild(spec []byte) error {
	until := time.Now().Add(startTime)
	_, _ = p.control.SetWriteDeadline(until), p.reports.SetReadDeadline(until)
	_, writeErr := p.control.Write(spec)
	line, err := p.lines.ReadString('\n') // also says why a write failed
	if err == nil {
		err = writeErr
	}
	if err != nil {
		return fmt.Errorf("its supervisor does not answer: %w", err)
	}
	_ = p.reports.SetReadDeadline(time.Time{})
	var text string
	if _, err := fmt.Sscanf(line, "failed %q", &text); err == nil {
		return errors.New(text)
	}
	if _, err := fmt.Sscanf(line, "started %d %d", &p.child.pid, &p.child.start); err != nil {
		return fmt.Errorf("its supervisor sent an unknown line, %q", line)
	}
	return nil
}

// run waits for the end of the child.
func (p *Process) run() {
	line, err := p.lines.ReadString('\n')
	p.mu.Lock()
	p.gone = true
	p.hurry()
	p.mu.Unlock()
	status := uint32(syscall.SIGKILL) // the end of its supervisor kills it
	if err == nil {
		_, _ = fmt.Sscanf(line, "exited %d", &status)
	}
	p.exit = describe(syscall.WaitStatus(status))
	p.bury()
	close(p.done)
}

// bury waits for the supervisor, which must be about to end, and ends what it has left behind.
func (p *Process) bury() {
	_, _ = io.Copy(io.Discard, p.reports)
	err := p.supervisor.Wait()
	p.mu.Lock()
	if p.impatient != nil {
		p.impatient.Stop()
	}
	_ = p.control.Close()
	p.mu.Unlock()
	_ = p.reports.Close()
	defer forgetAdopted() // also those of earlier children that took their time
	if err == nil {
		return // nothing is left
	}
	end(family{adopted: true, leader: p.child, marker: p.marker}, endTime)
}

// hurry gives the supervisor patience from now on. The caller holds mu.
func (p *Process) hurry() {
	if p.impatient == nil {
		p.impatient = time.AfterFunc(patience, func() { _ = p.supervisor.Process.Kill() })
	}
}

// forgetAdopted waits for the adopted children of this process that have ended.
func forgetAdopted() {
	for _, p := range (family{adopted: true}).pick() {
		if p.zombie && p.parent == os.Getpid() {
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
}

// PID returns the id of the child, which is also that of its group and its session.
func (p *Process) PID() int { return p.child.pid }

// Done returns a channel that closes when the child has ended and what it left behind is killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says in words how the child ended: "exited with code 1", "was ended
// by signal: killed". It waits for [Process.Done].
func (p *Process) Exit() string {
	<-p.done
	return p.exit
}

// Signal sends sig to the child's group. After the child has ended, it does
// nothing and returns os.ErrProcessDone.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return os.ErrProcessDone
	}
	_ = p.supervisor.Process.Signal(syscall.SIGCONT) // the child may have stopped it
	_ = p.control.SetWriteDeadline(time.Now().Add(patience))
	if _, err := p.control.Write([]byte{byte(sig)}); err != nil {
		return fmt.Errorf("writing to the supervisor of process %d: %w", p.child.pid, err)
	}
	return nil
}

// Kill kills the child and all that it has started.
func (p *Process) Kill() {
	_ = p.Signal(syscall.SIGKILL)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hurry()
}

// describe says in words how a process ended.
func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "was ended by signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exited with code %d", status.ExitStatus())
}
