//go:build linux || darwin

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// A lineAgent is an agent that writes the lines it is told to, and keeps those that come. Unlike a
// library it sees every byte.
type lineAgent struct {
	*process
	t      *testing.T
	modern json.RawMessage // _meta of each request at 2026-07-28; nil in the legacy era

	writing sync.Mutex // guards what is written: one line at a time

	mu      sync.Mutex // guards the fields that follow
	lines   []line
	lastID  int
	over    bool          // nothing more comes
	changed chan struct{} // closed and replaced with each change
}

// A line is a message that came.
type line struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *lineError
	raw    []byte
}

type lineError struct {
	Code    int
	Message string
	Data    json.RawMessage
}

// Capabilities of agents.
const (
	agentAnswers    = `{"elicitation":{"form":{}},"sampling":{}}`
	agentCannot     = `{}`
	modernVersion   = "2026-07-28"
	fidelityVersion = "2025-11-25"
)

// startLines starts an agent in a folder that has said nothing yet.
func startLines(w *world, folder string, args ...string) *lineAgent {
	w.t.Helper()
	return readLines(w, w.spawnAs(func(cmd *exec.Cmd) { cmd.Dir = folder }, append([]string{"mcp"}, args...)...))
}

// readLines returns the agent of a process.
func readLines(w *world, p *process) *lineAgent {
	a := &lineAgent{t: w.t, changed: make(chan struct{}), process: p}
	go a.read()
	return a
}

// openLines starts an agent of that version, which can answer what capabilities say.
func openLines(w *world, version, capabilities, folder string, args ...string) *lineAgent {
	w.t.Helper()
	a := startLines(w, folder, args...)
	if version == modernVersion {
		a.modern = json.RawMessage(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"lines","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`)
		return a
	}
	a.hello(version, capabilities)
	return a
}

// hello shakes hands, and returns the result of initialize.
func (a *lineAgent) hello(version, capabilities string) json.RawMessage {
	a.t.Helper()
	result := a.result("initialize", `{"protocolVersion":"`+version+`","capabilities":`+capabilities+`,"clientInfo":{"name":"lines","version":"1"}}`)
	a.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return result
}

// read takes what comes. It ends with the process.
func (a *lineAgent) read() {
	r := bufio.NewReaderSize(a.stdout, 1<<16)
	for {
		raw, err := r.ReadBytes('\n')
		var l line
		if len(raw) > 0 {
			_ = json.Unmarshal(raw, &l) // one that is no message shows as such
			l.raw = bytes.TrimSpace(raw)
		}
		a.mu.Lock()
		if len(raw) > 0 {
			a.lines = append(a.lines, l)
		}
		a.over = err != nil
		close(a.changed)
		a.changed = make(chan struct{})
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// write writes a line. That the agent's server has gone shows where an answer is missing.
func (a *lineAgent) write(text string) {
	a.writing.Lock()
	defer a.writing.Unlock()
	_, _ = a.stdin.WriteString(text + "\n")
}

// start sends a request and returns its id. params are an object.
func (a *lineAgent) start(method, params string) (id string) {
	a.mu.Lock()
	a.lastID++
	id = fmt.Sprint(a.lastID)
	a.mu.Unlock()
	if a.modern != nil {
		var all map[string]json.RawMessage
		unmarshal(a.t, []byte(params), &all)
		meta := map[string]json.RawMessage{}
		if own := all["_meta"]; own != nil {
			unmarshal(a.t, own, &meta)
		}
		unmarshal(a.t, a.modern, &meta)
		all["_meta"] = json.RawMessage(marshal(meta))
		params = marshal(all)
	}
	a.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
	return id
}

// answer waits for the answer to a request.
func (a *lineAgent) answer(id string) line {
	a.t.Helper()
	return a.await("the answer to "+id, func(l line) bool { return l.Method == "" && string(l.ID) == id })
}

// answered reports whether the answer to a request has come.
func (a *lineAgent) answered(id string) bool {
	_, ok := a.find(func(l line) bool { return l.Method == "" && string(l.ID) == id })
	return ok
}

// ask sends a request and waits for its answer.
func (a *lineAgent) ask(method, params string) line {
	a.t.Helper()
	return a.answer(a.start(method, params))
}

// result is ask for a request that must not fail.
func (a *lineAgent) result(method, params string) json.RawMessage {
	a.t.Helper()
	l := a.ask(method, params)
	if l.Error != nil {
		a.t.Fatalf("%s %.300s: %s", method, params, l.raw)
	}
	return l.Result
}

// call calls a tool, which must answer.
func (a *lineAgent) call(name, arguments string) (result lineResult) {
	a.t.Helper()
	unmarshal(a.t, a.result("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`), &result)
	return result
}

// lineResult is MCP's CallToolResult, with what the fake server says in it.
type lineResult struct {
	toolResult
	StructuredContent struct {
		Params json.RawMessage // of echo
		PID    int             // of process
		Answer line            // of ask
		Rounds []json.RawMessage
	}
}

// awaitMethod waits for the first request or notification of a method.
func (a *lineAgent) awaitMethod(method string) line {
	a.t.Helper()
	return a.await(method, func(l line) bool { return l.Method == method })
}

// await waits for the first line that matches, before now or later.
func (a *lineAgent) await(what string, matches func(line) bool) line {
	a.t.Helper()
	deadline := time.After(patience)
	for {
		a.mu.Lock()
		over, changed := a.over, a.changed
		a.mu.Unlock()
		if l, ok := a.find(matches); ok {
			return l
		}
		if over {
			a.t.Fatalf("%s did not come, and nothing more will: %s", what, a.recent())
		}
		select {
		case <-changed:
		case <-deadline:
			a.t.Fatalf("%s did not come: %s", what, a.recent())
		}
	}
}

func (a *lineAgent) find(matches func(line) bool) (line, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.lines {
		if matches(l) {
			return l, true
		}
	}
	return line{}, false
}

// all returns the lines that came of a method.
func (a *lineAgent) all(method string) (found []line) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.lines {
		if l.Method == method {
			found = append(found, l)
		}
	}
	return found
}

// recent shows the last lines, for failures.
func (a *lineAgent) recent() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	text := ""
	for _, l := range a.lines[max(0, len(a.lines)-10):] {
		text += fmt.Sprintf("\n%.300s", l.raw)
	}
	return text
}
