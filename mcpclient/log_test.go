package mcpclient

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestLogIsReadOn(t *testing.T) {
	h := &memHost{}
	c, other := newMemClient(t, newMemServer(), h, nil), newMemClient(t, newMemServer(), &memHost{}, nil)
	for i := range 3 {
		c.log.say("line %d", i)
	}
	want := func(part LogPart, missed int, lines ...string) {
		t.Helper()
		for i := range lines {
			lines[i] = "daemon: line " + lines[i]
		}
		if !slices.Equal(lineTexts(part.Lines), lines) || part.Missed != missed {
			t.Errorf("got %q and %d missed, want %q and %d", lineTexts(part.Lines), part.Missed, lines, missed)
		}
	}
	first := c.Log("", 2, maxLogBytes)
	want(first, 0, "1", "2")
	want(c.Log(first.Cursor, 2, maxLogBytes), 0)
	for i := range 4 {
		c.log.say("line %d", 3+i)
	}
	want(c.Log(first.Cursor, 10, maxLogBytes), 0, "3", "4", "5", "6")
	want(c.Log(first.Cursor, 3, maxLogBytes), 1, "4", "5", "6")
	want(c.Log(first.Cursor, 10, 2*(logLineCost+len("line 6"))), 2, "5", "6")
	id, _, _ := strings.Cut(first.Cursor, ":")
	for _, stale := range []string{other.Log("", 1, 1).Cursor, id, id + ":", id + ":-1", id + ":x", id + ":100", "x:3", ":"} {
		want(c.Log(stale, 2, maxLogBytes), 0, "5", "6")
	}
	if n := h.grew.Load(); n != 7 {
		t.Errorf("the host was told %d times", n)
	}
	for i := range 2 * maxLogLines {
		c.log.add(wire.LogStderr, fmt.Sprint("more ", i))
	}
	if part := c.Log(first.Cursor, 1<<20, 1<<30); len(part.Lines) != maxLogLines || part.Missed != 4+maxLogLines {
		t.Errorf("%d lines, %d missed", len(part.Lines), part.Missed)
	}
}

// Each line has the time at which it came, its source, and what a log message says of itself. Its
// text is what it has always been.
func TestLogLines(t *testing.T) {
	long := strings.Repeat("x", 2*maxLogEntry)
	for _, tt := range []struct {
		name string
		add  func(l *serverLog)
		want []LogLine
		text []string
	}{
		{"standard error", func(l *serverLog) { l.newLife(&counts{}).Line(wire.LogStderr, "one\r\ntwo\xff") },
			[]LogLine{{Source: wire.LogStderr, Text: "one"}, {Source: wire.LogStderr, More: true, Text: "two\uFFFD"}},
			[]string{"stderr: one", "stderr: two\uFFFD"}},
		{"nothing", func(l *serverLog) { l.newLife(&counts{}).Line(wire.LogStderr, "") }, nil, nil},
		{"the daemon", func(l *serverLog) { l.say("%d", 1) }, []LogLine{{Source: wire.LogDaemon, Text: "1"}}, []string{"daemon: 1"}},
		{"a message", message(`{"level":"warning","logger":"db","data":"two\nlines"}`),
			[]LogLine{{Source: wire.LogMCP, Level: "warning", Logger: "db", Text: "two"}, {Source: wire.LogMCP, Level: "warning", Logger: "db", More: true, Text: "lines"}},
			[]string{"mcp: [warning] db: two", "mcp: lines"}},
		{"a value", message(`{"level":"debug","data":{ "n":1.0}}`),
			[]LogLine{{Source: wire.LogMCP, Level: "debug", Text: `{ "n":1.0}`}}, []string{`mcp: [debug] { "n":1.0}`}},
		{"no data", message(`{"level":"error"}`), []LogLine{{Source: wire.LogMCP, Level: "error"}}, []string{"mcp: [error] "}},
		{"no level", message(`{"logger":"db","data":"text"}`), []LogLine{{Source: wire.LogMCP, Text: "[] db: text"}}, []string{"mcp: [] db: text"}},
		{"a level of its own", message(`{"level":"fatal","data":"text"}`), []LogLine{{Source: wire.LogMCP, Text: "[fatal] text"}}, []string{"mcp: [fatal] text"}},
		{"a logger of two lines", message(`{"level":"info","logger":"a\nb","data":"text"}`),
			[]LogLine{{Source: wire.LogMCP, Level: "info", Logger: "a b", Text: "text"}}, []string{"mcp: [info] a b: text"}},
		{"a long message", message(`{"level":"info","logger":"db","data":"` + long + `"}`),
			[]LogLine{{Source: wire.LogMCP, Level: "info", Logger: "db", Text: long[:maxLogEntry-len("[info] db: ")] + " [cut]"}},
			[]string{"mcp: " + ("[info] db: " + long)[:maxLogEntry] + " [cut]"}},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			l := newServerLog()
			tt.add(l)
			for i := range tt.want {
				tt.want[i].Time = time.Now()
			}
			time.Sleep(time.Hour) // of the bubble: it is not the time of reading
			got := l.lines.Last(10)
			if !slices.EqualFunc(got, tt.want, func(a, b LogLine) bool {
				same := a.Time.Equal(b.Time)
				a.Time = b.Time
				return same && a == b
			}) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if texts := lineTexts(got); !slices.Equal(texts, tt.text) {
				t.Errorf("as text %q, want %q", texts, tt.text)
			}
		})
	}
}

func message(params string) func(*serverLog) {
	return func(l *serverLog) { l.addMessage(json.RawMessage(params)) }
}

// What a log may take counts the lines as well as their text.
func TestLogCounts(t *testing.T) {
	if size := int(reflect.TypeFor[LogLine]().Size()); size > logLineCost {
		t.Errorf("a line takes %d bytes, and counts %d", size, logLineCost)
	}
	l := newServerLog()
	for range maxLogLines {
		l.addMessage(json.RawMessage(`{"level":"info","logger":"` + strings.Repeat("l", 200) + `","data":"` + strings.Repeat("x", 1000) + `"}`))
	}
	if n := len(l.lines.Last(maxLogLines)); n != maxLogBytes/(logLineCost+1200) {
		t.Errorf("%d lines", n)
	}
}

// "To receive log messages for a specific request, include
// io.modelcontextprotocol/logLevel in the request's _meta" (MCP 2026-07-28, Logging).
func TestLogLevelInTheModernEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.answer("vendor/thing", `{}`)
		c, _ := startMem(t, m, &memHost{}, nil)
		level := func(meta string) string {
			t.Helper()
			c.must(t, Call{Method: "vendor/thing", Params: json.RawMessage(`{"_meta":` + meta + `}`)})
			all := m.requests("vendor/thing")
			return string(rawjson.Path(all[len(all)-1].Params, "_meta", wire.MetaLogLevel))
		}
		if got := level(`{}`); got != "" {
			t.Errorf("level %s before anybody asked", got)
		}
		for _, want := range []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
			result, err := c.Call(t.Context(), Call{Method: wire.MethodSetLevel, Params: json.RawMessage(`{"level":"` + want + `"}`)})
			if err != nil || string(result) != `{}` {
				t.Errorf("%s %v", result, err)
			}
			if got := level(`{}`); got != `"`+want+`"` {
				t.Errorf("level %s, want %s", got, want)
			}
		}
		if got := level(`{"` + wire.MetaLogLevel + `":"info"}`); got != `"info"` {
			t.Errorf("the editor's own level became %s", got)
		}
		for _, params := range []string{`{"level":"loud"}`, `{"level":"DEBUG"}`, `{"level":7}`, `{}`} {
			wantKind(t, failure(c.Call(t.Context(), Call{Method: wire.MethodSetLevel, Params: json.RawMessage(params)})), wire.KindInvalidParams)
		}
		if got := level(`{}`); got != `"emergency"` {
			t.Errorf("level %s after refusals", got)
		}
		if m.times(wire.MethodSetLevel) != 0 {
			t.Error("it was sent")
		}
	})
}

// The modern era has no ping, but every server answers server/discover. Its stream of changes is ours.
func TestModernPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		c, _ := startMem(t, m, &memHost{}, nil)
		n := m.times("server/discover")
		if result, err := c.Call(t.Context(), Call{Method: "ping"}); err != nil || string(result) != `{}` {
			t.Errorf("%s %v", result, err)
		}
		if m.times("ping") != 0 || m.times("server/discover") != n+1 {
			t.Errorf("sent %v", m.methods())
		}
		m.answer("server/discover", memError+`{"code":-32603,"message":"ill"}`)
		if _, err := c.Call(t.Context(), Call{Method: "ping"}); err == nil || !strings.Contains(err.Error(), "ill") {
			t.Errorf("got %v", err)
		}
		listens := m.times(wire.MethodListen)
		wantKind(t, failure(c.Call(t.Context(), Call{Method: wire.MethodListen, Params: json.RawMessage(`{"notifications":{}}`)})), wire.KindInvalidParams)
		if m.times(wire.MethodListen) != listens {
			t.Error("it was sent")
		}
		// "notifications/roots/list_changed" is gone.
		if err := c.Notify(t.Context(), wire.MethodRootsChanged, nil); err != nil {
			t.Error(err)
		}
		if err := c.Notify(t.Context(), "notifications/vendor", nil); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if m.times(wire.MethodRootsChanged) != 0 || m.times("notifications/vendor") != 1 {
			t.Errorf("sent %v", m.methods())
		}
	})
}
