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
	"strconv"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// An editor is a program that speaks LSP with the daemon and decodes nothing that is measured.
type editor struct {
	in   *bufio.Reader
	out  io.Writer
	shut func()
	pid  int // of attach; 0 on the socket
	last int // the last id
}

const (
	readBuffer = 256 << 10 // bytes
	glance     = 96        // bytes of a message that are looked at while it is measured
)

// open connects an editor to the daemon, through attach or on the socket.
func (p *place) open(attach bool) (*editor, error) {
	e := &editor{}
	if attach {
		cmd, end := p.command("attach")
		in, out, err := pipes(cmd)
		if err != nil {
			end()
			return nil, err
		}
		e.in, e.out, e.pid = bufio.NewReaderSize(in, readBuffer), out, cmd.Process.Pid
		e.shut = func() { end(); _ = cmd.Wait() } // how it ends is no concern here
	} else {
		conn, err := net.Dial("unix", p.Socket)
		if err != nil {
			return nil, err
		}
		e.in, e.out = bufio.NewReaderSize(conn, readBuffer), conn
		e.shut = func() { _ = conn.Close() }
	}
	params, err := json.Marshal(map[string]any{
		"processId": os.Getpid(), "clientInfo": map[string]string{"name": "bench", "version": "1"}, "rootUri": nil,
		"workspaceFolders": []any{map[string]string{"uri": fileuri.FromPath(p.folder), "name": "bench"}},
		"capabilities":     map[string]any{"experimental": map[string]any{"mcp": struct{}{}}},
		"initializationOptions": map[string]any{
			"autoStart":   false,
			"environment": map[string]string{"PATH": os.Getenv("PATH"), "HOME": p.Dir},
		},
	})
	if err == nil {
		_, err = e.ask("initialize", string(params))
	}
	if err == nil {
		err = e.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	}
	if err != nil {
		e.shut()
		return nil, err
	}
	return e, nil
}

// send writes one message.
func (e *editor) send(message string) error {
	_, err := io.WriteString(e.out, frame(message))
	return err
}

func frame(message string) string {
	return "Content-Length: " + strconv.Itoa(len(message)) + "\r\n\r\n" + message
}

// header reads the header of a message and returns its length.
func (e *editor) header() (int, error) {
	n := -1
	for {
		line, err := e.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			if n < 0 {
				err = errors.New("a frame without Content-Length")
			}
			return n, err
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length:")); ok {
			if n, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
	}
}

// skim reads past one message. It says how long that is, and whether it is an answer rather than a
// request or a notification.
func (e *editor) skim() (size int, answer bool, err error) {
	size, err = e.header()
	if err != nil {
		return 0, false, err
	}
	head, err := e.in.Peek(min(glance, size))
	if err != nil {
		return 0, false, err
	}
	outer := head[min(1, len(head)):] // the members before the first nested value
	if i := bytes.IndexAny(outer, "{["); i >= 0 {
		outer = outer[:i]
	}
	if bytes.Contains(outer, []byte(`"error":`)) {
		return 0, false, fmt.Errorf("a call failed: %s", head)
	}
	answer = !bytes.Contains(outer, []byte(`"method":`))
	_, err = e.in.Discard(size)
	return size, answer, err
}

// ask sends a request and returns the whole answer.
func (e *editor) ask(method, params string) (json.RawMessage, error) {
	e.last++
	stopped := time.AfterFunc(startTimeout, e.shut)
	defer stopped.Stop()
	if err := e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, e.last, method, params)); err != nil {
		return nil, err
	}
	for {
		n, err := e.header()
		body := make([]byte, max(0, n))
		if err == nil {
			_, err = io.ReadFull(e.in, body)
		}
		var m struct {
			ID            json.RawMessage
			Method        string
			Result, Error json.RawMessage
		}
		if err == nil {
			err = json.Unmarshal(body, &m)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("waiting for the answer to %s: %w", method, err)
		case m.Method != "" || string(m.ID) != strconv.Itoa(e.last):
		case m.Error != nil:
			return nil, fmt.Errorf("%s failed: %.500s", method, m.Error)
		default:
			return m.Result, nil
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
func (e *editor) close() {
	if _, err := e.ask("shutdown", "null"); err == nil {
		_ = e.send(`{"jsonrpc":"2.0","method":"exit"}`) // the daemon closes when it likes
	}
	e.shut()
}
