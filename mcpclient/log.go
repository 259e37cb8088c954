package mcpclient

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/ring"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Limits of the log of one server.
const (
	maxLogLines   = 2000
	maxLogBytes   = 1 << 20
	maxLogEntry   = 4 << 10 // bytes of one entry; the rest of it is cut
	maxErrorLines = 20      // of stderr in a [wire.Error]
)

// serverLog keeps the last lines that are about one server, over all its lives.
type serverLog struct {
	lines *ring.Lines
	id    string // begins its cursors, and those of no other log
	grew  func() // called after lines were added; may be nil
}

func newServerLog() *serverLog {
	return &serverLog{lines: ring.New(maxLogLines, maxLogBytes), id: rand.Text()}
}

// Logged reports whether the server's log has any lines.
func (c *Client) Logged() bool {
	_, added := c.log.lines.Since(0, 0, 0)
	return added > 0
}

// LogPart is a part of the log of a server.
type LogPart struct {
	Lines  []string // the oldest first; each begins with its [wire.LogSource]
	Cursor string   // where the log ended
	Missed int      // lines after the cursor asked for that are gone or did not fit
}

// Log returns the last lines of the server's log, over all its lives: at most n, with at
// most maxBytes of text together, and only those after the cursor of an earlier part. A
// cursor of another log counts as none.
func (c *Client) Log(after string, n, maxBytes int) LogPart {
	l := c.log
	seen, known := l.seen(after)
	lines, added := l.lines.Since(seen, n, maxBytes)
	if known && seen > added {
		known = false
		lines, added = l.lines.Since(0, n, maxBytes)
	}
	part := LogPart{Lines: lines, Cursor: l.id + ":" + strconv.FormatInt(added, 10)}
	if known {
		part.Missed = int(added-seen) - len(lines)
	}
	return part
}

// seen returns how many lines there were at a cursor, and whether it is one of this log.
func (l *serverLog) seen(cursor string) (lines int64, known bool) {
	id, count, _ := strings.Cut(cursor, ":")
	n, err := strconv.ParseInt(count, 10, 64)
	if id != l.id || err != nil || n < 0 {
		return 0, false
	}
	return n, true
}

// add appends text line by line.
func (l *serverLog) add(from wire.LogSource, text string) {
	if len(text) > maxLogEntry {
		text = text[:maxLogEntry] + " [cut]"
	}
	for line := range strings.Lines(text) {
		l.lines.Add(string(from) + ": " + strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD"))
	}
	if l.grew != nil {
		l.grew()
	}
}

// say appends what the daemon has to say.
func (l *serverLog) say(format string, args ...any) {
	l.add(wire.LogDaemon, fmt.Sprintf(format, args...))
}

// lifeLog is the [wire.LogSink] of one life of the server. It also keeps the last
// lines of stderr of this life alone, for errors to quote.
type lifeLog struct {
	*serverLog
	stderr *ring.Lines
}

func (l *serverLog) newLife() *lifeLog {
	return &lifeLog{serverLog: l, stderr: ring.New(maxErrorLines, maxErrorLines*maxLogEntry)}
}

// Line implements [wire.LogSink].
func (l *lifeLog) Line(from wire.LogSource, text string) {
	if from == wire.LogStderr {
		l.stderr.Add(strings.ToValidUTF8(text, "\uFFFD"))
	}
	l.add(from, text)
}
