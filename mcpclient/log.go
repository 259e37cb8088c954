package mcpclient

import (
	"fmt"
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
type serverLog struct{ lines *ring.Lines }

func newServerLog() *serverLog { return &serverLog{ring.New(maxLogLines, maxLogBytes)} }

func (l *serverLog) last(n int) []string { return l.lines.Last(n) }

// add appends text line by line.
func (l *serverLog) add(from wire.LogSource, text string) {
	if len(text) > maxLogEntry {
		text = text[:maxLogEntry] + " [cut]"
	}
	for line := range strings.Lines(text) {
		l.lines.Add(string(from) + ": " + strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD"))
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
