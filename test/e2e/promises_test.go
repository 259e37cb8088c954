//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Promise 4: whatever the file of a folder is full of, the editor that opens the folder stays
// attached, and the user's own servers work.
func TestPromise4FileOfAFolderThatIsFull(t *testing.T) {
	t.Parallel()
	full := func(server func(i int) string, servers int) string {
		var b strings.Builder
		for i := range servers {
			fmt.Fprintf(&b, "%q: %s,", fmt.Sprint("s", i), server(i))
		}
		return `{"mcpServers": {` + b.String() + `}}`
	}
	env := func() string {
		var b strings.Builder
		for i := range 35_000 {
			fmt.Fprintf(&b, `"LD_%d":"",`, i)
		}
		return b.String()
	}()
	for name, text := range map[string]string{
		"servers": full(func(int) string { return `{"command": "c"}` }, 9_000),
		"variables": full(func(int) string {
			return `{"command": "c", "args": ["` + strings.Repeat(`$\u007binput:x}`, 60_000) + `"]}`
		}, 1),
		"arguments":       full(func(int) string { return `{"command": "c", "args": [` + strings.Repeat(`"",`, 150_000) + `]}` }, 1),
		"escapes":         full(func(int) string { return `{"command": "c", "args": ["` + strings.Repeat("\x7f", 5_000) + `"]}` }, 100),
		"the environment": full(func(int) string { return `{"command": "c", "env": {` + env + `}}` }, 1),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWith(t, scripts{"good": {}})
			folder := w.folder("project")
			w.write(folder+"/.mcp.json", text)
			o, answers := w.asker(allCapabilities, "editord/approve", folder)
			e := w.attach(o, "good")
			if name != "variables" {
				question(e, 1)
				answers <- object{"decision": "later"}
			}
			served(e, "good")
			if n := len(status(e).Editors); n != 1 {
				t.Errorf("%d editors are attached", n)
			}
		})
	}
}

// A project with more servers than anybody has keeps no editor from anything: the user's own server
// runs, one question is asked, and who puts it off is asked nothing more but what he asks for.
func TestPromise8ProjectWithManyServers(t *testing.T) {
	u := newUntrusted(t)
	many := servers{}
	for i := range 1500 {
		many[fmt.Sprintf("s%04d", i)] = u.fakeServer("many", fakeserver.Script{})
	}
	u.workspaceFile(u.folder, many)
	o, answers := u.asker()
	e := u.attach(o)
	asked := question(e, 1)
	awaitReady(e, "good")
	names := configured(e)
	if len(names) < 3 {
		t.Fatalf("the servers are %q", names)
	}
	answers <- object{"decision": "later"}
	var other string
	for _, name := range names {
		if name != asked.Server && name != "good" {
			other = name
		}
	}
	starting := e.Start("editord/startServer", object{"server": other})
	if next := question(e, 2); next.Server != other {
		t.Errorf("after it was put off, asked is about %s, want %s", next.Server, other)
	}
	answers <- object{"decision": "later"}
	fails(e, "starting what was put off", starting, "serverNotReady", -32803)
	if n := received(e, "editord/approve"); n != 2 {
		t.Errorf("%d questions were asked", n)
	}
}

// Promise 8: what a project writes where a message quotes it is seen, in diagnostics, in
// message boxes, in errors and in the reason why a server does not run.
func TestPromise8MessagesHideNothing(t *testing.T) {
	const hidden = "a\u115fb\u3164c\u2800d\u202ee\ufe0f"
	const seen = `a\u{115f}b\u{3164}c\u{2800}d`
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{}), hidden: object{"command": "no-such-program-" + hidden}}.String())
	folder := w.folder("project")
	w.write(filepath.Join(folder, ".mcp.json"), `{"mcpServers": {"broken": {"command": 5, "`+hidden+`": 1}, "`+hidden+`": {}}, "`+hidden+`": 1}`)
	e := w.attach(in(mcpCapabilities, folder), "fake")

	for _, d := range awaitDiagnostics(e, filepath.Join(folder, ".mcp.json"), "the name", says(seen)) {
		wantSeen(t, "a diagnostic", d.Message)
	}
	err := fails(e, "a call of no server", e.Start("mcp/tools/call", toolCall(hidden+"?", "echo", object{})), "serverNotFound", -32602)
	wantSeen(t, "an error", err.Message)
	if !strings.Contains(err.Message, seen) {
		t.Errorf("the error %q does not name the server", err.Message)
	}
	awaitState(e, hidden, "failed")
	err = fails(e, "a call of a server that failed", e.Start("mcp/tools/call", toolCall(hidden, "echo", object{})), "serverNotReady", -32803)
	wantSeen(t, "an error of a server that failed", err.Message)
	if failed := server(e, hidden).Error; failed == nil || !strings.Contains(failed.Message, seen) {
		t.Errorf("the server failed with %+v", failed)
	} else {
		wantSeen(t, "the reason", failed.Message)
	}
	shown := 0
	for _, m := range e.Messages() {
		var p struct{ Message string }
		if m.Method == "window/showMessage" && json.Unmarshal(m.Params, &p) == nil {
			wantSeen(t, "a message box", p.Message)
			shown++
		}
	}
	if shown == 0 {
		t.Error("no message was shown")
	}
}

// wantSeen checks that a text has none of the characters of TestPromise8MessagesHideNothing.
func wantSeen(t *testing.T, what, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\u115f\u3164\u2800\u202e\ufe0f") {
		t.Errorf("%s hides something: %q", what, text)
	}
}

// nest returns an object that is nested so deep.
func nest(depth int) json.RawMessage {
	return json.RawMessage(strings.Repeat(`{"d":`, depth-1) + `{}` + strings.Repeat(`}`, depth-1))
}

// Promise 4: what is nested so deep that an editor cannot read it does not reach one. One item of
// a list is left out alone, and the log names it; a call fails and says why; a question is
// answered with an error. Nothing else suffers.
func TestPromise4Depth(t *testing.T) {
	w := newWorld(t)
	item := func(id string, depth int) json.RawMessage { // depth is that of the item
		return json.RawMessage(`{"name":"` + id + `","uri":"x:` + id + `","uriTemplate":"x:` + id + `/{a}","inputSchema":` + string(nest(depth-1)) + `}`)
	}
	items := []json.RawMessage{item("first", 500), item("deep", 501), item("deeper", 5000), item("last", 10)}
	// A configuration file may not have so many brackets.
	script := filepath.Join(w.dir, "deep.script")
	w.write(script, marshal(fakeserver.Script{Plain: true, OnlyTools: true, PageSize: 3, Tools: items, Prompts: items, Resources: items, ResourceTemplates: items}))
	w.config(servers{
		"deep": object{"command": fakeserverBinary, "env": object{fakeserver.Env: script}},
		"good": w.fakeServer("good", fakeserver.Script{}),
	}.String())
	o := in(everyCapability, w.folder("project"))
	o.Answers = answers{elicitation: always(`{"action":"accept","content":` + string(nest(501)) + `}`)}
	e := w.attach(o, "deep", "good")

	for method, member := range map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"} {
		var result map[string]json.RawMessage
		request(e, "mcp/"+method, object{"server": "deep"}, &result)
		var names []string
		for i := range rawjson.Elements(result[member]) {
			names = append(names, rawjson.String(i, "name"))
		}
		if fmt.Sprint(names) != "[first last]" {
			t.Errorf("%s has %v, want [first last]", method, names)
		}
	}
	log := serverLines(e, "deep")
	for _, want := range []string{`the tool "deep" is left out: it is nested 501 deep`, `the prompt "deeper" is left out: it is nested 5000 deep`, `the resource "deep"`, `the resource template "deeper"`} {
		if !strings.Contains(log, want) {
			t.Errorf("the server's log has no %q:\n%s", want, log)
		}
	}
	raw, err := e.Request("editord/catalog", object{})
	if err != nil || !strings.Contains(string(raw), `"name":"first"`) || !strings.Contains(string(raw), `"name":"echo"`) {
		t.Errorf("the catalogue has not what both servers offer: %.300s, %v", raw, err)
	}

	// From here on of a server that has its actions.
	answer := func(member string, depth int) []string {
		return []string{`{"jsonrpc":"2.0","id":$ID,` + member + string(nest(depth)) + `}`}
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  string // of the error; "" for a result
	}{
		{"a result as deep as may be", answer(`"result":`, 500), ""},
		{"a result that is too deep", answer(`"result":`, 501), "nested 501 deep"},
		{"a result that is much too deep", answer(`"result":`, 9000), "nested 9000 deep"},
		{"a result that is deeper than JSON", answer(`"result":`, 20000), "deep"},
		{"an error that is too deep", []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"m","data":` + string(nest(500)) + `}}`}, "nested 501 deep"},
		{"in a batch", []string{`[{"jsonrpc":"2.0","id":$ID,"result":` + string(nest(501)) + `}]`}, "nested 501 deep"},
	} {
		result, err := e.Request("mcp/tools/call", toolCall("good", "raw", object{"lines": tt.lines}))
		switch {
		case tt.want == "" && err != nil, tt.want == "" && len(result) == 0:
			t.Errorf("%s: %.100s, %v", tt.name, result, err)
		case tt.want != "" && (err == nil || err.Kind() != "invalidResult" || !strings.Contains(err.Message, tt.want)):
			t.Errorf("%s: %.100s, %v", tt.name, result, err)
		}
	}
	for depth, want := range map[int]string{
		10:  `"error":{"code":-32603`, // the answer of the editor is too deep
		501: `"error":{"code":-32602`,
	} {
		id := fmt.Sprintf("asked-%d", depth)
		if _, err := e.Request("mcp/tools/call", toolCall("good", "raw", object{"lines": []string{
			`{"jsonrpc":"2.0","id":"` + id + `","method":"elicitation/create","params":` + string(nest(depth)) + `}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":` + string(nest(900)) + `}`,
			`{"jsonrpc":"2.0","id":$ID,"result":{}}`,
		}})); err != nil {
			t.Fatal(err)
		}
		await(t, "the server is answered "+want, func() bool {
			return slices.ContainsFunc(w.recorded("good", ""), func(m recordedMessage) bool {
				return string(m.ID) == `"`+id+`"` && strings.Contains(`"error":`+string(m.Error), want)
			})
		})
	}
	served(e, "good")
	if n := status(e).Counters["nestedTooDeep"]; n < 6 {
		t.Errorf("%d messages were counted as nested too deep", n)
	}

	// And to servers.
	for depth, fine := range map[int]bool{498: true, 499: false, 3000: false} { // of an argument, in {arguments: {x: …}}
		_, err := e.Request("mcp/tools/call", toolCall("good", "echo", object{"x": nest(depth)}))
		if refused := err != nil && err.Kind() == "invalidParams"; refused == fine { // the answer, with them in it, is too deep anyway
			t.Errorf("an argument that is nested %d deep: %v", depth, err)
		}
	}
	served(e, "good")
	for _, m := range e.Messages() {
		if depth := rawjson.Depth(m.Raw); !m.Sent && depth > 520 {
			t.Errorf("the editor got a message that is nested %d deep: %.200s", depth, m.Raw)
		}
	}
}
