//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// When an editor has its answer, the audit has what it did.
func TestAuditOfAnEditor(t *testing.T) {
	d, _, e, _ := newReady(t)
	call := func(server, method, params string) {
		_, _ = e.Call(t.Context(), editorapi.Call{Server: server, Method: method, Params: json.RawMessage(params)}) // the audit has the outcome
	}
	call("fake", "tools/call", `{"name":"echo"}`)
	call("fake", "tools/list", `{}`)
	call("nobody", "resources/read", `{"uri":"x:/y?z"}`)
	for _, do := range []func() (editorapi.Server, error){
		func() (editorapi.Server, error) { return e.StopServer("fake")(t.Context()) },
		func() (editorapi.Server, error) { return e.StartServer("fake")(t.Context()) },
		func() (editorapi.Server, error) { return e.RestartServer("fake")(t.Context()) },
	} {
		if _, err := do(); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := ReadAudit(d.opts.Paths, 100, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range lines {
		got = append(got, line.Event+" "+line.Server+" "+line.What+" "+line.Outcome)
	}
	want := []string{
		"tools/call fake echo ok", "resources/read nobody x:/y serverNotFound", "stop fake  ok", "start fake  ok", "restart fake  ok",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What is held back until the reader has no more is held back together with its line, which is there first.
func TestAuditIsFlushedBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, e, _ := newTestAudit(t)
		answer := make(chan struct{})
		disk := slowDisk{&fullDisk{}, answer}
		a.file = newLineFile(disk)
		c := new(cork.Cork)
		c.More(true)
		a.call(e, time.Now(), editorapi.Call{Server: "s", Method: wire.MethodCallTool}, nil, nil, c) // does not wait
		c.Hold(flushed(func() {
			if disk.Len() == 0 {
				t.Error("the answer is written, and its line is not")
			}
		}))
		close(answer)
		c.Flush()
	})
}

type flushed func()

func (f flushed) Flush() { f() }

// A daemon that is killed after an answer leaves a line of what it answered.
func TestAuditIsWrittenBeforeTheAnswer(t *testing.T) {
	d, _, e, _ := newReady(t)
	for _, server := range []string{"fake", "nobody"} {
		answered := make(chan []AuditLine, 1)
		e.Begin(editorapi.Call{Server: server, Method: "tools/call", Params: json.RawMessage(`{"name":"echo"}`)}, nil, func(json.RawMessage, error, *cork.Cork) {
			lines, err := ReadAudit(d.opts.Paths, 100, server)
			if err != nil {
				t.Error(err)
			}
			answered <- lines
		})
		if lines := <-answered; len(lines) != 1 || lines[0].What != "echo" {
			t.Errorf("server %q: the audit has %+v", server, lines)
		}
	}
}
