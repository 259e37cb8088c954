package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// An editor is attached to the daemon through its own process, like a real one.
type editor struct {
	*fakeeditor.Editor
	out  *transcript
	seen int // of the conversation, by show and next
}

// The answers of the user and of the model in the demonstration.
const (
	elicited = `{"action":"accept","content":{"answer":"espresso"}}`
	sampled  = `{"role":"assistant","content":{"type":"text","text":"Blue."},"model":"demo-model"}`
)

// attach starts an editor with the stage's workspace as its folder.
func (d *demo) attach(ctx context.Context, name string) *editor {
	d.out.run("mcp-editord attach")
	folder := fileuri.FromPath(d.stage.workspace)
	d.out.sent("initialize", map[string]any{
		"clientInfo": name, "workspaceFolders": []string{folder},
		"capabilities.experimental.mcp": []string{"sampling", "elicitation"},
	})
	process := d.stage.command(ctx, "attach")
	process.Stderr = os.Stderr
	return &editor{out: d.out, Editor: fakeeditor.Attach(d.t, process, fakeeditor.Options{
		Name: name, Folders: []string{folder},
		Capabilities: json.RawMessage(`{"experimental":{"mcp":{"sampling":{},"elicitation":{"form":{}}}}}`),
		Answers: map[string]fakeeditor.Answer{
			"mcp/elicitation/create":     d.answers("mcp/elicitation/create", elicited),
			"mcp/sampling/createMessage": d.answers("mcp/sampling/createMessage", sampled),
		},
	})}
}

// answers answers every question of a method with text.
func (d *demo) answers(method, text string) fakeeditor.Answer {
	return func(question json.RawMessage) (any, error) {
		d.out.received(method, question)
		d.out.sent("", json.RawMessage(text))
		return json.RawMessage(text), nil
	}
}

// tool calls a tool of the server "workspace" by its command, and reads its
// structuredContent into output. With a token the daemon reports progress; tool prints the
// notifications and returns how many came.
func (e *editor) tool(name string, arguments map[string]any, token string, output any) (progress int) {
	params := executeCommandParams{Command: "mcp.tool.workspace." + name, Arguments: []any{arguments}, WorkDoneToken: token}
	e.out.sent("workspace/executeCommand", params)
	var result struct {
		IsError           bool
		Content           json.RawMessage
		StructuredContent json.RawMessage
	}
	e.Call("workspace/executeCommand", params, &result)
	for _, m := range e.Messages()[e.seen:] {
		e.seen++
		if m.Method == "$/progress" {
			e.out.received(m.Method, m.Params)
			progress++
		}
	}
	if result.IsError {
		e.Fatalf("the tool %s failed: %s", name, result.Content)
	}
	e.out.received("", result.StructuredContent)
	if err := json.Unmarshal(result.StructuredContent, output); err != nil {
		e.Fatalf("reading the result of %s: %v", name, err)
	}
	return progress
}

// executeCommandParams is LSP's ExecuteCommandParams.
type executeCommandParams struct {
	Command       string `json:"command"`
	Arguments     []any  `json:"arguments"`
	WorkDoneToken string `json:"workDoneToken,omitempty"`
}

// next waits for the next notification of a method, and passes over what came before it.
func (e *editor) next(method string) (params json.RawMessage) {
	e.Expect("the next "+method, func(conversation []fakeeditor.Message) (met bool, never string) {
		for !met && e.seen < len(conversation) {
			m := conversation[e.seen]
			params, met = m.Params, m.Method == method && !m.Sent
			e.seen++
		}
		return met, ""
	})
	return params
}
