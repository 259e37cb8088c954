//go:build linux || darwin

package e2e

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// An agent is MCP's own client on mcp-editord mcp.
type agent struct {
	*gosdk.ClientSession
	t        *testing.T
	process  *process
	updates  chan string // URIs of resources
	changes  chan struct{}
	progress atomic.Int64 // how many notifications of progress came
}

// agentVersions are those that agents speak. The last one is of the modern era.
var agentVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// runAgent starts an agent of that version in a folder.
func runAgent(t *testing.T, w *world, version, folder string, args ...string) *agent {
	t.Helper()
	a := &agent{t: t, updates: make(chan string, 100), changes: make(chan struct{}, 100)}
	a.process = w.spawnAs(func(cmd *exec.Cmd) { cmd.Dir = folder }, append([]string{"mcp"}, args...)...)
	client := gosdk.NewClient(&gosdk.Implementation{Name: "agent", Version: "1"}, &gosdk.ClientOptions{
		Capabilities: &gosdk.ClientCapabilities{},
		ElicitationHandler: func(context.Context, *gosdk.ElicitRequest) (*gosdk.ElicitResult, error) {
			return &gosdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		//lint:ignore SA1019 sampling has to work for as long as it is in a version of MCP
		CreateMessageHandler: func(context.Context, *gosdk.CreateMessageRequest) (*gosdk.CreateMessageResult, error) {
			//lint:ignore SA1019 as above
			return &gosdk.CreateMessageResult{Role: "assistant", Model: "m", Content: &gosdk.TextContent{Text: "hello from the agent"}}, nil
		},
		ProgressNotificationHandler: func(context.Context, *gosdk.ProgressNotificationClientRequest) { a.progress.Add(1) },
		ToolListChangedHandler:      func(context.Context, *gosdk.ToolListChangedRequest) { a.changes <- struct{}{} },
		ResourceUpdatedHandler: func(_ context.Context, r *gosdk.ResourceUpdatedNotificationRequest) {
			a.updates <- r.Params.URI
		},
	})
	var err error
	a.ClientSession, err = client.Connect(t.Context(), &gosdk.IOTransport{Reader: a.process, Writer: a.process}, &gosdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connecting: %v\n%s", err, a.process.stderr.String())
	}
	t.Cleanup(func() { a.Close() })
	if got := a.InitializeResult().ProtocolVersion; got != version {
		t.Errorf("the version is %s, want %s", got, version)
	}
	return a
}

// tools returns the names of the tools.
func (a *agent) tools() (names []string) {
	a.t.Helper()
	result, err := a.ListTools(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// call calls a tool and returns the text of its result.
func (a *agent) call(name string, arguments map[string]any) string {
	a.t.Helper()
	result, err := a.CallTool(a.t.Context(), &gosdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("calling %s: %v", name, err)
	}
	return textOf(result)
}

func textOf(result *gosdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range result.Content {
		if text, ok := c.(*gosdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// Everything that an agent can do, in every version, in front of a server that knows the legacy era only.
func TestAgentWithEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"everything": npmServer(t, "server-everything")}.String())
	folder := w.folder("project")
	for _, version := range agentVersions {
		t.Run(version, func(t *testing.T) {
			a := runAgent(t, w, version, folder)
			defer a.Close()
			// A call waits for a server that was never seen before, however long that takes to start. The list does
			// not, so it comes again.
			if got := a.call("everything__echo", map[string]any{"message": "hi"}); got != "Echo: hi" {
				t.Errorf("echo says %q", got)
			}
			await(t, "the list has its tools", func() bool { return slices.Contains(a.tools(), "everything__echo") })
			a.seesProgress()
			a.cancels()
			if got := a.call("everything__trigger-elicitation-request", map[string]any{}); !strings.Contains(got, "Name: Ada") {
				t.Errorf("the elicitation: %q", got)
			}
			if got := a.call("everything__trigger-sampling-request", map[string]any{"prompt": "p"}); !strings.Contains(got, "hello from the agent") {
				t.Errorf("the sampling: %q", got)
			}
			a.reads()
			a.completes()
		})
	}
}

// seesProgress calls a tool that takes its time.
func (a *agent) seesProgress() {
	a.t.Helper()
	before := a.progress.Load()
	params := &gosdk.CallToolParams{Name: "everything__trigger-long-running-operation", Arguments: map[string]any{"duration": 0.2, "steps": 4}}
	params.SetProgressToken("mine")
	if _, err := a.CallTool(a.t.Context(), params); err != nil {
		a.t.Fatal(err)
	}
	await(a.t, "all progress has come", func() bool { return a.progress.Load()-before == 4 })
}

// cancels cancels a call, and the session goes on.
func (a *agent) cancels() {
	a.t.Helper()
	ctx, cancel := context.WithCancel(a.t.Context())
	before := a.progress.Load()
	params := &gosdk.CallToolParams{Name: "everything__trigger-long-running-operation", Arguments: map[string]any{"duration": 1000, "steps": 100_000}}
	params.SetProgressToken("other")
	ended := make(chan error, 1)
	go func() {
		_, err := a.CallTool(ctx, params)
		ended <- err
	}()
	await(a.t, "the call is under way", func() bool { return a.progress.Load() > before })
	cancel()
	if err := <-ended; err == nil {
		a.t.Error("a call that was cancelled had a result")
	}
	if got := a.call("everything__echo", map[string]any{"message": "still there"}); got != "Echo: still there" {
		a.t.Errorf("echo says %q", got)
	}
}

// reads lists a resource, reads it, and hears of its changes.
func (a *agent) reads() {
	a.t.Helper()
	list, err := a.ListResources(a.t.Context(), nil)
	if err != nil || len(list.Resources) == 0 {
		a.t.Fatalf("the resources are %v, %v", list, err)
	}
	uri := list.Resources[0].URI
	read, err := a.ReadResource(a.t.Context(), &gosdk.ReadResourceParams{URI: uri})
	if err != nil || len(read.Contents) == 0 || read.Contents[0].URI != uri {
		a.t.Fatalf("reading %s: %v, %v", uri, read, err)
	}
	if err := a.Subscribe(a.t.Context(), &gosdk.SubscribeParams{URI: uri}); err != nil {
		a.t.Fatalf("subscribing: %v", err)
	}
	a.call("everything__toggle-subscriber-updates", map[string]any{})
	if got := <-a.updates; got != uri {
		a.t.Errorf("%s was updated, not %s", got, uri)
	}
	a.call("everything__toggle-subscriber-updates", map[string]any{})
	if err := a.Unsubscribe(a.t.Context(), &gosdk.UnsubscribeParams{URI: uri}); err != nil {
		a.t.Errorf("unsubscribing: %v", err)
	}
}

// completes has an argument of a prompt completed.
func (a *agent) completes() {
	a.t.Helper()
	result, err := a.Complete(a.t.Context(), &gosdk.CompleteParams{
		Ref:      &gosdk.CompleteReference{Type: "ref/prompt", Name: "everything__completable-prompt"},
		Argument: gosdk.CompleteParamsArgument{Name: "department", Value: "S"},
	})
	if err != nil || !slices.Equal(result.Completion.Values, []string{"Sales", "Support"}) {
		a.t.Errorf("got %v, %v", result, err)
	}
	prompt, err := a.GetPrompt(a.t.Context(), &gosdk.GetPromptParams{Name: "everything__completable-prompt", Arguments: map[string]string{"department": "Sales", "name": "Eve"}})
	if err != nil || len(prompt.Messages) == 0 {
		a.t.Errorf("got %v, %v", prompt, err)
	}
}

// The session of an agent outlives the daemon, and ends with its input.
func TestAgentOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			w.config(servers{"everything": npmServer(t, "server-everything")}.String())
			a := runAgent(t, w, version, w.folder("project"), "--server", "everything")
			await(t, "the server is known", func() bool { return slices.Contains(a.tools(), "echo") })
			w.kill(w.daemonPID())
			await(t, "calls go to the next daemon", func() bool { return a.call("echo", map[string]any{"message": "hi"}) == "Echo: hi" })
			if !slices.Contains(a.tools(), "echo") {
				t.Errorf("the tools are %v", a.tools())
			}
			a.process.stdin.Close()
			<-a.process.exited
			if a.process.code != 0 {
				t.Errorf("it exits with code %d", a.process.code)
			}
		})
	}
}

// An agent hears of a server that is defined later.
func TestAgentHearsOfALateServer(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			first := servers{"first": npmServer(t, "server-everything")}
			w.config(first.String())
			a := runAgent(t, w, version, w.folder("project"))
			await(t, "the first server is known", func() bool { return slices.Contains(a.tools(), "first__echo") })
			first["late"] = first["first"]
			w.config(first.String())
			for !slices.Contains(a.tools(), "late__echo") {
				<-a.changes
			}
			if got := a.call("late__echo", map[string]any{"message": "hi"}); got != "Echo: hi" {
				t.Errorf("echo says %q", got)
			}
		})
	}
}

// mcp as a server of the daemon would have the daemon wait for itself.
func TestAgentUnderItsOwnDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"loop": map[string]any{"command": daemonBinary, "args": []string{"mcp"}}}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	failed := awaitServer(e, "loop", "has failed", func(s editorapi.Server) bool { return s.Error != nil })
	if said := strings.Join(failed.Error.Stderr, "\n"); !strings.Contains(said, "as one of its servers") {
		e.Fatalf("it says %q", said)
	}
}
