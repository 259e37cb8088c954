//go:build linux || darwin

package daemon

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// BenchmarkCall is a call through all rooms: from an editor on the daemon's socket to a server with a
// process of its own, and back. The editor allocates nothing, so the figures are the daemon's.
func BenchmarkCall(b *testing.B) {
	e := newBareEditor(b)
	for _, size := range []struct {
		name  string
		bytes int
	}{{"100B", 100}, {"10kB", 10 << 10}} {
		b.Run(size.name, func(b *testing.B) {
			c := newBareCall(size.bytes)
			e.call(b, c) // what is made once is there
			b.ReportAllocs()
			for b.Loop() {
				e.call(b, c)
			}
		})
	}
}

// A bareEditor speaks LSP in bytes, without memory of its own for each message.
type bareEditor struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte // of the message read last
}

// newBareEditor starts a daemon and attaches an editor with the server "fake", which is ready.
func newBareEditor(b *testing.B) *bareEditor {
	b.Helper()
	dir := b.TempDir()
	p := ipc.Paths{Socket: filepath.Join(dir, "run", "s"), Config: filepath.Join(dir, "mcp.json"), StateDir: filepath.Join(dir, "state")}
	l, err := ipc.Listen(p)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	log, closeLog, err := newLogger(p, "")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(closeLog)
	d, err := newDaemon(Options{Paths: p}, log)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(d.close)
	d.endLeftovers(l.Reap)
	d.running.Go(func() {
		conn, err := l.Accept()
		if err == nil {
			err = editorapi.Serve(d.ctx, conn, d, editorapi.Options{Log: log, QuestionDir: p.QuestionDir(), Memory: d.memory.Child(editorMemory)})
		}
		if err != nil {
			b.Error(err)
		}
	})
	conn, err := net.Dial("unix", p.Socket)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	e := &bareEditor{conn: conn, in: bufio.NewReader(conn)}
	script := strings.TrimPrefix(fakeserver.Script{Plain: true}.Environ(), fakeserver.Env+"=")
	e.say(b, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"experimental":{"mcp":{}}},"initializationOptions":{"servers":%s}}}`, fakeDefinition(b, script)))
	e.say(b, []byte(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	for !bytes.Contains(e.body, []byte(`"state":"ready"`)) {
		e.hear(b)
	}
	return e
}

// say sends a message.
func (e *bareEditor) say(b *testing.B, body []byte) {
	if _, err := e.conn.Write(framed(body)); err != nil {
		b.Fatal(err)
	}
}

// framed returns body with its header.
func framed(body []byte) []byte {
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// hear reads the next message.
func (e *bareEditor) hear(b *testing.B) {
	size := 0
	for {
		line, err := e.in.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		digits, found := bytes.CutPrefix(bytes.TrimSpace(line), []byte("Content-Length: "))
		if !found {
			break // the empty line
		}
		for _, digit := range digits {
			size = size*10 + int(digit-'0')
		}
	}
	if cap(e.body) < size {
		e.body = make([]byte, size)
	}
	e.body = e.body[:size]
	if _, err := io.ReadFull(e.in, e.body); err != nil {
		b.Fatal(err)
	}
}

// A bareCall is a call that is sent again and again, each time with the next id.
type bareCall struct {
	frame    []byte
	id       []byte // in frame: ten digits
	head     []byte // how its answer begins
	answered []byte // in head: the id
}

// newBareCall returns a call of the tool "echo" with a text of so many bytes.
func newBareCall(size int) *bareCall {
	const first = 1_000_000_000
	const before = `{"jsonrpc":"2.0","id":`
	body := before + strconv.Itoa(first) + `,"method":"mcp/tools/call","params":{"server":"fake","params":{"name":"echo","arguments":{"text":"` +
		strings.Repeat("x", size) + `"}}}}`
	c := &bareCall{frame: framed([]byte(body)), head: []byte(before + strconv.Itoa(first) + `,"result":{`)}
	at := bytes.Index(c.frame, []byte(before)) + len(before)
	c.id = c.frame[at : at+10]
	c.answered = c.head[len(before) : len(before)+10]
	return c
}

// next changes the id.
func (c *bareCall) next() {
	for i := len(c.id) - 1; ; i-- {
		if c.id[i]++; c.id[i] <= '9' {
			break
		}
		c.id[i] = '0'
	}
	copy(c.answered, c.id)
}

// call sends c and awaits its result.
func (e *bareEditor) call(b *testing.B, c *bareCall) {
	c.next()
	if _, err := e.conn.Write(c.frame); err != nil {
		b.Fatal(err)
	}
	for {
		e.hear(b)
		if bytes.HasPrefix(e.body, c.head) {
			return
		}
		if bytes.HasPrefix(e.body, c.head[:len(c.head)-len(`"result":{`)]) {
			b.Fatalf("the answer is %.200s", e.body)
		}
	}
}
