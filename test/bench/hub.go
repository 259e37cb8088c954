package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// mcp-hub listens on all interfaces and lets everybody in who reaches it. It runs in a network
// namespace of its own, where only this program reaches it: a process inside, hubInside, starts
// it, and passes a connection to it out over a Unix socket whenever it is asked for one.

const (
	hubPort  = "37373"
	hubStart = 60 * time.Second // for the hub and its servers to be ready
	hubKeeps = 3 * time.Second  // Node closes connections that have been idle for five seconds
)

// A hub is a running mcp-hub.
type hub struct {
	inside *net.UnixConn // passes connections; nil until there is one
	conns  []*hubConn    // by caller
	end    func() error
}

// hubConn is one kept connection.
type hubConn struct {
	net.Conn
	in   *bufio.Reader
	used time.Time // last
}

// connect makes sure of n connections that mcp-hub has not closed.
func (h *hub) connect(n int) error {
	for caller := range n {
		if caller < len(h.conns) && time.Since(h.conns[caller].used) < hubKeeps {
			continue
		}
		if _, err := h.inside.Write([]byte{0}); err != nil {
			return fmt.Errorf("mcp-hub has ended: %w", err)
		}
		conn, err := receiveConn(h.inside)
		if err != nil {
			return fmt.Errorf("connecting to mcp-hub: %w", err)
		}
		fresh := &hubConn{conn, bufio.NewReaderSize(conn, readBuffer), time.Now()}
		if caller == len(h.conns) {
			h.conns = append(h.conns, fresh)
			continue
		}
		_ = h.conns[caller].Close() // mcp-hub may have been first
		h.conns[caller] = fresh
	}
	return nil
}

// disconnect closes all connections.
func (h *hub) disconnect() {
	for _, conn := range h.conns {
		_ = conn.Close() // mcp-hub may have been first
	}
	h.conns = nil
}

// newHub starts mcp-hub with these servers.
func newHub(script string, servers map[string]definition) (h *hub, err error) {
	dir, err := os.MkdirTemp("", "mcp-editord-bench-hub-")
	if err != nil {
		return nil, err
	}
	h = &hub{end: func() error { return os.RemoveAll(dir) }}
	defer func() {
		if err != nil {
			text, _ := os.ReadFile(filepath.Join(dir, "log")) // perhaps there is none yet
			err = errors.Join(fmt.Errorf("%w %s", err, text[max(0, len(text)-1000):]), h.close())
			h = nil
		}
	}()
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return h, err
	}
	if err := os.WriteFile(filepath.Join(dir, "hub.json"), config, 0o600); err != nil {
		return h, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "out.sock"), Net: "unix"})
	if err != nil {
		return h, err
	}
	defer l.Close()
	end, err := startInside(dir, script)
	if err != nil {
		return h, err
	}
	h.end = func() error { return errors.Join(end(), os.RemoveAll(dir)) }
	if err := l.SetDeadline(time.Now().Add(hubStart)); err != nil {
		return h, err
	}
	if h.inside, err = l.AcceptUnix(); err != nil {
		return h, fmt.Errorf("waiting for mcp-hub: %w", err)
	}
	return h, h.ready()
}

// startInside starts this program in a namespace, where it runs hubInside.
func startInside(dir, script string) (end func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own
	cmd := exec.Command(self)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CACHE_HOME="+dir,
		insideEnv+"="+script)
	cmd.Stdout, cmd.Stderr = log, log
	if end, err = startIsolated(cmd); err != nil {
		return nil, fmt.Errorf("a network namespace is not permitted here: %w", err)
	}
	return end, nil
}

// ready waits until mcp-hub has connected to its servers, or has failed to. It says so in the
// answers to calls.
func (h *hub) ready() error {
	for end := time.Now().Add(hubStart); ; time.Sleep(50 * time.Millisecond) {
		if err := h.connect(1); err != nil {
			return err
		}
		status, body, err := h.conns[0].roundTrip("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n", true)
		if err != nil {
			return err
		}
		if status == 200 && bytes.Contains(body, []byte(`"state":"ready"`)) && !bytes.Contains(body, []byte(`"status":"connecting"`)) {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("mcp-hub is not ready within %v: %.500s", hubStart, body)
		}
	}
}

func (h *hub) turn(c call, inFlight int, length turnLength) (turn, error) {
	if err := h.connect(inFlight); err != nil {
		return turn{}, err
	}
	body := `{"server_name":"` + c.server + `","tool":"` + c.tool + `","arguments":` + c.arguments + `}`
	request := "POST /api/servers/tools HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	t, err := callers(inFlight, length, func(caller int) error {
		conn := h.conns[caller]
		if err := conn.SetDeadline(time.Now().Add(turnLimit)); err != nil {
			return err
		}
		status, answer, err := conn.roundTrip(request, false)
		if err == nil && status != 200 {
			err = fmt.Errorf("mcp-hub answers %d: %.200s", status, answer)
		}
		return err
	})
	if err != nil {
		h.disconnect()
	}
	return t, err
}

func (h *hub) close() error {
	h.disconnect()
	if h.inside != nil {
		_ = h.inside.Close() // the process inside ends all the same
	}
	return h.end()
}

// roundTrip sends a request and reads the response, whose body it returns when whole is true or
// the status is not 200. It knows only what mcp-hub sends: bodies with a Content-Length.
func (c *hubConn) roundTrip(request string, whole bool) (status int, body []byte, err error) {
	if _, err := io.WriteString(c, request); err != nil {
		return 0, nil, err
	}
	defer func() { c.used = time.Now() }()
	length := -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if status == 0 {
			if _, err := fmt.Sscanf(string(line), "HTTP/1.1 %d", &status); err != nil {
				return 0, nil, fmt.Errorf("the status line %q: %w", line, err)
			}
			continue
		}
		if len(line) == 0 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, err
			}
		}
	}
	if length < 0 {
		return 0, nil, fmt.Errorf("a response %d without Content-Length", status)
	}
	if whole || status != 200 {
		body = make([]byte, length)
		_, err = io.ReadFull(c.in, body)
		return status, body, err
	}
	_, err = c.in.Discard(length)
	return status, nil, err
}
