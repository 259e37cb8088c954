package main

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// slowStart is how long a server may take to start before the user is told what the program waits for.
const slowStart = time.Second

// waitsFor notes that the program waits for a server to start. If that takes long, it says so on
// standard error. The caller calls over when it is done: that says what came of it, unless that is an error, which the
// caller prints. With --json nothing is said.
func (s *session) waitsFor(server string) (over func(ready bool)) {
	if s.json {
		return func(bool) {}
	}
	name := safetext.Line(strconv.Quote(server), math.MaxInt)
	var mu sync.Mutex // guards ended and said
	ended, said := false, false
	slow := time.AfterFunc(slowStart, func() {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			said = s.remark(fmt.Sprintf("waiting for %s to start…", name))
		}
	})
	return func(ready bool) {
		slow.Stop()
		mu.Lock()
		defer mu.Unlock()
		ended = true
		if said && ready {
			s.remark(name + " is ready")
		}
	}
}

// remark writes a line for people, and reports whether it did: not while the user answers a question.
func (s *session) remark(line string) bool {
	if s.terminal != nil {
		return s.terminal.remark(line)
	}
	fmt.Fprintln(s.stderr, line)
	return true
}
