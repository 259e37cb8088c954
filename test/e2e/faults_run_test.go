//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault message-flood. Neither the editor that floods itself nor one that does not read meanwhile is cut off.
func TestFloodOfNotifications(t *testing.T) {
	w := newWorldWith(t, scripts{"flood": {}, "good": {}})
	folder := w.folder("project")
	e := w.attach(in(mcpCapabilities, folder))
	other := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "flood")
	awaitReady(other, "good")
	pending := e.Start("mcp/tools/call", toolCall("flood", "flood", object{"to": "notifications", "bytes": 2 << 20}))
	served(other, "good")
	other.Stall()
	pending.Result()
	served(e, "flood")
	call(e, "flood", "flood", map[string]any{"to": "notifications", "bytes": 2 << 20})
	other.Resume()
	served(other, "flood")

	for _, editor := range []*fakeeditor.Editor{e, other} {
		editor.AwaitMethod("mcp/notifications/message")
		if n := received(editor, "mcp/notifications/message"); n > 4000 { // of 44,000; no matter how slow this machine is
			t.Errorf("%d messages reached an editor", n)
		}
	}
	if leftOut := status(e).Counters["notificationsLeftOut"]; leftOut == 0 {
		t.Error("nothing was left out: that was no flood")
	}
}

// answersOf returns the answers that a fake server has got to its requests.
func (w *world) answersOf(name string) (answers []recordedMessage) {
	for _, m := range w.recorded(name, "") {
		if m.Result != nil || m.Error != nil {
			answers = append(answers, m)
		}
	}
	return answers
}

// Fault editor-killed: the editor is killed while its person is asked. The other editor, which
// shares the server, is not asked instead and not disturbed.
func TestEditorKilledWhileItIsAsked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, method string
		cancelled    func(recordedMessage) bool
	}{
		{"ask_elicitation", "mcp/elicitation/create", func(m recordedMessage) bool {
			return strings.Contains(string(m.Result), `"cancel"`)
		}},
		{"ask_sampling", "mcp/sampling/createMessage", func(m recordedMessage) bool {
			return strings.Contains(string(m.Error), `-1`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			w := newWorldWith(t, scripts{"fake": {}})
			o := in(allCapabilities, w.folder("project"))
			o.Answers = map[string]fakeeditor.Answer{tt.method: func(json.RawMessage) (any, error) {
				<-t.Context().Done()
				return nil, errors.New("nobody is there")
			}}
			stays := w.attach(o)
			shim := w.spawn("attach")
			goes := w.open(shim, o)
			if a, b := awaitReady(stays, "fake"), awaitReady(goes, "fake"); a.PID != b.PID {
				t.Fatal("they do not share the server")
			}
			goes.AwaitMethod(tt.method, goes.Start("mcp/tools/call", toolCall("fake", tt.tool, object{})))
			w.kill(shim.pid)
			await(t, "the server has an answer", func() bool { return len(w.answersOf("fake")) == 1 })
			if m := w.answersOf("fake")[0]; !tt.cancelled(m) {
				t.Errorf("the server got the result %s, the error %s", m.Result, m.Error)
			}
			served(stays, "fake")
			if received(stays, tt.method) > 0 {
				t.Error("the other editor was asked")
			}
			await(t, "the daemon has one editor", func() bool { return len(status(stays).Editors) == 1 })
		})
	}
}

// Fault daemon-stopped. One call is answered while the daemon waits for it, the other never is.
func TestTerminatedDaemonLetsCallsEnd(t *testing.T) {
	w := newWorldWith(t, scripts{"asks": {}, "hangs": {}})
	daemon := w.serve()
	release := make(chan struct{})
	o := in(allCapabilities, w.folder("project"))
	o.Answers = map[string]fakeeditor.Answer{"mcp/elicitation/create": func(json.RawMessage) (any, error) {
		<-release
		return object{"action": "accept", "content": object{"late": "answer"}}, nil
	}}
	e := w.connect(o)
	pids := []int{awaitReady(e, "asks").PID, awaitReady(e, "hangs").PID}
	asks := e.Start("mcp/tools/call", toolCall("asks", "ask_elicitation", object{}))
	hangs := e.Start("mcp/tools/call", toolCall("hangs", "hang", object{}))
	e.AwaitMethod("mcp/elicitation/create", asks)
	await(t, "the other server has its call", func() bool { return len(w.recorded("hangs", "tools/call")) == 1 })

	if err := syscall.Kill(daemon.pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	await(t, "the socket is removed", func() bool {
		_, err := os.Lstat(w.socket)
		return os.IsNotExist(err)
	})
	close(release)
	if raw, err := asks.Wait(); err != nil || !strings.Contains(string(raw), `"late"`) {
		e.Fatalf("the call that could end: %s, %v", raw, err)
	}
	fails(e, "the call that hangs", hangs, "serverGone", -32803)
	await(t, "the daemon has ended", daemon.ended)
	if daemon.code != 0 || daemon.stderr.String() != "" {
		t.Errorf("it ends with code %d and says %q", daemon.code, daemon.stderr.String())
	}
	if slices.ContainsFunc(pids, alive) {
		t.Error("a server outlives its daemon")
	}
}

// An idle daemon ends; one with an editor is not idle.
func TestIdleDaemonEnds(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {}})
	daemon := w.serve("--idle-timeout", "2s")
	e := w.connect(in(mcpCapabilities, w.folder("project")))
	pid := awaitReady(e, "fake").PID
	structured(e, "fake", "delay", object{"ms": 2500}, &struct{}{})
	if daemon.ended() {
		t.Fatal("it has ended under its editor")
	}
	e.Vanish()
	await(t, "the daemon has ended", daemon.ended)
	if daemon.code != 0 || alive(pid) {
		t.Errorf("it ends with code %d, the server lives: %v", daemon.code, alive(pid))
	}
	if _, err := os.Lstat(w.socket); !os.IsNotExist(err) {
		t.Errorf("its socket is still there (%v)", err)
	}
}

// Fault unknown-content: the result's bytes are the server's bytes.
func TestResultIsTheServersBytes(t *testing.T) {
	tests := []struct{ name, result string }{
		{"members that nobody knows", `{"x-vendor":{"a":[1,null,true]},"content":[],"isError":false}`},
		{"a content of a type that nobody knows", `{"content":[{"type":"hologram","data":"AAAA"},{"type":"text","text":"next to it"}]}`},
		{"a resultType that nobody knows", `{"resultType":"future","content":[]}`},
		{"integers over 2^53", `{"content":[],"structuredContent":{"n":9007199254740993,"m":-9007199254740993,"big":123456789012345678901234567890}}`},
		{"the spelling of numbers", `{"content":[],"structuredContent":[1.0,1e3,1E+3,0.10,-0]}`},
		{"order and white space", `{ "z" : 1 ,	"a" : 2 , "content" : [ ] }`},
		{"escapes", `{"content":[{"type":"text","text":"\u0041\/\u2028<>&\ud83d\ude00 å"}]}`},
		{"nothing at all", `{}`},
	}
	w := newWorldWith(t, scripts{"fake": {}})
	e := w.attach(in(mcpCapabilities, w.folder("project")), "fake")
	for _, tt := range tests { // one after another: they share the editor
		arguments := object{"lines": []string{`{"jsonrpc":"2.0","id":$ID,"result":` + tt.result + `}`}}
		raw, err := e.Request("mcp/tools/call", toolCall("fake", "raw", arguments))
		if err != nil || string(raw) != tt.result {
			t.Errorf("%s: mcp/tools/call is answered by\n%s %v, want\n%s", tt.name, raw, err, tt.result)
		}
		raw, err = e.Request("workspace/executeCommand", object{"command": "mcp.tool.fake.raw", "arguments": []any{arguments}})
		if err != nil || string(raw) != tt.result {
			t.Errorf("%s: workspace/executeCommand is answered by\n%s %v, want\n%s", tt.name, raw, err, tt.result)
		}
	}
}

func TestServersOfTheEditor(t *testing.T) {
	w := newWorldWith(t, scripts{"user": {}})
	o := in(mcpCapabilities, w.folder("project"))
	o.InitializationOptions = json.RawMessage(marshal(object{
		"autoStart": false, "servers": servers{"own": w.fakeServer("own", fakeserver.Script{})}}))
	e := w.attach(o)
	if s := server(e, "own"); s.Source != "editor" || s.State != "stopped" {
		t.Errorf("the editor's server is %+v", s)
	}
	// Nothing was started: what was would be on its way when something is started by hand.
	request(e, "editord/startServer", object{"server": "own"}, nil)
	served(e, "own")
	if s := server(e, "user"); s.State != "stopped" || seenStates(e, "user", "starting") != 0 {
		t.Errorf("a server that nobody started is %+v", s)
	}
	fails(e, "a call of it", e.Start("mcp/tools/call", toolCall("user", "echo", object{})), "serverNotReady", -32803)

	// They are the editor's own: another one does not have them.
	other := w.attach(in(mcpCapabilities, w.folder("project")))
	fails(other, "a call of another editor's server", other.Start("mcp/tools/call", toolCall("own", "echo", object{})), "serverNotFound", -32602)
}
