//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// gosdkServer returns the definition of go-sdk's conformance server, which is reached
// over HTTP when there are flags.
func (w *world) gosdkServer(flags ...string) map[string]any {
	w.t.Helper()
	path := goServer(w.t, "everything-server")
	if len(flags) == 0 {
		return object{"command": path}
	}
	return w.remote("/", func(addr string) *exec.Cmd { return exec.Command(path, append(flags, "-http", addr)...) }).definition()
}

// How the server does over HTTP: by itself, or with the sessions of the legacy era, in
// which alone it can send requests there.
const (
	stateless = "-stateless=true"
	stateful  = "-stateless=false"
)

// helpful is an editor that answers every question.
func helpful(folder string) fakeeditor.Options {
	o := in(everyCapability, folder)
	o.Answers = map[string]fakeeditor.Answer{
		"mcp/sampling/createMessage": func(json.RawMessage) (any, error) {
			return object{"role": "assistant", "model": "m", "content": object{"type": "text", "text": "the model's words"}}, nil
		},
		"mcp/elicitation/create": func(json.RawMessage) (any, error) {
			return object{"action": "accept", "content": object{"name": "Ada", "username": "ada", "color": "green", "ok": true, "context": "c"}}, nil
		},
	}
	return o
}

func TestGoSDKServerAsks(t *testing.T) {
	t.Parallel()
	const sampling, elicitation = "mcp/sampling/createMessage", "mcp/elicitation/create"
	type tool struct {
		name, want string
		asked      map[string]int // questions that the editor gets
		arguments  object
	}
	// In the legacy era a server sends requests; at 2026-07-28 these tools cannot.
	legacy := []tool{
		{"test_sampling", "LLM response: the model's words", map[string]int{sampling: 1}, object{"prompt": "Say it."}},
		{"test_elicitation", "action=accept", map[string]int{elicitation: 1}, object{"message": "Who?"}},
	}
	// go-sdk makes requests of inputs for a client of the legacy era.
	both := []tool{
		{"test_input_required_result_elicitation", "Hello, Ada!", map[string]int{elicitation: 1}, object{}},
		{"test_input_required_result_sampling", "Sampling response: the model's words", map[string]int{sampling: 1}, object{}},
		{"test_input_required_result_list_roots", "Client exposed 1 root(s): file://", nil, object{}},
		{"test_input_required_result_request_state", "state-ok", map[string]int{elicitation: 1}, object{}},
		{"test_input_required_result_multiple_inputs", "the model's words Ada — 1 root(s) visible", map[string]int{elicitation: 1, sampling: 1}, object{}},
		{"test_input_required_result_capabilities", "fulfilled", map[string]int{elicitation: 1, sampling: 1}, object{}},
		{"test_input_required_result_multi_round", "Multi-round complete: Ada likes green", map[string]int{elicitation: 2}, object{}},
		{"test_input_required_result_tampered_state", "state-ok", map[string]int{elicitation: 1}, object{}},
	}
	for _, tt := range []struct {
		name, protocol string
		flags          []string
		version        string
		tools          [][]tool
	}{
		{"stdio", "", nil, "2025-11-25", [][]tool{legacy, both}},
		{"HTTP", "", []string{stateless}, "2026-07-28", [][]tool{both}},
		{"HTTP with sessions", "", []string{stateful}, "2025-11-25", [][]tool{legacy, both}},
		{"stdio at 2026-07-28", "2026-07-28", nil, "2026-07-28", [][]tool{both}},
		{"HTTP at 2026-07-28", "2026-07-28", []string{stateless}, "2026-07-28", [][]tool{both}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			definition := w.gosdkServer(tt.flags...)
			if tt.protocol != "" {
				definition["protocol"] = tt.protocol
			}
			w.config(servers{"sdk": definition}.String())
			e := w.attach(helpful(w.folder("project")))
			if got := awaitReady(e, "sdk").ProtocolVersion; got != tt.version {
				t.Fatalf("the server speaks %s, want %s", got, tt.version)
			}
			for _, list := range tt.tools {
				for _, tool := range list {
					before := map[string]int{sampling: countRequests(e, sampling), elicitation: countRequests(e, elicitation)}
					got := call(e, "sdk", tool.name, tool.arguments)
					if got.IsError || !strings.Contains(got.text(), tool.want) {
						t.Errorf("%s answers %+v, without %q", tool.name, got, tool.want)
					}
					for method, had := range before {
						if asked := countRequests(e, method) - had; asked != tool.asked[method] {
							t.Errorf("%s: %s was asked %d times, want %d", tool.name, method, asked, tool.asked[method])
						}
					}
				}
			}
			if tt.version == "2026-07-28" {
				var prompt struct {
					Messages []struct{ Content struct{ Text string } }
				}
				request(e, "mcp/prompts/get", object{"server": "sdk", "params": object{"name": "test_input_required_result_prompt"}}, &prompt)
				if len(prompt.Messages) != 1 || prompt.Messages[0].Content.Text != "Context: c" {
					t.Errorf("the prompt that asks is %+v", prompt)
				}
			}
		})
	}
}

// What has nothing to do with the era.
func TestGoSDKServerOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"sdk": w.gosdkServer(stateless)}.String())
	e := w.attach(helpful(w.folder("project")))
	awaitReady(e, "sdk")
	for tool, want := range map[string]string{
		"test_simple_text": `"type":"text"`, "test_image_content": `"mimeType":"image/png"`, "test_audio_content": `"mimeType":"audio/wav"`,
		"test_embedded_resource": `"uri":"test://embedded-resource"`, "test_multiple_content_types": `test://embedded-in-multiple`,
		"test_error_handling": `"isError":true`,
	} {
		raw, err := e.Request("mcp/tools/call", toolCall("sdk", tool, object{}))
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s answers %s, %v, without %s", tool, raw, err, want)
		}
	}
	// The argument goes into the header Mcp-Param-Region too, or the server refuses.
	if got := call(e, "sdk", "test_x_mcp_header", object{"region": "Zürich", "level": 3}).text(); got != "region=Zürich" {
		t.Errorf("test_x_mcp_header answers %q", got)
	}
	var read struct{ Contents []struct{ Text string } }
	request(e, "mcp/resources/read", object{"server": "sdk", "params": object{"uri": "test://template/7/data"}}, &read)
	if len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, `"id": "7"`) {
		t.Errorf("the resource is %+v", read)
	}
	request(e, "mcp/resources/subscribe", object{"server": "sdk", "params": object{"uri": "test://watched-resource"}}, nil)
	e.Await("an update of the resource", func(m fakeeditor.Message) bool {
		return m.Method == "mcp/notifications/resources/updated" && strings.Contains(string(m.Params), "test://watched-resource")
	})
	call(e, "sdk", "test_trigger_tool_change", object{})
	await(t, "the new tool is listed", func() bool {
		return strings.Contains(strings.Join(toolNames(e, "sdk"), " "), "__transient_tool_for_list_changed")
	})
}

// The server is built with the SDK that the daemon uses.
func TestGoSDKVersionsAgree(t *testing.T) {
	t.Parallel()
	version := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`modelcontextprotocol/go-sdk (v\S+)`).FindSubmatch(b)
		if found == nil {
			t.Fatalf("%s does not name go-sdk", path)
		}
		return string(found[1])
	}
	if own, servers := version(filepath.Join("..", "..", "go.mod")), version(filepath.Join("servers", "go.mod")); own != servers {
		t.Errorf("the daemon has go-sdk %s, its tests talk to %s", own, servers)
	}
}
