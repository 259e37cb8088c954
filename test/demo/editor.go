package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// An editor is attached to the daemon through its own process, like a real one.
type editor struct {
	out     *transcript
	client  *editorapi.Client
	process *exec.Cmd
	events  chan event // notifications, in their order
}

// maxEvents is how many unread notifications an editor keeps. The demonstration brings
// fewer.
const maxEvents = 1000

type event struct {
	method string
	params json.RawMessage
}

// The answers of the user and of the model in the demonstration.
const (
	elicited = `{"action":"accept","content":{"answer":"espresso"}}`
	sampled  = `{"role":"assistant","content":{"type":"text","text":"Blue."},"model":"demo-model"}`
)

// attach starts an editor with the stage's workspace as its folder.
func (s *stage) attach(ctx context.Context, name string, out *transcript) (*editor, error) {
	e := &editor{out: out, process: s.command(ctx, "attach"), events: make(chan event, maxEvents)}
	e.process.Stderr = os.Stderr
	stdin, err := e.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := e.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	out.run("mcp-editord attach")
	if err := e.process.Start(); err != nil {
		return nil, err
	}
	folder := editorapi.Folder{URI: fileuri.FromPath(s.workspace), Name: "coffee"}
	out.sent("initialize", map[string]any{
		"clientInfo": name, "workspaceFolders": []string{folder.URI},
		"capabilities.experimental.mcp": []string{"sampling", "elicitation"},
	})
	e.client, err = editorapi.NewClient(ctx, pipes{stdout, stdin}, editorapi.ClientOptions{
		Name: name, Version: "1", Folders: []editorapi.Folder{folder}, AutoStart: true,
		Capabilities: editorapi.Capabilities{
			MCP: true, Sampling: json.RawMessage(`{}`), Elicitation: json.RawMessage(`{"form":{}}`),
		},
		Elicit: e.answers("mcp/elicitation/create", elicited), Sample: e.answers("mcp/sampling/createMessage", sampled),
		Notification: func(method string, params json.RawMessage) {
			select {
			case e.events <- event{method, params}:
			default:
			}
		},
	})
	if err != nil {
		return nil, errors.Join(err, e.process.Wait())
	}
	return e, nil
}

// pipes is a process's standard output and input.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// answers returns a function that answers every question of a method with text.
func (e *editor) answers(method, text string) func(context.Context, editorapi.Question) (any, error) {
	return func(_ context.Context, q editorapi.Question) (any, error) {
		e.out.received(method, q)
		e.out.sent("", json.RawMessage(text))
		return json.RawMessage(text), nil
	}
}

// request sends a request and reads its result.
func (e *editor) request(ctx context.Context, method string, params, result any) error {
	raw, err := e.client.Request(ctx, method, params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return json.Unmarshal(raw, result)
}

// tool calls a tool of the server "workspace" by its command, and reads its
// structuredContent into output. With a token the daemon reports progress; tool prints the
// notifications and returns how many came.
func (e *editor) tool(ctx context.Context, name string, arguments map[string]any, token string, output any) (progress int, err error) {
	params := executeCommandParams{Command: "mcp.tool.workspace." + name, Arguments: []any{arguments}, WorkDoneToken: token}
	e.out.sent("workspace/executeCommand", params)
	var result struct {
		IsError           bool
		Content           json.RawMessage
		StructuredContent json.RawMessage
	}
	if err := e.request(ctx, "workspace/executeCommand", params, &result); err != nil {
		return 0, err
	}
	progress = e.showEvents("$/progress")
	if result.IsError {
		return progress, fmt.Errorf("the tool %s failed: %s", name, result.Content)
	}
	e.out.received("", result.StructuredContent)
	return progress, json.Unmarshal(result.StructuredContent, output)
}

// executeCommandParams is LSP's ExecuteCommandParams.
type executeCommandParams struct {
	Command       string `json:"command"`
	Arguments     []any  `json:"arguments"`
	WorkDoneToken string `json:"workDoneToken,omitempty"`
}

// showEvents prints the notifications of a method that have come so far, and
// returns their number.
func (e *editor) showEvents(method string) (n int) {
	for {
		select {
		case ev := <-e.events:
			if ev.method == method {
				e.out.received(ev.method, ev.params)
				n++
			}
		default:
			return n
		}
	}
}

// await passes the notifications of a method to look until look is done. It prints what
// look makes of each.
func (e *editor) await(ctx context.Context, method string, look func(params json.RawMessage) (show any, done bool)) error {
	for {
		select {
		case ev := <-e.events:
			if ev.method != method {
				continue
			}
			show, done := look(ev.params)
			e.out.received(method, show)
			if done {
				return nil
			}
		case <-e.client.Done():
			return fmt.Errorf("the daemon went away while the editor waited for %s", method)
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", method, ctx.Err())
		}
	}
}

// close detaches from the daemon and waits for the process.
func (e *editor) close(ctx context.Context) error {
	return errors.Join(e.client.Close(ctx), e.process.Wait())
}
