//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// everythingOver are the ways to reach server-everything.
func everythingOver() map[string]func(*world) map[string]any {
	return map[string]func(*world) map[string]any{
		"stdio":           func(w *world) map[string]any { return npmServer(w.t, "server-everything") },
		"HTTP+SSE":        func(w *world) map[string]any { return w.remoteEverything("sse").sse() },
		"found to be SSE": func(w *world) map[string]any { return w.remoteEverything("sse").definition() },
		"Streamable HTTP": func(w *world) map[string]any { return w.remoteEverything("streamableHttp").definition() },
	}
}

// TestEverythingOverEveryTransport goes through what server-everything has.
func TestEverythingOverEveryTransport(t *testing.T) {
	t.Parallel()
	for name, definition := range everythingOver() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"everything": definition(w)}.String())
			folder := w.folder("project")
			o := in(everyCapability, folder)
			o.Answers = map[string]fakeeditor.Answer{
				"mcp/sampling/createMessage": func(json.RawMessage) (any, error) {
					return object{"role": "assistant", "model": "m", "content": object{"type": "text", "text": "the model's words"}}, nil
				},
				"mcp/elicitation/create": func(json.RawMessage) (any, error) { return object{"action": "accept"}, nil },
			}
			e := w.attach(o)
			awaitReady(e, "everything")
			await(t, "the tools that depend on the client are there", func() bool {
				return slices.Contains(toolNames(e, "everything"), "trigger-url-elicitation")
			})
			checkEverythingTools(t, e)
			checkEverythingFeatures(t, e)
			checkEverythingUpdates(t, e)
			checkEverythingTask(t, e)
		})
	}
}

func checkEverythingTools(t *testing.T, e *fakeeditor.Editor) {
	for _, tt := range []struct {
		tool      string
		arguments object
		want      string
	}{
		{"echo", object{"message": "hi"}, `"text":"Echo: hi"`},
		{"get-structured-content", object{"location": "Chicago"}, `"structuredContent":{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}`},
		{"get-tiny-image", object{}, `"mimeType":"image/png"`},
		{"get-resource-links", object{"count": 2}, `"type":"resource_link"`},
		{"get-annotated-message", object{"messageType": "error"}, `"annotations":{`},
		{"trigger-sampling-request", object{"prompt": "Say it."}, "the model's words"},
		{"trigger-url-elicitation", object{"url": "https://example.com/x"}, "User completed the URL elicitation flow"},
	} {
		raw, err := e.Request("mcp/tools/call", toolCall("everything", tt.tool, tt.arguments))
		if err != nil || !strings.Contains(string(raw), tt.want) {
			t.Errorf("%s answers %s, %v, without %s", tt.tool, raw, err, tt.want)
		}
	}
	e.Await("the URL", func(m fakeeditor.Message) bool {
		return m.Method == "mcp/elicitation/create" && strings.Contains(string(m.Params), `"url":"https://example.com/x"`)
	})
}

func checkEverythingFeatures(t *testing.T, e *fakeeditor.Editor) {
	for _, tt := range []struct {
		method string
		params object
		want   string
	}{
		{"prompts/get", object{"name": "completable-prompt", "arguments": object{"department": "Sales", "name": "Eve"}}, "Please promote Eve to the head of the Sales team."},
		{"completion/complete", object{
			"ref":      object{"type": "ref/prompt", "name": "completable-prompt"},
			"argument": object{"name": "name", "value": "E"},
			"context":  object{"arguments": object{"department": "Sales"}}}, `"values":["Eve"]`},
		{"resources/read", object{"uri": "demo://resource/dynamic/text/7"}, "demo://resource/dynamic/text/7"},
	} {
		raw, err := e.Request("mcp/"+tt.method, object{"server": "everything", "params": tt.params})
		if err != nil || !strings.Contains(string(raw), tt.want) {
			t.Errorf("%s answers %s, %v, without %s", tt.method, raw, err, tt.want)
		}
	}
	for method, want := range map[string]string{
		"prompts/list": "completable-prompt", "resources/list": "demo://", "resources/templates/list": "demo://resource/dynamic/text/{resourceId}",
	} {
		raw, err := e.Request("mcp/"+method, object{"server": "everything"})
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s answers %s, %v, without %s", method, raw, err, want)
		}
	}
}

// checkEverythingUpdates turns on what the server sends unasked.
func checkEverythingUpdates(t *testing.T, e *fakeeditor.Editor) {
	const uri = "demo://resource/dynamic/text/1"
	request(e, "mcp/logging/setLevel", object{"server": "everything", "params": object{"level": "debug"}}, nil)
	request(e, "mcp/resources/subscribe", object{"server": "everything", "params": object{"uri": uri}}, nil)
	call(e, "everything", "toggle-subscriber-updates", object{})
	e.Await("an update", func(m fakeeditor.Message) bool {
		return m.Method == "mcp/notifications/resources/updated" && strings.Contains(string(m.Params), uri)
	})
	call(e, "everything", "toggle-simulated-logging", object{})
	e.Await("a log message", func(m fakeeditor.Message) bool {
		return m.Method == "mcp/notifications/message" && strings.Contains(strings.ToLower(string(m.Params)), "level")
	})
}

// checkEverythingTask runs a task of MCP 2025-11-25, which the daemon passes on.
func checkEverythingTask(t *testing.T, e *fakeeditor.Editor) {
	params := toolCall("everything", "simulate-research-query", object{"topic": "daemons"})
	params["params"].(object)["task"] = object{"ttl": 60000}
	var created struct {
		Task struct{ TaskID, Status string }
	}
	request(e, "mcp/tools/call", params, &created)
	if created.Task.TaskID == "" || created.Task.Status != "working" {
		t.Fatalf("the task is %+v", created)
	}
	id := object{"taskId": created.Task.TaskID}
	var got struct{ Status string }
	request(e, "mcp/tasks/get", object{"server": "everything", "params": id}, &got)
	if got.Status != "working" {
		t.Errorf("the task is %s", got.Status)
	}
	// It answers when the task is done.
	raw, err := e.Request("mcp/tasks/result", object{"server": "everything", "params": id})
	if err != nil || !strings.Contains(string(raw), "# Research Report: daemons") {
		t.Errorf("the result of the task is %s, %v", raw, err)
	}
	if request(e, "mcp/tasks/get", object{"server": "everything", "params": id}, &got); got.Status != "completed" {
		t.Errorf("then the task is %s", got.Status)
	}
}
