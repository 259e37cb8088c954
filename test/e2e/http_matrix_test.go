//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// sdkVersions are the versions that the official SDK speaks.
func sdkVersions() []string {
	return []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}
}

// TestVersionsAndTransports talks to a server that is not ours in every version
// on every transport that can carry it.
func TestVersionsAndTransports(t *testing.T) {
	t.Parallel()
	path := sdkServer(t)
	transports := map[string]func(w *world, version string) map[string]any{
		"stdio": func(_ *world, version string) map[string]any {
			return object{"command": path, "args": []string{"-stdio", "-version", version}}
		},
		"HTTP": func(w *world, version string) map[string]any {
			return w.remote("/mcp", func(addr string) *exec.Cmd {
				return exec.Command(path, "-http", addr, "-version", version)
			}).definition()
		},
		"SSE": func(w *world, version string) map[string]any {
			return w.remote("/mcp", func(addr string) *exec.Cmd {
				return exec.Command(path, "-sse", addr, "-version", version)
			}).sse()
		},
	}
	for _, version := range sdkVersions() {
		for name, definition := range transports {
			if name == "SSE" && version == "2026-07-28" {
				continue // that version has no HTTP+SSE
			}
			t.Run(version+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				// Pinned: the SDK's server answers initialize even when it speaks only 2026-07-28.
				w.config(servers{"sdk": with(definition(w, version), "protocol", version)}.String())
				o := helpful(w.folder("project"))
				o.Answers["mcp/elicitation/create"] = func(params json.RawMessage) (any, error) {
					if strings.Contains(string(params), `"mode":"url"`) {
						return object{"action": "accept"}, nil
					}
					return object{"action": "accept", "content": object{"name": "Grace"}}, nil
				}
				e := w.attach(o)
				if got := awaitReady(e, "sdk").ProtocolVersion; got != version {
					t.Fatalf("the server speaks %s", got)
				}
				checkSDKServer(t, e, version)
			})
		}
	}
}

func checkSDKServer(t *testing.T, e *fakeeditor.Editor, version string) {
	// 25 tools in pages of ten are one list.
	var raw json.RawMessage
	request(e, "mcp/tools/list", object{"server": "sdk"}, &raw)
	if names := toolNames(e, "sdk"); len(names) != 25 || strings.Contains(string(raw), "nextCursor") {
		t.Errorf("%d tools are listed: %s", len(names), raw)
	}
	wants := map[string]string{
		"text": "a text", "image": `"type":"image"`, "audio": `"type":"audio"`, "resource_link": `"type":"resource_link"`,
		"embedded_resource": `"type":"resource"`, "structured": `"structuredContent":{"temperature":22.5,"conditions":"sunny"}`,
		"error": `"isError":true`, "header": `äö`,
		"ask_roots": "/project", "ask_sampling": "the model's words", "ask_form": "Grace", "ask_all": "Grace",
	}
	if version >= "2025-11-25" {
		wants["ask_url"], wants["ask_sampling_tools"] = "accept", "the model's words"
	}
	for tool, want := range wants {
		raw, err := e.Request("mcp/tools/call", toolCall("sdk", tool, object{"region": "äö", "at": object{"n": 7}}))
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s answers %s, %v, without %s", tool, raw, err, want)
		}
	}
	var completion struct{ Completion struct{ Values []string } }
	request(e, "mcp/completion/complete", object{"server": "sdk", "params": object{
		"ref":      object{"type": "ref/prompt", "name": "greet"},
		"argument": object{"name": "city", "value": "P"},
		"context":  object{"arguments": object{"country": "France"}}}}, &completion)
	if got := strings.Join(completion.Completion.Values, " "); got != "Paris Pau" {
		t.Errorf("the completion is %q", got)
	}
	request(e, "mcp/logging/setLevel", object{"server": "sdk", "params": object{"level": "info"}}, nil)
	call(e, "sdk", "log", object{"level": "warning", "message": "mind the gap"})
	e.Await("a log message", func(m fakeeditor.Message) bool {
		return m.Method == "mcp/notifications/message" && strings.Contains(string(m.Params), "mind the gap")
	})
	request(e, "mcp/resources/subscribe", object{"server": "sdk", "params": object{"uri": "test://text"}}, nil)
	call(e, "sdk", "update_resource", object{"uri": "test://text"})
	e.Await("an update", func(m fakeeditor.Message) bool {
		return m.Method == "mcp/notifications/resources/updated" && strings.Contains(string(m.Params), "test://text")
	})
	added := call(e, "sdk", "change_tools", object{}).text()
	await(t, "the new tool is listed", func() bool { return strings.Contains(strings.Join(toolNames(e, "sdk"), " "), added) })

	// A call that is cancelled is cancelled in the server.
	params := toolCall("sdk", "slow", object{})
	params["workDoneToken"] = "slow"
	pending := e.Start("mcp/tools/call", params)
	e.Await("that the call has begun", func(m fakeeditor.Message) bool {
		return m.Method == "$/progress" && strings.Contains(string(m.Params), `"report"`)
	}, pending)
	pending.Cancel()
	if _, err := pending.Wait(); err == nil || err.Code != -32800 {
		t.Errorf("the cancelled call: %v", err)
	}
	await(t, "the server has heard of it", func() bool {
		var read struct{ Contents []struct{ Text string } }
		request(e, "mcp/resources/read", object{"server": "sdk", "params": object{"uri": "test://cancelled"}}, &read)
		return len(read.Contents) == 1 && read.Contents[0].Text == "1"
	})
}
