//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// readLog asks for a part of the log of the server.
func readLog(t *testing.T, a editorapi.Attachment, lines int, after string, follow *bool) editorapi.ServerLogResult {
	t.Helper()
	log, err := a.ServerLog(editorapi.ServerLogParams{Server: "fake", Lines: &lines, After: after, Follow: follow}, nil)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// write makes the server write to its standard error, which soon reaches its log.
func write(t *testing.T, a editorapi.Attachment, text string, n int) {
	t.Helper()
	if _, err := call(t.Context(), a, wire.MethodCallTool, fmt.Sprintf(`{"name":"stderr","arguments":{"text":%q,"n":%d}}`, text, n)); err != nil {
		t.Fatal(err)
	}
}

// logLine returns the line number that a cursor is at.
func logLine(t *testing.T, cursor string) int {
	t.Helper()
	_, line, _ := strings.Cut(cursor, ":")
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatalf("the cursor is %q", cursor)
	}
	return n
}

// awaitLogged waits until the editor has been told a line.
func (s *screen) awaitLogged(t *testing.T, line string) (last editorapi.ServerLogged) {
	t.Helper()
	s.until(t, "told "+line, func() bool {
		i := slices.IndexFunc(s.logged, func(l editorapi.ServerLogged) bool { return slices.Contains(l.Lines, line) })
		if i >= 0 {
			last = s.logged[i]
		}
		return i >= 0
	})
	return last
}

var yes, no = new(true), new(false)

// An editor that follows a log is told its new lines, each once, until it stops following.
func TestFollowLog(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	a, s := attachEditor(t, d, folder)
	other, os := attachEditor(t, d, folder)
	s.await(t, "ready")
	os.await(t, "ready")
	readLog(t, a, 1, "", yes)
	write(t, a, "before\n", 1)
	s.awaitLogged(t, "stderr: before")
	log := readLog(t, a, 100, "", yes) // once more
	if log.Lines[len(log.Lines)-1] != "stderr: before" || log.Missed != 0 {
		t.Errorf("the log is %+v", log)
	}
	write(t, a, "one\ntwo\n", 1)
	s.awaitLogged(t, "stderr: two")
	write(t, a, "three\n", 1)
	last := s.awaitLogged(t, "stderr: three")
	var lines []string
	s.mu.Lock()
	for _, l := range s.logged {
		lines = append(lines, l.Lines...)
	}
	s.mu.Unlock()
	if !slices.Equal(lines, []string{"stderr: before", "stderr: one", "stderr: two", "stderr: three"}) {
		t.Errorf("told were %q", lines)
	}
	lines = lines[1:]
	if log := readLog(t, a, 100, log.Cursor, nil); !slices.Equal(log.Lines, lines) || log.Cursor != last.Cursor || log.Missed != 0 {
		t.Errorf("since then there is %+v", log)
	}
	if log := readLog(t, a, 1, log.Cursor, nil); log.Missed != 2 {
		t.Errorf("of more than were asked for there is %+v", log)
	}
	if log := readLog(t, a, 2, "somebody else's:3", nil); !slices.Equal(log.Lines, lines[1:]) || log.Missed != 0 {
		t.Errorf("after a cursor of another log there is %+v", log)
	}

	readLog(t, a, 1, "", no)
	readLog(t, other, 1, "", yes)
	write(t, a, "four\n", 1)
	os.awaitLogged(t, "stderr: four")
	<-a.(*editor).telling.Again()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := s.logged[len(s.logged)-1]; !slices.Contains(got.Lines, "stderr: three") {
		t.Errorf("told after the end was %+v", got)
	}
	other.Close()
	if n := len(other.(*editor).follows); n != 0 {
		t.Errorf("%d logs are followed", n)
	}
}

// In a flood, the editor is told the last lines at the pace at which it reads; the rest is counted.
func TestFollowFlood(t *testing.T) {
	_, _, a, s := newReady(t)
	start := logLine(t, readLog(t, a, 1, "", yes).Cursor)
	waits, all := slow(s)
	write(t, a, "first\n", 1)
	<-waits
	write(t, a, "a line of the flood\n", 100_000)
	write(t, a, "last\n", 1)
	all()
	last := s.awaitLogged(t, "stderr: last")
	s.mu.Lock()
	defer s.mu.Unlock()
	told, missed := 0, 0
	for _, l := range s.logged {
		told, missed = told+len(l.Lines), missed+l.Missed
		if len(l.Lines) > maxLogged {
			t.Errorf("%d lines at once", len(l.Lines))
		}
	}
	if end := logLine(t, last.Cursor); told+missed != end-start {
		t.Errorf("of %d lines %d were told in %d parts, and %d counted", end-start, told, len(s.logged), missed)
	}
}

// An editor follows a log by the name of its server: on another connection from its beginning, and
// only until there is no such server.
func TestFollowAnotherConnection(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	a, s := attachEditor(t, d, folder)
	b, bs := attachEditor(t, d, folder) // keeps the first connection
	s.await(t, "ready")
	bs.await(t, "ready")
	before := readLog(t, a, 1, "", yes)
	a.ChangeFolders(opened(t.TempDir()))
	does(t, a.StartServer("fake"))
	write(t, a, "there\n", 1)
	s.awaitLogged(t, "stderr: there")
	s.mu.Lock()
	if first := s.logged[0]; first.Missed != 0 || !strings.HasPrefix(first.Lines[0], "daemon: starting") || first.Cursor == before.Cursor {
		t.Errorf("the first of the other log is %+v", first)
	}
	s.mu.Unlock()
	write(t, b, "here\n", 1)

	e := a.(*editor)
	d.mu.Lock()
	e.set.Servers = nil
	d.mu.Unlock()
	<-e.telling.Again()
	if n := len(e.follows); n != 0 {
		t.Errorf("%d logs are followed", n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.logged {
		if slices.Contains(l.Lines, "stderr: here") {
			t.Errorf("told of the connection that it has left: %+v", l)
		}
	}
}

// If a server has not run for an editor, the editor follows the log of the same server for others,
// until its own runs.
func TestFollowSibling(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	definition := fakeDefinition(t, plainScript)
	definition = rawjson.SetPath(definition, json.RawMessage(`"${env:TOKEN}"`), "fake", "env", "TOKEN")
	attach := func(token string, autoStart bool) (editorapi.Attachment, *screen) {
		s := newScreen()
		return attachWith(t, d, s, editorapi.AttachParams{
			Folders: opened(folder), DynamicCommands: true,
			Servers: definition, AutoStart: autoStart, Environment: map[string]string{"TOKEN": token},
		}), s
	}
	a, s := attach("one", true)
	s.await(t, "ready")
	b, bs := attach("two", false)
	log, _, _ := strings.Cut(readLog(t, a, 1, "", nil).Cursor, ":")
	if other := readLog(t, b, 1, "", yes); !strings.HasPrefix(other.Cursor, log+":") { // it may be longer by now
		t.Errorf("the log of the sibling is %q, and this is %+v", log, other)
	}
	write(t, a, "of the sibling\n", 1)
	bs.awaitLogged(t, "stderr: of the sibling")
	does(t, b.StartServer("fake"))
	if own := readLog(t, b, 1, "", nil); strings.HasPrefix(own.Cursor, log+":") {
		t.Errorf("after the start, the log is still the sibling's: %+v", own)
	}
	write(t, b, "of its own\n", 1)
	bs.awaitLogged(t, "stderr: of its own")
}

// The last request of an editor decides whether it follows, whichever is served first. A cancelled
// one starts nothing.
func TestFollowInOrder(t *testing.T) {
	d, _, a, _ := newReady(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name          string
		first, second *bool
		ctx           context.Context // of the second
		follows       bool
	}{
		{"ended, then asked for", no, yes, t.Context(), true},
		{"asked for, then ended", yes, no, t.Context(), false},
		{"asked for, and cancelled", no, yes, cancelled, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ask := func(follow *bool) func(context.Context) (editorapi.ServerLogResult, error) {
				return a.ServerLog(editorapi.ServerLogParams{Server: "fake", Lines: new(1), Follow: follow}, nil)
			}
			first, second := ask(tt.first), ask(tt.second)
			if _, err := second(tt.ctx); err != nil {
				t.Error(err)
			}
			if _, err := first(t.Context()); err != nil {
				t.Error(err)
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			f := a.(*editor).follows["fake"]
			if follows := f != nil && f.begun; follows != tt.follows || (f != nil) != tt.follows {
				t.Errorf("it follows: %v", follows)
			}
		})
	}
}

// An editor that asks for entries gets each line with its time, its source and its level, also those
// that it is told; another one gets text.
func TestFollowEntries(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	a, s := attachEditor(t, d, folder)
	other, os := attachEditor(t, d, folder)
	s.await(t, "ready")
	os.await(t, "ready")
	begun := time.Now().Add(-time.Millisecond) // entries have milliseconds
	readLog(t, other, 1, "", yes)
	log, err := a.ServerLog(editorapi.ServerLogParams{Server: "fake", Lines: new(100), Follow: yes, Entries: true}, nil)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(log.Lines) != 0 || log.Lines == nil || len(log.Entries) == 0 || log.Entries[0].Source != editorapi.LogDaemon {
		t.Errorf("the log is %+v", log)
	}
	if lines := readLog(t, a, 100, "", nil); len(lines.Lines) < len(log.Entries) || lines.Entries != nil {
		t.Errorf("as text it is %+v", lines)
	}
	arguments := `{"name":"notify","arguments":{"method":"notifications/message","params":{"level":"alert","logger":"db","data":"two\nlines"}}}`
	if _, err := call(t.Context(), a, wire.MethodCallTool, arguments); err != nil {
		t.Fatal(err)
	}
	var got []editorapi.LogEntry
	s.until(t, "told of the message", func() bool {
		got = nil
		for _, l := range s.logged {
			got = append(got, l.Entries...)
		}
		return len(got) >= 2
	})
	for i, text := range []string{"two", "lines"} {
		when, err := time.Parse(time.RFC3339, got[i].Time)
		if err != nil || when.Before(begun) || when.After(time.Now()) || !strings.HasSuffix(got[i].Time, "Z") {
			t.Errorf("%q is of %q: %v", text, got[i].Time, err)
		}
		got[i].Time = ""
		if want := (editorapi.LogEntry{Source: editorapi.LogMCP, Level: editorapi.LogAlert, Logger: "db", More: i > 0, Text: text}); got[i] != want {
			t.Errorf("got %+v, want %+v", got[i], want)
		}
	}
	os.awaitLogged(t, "mcp: [alert] db: two")
}
