package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// An agent is a program that calls tools through `mcp-editord mcp`. It decodes nothing that is measured.
type agent struct {
	*pipeline
	pid int

	// From the start of the process.
	greeted time.Duration // until initialize was answered
	listed  time.Duration // until tools/list was
	tools   int           // of that list
}

// agent starts an agent in a folder and has it list its tools, as agents do when they start.
func (p *place) agent(folder string) (*agent, error) {
	// Large results go through, as with the other ways.
	cmd := p.command(p.daemon, "mcp", "--result-limit", "0")
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	begin := time.Now()
	rw, end, err := start(cmd)
	if err != nil {
		return nil, err
	}
	a := &agent{pipeline: &pipeline{stream: newStream(lines, rw, end), request: agentRequest}, pid: cmd.Process.Pid}
	_, err = a.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	a.greeted = time.Since(begin)
	if err == nil {
		err = a.stream.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	var list []byte
	if err == nil {
		list, err = a.ask("tools/list", "{}")
	}
	a.listed = time.Since(begin)
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.tools = bytes.Count(list, []byte(`"inputSchema"`))
	return a, nil
}

// ask sends a request and returns the whole answer.
func (a *agent) ask(method, params string) ([]byte, error) {
	a.last++
	if err := a.stream.send(`{"jsonrpc":"2.0","id":`, strconv.Itoa(a.last), `,"method":"`, method, `","params":`, params, `}`); err != nil {
		return nil, err
	}
	stopped := time.AfterFunc(startTimeout, func() { _ = a.stream.shut() })
	defer stopped.Stop()
	for {
		message, err := a.stream.whole()
		if err != nil {
			return nil, fmt.Errorf("waiting for the answer to %s: %w", method, err)
		}
		message = bytes.TrimSpace(message)
		switch is := look(message[:min(glance, len(message))], message[max(0, len(message)-glance):], len(message)); {
		case is.id != a.last:
		case is.failed != "":
			return nil, fmt.Errorf("%s failed: %.500s", method, message)
		default:
			return message, nil
		}
	}
}

func (a *agent) close() error { return a.stream.shut() }

// agentRequest is a call of a tool as an agent makes it, with the server in front of the tool's name.
func agentRequest(id int, c call) []string {
	c.tool = c.server + "__" + c.tool
	return lineRequest(id, c)
}

// repository makes a folder in which an agent finds itself in a project.
func (p *place) repository(name string) (string, error) {
	folder := filepath.Join(p.dir, name)
	return folder, os.MkdirAll(filepath.Join(folder, ".git"), 0o700)
}
