package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	// limit ends steps that hang. The suite ends its client after 30 s, and the daemon must
	// have stopped by then.
	limit = 20 * time.Second

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
	client  *editorapi.Client
	process *exec.Cmd
}

// act is the suite's client: it attaches an editor to a new daemon, runs the scenario's
// steps with the server at url, and stops the daemon.
func act(ctx context.Context, binary, url string, a assignment) (err error) {
	sc, ok := scenarios()[a.name]
	if !ok {
		return fmt.Errorf("the scenario %q has no steps; write them in scenarios.go", a.name)
	}
	p, err := newPlace(binary)
	if err != nil {
		return fmt.Errorf("making a directory for the daemon: %w", err)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := p.configure(url, a, sc); err != nil {
		return fmt.Errorf("configuring the daemon: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	e, err := p.attach(ctx, a, sc)
	if err != nil {
		return fmt.Errorf("attaching: %w", err)
	}
	if err = e.play(ctx); err != nil {
		e.printLog()
	}
	if err = errors.Join(err, e.close()); err == nil {
		fmt.Println(done)
	}
	return err
}

// play starts the server, checks that it speaks the right version of MCP, and runs the
// steps.
func (e *editor) play(ctx context.Context) error {
	got, err := e.client.StartServer(ctx, server)
	if err != nil {
		return fmt.Errorf("starting the server: %w", err)
	}
	for signIns := 0; e.signsIn && got.State == editorapi.ServerNeedsSignIn && signIns < maxSignIns; signIns++ {
		if got, err = e.client.SignIn(ctx, server); e.outcome == refused {
			return wantRefused(err)
		}
		if err != nil {
			return fmt.Errorf("signing in: %w", err)
		}
	}
	if e.outcome == inVain && got.State == editorapi.ServerFailed {
		return nil
	}
	if got.State != editorapi.ServerReady {
		if got.Error == nil {
			got.Error = &editorapi.ServerError{}
		}
		return fmt.Errorf("the server is %s, not ready: %s %s", got.State, got.Error.Kind, got.Error.Message)
	}
	if e.version != extensions && got.ProtocolVersion != e.version {
		return fmt.Errorf("the server speaks version %q, not %q", got.ProtocolVersion, e.version)
	}
	return e.steps(ctx, e)
}

// attach starts an editor that answers elicitations and sampling. It starts no server.
func (p *place) attach(ctx context.Context, a assignment, sc scenario) (*editor, error) {
	e := &editor{assignment: a, scenario: sc, process: p.command(ctx, "attach")}
	e.process.Stderr = os.Stderr
	stdin, err := e.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := e.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.process.Start(); err != nil {
		return nil, err
	}
	e.client, err = editorapi.NewClient(ctx, pipes{stdout, stdin}, editorapi.ClientOptions{
		Name: "conformance", Version: "1",
		// Declared in every scenario: request-metadata looks for each of them.
		Capabilities: editorapi.Capabilities{
			MCP: true, Sampling: json.RawMessage(`{}`), Elicitation: json.RawMessage(`{"form":{}}`),
		},
		Elicit: e.elicit,
		Open:   browse,
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

// elicit answers a question of the server.
func (e *editor) elicit(ctx context.Context, _ editorapi.Question) (any, error) {
	if e.ask == nil {
		return nil, &editorapi.RPCError{Code: editorapi.CodeMethodNotFound, Message: "there is no answer to a question in the scenario " + e.name}
	}
	answer, err := e.ask(ctx, e)
	return json.RawMessage(answer), err
}

// mcp sends a request of MCP to the server. With a nil result it drops what comes back.
func (e *editor) mcp(ctx context.Context, method string, params, result any) error {
	sent, err := json.Marshal(params)
	if err != nil {
		return err
	}
	raw, err := e.client.Call(ctx, method, editorapi.MCPRequest{Server: server, Params: sent})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(raw, result)
}

// tools returns the input schemas of the server's tools by name.
func (e *editor) tools(ctx context.Context) (map[string]json.RawMessage, error) {
	var list struct {
		Tools []struct {
			Name        string
			InputSchema json.RawMessage
		}
	}
	if err := e.mcp(ctx, "tools/list", struct{}{}, &list); err != nil {
		return nil, err
	}
	tools := map[string]json.RawMessage{}
	for _, t := range list.Tools {
		tools[t.Name] = t.InputSchema
	}
	return tools, nil
}

// call calls a tool, which must be listed.
func (e *editor) call(ctx context.Context, name string, arguments json.RawMessage) error {
	tools, err := e.tools(ctx)
	if err != nil {
		return err
	}
	if _, ok := tools[name]; !ok {
		return fmt.Errorf("the tool %q is not listed", name)
	}
	var result struct {
		IsError bool
		Content json.RawMessage
	}
	if err := e.mcp(ctx, "tools/call", map[string]any{"name": name, "arguments": arguments}, &result); err != nil {
		return fmt.Errorf("calling %q: %w", name, err)
	}
	if result.IsError {
		return fmt.Errorf("the tool %q failed: %s", name, result.Content)
	}
	return nil
}

// printLog prints the daemon's log of the server, for whoever looks for the reason.
func (e *editor) printLog() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	log, err := e.client.ServerLog(ctx, editorapi.ServerLogParams{Server: server, Lines: new(50)})
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot read the log of the server:", err)
		return
	}
	fmt.Fprintln(os.Stderr, safetext.Block("the server's log:\n"+strings.Join(log.Value.Lines, "\n")))
}

// close detaches from the daemon and waits for the process.
func (e *editor) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return errors.Join(e.client.Close(ctx), e.process.Wait())
}
