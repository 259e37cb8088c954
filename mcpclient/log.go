package mcpclient

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/ring"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Limits of the log of one server.
const (
	maxLogLines   = 2000
	maxLogBytes   = 1 << 20 // see [LogLine.size]
	maxLogEntry   = 4 << 10 // bytes of one entry, in all its lines; the rest of it is cut
	maxErrorLines = 20      // of stderr in a [wire.Error]
)

// LogLine is one line of the log of a server.
type LogLine struct {
	Time   time.Time // when the daemon got it
	Source wire.LogSource
	Level  string // of a notifications/message: one of the eight of RFC 5424, else ""
	Logger string // who wrote the notifications/message; "" if it does not say
	More   bool   // the text goes on that of the line before, with which it came
	Text   string
}

// String returns the line as text: where it is from, its level and logger, and what it says.
func (l LogLine) String() string {
	text := string(l.Source) + ": "
	if l.Level != "" && !l.More {
		text += logPrefix(l.Level, l.Logger)
	}
	return text + l.Text
}

// logLineCost is what a line takes beside its texts, in bytes: in memory, and about as much as JSON.
const logLineCost = 112

// size returns what the line counts, in bytes.
func (l LogLine) size() int { return logLineCost + len(l.Logger) + len(l.Text) }

// serverLog keeps the last lines that are about one server, over all its lives.
type serverLog struct {
	lines *ring.Ring[LogLine]
	id    string // begins its cursors, and those of no other log
	grew  func() // called after lines were added; may be nil
}

func newServerLog() *serverLog {
	return &serverLog{lines: ring.Of(maxLogLines, maxLogBytes, LogLine.size), id: rand.Text()}
}

// Logged reports whether the server's log has any lines.
func (c *Client) Logged() bool {
	_, added := c.log.lines.Since(0, 0, 0)
	return added > 0
}

// LogPart is a part of the log of a server.
type LogPart struct {
	Lines  []LogLine // the oldest first
	Cursor string    // where the log ended
	Missed int       // lines after the cursor asked for that are gone or did not fit
}

// Log returns the last lines of the server's log, over all its lives: at most n, of at
// most maxBytes together, and only those after the cursor of an earlier part. A
// cursor of another log counts as none.
func (c *Client) Log(after string, n, maxBytes int) LogPart {
	l := c.log
	seen, known := l.seen(after)
	lines, added := l.lines.Since(seen, n, maxBytes)
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
	if _, added := l.lines.Since(0, 0, 0); id != l.id || err != nil || n < 0 || n > added {
		return 0, false
	}
	return n, true
}

// add appends text line by line.
func (l *serverLog) add(from wire.LogSource, text string) {
	l.append(LogLine{Source: from}, text, maxLogEntry)
}

// addMessage appends what the params of notifications/message say (MCP 2025-11-25, Logging, Log
// Message Notifications). A level that RFC 5424 does not have stays in the text.
func (l *serverLog) addMessage(params json.RawMessage) {
	line := LogLine{Source: wire.LogMCP, Logger: oneLine.Replace(clip(rawjson.String(params, "logger")))}
	level, data := clip(rawjson.String(params, "level")), rawjson.String(params, "data")
	if data == "" {
		data = string(rawjson.OneLine(rawjson.Get(params, "data")))
	}
	prefix := logPrefix(level, line.Logger)
	if line.Level = logLevels[level]; line.Level == "" {
		line.Logger, data, prefix = "", prefix+data, ""
	}
	l.append(line, data, maxLogEntry-len(prefix))
}

// append appends text, each of its lines with what line says, and cuts it after limit bytes.
func (l *serverLog) append(line LogLine, text string, limit int) {
	if len(text) > limit {
		text = text[:limit] + " [cut]"
	}
	line.Time, line.Logger = time.Now(), strings.ToValidUTF8(line.Logger, "\uFFFD")
	if text == "" && line.Level != "" {
		l.lines.Add(line) // a message of its own, although it says nothing
	}
	for part := range strings.Lines(text) {
		line.Text = strings.ToValidUTF8(strings.TrimRight(part, "\r\n"), "\uFFFD")
		l.lines.Add(line)
		line.More = true
	}
	if l.grew != nil {
		l.grew()
	}
}

// logLevels has the levels of RFC 5424, which are those of MCP, by themselves. What it returns does
// not keep a message alive.
var logLevels = map[string]string{
	"debug": "debug", "info": "info", "notice": "notice", "warning": "warning",
	"error": "error", "critical": "critical", "alert": "alert", "emergency": "emergency",
}

// oneLine makes one line of a name that a server chose.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

// logPrefix returns what stands before the text of a message.
func logPrefix(level, logger string) string {
	prefix := "[" + level + "] "
	if logger != "" {
		prefix += logger + ": "
	}
	return prefix
}

// say appends what the daemon has to say.
func (l *serverLog) say(format string, args ...any) {
	l.add(wire.LogDaemon, fmt.Sprintf(format, args...))
}

// lifeLog is the [wire.LogSink] of one life of the server. It also keeps the last
// lines of stderr of this life alone, and the first one on stdout that is no message, for errors to quote.
type lifeLog struct {
	*serverLog
	counts  *counts
	stderr  *ring.Ring[string]
	printed atomic.Pointer[string] // nil when there was none
}

func (l *serverLog) newLife(counts *counts) *lifeLog {
	size := func(line string) int { return len(line) }
	return &lifeLog{serverLog: l, counts: counts, stderr: ring.Of(maxErrorLines, maxErrorLines*maxLogEntry, size)}
}

// Line implements [wire.LogSink].
func (l *lifeLog) Line(from wire.LogSource, text string) {
	if from == wire.LogStderr {
		l.stderr.Add(strings.ToValidUTF8(text, "\uFFFD"))
	}
	if from == wire.LogStdout && strings.TrimSpace(text) != "" {
		line := clip(strings.ToValidUTF8(text, "\uFFFD"))
		l.printed.CompareAndSwap(nil, &line)
	}
	l.add(from, text)
}

// Skipped implements [wire.LogSink].
func (l *lifeLog) Skipped(oversized bool) {
	if oversized {
		l.counts.oversized.Add(1)
	} else {
		l.counts.noise.Add(1)
	}
}

// setLevel serves logging/setLevel. In the modern era every request says which
// messages are wanted (MCP 2026-07-28, Logging, Per-request log level).
func (s *session) setLevel(ctx context.Context, call Call) (json.RawMessage, error) {
	level := rawjson.String(call.Params, "level")
	if !s.modern.Load() {
		result, err := s.whole(ctx, call)
		if err == nil {
			s.level.Store(level)
		}
		return result, err
	}
	if logLevels[level] == "" {
		return nil, wire.Errorf(wire.KindInvalidParams, "level", "%.40q is not a log level; use debug, info, notice, warning, error, critical, alert or emergency", level)
	}
	s.level.Store(level)
	return json.RawMessage("{}"), nil
}

// restoreLevel asks a restarted server of the legacy era, which has forgotten the level, for it again.
func (s *session) restoreLevel() {
	level, _ := s.level.Load().(string)
	if level == "" || s.peer.check(wire.MethodSetLevel) != nil {
		return // nobody has asked, or the server no longer offers it
	}
	_, err := s.request(s.ctx, wire.MethodSetLevel, rawjson.Set(nil, "level", rawjson.Quote(level)), readTimeout)
	if err != nil && s.ctx.Err() == nil {
		s.log.say("%s %s, asked again after a restart, failed: %v", wire.MethodSetLevel, clip(level), err)
	}
}
