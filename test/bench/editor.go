package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// An editor is a program that speaks LSP with the daemon and decodes nothing that is measured.
type editor struct {
	*pipeline
	pid int // of attach; 0 on the socket

	// heard gets every message that comes while the editor waits for an answer.
	heard func(message []byte)
}

// editorOptions say what an editor is like.
type editorOptions struct {
	attach    bool // go through `mcp-editord attach`
	autoStart bool
	folder    string // "": the place's
}

// open connects an editor and shakes hands.
func (p *place) open(o editorOptions) (*editor, error) {
	e := &editor{pipeline: &pipeline{request: toolRequest}}
	if o.attach {
		cmd := p.command(p.daemon, "attach")
		cmd.Stderr = os.Stderr
		rw, end, err := start(cmd)
		if err != nil {
			return nil, err
		}
		e.pid = cmd.Process.Pid
		e.stream = newStream(headers, rw, end)
	} else {
		conn, err := net.Dial("unix", p.socket)
		if err != nil {
			return nil, err
		}
		e.stream = newStream(headers, conn, conn.Close)
	}
	if err := e.initialize(p, o); err != nil {
		return nil, errors.Join(err, e.stream.shut())
	}
	return e, nil
}

func (e *editor) initialize(p *place, o editorOptions) error {
	if o.folder == "" {
		o.folder = p.folder
	}
	params, err := json.Marshal(map[string]any{
		"processId": os.Getpid(), "clientInfo": map[string]string{"name": "bench", "version": "1"}, "rootUri": nil,
		"workspaceFolders": []any{map[string]string{"uri": fileuri.FromPath(o.folder), "name": "bench"}},
		"capabilities":     map[string]any{"experimental": map[string]any{"mcp": struct{}{}}},
		"initializationOptions": map[string]any{
			"autoStart":   o.autoStart,
			"environment": map[string]string{"PATH": os.Getenv("PATH"), "HOME": p.dir},
		},
	})
	if err != nil {
		return err
	}
	if _, err := e.ask("initialize", string(params)); err != nil {
		return err
	}
	return e.stream.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
}

// A refusal is an error that was answered.
type refusal string

func (r refusal) Error() string { return string(r) }

// ask sends a request and returns the whole answer.
func (e *editor) ask(method, params string) ([]byte, error) {
	e.last++
	id := strconv.Itoa(e.last)
	if err := e.stream.send(`{"jsonrpc":"2.0","id":`, id, `,"method":"`, method, `","params":`, params, `}`); err != nil {
		return nil, err
	}
	stopped := time.AfterFunc(turnLimit, func() { _ = e.stream.shut() })
	defer stopped.Stop()
	for {
		message, err := e.stream.whole()
		if err != nil {
			return nil, fmt.Errorf("waiting for the answer to %s: %w", method, err)
		}
		a := look(message[:min(glance, len(message))], message[max(0, len(message)-glance):], len(message))
		switch {
		case a.id != e.last:
			if e.heard != nil {
				e.heard(message)
			}
		case a.failed != "":
			return nil, refusal(fmt.Sprintf("%s failed: %.500s", method, message))
		default:
			return message, nil
		}
	}
}

// startServer starts a server and waits until it is ready.
func (e *editor) startServer(name string) error {
	a, err := e.ask("editord/startServer", `{"server":"`+name+`"}`)
	if err == nil && !bytes.Contains(a, []byte(`"state":"ready"`)) {
		err = fmt.Errorf("the server %q does not start: %.1000s", name, a)
	}
	return err
}

// close ends the connection as an editor does.
func (e *editor) close() error {
	if _, err := e.ask("shutdown", "null"); err == nil {
		_ = e.stream.send(`{"jsonrpc":"2.0","method":"exit"}`) // the daemon closes when it likes
	}
	return e.stream.shut()
}

// toolRequest is a call of a tool through the daemon.
func toolRequest(id int, c call) []string {
	return []string{`{"jsonrpc":"2.0","id":`, strconv.Itoa(id), `,"method":"mcp/tools/call","params":{"server":"`, c.server,
		`","params":{"name":"`, c.tool, `","arguments":`, c.arguments, `}}}`}
}

// daemonPID asks for the process of the daemon, which an agent or attach may have started.
func (p *place) daemonPID(e *editor) (int, error) {
	answer, err := e.ask("editord/status", "{}")
	if err != nil {
		return 0, err
	}
	var status struct{ Result struct{ PID int } }
	return status.Result.PID, errors.Join(json.Unmarshal(answer, &status))
}
