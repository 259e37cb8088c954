package fakeeditor

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"sync"
)

// T is what an editor needs of the test that it is in. A [testing.TB] is one, and so is that of
// [Run].
type T interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Failed() bool
}

// Run runs a script in a program that is no test, and returns why it has failed.
func Run(script func(t T)) error {
	s := &running{}
	ended := make(chan struct{})
	go func() { // which Fatalf ends
		defer close(ended)
		defer s.cleanUp()
		script(s)
	}()
	<-ended
	return errors.Join(s.errs...)
}

type running struct {
	cleanups []func() // of the script's goroutine

	mu   sync.Mutex // guards errs
	errs []error
}

func (s *running) Helper() {}

func (s *running) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *running) Errorf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, fmt.Errorf(format, args...))
}

func (s *running) Fatalf(format string, args ...any) {
	s.Errorf(format, args...)
	runtime.Goexit()
}

func (s *running) Failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.errs) > 0
}

// cleanUp calls what was given to Cleanup, the last first, though one of them ends in Fatalf.
func (s *running) cleanUp() {
	if last := len(s.cleanups) - 1; last >= 0 {
		f := s.cleanups[last]
		s.cleanups = s.cleanups[:last]
		defer s.cleanUp()
		f()
	}
}

// Attach starts `mcp-editord attach`, and returns an editor that has shaken hands through it. The
// command must end well when the editor has closed its standard input.
func Attach(t T, cmd *exec.Cmd, o Options) *Editor {
	t.Helper()
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatalf("making pipes: %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("attaching: %v", err)
	}
	t.Cleanup(func() {
		if err := cmd.Wait(); err != nil {
			t.Errorf("mcp-editord attach: %v", err)
		}
	})
	return Open(t, pipes{stdout, stdin}, o)
}

// pipes is a process's standard output and input.
type pipes struct {
	io.Reader
	io.WriteCloser
}
