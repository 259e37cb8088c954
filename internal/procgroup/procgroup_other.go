//go:build !linux && !darwin

package procgroup

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// A Process is a running or ended child. There is none on this system.
type Process struct{}

// Supervise returns.
func Supervise() {}

// Start returns an error.
func (o Owner) Start(Command) (*Process, error) {
	return nil, errors.New("starting servers is not supported on " + runtime.GOOS + " yet")
}

// Reap finds nothing, because nothing ever started.
func (o Owner) Reap() ([]int, error) { return nil, nil }

// Nothing calls the rest, because there is no Process.

func (p *Process) PID() int                    { return 0 }
func (p *Process) Done() <-chan struct{}       { return nil }
func (p *Process) Exit() string                { return "" }
func (p *Process) Signal(syscall.Signal) error { return os.ErrProcessDone }
func (p *Process) Kill()                       {}
