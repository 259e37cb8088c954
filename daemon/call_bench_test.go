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
)

// BenchmarkCall is a call through all rooms: from an editor on a socket to a server with a process of its own, and back. A
// few of its allocations are the editor's.
func BenchmarkCall(b *testing.B) {
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
	defer conn.Close()
	say := func(body string) {
		if _, err := io.WriteString(conn, "Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body); err != nil {
			b.Fatal(err)
		}
	}
	in, body := bufio.NewReader(conn), make([]byte, 64<<10)
	await := func(text string) {
		for heard := []byte(nil); !bytes.Contains(heard, []byte(text)); {
			line, err := in.ReadSlice('\n')
			size, _ := strconv.Atoi(string(bytes.TrimSpace(bytes.TrimPrefix(line, []byte("Content-Length: "))))) // else the body is not JSON
			if _, empty := in.ReadSlice('\n'); err != nil || empty != nil {
				b.Fatal(err, empty)
			}
			heard = body[:size]
			if _, err := io.ReadFull(in, heard); err != nil {
				b.Fatal(err)
			}
		}
	}
	say(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"experimental":{"mcp":{}}},"initializationOptions":{"servers":%s}}}`, fakeDefinition(b, plainScript)))
	say(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	await(`"state":"ready"`)
	id := 1
	for _, size := range []int{100, 10 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			rest := `,"method":"mcp/tools/call","params":{"server":"fake","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", size) + `"}}}}`
			b.ReportAllocs()
			for b.Loop() {
				id++
				say(`{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + rest)
				await(`"id":` + strconv.Itoa(id) + `,"result":{`)
			}
		})
	}
}
