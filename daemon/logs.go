package daemon

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// Limits of what an editor is told when it follows a log.
const (
	maxLogged      = 1000                   // lines in one notification
	maxLoggedBytes = 256 << 10              // bytes of them in one notification
	logPause       = 100 * time.Millisecond // how long to wait for more lines after the first
)

// follow is an editor's place in the log of a server. It outlives a change of connection.
type follow struct {
	entries bool   // the editor wants entries rather than lines; it does not change
	begun   bool   // the editor has, or is about to get, the answer with the lines so far; guarded by d.mu
	cursor  string // the end of what the editor has; only for tellLogs once begun is set
}

// ServerLog implements [editorapi.Attachment].
func (e *editor) ServerLog(p editorapi.ServerLogParams, answered <-chan struct{}) func(context.Context) (editorapi.ServerLogResult, error) {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	var f *follow
	if p.Follow != nil {
		delete(e.follows, p.Server)
		if *p.Follow && !e.closed {
			f = &follow{entries: p.Entries}
			e.follows[p.Server] = f
		}
	}
	return func(ctx context.Context) (editorapi.ServerLogResult, error) {
		if p.Follow != nil {
			e.told(ctx) // lines on their way from an earlier follow come before the answer
		}
		return e.readLog(ctx, p, f, answered)
	}
}

// readLog returns a part of the log of a server. e follows f from there on, unless f is nil or
// another request has ended it.
func (e *editor) readLog(ctx context.Context, p editorapi.ServerLogParams, f *follow, answered <-chan struct{}) (editorapi.ServerLogResult, error) {
	e.d.mu.Lock()
	_, c, err := e.definition(p.Server)
	e.d.mu.Unlock()
	if err != nil {
		return editorapi.ServerLogResult{Lines: []string{}}, err
	}
	var part mcpclient.LogPart
	if c != nil {
		part = e.d.logOf(c).Log(p.After, *p.Lines, math.MaxInt)
	}
	result := editorapi.ServerLogResult{Cursor: part.Cursor, Missed: part.Missed}
	result.Lines, result.Entries = logAs(part.Lines, p.Entries)
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	switch {
	case f == nil || e.follows[p.Server] != f:
	case ctx.Err() != nil: // the editor has been told that it was cancelled
		delete(e.follows, p.Server)
	default:
		f.begun, f.cursor = true, result.Cursor
		e.answering(answered)
		e.telling.Again() // for lines that came since the log was read
	}
	return result, nil
}

// logAs returns lines of a log as an editor gets them: as text, or as entries.
func logAs(log []mcpclient.LogLine, asEntries bool) (lines []string, entries []editorapi.LogEntry) {
	if !asEntries {
		lines = make([]string, len(log))
		for i, l := range log {
			lines[i] = l.String()
		}
		return lines, nil
	}
	entries = make([]editorapi.LogEntry, len(log))
	for i, l := range log {
		entries[i] = editorapi.LogEntry{
			Time: l.Time.UTC().Format(logTime), Source: editorapi.LogSource(l.Source),
			Level: editorapi.LogLevel(l.Level), Logger: l.Logger, More: l.More, Text: l.Text,
		}
	}
	return []string{}, entries
}

// LogGrew implements [mcpclient.Host]. A flood of lines costs next to nothing here, and tells the
// editors at most ten times a second.
func (c *connection) LogGrew() {
	if !c.logGrew.CompareAndSwap(false, true) {
		return
	}
	time.AfterFunc(logPause, func() {
		c.logGrew.Store(false) // lines that come from now on may be missing below
		c.d.mu.Lock()
		defer c.d.mu.Unlock()
		for _, e := range c.d.editors {
			if e.follows[c.name] != nil {
				e.telling.Again()
			}
		}
	})
}

// tellLogs sends e the new lines of the logs that it follows; when they exceed the limits, only the
// last. It ends the follow of a server that is no longer defined. It runs on e.telling.
func (e *editor) tellLogs() {
	e.d.mu.Lock()
	on := map[*follow]*connection{}
	for server, f := range e.follows {
		_, c, err := e.definition(server)
		switch {
		case err != nil:
			delete(e.follows, server)
		case c != nil && f.begun:
			on[f] = c
		}
	}
	answers := slices.Clone(e.answers)
	e.d.mu.Unlock()
	e.awaitAnswers(answers)
	for f, c := range on {
		part := e.d.logOf(c).Log(f.cursor, maxLogged, maxLoggedBytes)
		if len(part.Lines) == 0 && part.Missed == 0 {
			continue
		}
		f.cursor = part.Cursor
		l := editorapi.ServerLogged{Server: c.name, Cursor: part.Cursor, Missed: part.Missed}
		l.Lines, l.Entries = logAs(part.Lines, f.entries)
		e.api.ServerLogged(l)
	}
}

// logOf returns the client whose log belongs to c. If the server has not run there, but has for an
// editor with other values of the variables that it takes, it returns that client; of several,
// always the same.
func (d *Daemon) logOf(c *connection) *mcpclient.Client {
	if c.client.Logged() {
		return c.client
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	of := c
	for _, other := range d.conns {
		sibling := other.def.Digest == c.def.Digest && slices.Equal(other.folders, c.folders)
		if sibling && other.client.Logged() && (of == c || other.key < of.key) {
			of = other
		}
	}
	return of.client
}
