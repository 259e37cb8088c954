package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// agent has an agent attach by `mcp-editord mcp`, which speaks MCP, and call a tool that asks the user.
// The agent cannot answer.
func (d *demo) agent(ctx context.Context) {
	if err := d.agentCalls(ctx); err != nil {
		d.t.Fatalf("the agent: %v", err)
	}
}

func (d *demo) agentCalls(ctx context.Context) (err error) {
	process := d.stage.command(ctx, "mcp")
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	d.out.run("mcp-editord mcp")
	if err := process.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stdin.Close(), process.Wait()) }()

	lines := bufio.NewReader(stdout)
	// request sends a request and returns its result; the id is only for show.
	request := func(id int, method string, params any) (json.RawMessage, error) {
		d.out.sent(method, params)
		message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err != nil {
			return nil, err
		}
		if _, err := stdin.Write(append(message, '\n')); err != nil {
			return nil, err
		}
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return nil, fmt.Errorf("waiting for the answer to %s: %w", method, err)
			}
			if rawjson.Get(line, "method") != nil {
				continue // a notification
			}
			if failure := rawjson.Get(line, "error"); failure != nil {
				return nil, fmt.Errorf("%s: %s", method, failure)
			}
			return rawjson.Get(line, "result"), nil
		}
	}
	if _, err := request(1, "initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "demo agent", "version": "1"},
	}); err != nil {
		return err
	}
	if _, err := stdin.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")); err != nil {
		return err
	}
	result, err := request(2, "tools/call", map[string]any{
		"name": "workspace__ask_user", "arguments": map[string]any{"question": "Which coffee?", "choices": []string{"espresso", "filter"}},
	})
	if err != nil {
		return err
	}
	answer := json.RawMessage(rawjson.Get(result, "structuredContent"))
	d.out.received("", answer)
	var servers editorapi.ServersResult
	d.first.Call("editord/servers", struct{}{}, &servers)
	d.expect(bytes.Contains(answer, []byte(`"espresso"`)), "the tool returned the wrong answer: %s", result)
	d.expect(len(servers.Servers) == 1 && servers.Servers[0].PID == d.server, "the servers are %+v, want only process %d", servers.Servers, d.server)
	return nil
}
