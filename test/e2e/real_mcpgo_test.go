//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// eras are the definition's protocol and what is spoken then.
var eras = []struct{ name, protocol string }{
	{"legacy", "2025-11-25"},
	{"modern", "2026-07-28"},
}

// mcpgo returns the definition of an example of mcp-go that talks on stdio.
func mcpgo(t testing.TB, name, protocol string) map[string]any {
	t.Helper()
	return object{"command": goServer(t, name), "protocol": protocol}
}

func TestMCPGoEverything(t *testing.T) {
	t.Parallel()
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"go": mcpgo(t, "everything", era.protocol)}.String())
			e := w.attach(in(mcpCapabilities, w.folder("project")))
			if got := awaitReady(e, "go").ProtocolVersion; got != era.protocol {
				t.Fatalf("the server speaks %s", got)
			}
			if got := call(e, "go", "add", object{"a": 1, "b": 2}).text(); !strings.Contains(got, "is 3.0") {
				t.Errorf("add answers %q", got)
			}
			for tool, want := range map[string]string{"getTinyImage": `"mimeType":"image/png"`, "get_resource_link": `"type":"resource_link"`} {
				raw, err := e.Request("mcp/tools/call", toolCall("go", tool, object{}))
				if err != nil || !strings.Contains(string(raw), want) {
					t.Errorf("%s answers %s, %v, without %s", tool, raw, err, want)
				}
			}
			// There are 101 resources.
			var list struct{ Resources []struct{ URI string } }
			if request(e, "mcp/resources/list", object{"server": "go"}, &list); len(list.Resources) != 101 {
				t.Errorf("%d resources are listed", len(list.Resources))
			}
			var completion struct{ Completion struct{ Values []string } }
			request(e, "mcp/completion/complete", object{"server": "go", "params": object{
				"ref": object{"type": "ref/prompt", "name": "complex_prompt"}, "argument": object{"name": "style", "value": "c"}}}, &completion)
			if got := strings.Join(completion.Completion.Values, " "); got != "casual creative" {
				t.Errorf("the completion is %s", got)
			}
		})
	}
}

func TestMCPGoServerAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{
		"form":  mcpgo(t, "elicitation", "auto"),
		"model": mcpgo(t, "sampling_server", "auto"),
	}.String())
	o := helpful(w.folder("project"))
	o.Answers["mcp/elicitation/create"] = func(params json.RawMessage) (any, error) {
		if strings.Contains(string(params), "https://myserver.com/") {
			return object{"action": "accept"}, nil
		}
		return object{"action": "accept", "content": object{"projectName": "x", "framework": "vue"}}, nil
	}
	e := w.attach(o)
	awaitReady(e, "form")
	awaitReady(e, "model")
	for _, tt := range []struct {
		server, tool string
		arguments    object
		want         string
	}{
		{"form", "create_project", object{}, "Created project 'x' with framework: vue"},
		{"form", "auth_via_url", object{}, "User accepted URL open request"},
		{"model", "ask_llm", object{"question": "?"}, "the model's words"},
	} {
		if got := call(e, tt.server, tt.tool, tt.arguments); got.IsError || !strings.Contains(got.text(), tt.want) {
			t.Errorf("%s answers %+v, without %q", tt.tool, got, tt.want)
		}
	}
	e.Await("the URL that was accepted", func(m fakeeditor.Message) bool {
		return m.Method == "mcp/elicitation/create" && strings.Contains(string(m.Params), `"mode":"url"`)
	})
	e.Await("that it was completed", func(m fakeeditor.Message) bool {
		return m.Method == "mcp/notifications/elicitation/complete"
	})
}

func TestMCPGoOverHTTP(t *testing.T) {
	t.Parallel()
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			path := goServer(t, "conformance")
			definition := w.remote("/mcp", func(addr string) *exec.Cmd {
				cmd := exec.Command(path)
				cmd.Env = append(os.Environ(), "CONFORMANCE_ADDR="+addr)
				return cmd
			}).definition()
			w.config(servers{"go": with(definition, "protocol", era.protocol)}.String())
			e := w.attach(helpful(w.folder("project")))
			if got := awaitReady(e, "go").ProtocolVersion; got != era.protocol {
				t.Fatalf("the server speaks %s", got)
			}
			wants := map[string]string{
				"test_simple_text": "This is a simple text response", "test_image_content": `"type":"image"`, "test_audio_content": `"type":"audio"`,
				"test_embedded_resource": "test://embedded-resource", "test_error_handling": `"isError":true`, "test_tool_with_progress": "progress reported",
			}
			if era.protocol < "2026-07-28" { // there mcp-go refuses to ask
				wants["test_sampling"] = "the model's words"
				wants["test_elicitation"] = "accept"
			}
			for tool, want := range wants {
				raw, err := e.Request("mcp/tools/call", toolCall("go", tool, object{"prompt": "p", "message": "m"}))
				if err != nil || !strings.Contains(string(raw), want) {
					t.Errorf("%s answers %s, %v, without %s", tool, raw, err, want)
				}
			}
			var read struct{ Contents []struct{ Text string } }
			request(e, "mcp/resources/read", object{"server": "go", "params": object{"uri": "test://static-text"}}, &read)
			if len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, "static text resource") {
				t.Errorf("the resource is %+v", read)
			}
			var prompt struct {
				Messages []struct{ Content struct{ Text string } }
			}
			request(e, "mcp/prompts/get", object{"server": "go", "params": object{
				"name": "test_prompt_with_arguments", "arguments": object{"arg1": "x", "arg2": "y"}}}, &prompt)
			if len(prompt.Messages) != 1 || !strings.Contains(prompt.Messages[0].Content.Text, "arg1='x', arg2='y'") {
				t.Errorf("the prompt is %+v", prompt)
			}
		})
	}
}
