package daemon

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// Limits of what an editor that follows a log is told.
const (
	maxLogged      = 1000                   // lines in one notification
	maxLoggedBytes = 256 << 10              // of their text
	logPause       = 100 * time.Millisecond // after new lines, for more of them to come
)

// follow is the log of a server that an editor follows, whichever connection to the server the
// editor is on.
type follow struct {
	begun  bool   // the editor has, or is about to have, the answer that says what comes before; guarded by d.mu
	cursor string // the end of what the editor has; only for tellLogs once begun is set
}

// follower is an editor that follows the log of a server.
type follower struct {
	e      *editor
	server string
}

// ServerLog implements [editorapi.Attachment].
func (e *editor) ServerLog(p editorapi.ServerLogParams, answered func() <-chan struct{}) func(context.Context) (editorapi.ServerLogResult, error) {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	var f *follow
	if p.Follow != nil {
		e.unfollow(p.Server)
		if *p.Follow && !e.closed {
			f = e.follow(p.Server)
		}
	}
	return func(ctx context.Context) (editorapi.ServerLogResult, error) {
		if p.Follow != nil {
			e.told(ctx) // what is on its way of a log followed before comes before the answer
		}
		return e.readLog(ctx, p, f, answered)
	}
}

// readLog returns a part of the log of a server. f is followed from there on, unless it is nil or
// another request has ended it.
func (e *editor) readLog(ctx context.Context, p editorapi.ServerLogParams, f *follow, answered func() <-chan struct{}) (editorapi.ServerLogResult, error) {
	result := editorapi.ServerLogResult{Lines: []string{}}
	e.d.mu.Lock()
	_, c, err := e.definition(p.Server)
	e.d.mu.Unlock()
	if err != nil {
		return result, err
	}
	if c != nil {
		part := e.d.logOf(c).Log(p.After, *p.Lines, math.MaxInt)
		result = editorapi.ServerLogResult{Lines: part.Lines, Cursor: part.Cursor, Missed: part.Missed}
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	switch {
	case f == nil || e.follows[p.Server] != f:
	case ctx.Err() != nil: // the editor has been told that it was cancelled
		e.unfollow(p.Server)
	default:
		f.begun, f.cursor = true, result.Cursor
		e.answering(answered)
		e.telling.Again() // of what has come since the log was read
	}
	return result, nil
}

// follow has e follow the log of a server. d.mu is held.
func (e *editor) follow(server string) *follow {
	f := &follow{}
	e.follows[server] = f
	all := append(slices.Clone(e.d.followed()), follower{e, server})
	e.d.followers.Store(&all)
	return f
}

// unfollow has e follow the log of a server no more. d.mu is held.
func (e *editor) unfollow(server string) {
	delete(e.follows, server)
	left := slices.DeleteFunc(slices.Clone(e.d.followed()), func(f follower) bool { return f == follower{e, server} })
	e.d.followers.Store(&left)
}

// followed returns who follows the log of which server. It must not be changed.
func (d *Daemon) followed() []follower {
	if all := d.followers.Load(); all != nil {
		return *all
	}
	return nil
}

// LogGrew implements [mcpclient.Host]. A flood of lines costs next to nothing here, and the
// editors are told ten times a second at most.
func (c *connection) LogGrew() {
	for _, f := range c.d.followed() {
		if f.server == c.name && f.e.logsGrew.CompareAndSwap(false, true) {
			time.AfterFunc(logPause, func() { f.e.telling.Again() })
		}
	}
}

// tellLogs tells the new lines of the logs that e follows, of more than fit the last. A server
// that is no longer defined is followed no more. It runs on e.telling.
func (e *editor) tellLogs() {
	e.logsGrew.Store(false) // what comes from now on may not be told below
	e.d.mu.Lock()
	on := map[*follow]*connection{}
	for server, f := range e.follows {
		_, c, err := e.definition(server)
		switch {
		case err != nil:
			e.unfollow(server)
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
		e.api.ServerLogged(editorapi.ServerLogged{Server: c.name, Lines: part.Lines, Cursor: part.Cursor, Missed: part.Missed})
	}
}

// logOf returns the client whose log is that of c. Where the server has not run there but has for
// an editor that can answer other questions, that one's log is meant.
func (d *Daemon) logOf(c *connection) *mcpclient.Client {
	if c.client.Logged() {
		return c.client
	}
	for _, sibling := range d.siblings(c) {
		if sibling.client.Logged() {
			return sibling.client
		}
	}
	return c.client
}

// siblings are the other connections of the same definition on the same folders:
// those of editors that can answer other questions. They come in an order that stays.
func (d *Daemon) siblings(c *connection) []*connection {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []*connection
	for _, other := range d.conns {
		if other != c && other.def.Digest == c.def.Digest && slices.Equal(other.folders, c.folders) {
			found = append(found, other)
		}
	}
	slices.SortFunc(found, func(a, b *connection) int { return cmp.Compare(a.key, b.key) })
	return found
}
