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
	progress atomic.Int64 // how many notifications of progress came
}

// agentVersions are those that agents speak. The last one is of the modern era.
var agentVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// runAgent starts an agent of that version in a folder.
func runAgent(t *testing.T, w *world, version, folder string, args ...string) *agent {
	t.Helper()
	a := &agent{t: t}
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

// An agent with MCP's Go SDK calls, sees all progress and is asked in every version, in front of a server that knows the
// legacy era only. TestAgentWithTypeScript is about all else that an agent can do.
func TestAgentInEveryVersion(t *testing.T) {
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
			params := &gosdk.CallToolParams{Name: "everything__trigger-long-running-operation", Arguments: map[string]any{"duration": 0.2, "steps": 4}}
			params.SetProgressToken("mine")
			if _, err := a.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			await(t, "all progress has come", func() bool { return a.progress.Load() == 4 })
			if got := a.call("everything__trigger-elicitation-request", map[string]any{}); !strings.Contains(got, "Name: Ada") {
				t.Errorf("the elicitation: %q", got)
			}
			if got := a.call("everything__trigger-sampling-request", map[string]any{"prompt": "p"}); !strings.Contains(got, "hello from the agent") {
				t.Errorf("the sampling: %q", got)
			}
		})
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

// mcp as a server of the daemon would have the daemon wait for itself.
func TestAgentUnderItsOwnDaemon(t *testing.T) {
	w := newWorld(t)
	w.config(servers{"loop": map[string]any{"command": daemonBinary, "args": []string{"mcp"}}}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	failed := awaitServer(e, "loop", "has failed", func(s editorapi.Server) bool { return s.Error != nil })
	if said := strings.Join(failed.Error.Stderr, "\n"); !strings.Contains(said, "as one of its servers") {
		e.Fatalf("it says %q", said)
	}
}
