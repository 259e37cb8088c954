//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// helpful is an editor that answers every question.
func helpful(folder string) fakeeditor.Options {
	o := in(everyCapability, folder)
	o.Answers = answers{
		sampling: always(`{"role":"assistant","model":"m","content":{"type":"text","text":"the model's words"}}`),
		elicitation: func(params json.RawMessage) (any, error) {
			if strings.Contains(string(params), `"mode":"url"`) {
				return object{"action": "accept"}, nil
			}
			return object{"action": "accept", "content": object{"projectName": "x", "framework": "vue", "ok": true}}, nil
		},
	}
	return o
}

// A request to a real server, and what is in its answer.
type asking struct {
	method string
	params object
	want   string
}

// answered sends requests to a server, and checks the answers.
func answered(t *testing.T, e *fakeeditor.Editor, server string, requests ...asking) {
	t.Helper()
	for _, r := range requests {
		raw, err := e.Request("mcp/"+r.method, object{"server": server, "params": r.params})
		if err != nil || !strings.Contains(string(raw), r.want) {
			t.Errorf("%s of %s with %v answers %s, %v, without %s", r.method, server, r.params, raw, err, r.want)
		}
	}
}

// TestEverythingOverEveryTransport goes through what server-everything has.
func TestEverythingOverEveryTransport(t *testing.T) {
	t.Parallel()
	for name, definition := range map[string]func(*world) object{
		"stdio":           func(w *world) object { return npmServer(w.t, "server-everything") },
		"HTTP+SSE":        func(w *world) object { return with(w.remoteEverything("sse"), "type", "sse") },
		"found to be SSE": func(w *world) object { return w.remoteEverything("sse") },
		"Streamable HTTP": func(w *world) object { return w.remoteEverything("streamableHttp") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			const everything, uri = "everything", "demo://resource/dynamic/text/1"
			w.config(servers{everything: definition(w)}.String())
			e := w.attach(helpful(w.folder("project")))
			awaitReady(e, everything)
			await(t, "the tools that depend on the client are there", func() bool {
				return slices.Contains(toolNames(e, everything), "trigger-url-elicitation")
			})
			tool := func(name string, arguments object, want string) asking {
				return asking{"tools/call", object{"name": name, "arguments": arguments}, want}
			}
			answered(t, e, everything,
				tool("echo", object{"message": "hi"}, `"text":"Echo: hi"`),
				tool("get-structured-content", object{"location": "Chicago"}, `"structuredContent":{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}`),
				tool("get-tiny-image", object{}, `"mimeType":"image/png"`),
				tool("get-resource-links", object{"count": 2}, `"type":"resource_link"`),
				tool("get-annotated-message", object{"messageType": "error"}, `"annotations":{`),
				tool("trigger-sampling-request", object{"prompt": "Say it."}, "the model's words"),
				tool("trigger-url-elicitation", object{"url": "https://example.com/x"}, "User completed the URL elicitation flow"),
				asking{"prompts/get", object{"name": "completable-prompt", "arguments": object{"department": "Sales", "name": "Eve"}}, "Please promote Eve to the head of the Sales team."},
				asking{"completion/complete", object{
					"ref":      object{"type": "ref/prompt", "name": "completable-prompt"},
					"argument": object{"name": "name", "value": "E"},
					"context":  object{"arguments": object{"department": "Sales"}}}, `"values":["Eve"]`},
				asking{"resources/read", object{"uri": "demo://resource/dynamic/text/7"}, "demo://resource/dynamic/text/7"},
				asking{"prompts/list", nil, "completable-prompt"},
				asking{"resources/list", nil, "demo://"},
				asking{"resources/templates/list", nil, "demo://resource/dynamic/text/{resourceId}"},
				// What the server sends unasked.
				asking{"logging/setLevel", object{"level": "debug"}, ""},
				asking{"resources/subscribe", object{"uri": uri}, ""},
				tool("toggle-subscriber-updates", object{}, ""),
				tool("toggle-simulated-logging", object{}, ""),
			)
			notified(e, everything, "notifications/resources/updated", uri)
			notified(e, everything, "notifications/message", `"level"`)
			checkEverythingTask(t, e)
		})
	}
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
	answered(t, e, "everything",
		asking{"tasks/get", id, `"status":"working"`},
		asking{"tasks/result", id, "# Research Report: daemons"}, // it answers when the task is done
		asking{"tasks/get", id, `"status":"completed"`},
	)
}
