//go:build linux || darwin

package procgroup

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

const sigKill = syscall.SIGKILL

// Bounds of sweep: how long it goes on, and the longest pause between two looks.
const (
	sweepTime  = time.Second
	sweepPause = 50 * time.Millisecond
)

func configure(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	setDeathSignal(cmd.SysProcAttr)
	return nil
}

// run is the goroutine that owns the child. It keeps its thread as long as the
// child lives, because the kernel sends the death signal when the thread that
// forked ends, not the process.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	p.pid = p.cmd.Process.Pid
	started <- nil

	if awaitExit(p.pid) == nil {
		// The child is a zombie until Wait, so its group's id is still its own.
		_ = p.Signal(syscall.SIGKILL)
		p.retire()
	}
	_ = p.cmd.Wait() // the error says less than describe
	p.retire()
	sweep(func(entry string) bool { return entry == p.marker })
	p.exit = describe(p.cmd.ProcessState)
	close(p.done)
}

// retire ends the signalling of the group.
func (p *Process) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
}

// Signal sends sig to the child's group. After the child has ended it does
// nothing and returns os.ErrProcessDone.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return os.ErrProcessDone
	}
	if err := syscall.Kill(-p.pid, sig); err != nil {
		return fmt.Errorf("signalling process group %d: %w", p.pid, err)
	}
	return nil
}

// describe puts state in words.
func describe(state *os.ProcessState) string {
	if state == nil {
		return "ended in an unknown way"
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "was ended by signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exited with code %d", state.ExitCode())
}

// sweep kills the processes whose marker fits until two looks in a row find none:
// they may be starting others, and one that forks and ends between two lines of
// the process table hides its child from a single look. It returns those it has
// killed, and those that are still there after sweepTime.
func sweep(fits func(entry string) bool) (killed, left []int) {
	end := time.Now().Add(sweepTime)
	clean := 0
	for pause := time.Millisecond; ; pause = min(2*pause, sweepPause) {
		var settled bool
		left, settled = look(fits)
		clean++
		if len(left) > 0 || !settled {
			clean = 0
		}
		if clean == 2 || time.Now().After(end) {
			return killed, left
		}
		for _, pid := range left {
			if kill(pid, fits) && !slices.Contains(killed, pid) {
				killed = append(killed, pid)
			}
		}
		time.Sleep(pause)
	}
}

// marked returns the processes of this user, but for this one, whose marker fits.
func marked(fits func(entry string) bool) []int {
	pids, _ := look(fits)
	return pids
}

// look goes through the process table once. settled is false when there was a
// process that could not be told yet.
func look(fits func(entry string) bool) (pids []int, settled bool) {
	settled = true
	for _, pid := range processes() {
		if pid == os.Getpid() {
			continue
		}
		entries, known := environment(pid)
		settled = settled && known
		if carries(entries, fits) {
			pids = append(pids, pid)
		}
	}
	return pids, settled
}

// kill sends SIGKILL to a process if its marker still fits. On Linux the handle
// that os.FindProcess opens before the marker is read stays with the process that was
// looked at, even if its id is given to another.
func kill(pid int, fits func(entry string) bool) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = process.Release() }()
	entries, _ := environment(pid)
	return carries(entries, fits) && process.Kill() == nil
}

// carries tells whether an environment has a marker that fits.
func carries(entries []string, fits func(entry string) bool) bool {
	return slices.ContainsFunc(entries, func(entry string) bool {
		return strings.HasPrefix(entry, markerName+"=") && fits(entry)
	})
}
