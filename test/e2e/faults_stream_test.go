//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault stdout-noise: text on standard output, in any encoding, before and between messages.
func TestTextOnStdout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.launched("fake", `printf 'Welcome!\nbytes \377\376\n'; exec "$0"`, fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	call(e, "fake", "stdout", object{"text": "between\n", "n": 90})
	served(e, "fake")
	call(e, "fake", "stdout", object{"text": "between\n", "n": 90})
	served(e, "fake")
	lines := serverLines(e, "fake")
	for _, want := range []string{"stdout: Welcome!", "stdout: bytes \uFFFD", "stdout: between"} {
		if !strings.Contains(lines, want) {
			t.Errorf("the server's log has no %q:\n%s", want, lines)
		}
	}
	if n := status(e).Counters["noiseLines"]; n != 182 {
		t.Errorf("%d lines were counted, want 182", n)
	}
	if n := seenStates(e, "fake", "ready"); n != 1 {
		t.Errorf("the server was ready %d times", n)
	}
}

// Fault stdout-noise: a program that speaks no MCP at all.
func TestProgramThatIsNoServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{
		"chatty": object{"command": "sh", "args": []string{"-c", "while :; do echo no server; done"}},
		"good":   w.fakeServer("good", fakeserver.Script{}),
	}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	view := awaitState(e, "chatty", "failed")
	if view.Error == nil || view.Error.Kind != "notMCP" || !strings.Contains(view.Error.Message, "no server") {
		t.Errorf("the error is %+v", view.Error)
	}
	awaitReady(e, "good")
	served(e, "good")
}

// Fault huge-message.
func TestAnswerOverTheFrameLimit(t *testing.T) {
	t.Parallel()
	for _, idLast := range []bool{false, true} {
		t.Run(map[bool]string{false: "id first", true: "id last"}[idLast], func(t *testing.T) {
			w := newWorld(t)
			w.config(servers{
				"big":  w.fakeServer("big", fakeserver.Script{Plain: true, IDLast: idLast}),
				"good": w.fakeServer("good", fakeserver.Script{}),
			}.String())
			e := w.attach(in(mcpCapabilities, w.folder("project")))
			awaitReady(e, "good")
			awaitReady(e, "big")
			pending := e.Start("mcp/tools/call", toolCall("big", "big", object{"bytes": 64<<20 + 1}))
			served(e, "good")
			_, err := pending.Wait()
			wantError(e, "an answer that is too large", err, "tooLarge", -32803)
			served(e, "big")
			if n := status(e).Counters["oversizedFrames"]; n != 1 {
				t.Errorf("%d frames were counted, want 1", n)
			}
		})
	}
}

// Fault message-flood. Neither the editor that floods itself nor one that does not read meanwhile is cut off.
func TestFloodOfNotifications(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"flood": w.fakeServer("flood", fakeserver.Script{}), "good": w.fakeServer("good", fakeserver.Script{})}.String())
	folder := w.folder("project")
	e := w.attach(in(mcpCapabilities, folder))
	other := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "flood")
	awaitReady(other, "good")
	pending := e.Start("mcp/tools/call", toolCall("flood", "flood", object{"to": "notifications", "bytes": 2 << 20}))
	served(other, "good")
	other.Stall()
	if _, err := pending.Wait(); err != nil {
		t.Fatalf("the call that floods: %v", err)
	}
	served(e, "flood")
	call(e, "flood", "flood", map[string]any{"to": "notifications", "bytes": 2 << 20})
	other.Resume()
	served(other, "flood")

	for _, editor := range []*fakeeditor.Editor{e, other} {
		editor.AwaitMethod("mcp/notifications/message")
		n := 0
		for _, m := range editor.Messages() {
			if m.Method == "mcp/notifications/message" {
				n++
			}
		}
		if n > 4000 { // of 44,000; no matter how slow this machine is
			t.Errorf("%d messages reached an editor", n)
		}
	}
	if leftOut := status(e).Counters["notificationsLeftOut"]; leftOut == 0 {
		t.Error("nothing was left out: that was no flood")
	}
}

// Fault stderr-flood. The call is answered only when all is written.
func TestFloodOfStderr(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"flood": w.fakeServer("flood", fakeserver.Script{}), "good": w.fakeServer("good", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "flood")
	awaitReady(e, "good")
	pending := e.Start("mcp/tools/call", toolCall("flood", "flood", object{"to": "stderr", "bytes": 64 << 20}))
	served(e, "good")
	if _, err := pending.Wait(); err != nil {
		e.Fatalf("the call that floods: %v", err)
	}
	if n := len(serverLines(e, "flood")); n == 0 || n > 1<<20 {
		t.Errorf("the server's log has %d bytes, want some and at most 1 MiB", n)
	}
}

// Fault server-stops-reading. It takes the 10 s after which a server counts as not reading.
func TestServerThatStopsReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{}), "good": w.fakeServer("good", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	before := awaitReady(e, "fake").PID
	awaitReady(e, "good")
	call(e, "fake", "deaf", object{})
	pending := e.Start("mcp/tools/call", toolCall("fake", "echo", object{"x": strings.Repeat("x", 1<<20)}))
	served(e, "good")
	_, err := pending.Wait()
	wantError(e, "a call that the server does not read", err, "serverGone", -32803)
	view := awaitState(e, "fake", "restarting")
	if view.Error == nil || view.Error.Kind != "unresponsive" {
		t.Errorf("the error is %+v", view.Error)
	}
	awaitServer(e, "fake", "ready again", func(s editorapi.Server) bool { return s.State == "ready" && s.PID != before })
	served(e, "fake")
}

// Fault stray-answer.
func TestAnswersThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	wrong := `,"result":{"right":false}}`
	raw, err := e.Request("mcp/tools/call", toolCall("fake", "raw", object{"lines": []string{
		`{"jsonrpc":"2.0","id":987654321` + wrong,
		`{"jsonrpc":"2.0","id":"$ID"` + wrong,
		`{"jsonrpc":"2.0","id":null` + wrong,
		`{"jsonrpc":"2.0"` + wrong,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"of nothing"}}`,
		`{"jsonrpc":"2.0","id":-1` + wrong,
		`{"jsonrpc":"2.0","id":$ID,"result":{"right":true}}`,
		`{"jsonrpc":"2.0","id":$ID` + wrong,
	}}))
	if err != nil || string(raw) != `{"right":true}` {
		e.Fatalf("the call is answered by %s, %v", raw, err)
	}
	served(e, "fake")
	counters := status(e).Counters
	if counters["lateResponses"] != 4 || counters["noiseLines"] != 2 {
		t.Errorf("the counters are %v, want 4 responses that came late and 2 lines that are none", counters)
	}
	if n := seenStates(e, "fake", "ready"); n != 1 {
		t.Errorf("the server was ready %d times", n)
	}
}

// Fault invalid-message. Each line is followed by the answer that the call waits for, unless it
// is an answer itself.
func TestMessagesThatAreNotValid(t *testing.T) {
	t.Parallel()
	const good = `{"jsonrpc":"2.0","id":$ID,"result":{"right":true}}`
	notification := func(params string) []string {
		return []string{`{"jsonrpc":"2.0","method":"notifications/message","params":` + params + `}`, good}
	}
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	tests := []struct {
		name    string
		lines   []string
		answers bool // the call is answered all the same
	}{
		{"names in another case", []string{`{"jsonrpc":"2.0","ID":$ID,"Result":{"right":false}}`, good}, true},
		{"method in another case", []string{`{"jsonrpc":"2.0","Method":"notifications/message","params":{}}`, good}, true},
		{"a name twice", notification(`{"level":"info","data":1,"data":2}`), true},
		{"a lone surrogate", notification(`{"level":"info","data":"\ud800"}`), true},
		{"too deep", notification(`{"level":"info","data":` + deep + `}`), true},
		{"a control character", notification("{\"level\":\"info\",\"data\":\"\x00\x1b\"}"), true},
		{"half a message", []string{`{"jsonrpc":"2.0","method":"notifi`, good}, true},
		{"an answer with a name twice", []string{`{"jsonrpc":"2.0","id":$ID,"result":{"a":1,"a":2}}`}, false},
		{"an answer with a lone surrogate", []string{`{"jsonrpc":"2.0","id":$ID,"result":{"a":"\udfff"}}`}, false},
		{"an answer that is too deep", []string{`{"jsonrpc":"2.0","id":$ID,"result":{"a":` + deep + `}}`}, false},
		{"an answer that is no object", []string{`{"jsonrpc":"2.0","id":$ID,"result":["right"]}`}, false},
		{"an error that is no object", []string{`{"jsonrpc":"2.0","id":$ID,"error":"text"}`, good}, true},
	}
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	for _, tt := range tests { // one after another: they share the server
		raw, err := e.Request("mcp/tools/call", toolCall("fake", "raw", object{"lines": tt.lines}))
		switch {
		case tt.answers && (err != nil || string(raw) != `{"right":true}`):
			t.Errorf("%s: the call is answered by %s, %v", tt.name, raw, err)
		case !tt.answers && err == nil:
			t.Errorf("%s: it went through as %.200s", tt.name, raw)
		}
	}
	served(e, "fake")
	_ = serverLines(e, "fake") // has been read as JSON
	for _, m := range e.Messages() {
		if err := rawjson.Check(m.Raw); err != nil && !m.Sent {
			t.Errorf("the editor was sent %.300s: %v", m, err)
		}
	}
	if n := seenStates(e, "fake", "ready"); n != 1 {
		t.Errorf("the server was ready %d times", n)
	}
}

// Fault call-unanswered: the answer that comes after the editor has given up. The server answers
// when its question is answered.
func TestLateAnswerIsDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	release := make(chan struct{})
	o := in(allCapabilities, w.folder("project"))
	o.Answers = map[string]fakeeditor.Answer{"mcp/elicitation/create": func(json.RawMessage) (any, error) {
		<-release
		return object{"action": "decline"}, nil
	}}
	e := w.attach(o)
	awaitReady(e, "fake")
	pending := e.Start("mcp/tools/call", toolCall("fake", "ask_elicitation", object{}))
	e.AwaitMethod("mcp/elicitation/create", pending)
	pending.Cancel()
	_, err := pending.Wait()
	wantError(e, "the cancelled call", err, "cancelled", -32800)
	close(release)
	await(t, "the late answer is counted", func() bool { return status(e).Counters["lateResponses"] == 1 })
	served(e, "fake")
	if n := len(awaitAnswers(e, pending.ID, 1)); n != 1 {
		t.Errorf("the call was answered %d times", n)
	}
}
