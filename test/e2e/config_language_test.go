//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// codeActions is a plain LSP client that knows code actions.
const codeActions = `{"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":[]}}}}}`

// configDesk is a folder whose configuration somebody edits. A server leaves its first argument in the
// marker whenever it is started.
type configDesk struct {
	*world
	folder, program, marker string
	e                       *fakeeditor.Editor
}

func newConfigDesk(t *testing.T) *configDesk {
	w := newWorld(t)
	c := &configDesk{world: w, folder: w.folder("project"), program: filepath.Join(w.dir, "tool"), marker: filepath.Join(w.dir, "marker")}
	w.config(servers{"good": w.fakeServer("good", fakeserver.Script{})}.String())
	script := marshal(fakeserver.Script{})
	w.write(c.program, "#!/bin/sh\necho \"$1\" >>"+c.marker+"\nexport "+fakeserver.Env+"='"+script+"'\nexec "+fakeserverBinary+"\n")
	if err := os.Chmod(c.program, 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

// definition returns a server as a person would write it.
func (c *configDesk) definition(name string) string {
	return fmt.Sprintf("    %q: {\n      \"command\": %q,\n      \"args\": [%q]\n    }", name, c.program, name)
}

func fileOf(definitions ...string) string {
	return "{\n  \"servers\": {\n" + strings.Join(definitions, ",\n") + "\n  }\n}\n"
}

func (c *configDesk) uri(name string) string { return fileuri.FromPath(filepath.Join(c.folder, name)) }

// edit writes a file of the folder and has a new editor open it with a text.
func (c *configDesk) edit(capabilities, name, onDisk, text string) {
	c.t.Helper()
	c.write(filepath.Join(c.folder, name), onDisk)
	c.e = c.attach(in(capabilities, c.folder))
	c.open(name, text)
}

func (c *configDesk) open(name, text string) {
	c.e.Notify("textDocument/didOpen", object{"textDocument": object{"uri": c.uri(name), "languageId": "json", "version": 1, "text": text}})
}

func (c *configDesk) change(name, text string) {
	c.e.Notify("textDocument/didChange", object{"textDocument": object{"uri": c.uri(name), "version": 2}, "contentChanges": []object{{"text": text}}})
}

type codeAction struct {
	Title   string
	Command json.RawMessage
}

// actions returns what the editor is offered at a line of a file.
func (c *configDesk) actions(name string, line int) (list []codeAction) {
	c.t.Helper()
	at := object{"line": line, "character": 5}
	request(c.e, "textDocument/codeAction", object{"textDocument": object{"uri": c.uri(name)}, "range": object{"start": at, "end": at}, "context": object{"diagnostics": []any{}}}, &list)
	return list
}

func titlesOf(list []codeAction) string {
	var titles []string
	for _, a := range list {
		titles = append(titles, a.Title)
	}
	return strings.Join(titles, ", ")
}

func allowIn(list []codeAction) json.RawMessage {
	for _, a := range list {
		if strings.HasPrefix(a.Title, "Allow") {
			return a.Command
		}
	}
	return nil
}

// awaitProblems waits until the last problems that the editor was told of a file are these.
func (c *configDesk) awaitProblems(name string, want ...string) {
	c.t.Helper()
	c.e.Expect(fmt.Sprintf("the problems %q", want), func(conversation []fakeeditor.Message) (bool, string) {
		last := "never told"
		for _, m := range conversation {
			var p struct {
				URI         string
				Diagnostics []struct{ Code, Message string }
			}
			if m.Method != "textDocument/publishDiagnostics" || json.Unmarshal(m.Params, &p) != nil || p.URI != c.uri(name) {
				continue
			}
			var list []string
			for _, d := range p.Diagnostics {
				text := d.Code
				if text == "" {
					text = d.Message
				}
				list = append(list, text)
			}
			last = strings.Join(list, " | ")
		}
		return last == strings.Join(want, " | "), ""
	})
}

// awaitState waits until a server is in a state. A plain client is not told.
func (c *configDesk) awaitState(name, state string) {
	c.t.Helper()
	await(c.t, name+" is "+state, func() bool { return string(server(c.e, name).State) == state })
}

func (c *configDesk) starts() string { return strings.Join(lines(c.t, c.marker), " ") }

// Promise 1: a server that is allowed where it is defined starts, and nothing else does.
func TestPromise1AllowedInTheConfiguration(t *testing.T) {
	t.Parallel()
	for name, capabilities := range map[string]string{"a plain client": codeActions, "a plugin": strings.TrimSuffix(codeActions, "}") + `,"experimental":{"mcp":{"approval":{}}}}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConfigDesk(t)
			text := fileOf(c.definition("a"), c.definition("b"))
			c.edit(capabilities, ".mcp.json", text, text)
			c.awaitProblems(".mcp.json", "needsApproval", "needsApproval")
			offered := c.actions(".mcp.json", 3)
			if got, want := titlesOf(offered), `Show All of It, Deny "a", Allow "a" to Run`; got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			request(c.e, "workspace/executeCommand", allowIn(offered), nil)
			c.awaitProblems(".mcp.json", "needsApproval")
			await(t, "the server starts", func() bool { return c.starts() == "a" })
			if got := titlesOf(c.actions(".mcp.json", 7)); got != `Show All of It, Deny "b", Allow "b" to Run` {
				t.Errorf("of the other one it is offered %s", got)
			}
			c.awaitState("a", "ready")
			c.awaitState("b", "needsApproval")
			var lenses []struct{ Command struct{ Title string } }
			request(c.e, "textDocument/codeLens", object{"textDocument": object{"uri": c.uri(".mcp.json")}}, &lenses)
			if len(lenses) == 0 || !strings.HasPrefix(lenses[0].Command.Title, "Ready, ") {
				t.Errorf("the lenses are %+v", lenses)
			}
			request(c.e, "workspace/executeCommand", object{"command": "editord.stopServer", "arguments": []any{object{"server": "a"}}}, nil)
			c.awaitState("a", "stopped")
			if c.starts() != "a" {
				t.Errorf("there were the starts %s", c.starts())
			}
		})
	}
}

// Promise 1: what was offered for one definition allows no other that is on the disk by then.
// Fault changed-behind.
func TestPromise1FileChangedBehindTheEditor(t *testing.T) {
	t.Parallel()
	c := newConfigDesk(t)
	text := fileOf(c.definition("a"))
	c.edit(codeActions, ".mcp.json", text, text)
	c.awaitProblems(".mcp.json", "needsApproval")
	allow := allowIn(c.actions(".mcp.json", 3))
	if allow == nil {
		t.Fatal("it is not offered to allow the server")
	}
	before := server(c.e, "a").Digest
	c.write(filepath.Join(c.folder, ".mcp.json"), strings.Replace(text, `["a"]`, `["evil"]`, 1))
	await(t, "the daemon has read the other definition", func() bool { return server(c.e, "a").Digest != before })
	if _, err := c.e.Request("workspace/executeCommand", allow); err == nil || err.Detail() != "digest" {
		t.Errorf("allowing what was there before: %v", err)
	}
	if list := c.actions(".mcp.json", 3); allowIn(list) != nil {
		t.Errorf("of the text that is no longer on the disk it is offered %s", titlesOf(list))
	}
	if got := string(server(c.e, "a").State); got != "needsApproval" || c.starts() != "" {
		t.Errorf("it is %s, and has run: %s", got, c.starts())
	}
}

// Promise 1: an agent allows nothing by a command.
func TestPromise1AgentRunsNoApprovalCommand(t *testing.T) {
	t.Parallel()
	c := newConfigDesk(t)
	text := fileOf(c.definition("a"))
	c.edit(codeActions, ".mcp.json", text, text)
	c.awaitState("a", "needsApproval")
	digest := server(c.e, "a").Digest
	o := in(mcpCapabilities, c.folder)
	o.InitializationOptions = json.RawMessage(`{"agent":{"name":"Agent"}}`)
	agent := c.attach(o)
	for _, command := range []string{"editord.allowServer", "editord.denyServer"} {
		_, err := agent.Request("workspace/executeCommand", object{"command": command, "arguments": []any{object{"server": "a", "digest": digest}}})
		if err == nil || err.Kind() != "notAllowed" {
			t.Errorf("%s: %v", command, err)
		}
	}
	agent.Notify("textDocument/didOpen", object{"textDocument": object{"uri": c.uri(".mcp.json"), "languageId": "json", "version": 1, "text": text}})
	other := *c
	other.e = agent
	if list := other.actions(".mcp.json", 3); allowIn(list) != nil {
		t.Errorf("an agent is offered %s", titlesOf(list))
	}
	if got := string(server(c.e, "a").State); got != "needsApproval" || c.starts() != "" {
		t.Errorf("it is %s, and has run: %s", got, c.starts())
	}
}
