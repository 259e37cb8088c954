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

// PID returns 0.
func (p *Process) PID() int { return 0 }

// Warning returns nil.
func (p *Process) Warning() error { return nil }

// Done returns nil.
func (p *Process) Done() <-chan struct{} { return nil }

// Exit returns "".
func (p *Process) Exit() string { return "" }

// Signal returns an error.
func (p *Process) Signal(syscall.Signal) error { return os.ErrProcessDone }

// Kill does nothing.
func (p *Process) Kill() {}
