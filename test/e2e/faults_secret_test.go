//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// canary is what must be seen nowhere but in the environment of the server.
const canary = "canary-7Yq2"

// Fault secret-leak.
func TestPromise9SecretsAreSeenNowhere(t *testing.T) {
	w := newWorld(t)
	folder := w.folder("project")
	marker := filepath.Join(w.dir, "marker")
	// The server says how long each of its secrets is, and no more.
	definition := w.launched("fake", `for s in "$PLAIN" "$FROM_ENV" "$FROM_INPUT" "$FROM_FILE"; do printf %s "$s" | wc -c; done >`+marker+`; exec "$0"`, fakeserver.Script{})
	envFile := filepath.Join(filepath.Dir(w.configFile()), "secrets.env")
	w.write(envFile, "FROM_FILE="+canary+"\n")
	definition["envFile"] = "secrets.env"
	env := object{"PLAIN": canary, "FROM_ENV": "${env:SECRET}", "FROM_INPUT": "${input:token}"}
	for name, value := range definition["env"].(map[string]string) {
		env[name] = value
	}
	definition["env"] = env
	w.config(marshal(object{
		"inputs": []object{{"id": "token", "type": "promptString", "description": "API token", "password": true}},
		"servers": servers{
			"fake":   definition,
			"remote": object{"url": "http://127.0.0.1:9/mcp", "headers": object{"Authorization": "Bearer " + canary}},
			"broken": object{"command": "no-such-command", "env": object{"PLAIN": canary}},
		},
	}))
	w.workspaceFile(folder, servers{
		// What such a file says itself is shown: it is no secret of this user's.
		"asked": object{"command": "true", "env": object{"PLAIN": "${env:SECRET}"}},
		"far":   object{"url": "https://example.com/mcp/${env:SECRET}", "headers": object{"X-Token": "${env:SECRET}"}},
	})
	w.vars = []string{"SECRET=" + canary}
	o := in(allCapabilities, folder)
	o.Answers = answers{
		elicitation:       always(`{"action":"accept","content":{"value":"` + canary + `"}}`),
		"editord/approve": always(`{"decision":"deny"}`),
	}
	e := w.attach(o, "fake")
	b, err := os.ReadFile(marker)
	if got := strings.Join(strings.Fields(string(b)), " "); got != "11 11 11 11" {
		t.Fatalf("the server has secrets of %s bytes, want 11 four times (%v)", got, err)
	}
	awaitState(e, "remote", "restarting") // nothing listens there
	awaitState(e, "broken", "failed")
	question(e, 2)
	await(t, "both were denied", func() bool { return server(e, "far").Error != nil && server(e, "asked").Error != nil })

	// Whatever the daemon can be asked for.
	plain := w.attach(in(messageBoxes, folder))
	for _, editor := range []*fakeeditor.Editor{e, plain} {
		status(editor)
		for _, method := range []string{"editord/servers", "editord/catalog", "editord/approvals"} {
			request(editor, method, object{}, nil)
		}
		for _, name := range []string{"fake", "remote", "broken", "asked", "far"} {
			serverLines(editor, name)
			_, _ = editor.Request("mcp/tools/call", toolCall(name, "no such tool", object{})) // its error is looked at below
		}
		_, _ = editor.Request("editord/restartServer", object{"server": "remote"})
		for _, m := range editor.Messages() {
			if !m.Sent && strings.Contains(string(m.Raw), canary) {
				t.Errorf("the editor was sent %s", m)
			}
		}
	}
	// The arguments of every process, and every file that the daemon has written.
	for _, pid := range w.processes() {
		if line := commandLine(pid); strings.Contains(line, canary) {
			t.Errorf("a process has the arguments %s", line)
		}
	}
	if found := w.filesWith(canary); !slices.Equal(found, []string{w.configFile(), envFile}) {
		t.Errorf("the secret is in %q", found)
	}
}

// An input is asked for as the configuration describes it; when nobody gives it the error names it.
func TestInputsAreAsked(t *testing.T) {
	w := newWorld(t)
	w.config(marshal(object{
		"inputs": []object{
			{"id": "region", "type": "pickString", "description": "Which region?", "options": []string{"north", "south"}, "default": "south"},
			{"id": "secret", "type": "promptString", "description": "What is it?", "password": true},
		},
		"servers": servers{
			"fake": with(w.fakeServer("fake", fakeserver.Script{}), "args", []string{"${input:region}"}),
			"not":  with(w.fakeServer("not", fakeserver.Script{}), "args", []string{"${input:secret}"}),
		},
	}))
	o := in(allCapabilities, w.folder("project"))
	o.Answers = answers{elicitation: func(params json.RawMessage) (any, error) {
		if strings.Contains(string(params), "secret") {
			return object{"action": "decline"}, nil
		}
		return object{"action": "accept", "content": object{"value": "north"}}, nil
	}}
	e := w.attach(o, "fake")
	if got := argument(t, e); got != "north" {
		t.Errorf("the argument is %q", got)
	}
	if v := awaitState(e, "not", "failed"); v.Error == nil || !strings.Contains(v.Error.Message, "${input:secret}") {
		t.Errorf("without its input the server is %+v", v)
	}
	for server, texts := range map[string][]string{"fake": {"Which region?", "north", "south"}, "not": {"What is it?", `"password":true`}} {
		asked := e.Await("the question for "+server, func(m fakeeditor.Message) bool {
			return m.Method == elicitation && strings.Contains(string(m.Params), `"server":"`+server+`"`)
		})
		wantAll(t, "the question", string(asked.Params), texts...)
	}
}

// An editor that learns of the commands only by the answer to initialize cannot be asked before, so the
// defaults count. What has none is asked for afterwards.
func TestInputsBeforeInitializeIsAnswered(t *testing.T) {
	w := newWorld(t)
	w.config(marshal(object{
		"inputs": []object{
			{"id": "word", "type": "promptString", "default": "the default"},
			{"id": "none", "type": "promptString"},
		},
		"servers": servers{
			"fake": with(w.fakeServer("fake", fakeserver.Script{}), "args", []string{"${input:word}"}),
			"not":  with(w.fakeServer("not", fakeserver.Script{}), "args", []string{"${input:none}"}),
		},
	}))
	e := fakeeditor.New(t, w.spawn("attach"), in(messageBoxes, w.folder("project")))
	w.editors = append(w.editors, e)
	if result := string(e.Initialize()); !strings.Contains(result, `"mcp.tool.fake.process"`) || strings.Contains(result, "mcp.tool.not") {
		t.Errorf("initialize is answered by %s", result)
	}
	if got := argument(t, e); got != "the default" {
		t.Errorf("the argument is %q", got)
	}
	asked := e.Await("the question", func(m fakeeditor.Message) bool {
		return m.Method == "window/showMessage" && strings.Contains(string(m.Params), "asks you something")
	})
	if !strings.Contains(string(asked.Params), "/questions/question-") {
		t.Errorf("the message is %s", asked.Params)
	}
}

// with returns a definition with one more member.
func with(definition map[string]any, name string, value any) map[string]any {
	definition[name] = value
	return definition
}
