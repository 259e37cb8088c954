package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

const (
	// limit ends steps that hang. The suite ends its client after 30 s, and the daemon must
	// have stopped by then.
	limit = 20 * time.Second

	// stopLimit is for the end of the daemon: the suite's server waits until its streams are closed.
	stopLimit = 8 * time.Second

	// done is what the editor prints when all steps succeeded. The suite itself ignores a
	// client that fails in a scenario about tools to be left out.
	done = "all steps done"

	server = "suite" // the name of the suite's server
)

// An assignment is what the suite asks the client to do.
type assignment struct{ name, version, context string }

// An editor is attached to its own daemon by `mcp-editord attach`.
type editor struct {
	assignment
	scenario
	*fakeeditor.Editor
}

// act is the suite's client: it attaches an editor to a new daemon, runs the scenario's
// steps with the server at url, and stops the daemon.
func act(ctx context.Context, binary, url string, a assignment) error {
	sc, ok := scenarios()[a.name]
	if !ok {
		return fmt.Errorf("the scenario %q has no steps; write them in scenarios.go", a.name)
	}
	p, err := newPlace(binary)
	if err != nil {
		return fmt.Errorf("making a directory for the daemon: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit) // then attach ends, and with it what the editor waits for
	defer cancel()
	err = fakeeditor.Run(func(t fakeeditor.T) {
		t.Cleanup(func() {
			if err := p.Close(stopLimit); err != nil {
				t.Errorf("%v", err)
			}
		})
		if err := configure(p, url, a, sc); err != nil {
			t.Fatalf("configuring the daemon: %v", err)
		}
		e := attach(t, p.Command(ctx, "attach"), a, sc)
		t.Cleanup(func() {
			if t.Failed() {
				e.printLog()
			}
			e.Leave()
		})
		e.play()
	})
	if err == nil {
		fmt.Println(done)
	}
	return err
}

// play starts the server, checks that it speaks the right version of MCP, and runs the
// steps.
func (e *editor) play() {
	var got editorapi.Server
	e.Call("editord/startServer", object{"server": server}, &got)
	for signIns := 0; e.signsIn && got.State == editorapi.ServerNeedsSignIn && signIns < maxSignIns; signIns++ {
		if e.outcome == refused {
			e.wantRefused()
			return
		}
		e.Call("editord/signIn", object{"server": server}, &got)
	}
	if e.outcome == inVain && got.State == editorapi.ServerFailed {
		return
	}
	if got.State != editorapi.ServerReady {
		if got.Error == nil {
			got.Error = &editorapi.ServerError{}
		}
		e.Fatalf("the server is %s, not ready: %s %s", got.State, got.Error.Kind, got.Error.Message)
	}
	if e.version != extensions && got.ProtocolVersion != e.version {
		e.Fatalf("the server speaks version %q, not %q", got.ProtocolVersion, e.version)
	}
	e.steps(e)
}

// attach starts an editor in a process that answers elicitations and sampling. It starts no server.
func attach(t fakeeditor.T, process *exec.Cmd, a assignment, sc scenario) *editor {
	e := &editor{assignment: a, scenario: sc}
	process.Stderr = os.Stderr
	e.Editor = fakeeditor.Attach(t, process, fakeeditor.Options{
		Name: "conformance",
		// Declared in every scenario: request-metadata looks for each of them.
		Capabilities:          json.RawMessage(`{"experimental":{"mcp":{"sampling":{},"elicitation":{"form":{}}}},"window":{"showDocument":{"support":true}}}`),
		InitializationOptions: json.RawMessage(`{"autoStart":false}`),
		Answers:               map[string]fakeeditor.Answer{"mcp/elicitation/create": e.elicit, "window/showDocument": browse},
	})
	return e
}

// elicit answers a question of the server.
func (e *editor) elicit(json.RawMessage) (any, error) {
	if e.ask == nil {
		return nil, &fakeeditor.RPCError{Code: editorapi.CodeMethodNotFound, Message: "there is no answer to a question in the scenario " + e.name}
	}
	answer, err := e.ask(e)
	return json.RawMessage(answer), err
}

// object is JSON written by hand.
type object = map[string]any

// mcp sends a request of MCP to the server, which must succeed. With a nil result it drops what comes back.
func (e *editor) mcp(method string, params, result any) {
	e.Call("mcp/"+method, object{"server": server, "params": params}, result)
}

// tools returns the input schemas of the server's tools by name.
func (e *editor) tools() map[string]json.RawMessage {
	var list struct {
		Tools []struct {
			Name        string
			InputSchema json.RawMessage
		}
	}
	e.mcp("tools/list", object{}, &list)
	tools := map[string]json.RawMessage{}
	for _, t := range list.Tools {
		tools[t.Name] = t.InputSchema
	}
	return tools
}

// call calls a tool, which must be listed.
func (e *editor) call(name string, arguments json.RawMessage) {
	if _, ok := e.tools()[name]; !ok {
		e.Fatalf("the tool %q is not listed", name)
	}
	var result struct {
		IsError bool
		Content json.RawMessage
	}
	if e.mcp("tools/call", object{"name": name, "arguments": arguments}, &result); result.IsError {
		e.Fatalf("the tool %q failed: %s", name, result.Content)
	}
}

// printLog prints the daemon's log of the server, for whoever looks for the reason.
func (e *editor) printLog() {
	var log editorapi.ServerLogResult
	e.Call("editord/serverLog", object{"server": server, "lines": 50}, &log)
	fmt.Fprintln(os.Stderr, safetext.Block("the server's log:\n"+strings.Join(log.Lines, "\n")))
}
