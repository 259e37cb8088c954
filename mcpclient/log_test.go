package mcpclient

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
		if !slices.Equal(part.Lines, lines) || part.Missed != missed {
			t.Errorf("got %q and %d missed, want %q and %d", part.Lines, part.Missed, lines, missed)
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
	want(c.Log(first.Cursor, 10, 2*len("daemon: line 6")), 2, "5", "6")
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
