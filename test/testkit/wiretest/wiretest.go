// Package wiretest has what tests of wires share: how a message looks, and where
// lines of a server's log go.
package wiretest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Show writes a message so that every part of it can be compared.
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

// maxLines is how many lines a Log keeps.
const maxLines = 1000

// A Log is a [wire.LogSink] that keeps the first lines that it gets, each with its source
// before it.
type Log struct {
	mu      sync.Mutex // guards the fields that follow
	lines   []string
	longest int
	bytes   int
}

// Line implements [wire.LogSink].
func (l *Log) Line(from wire.LogSource, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes += len(text)
	l.longest = max(l.longest, len(text))
	if len(l.lines) < maxLines {
		l.lines = append(l.lines, string(from)+": "+text)
	}
}

// Lines returns the lines that were kept.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// Count returns how many of them have part in them.
func (l *Log) Count(part string) int {
	n := 0
	for _, line := range l.Lines() {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// Size returns how many bytes all lines had, and the longest of them.
func (l *Log) Size() (all, longest int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes, l.longest
}
