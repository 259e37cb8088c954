// Package wiretest has what tests of wires share: messages as text, and a log of a server.
package wiretest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/ring"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Show returns a message as text, with everything that a test compares.
func Show(msg wire.Message) string {
	switch m := msg.(type) {
	case *wire.Request:
		return fmt.Sprintf("request %v %s %s%s", m.ID, m.Method, m.Params, depth(m.Deep))
	case *wire.Response:
		switch {
		case m.Error == nil:
			return fmt.Sprintf("result %v %s%s", m.ID, m.Result, depth(m.Deep))
		case m.Error.Kind == wire.KindRPC:
			return fmt.Sprintf("error %v %d %s %s", m.ID, m.Error.Code, m.Error.Message, m.Error.Data)
		default:
			return fmt.Sprintf("%s %v", m.Error.Kind, m.ID)
		}
	default:
		return fmt.Sprintf("%T", msg)
	}
}

func depth(deep wire.TooDeep) string {
	if deep == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d deep)", int(deep))
}

// A Log is a [wire.LogSink] that keeps the last lines that it gets, each after its source.
type Log struct {
	lines *ring.Ring[string]

	mu               sync.Mutex // guards the fields that follow
	all, longest     int
	noise, oversized int64
}

// NewLog returns a Log that keeps 1000 lines.
func NewLog() *Log {
	return &Log{lines: ring.Of(1000, 16<<20, func(line string) int { return len(line) })}
}

// Line implements [wire.LogSink].
func (l *Log) Line(from wire.LogSource, text string) {
	l.lines.Add(string(from) + ": " + text)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all += len(text)
	l.longest = max(l.longest, len(text))
}

// Skipped implements [wire.LogSink].
func (l *Log) Skipped(oversized bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if oversized {
		l.oversized++
	} else {
		l.noise++
	}
}

// Counted returns how many frames were no messages, and how many over the limit.
func (l *Log) Counted() (noise, oversized int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.noise, l.oversized
}

// Lines returns the lines that it keeps.
func (l *Log) Lines() []string { return l.lines.Last(1000) }

// Count returns how many of these contain part.
func (l *Log) Count(part string) int {
	n := 0
	for _, line := range l.Lines() {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// Size returns how many bytes all lines had, including those that it no longer keeps, and how many
// the longest had.
func (l *Log) Size() (all, longest int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all, l.longest
}
