//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// An editor that follows a log gets the last of a flood of lines, and the number of the others, also
// when it has not read for a while. It follows on over a restart, until it says so.
func TestFollowLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{fake: w.fakeServer(fake, fakeserver.Script{})}.String())
	folder := w.folder("project")
	e := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, fake)
	stall := w.attach(in(mcpCapabilities, folder))
	follow := func(e *fakeeditor.Editor, params object) (log editorapi.ServerLogResult) {
		t.Helper()
		params["server"] = fake
		request(e, "editord/serverLog", params, &log)
		return log
	}
	number := func(cursor string) int {
		n, err := strconv.Atoi(cursor[strings.Index(cursor, ":")+1:])
		if err != nil {
			t.Fatalf("the cursor %q", cursor)
		}
		return n
	}
	start := map[*fakeeditor.Editor]editorapi.ServerLogResult{}
	for _, e := range []*fakeeditor.Editor{e, stall} {
		start[e] = follow(e, object{"lines": 1, "follow": true})
	}
	stall.Stall()
	call(e, fake, "stderr", object{"text": "a line of the flood\n", "n": 100_000})
	call(e, fake, "stderr", object{"text": "last\n"})
	notice(e, "editord/serverLogged", `"stderr: last"`)
	stall.Resume()
	var end string
	for _, e := range []*fakeeditor.Editor{e, stall} {
		notice(e, "editord/serverLogged", `"stderr: last"`)
		told, missed := 0, 0
		for _, l := range serverLogged(e) {
			told, missed, end = told+len(l.Lines), missed+l.Missed, l.Cursor
			if len(l.Lines) > 1000 {
				t.Errorf("%d lines at once", len(l.Lines))
			}
		}
		if want := number(end) - number(start[e].Cursor); told+missed != want || want <= 100_000 {
			t.Errorf("of %d lines %d were told and %d counted", want, told, missed)
		}
	}
	if log := follow(e, object{"after": end}); len(log.Lines) != 0 || log.Cursor != end {
		t.Errorf("after the end there is %+v", log)
	}
	if log := follow(e, object{"after": start[e].Cursor, "lines": 10}); len(log.Lines) != 10 || log.Missed != number(end)-number(start[e].Cursor)-10 {
		t.Errorf("after the beginning there is %+v", log)
	}

	request(e, "editord/restartServer", object{"server": fake}, nil)
	call(e, fake, "stderr", object{"text": "in the next life\n"})
	notice(e, "editord/serverLogged", `"stderr: in the next life"`)
	follow(e, object{"follow": false})
	call(e, fake, "stderr", object{"text": "unheard\n"})
	notice(stall, "editord/serverLogged", `"stderr: unheard"`)
	status(e) // what was sent to it before has come
	for _, l := range serverLogged(e) {
		if slices.Contains(l.Lines, "stderr: unheard") {
			t.Error("an editor that has said that it follows the log no more was told of new lines")
		}
	}
}

// serverLogged returns what the editor was told of logs.
func serverLogged(e *fakeeditor.Editor) (all []editorapi.ServerLogged) {
	for _, m := range e.Messages() {
		var l editorapi.ServerLogged
		if m.Method == "editord/serverLogged" && json.Unmarshal(m.Params, &l) == nil {
			all = append(all, l)
		}
	}
	return all
}
