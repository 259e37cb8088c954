package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// hubStart bounds the wait for mcp-hub and its servers.
const hubStart = 60 * time.Second

// onSocket has Node listen on a Unix socket of ours instead of on a port. mcp-hub listens on all
// interfaces and lets everybody call tools who reaches it.
const onSocket = `
const net = require("node:net")
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (_, ...rest) { return listen.call(this, "hub.sock", ...rest) }
`

// A hub is a running mcp-hub.
type hub struct {
	client *http.Client
	end    func()
}

// newHub starts mcp-hub with these servers.
func newHub(script string, servers map[string]definition) (way, error) {
	if script == "" {
		return nil, errors.New("mcp-hub is not installed")
	}
	dir, err := os.MkdirTemp("", "mcp-editord-bench-hub-")
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "hub.json"), config, 0o600),
		os.WriteFile(filepath.Join(dir, "listen.cjs"), []byte(onSocket), 0o600))
	cmd := exec.Command("node", "--require", "./listen.cjs", script, "--port", "1", "--config", "hub.json")
	var log bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &log, &log
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"} {
		cmd.Env = append(cmd.Environ(), name+"="+dir)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	transport := &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return net.Dial("unix", filepath.Join(dir, "hub.sock"))
		},
	}
	h := &hub{client: &http.Client{Transport: transport, Timeout: turnLimit}}
	h.end = func() {
		transport.CloseIdleConnections()
		_ = cmd.Process.Kill() // its servers end with their standard input
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	if err := h.ready(); err != nil {
		h.end()
		return nil, fmt.Errorf("%w: %.1000s", err, &log)
	}
	return h, nil
}

// ready waits until mcp-hub has connected to its servers, or has failed to. It says so in the
// answers to calls.
func (h *hub) ready() (err error) {
	for end := time.Now().Add(hubStart); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var response *http.Response
		if response, err = h.client.Get("http://hub/api/health"); err != nil {
			continue
		}
		var body []byte
		body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		if bytes.Contains(body, []byte(`"state":"ready"`)) && !bytes.Contains(body, []byte(`"status":"connecting"`)) {
			return nil
		}
	}
	return fmt.Errorf("mcp-hub is not ready within %v: %w", hubStart, err)
}

func (h *hub) turn(w work, length time.Duration) (turn, error) {
	body := fmt.Sprintf(`{"server_name":%q,"tool":"text","arguments":%s}`, w.server, w.arguments())
	return callers(w.inFlight, length, func() error {
		response, err := h.client.Post("http://hub/api/servers/tools", "application/json", strings.NewReader(body))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		n, err := io.Copy(io.Discard, response.Body)
		if err == nil && (response.StatusCode != http.StatusOK || int(n) < w.size) {
			err = fmt.Errorf("mcp-hub answers %s with %d bytes", response.Status, n)
		}
		return err
	})
}

func (h *hub) close() { h.end() }
