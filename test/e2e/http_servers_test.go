//go:build linux || darwin

package e2e

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// everyCapability is an editor that can answer all that a server can ask.
const everyCapability = `{"experimental":{"mcp":{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"approval":{}}}}`

// remote starts a server over HTTP that listens at the address that command is given, which is on the
// loopback interface, and returns its definition. It ends with the test.
func (w *world) remote(path string, command func(addr string) *exec.Cmd) object {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		w.t.Fatal(err)
	}
	cmd := command(addr)
	var said bytes.Buffer // read when it has ended
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ends is for the test to judge
		close(ended)
	}()
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		if <-ended; w.t.Failed() {
			w.t.Logf("%s says:\n%s", cmd.Path, said.Bytes())
		}
	})
	await(w.t, cmd.Path+" takes connections", func() bool {
		select {
		case <-ended:
			w.t.Fatalf("%s has ended: %s", cmd.Path, said.Bytes())
		default:
		}
		conn, err := net.Dial("tcp", addr)
		return err == nil && conn.Close() == nil
	})
	return object{"url": "http://" + addr + path}
}

// goServer returns the path of a real server that is written in Go.
func goServer(t testing.TB, name string) string {
	t.Helper()
	return installed(t, "the real server "+name, "..", "bin", name)
}

// remoteEverything starts server-everything over a transport of HTTP.
func (w *world) remoteEverything(transport string) object {
	w.t.Helper()
	path := map[string]string{"sse": "/sse", "streamableHttp": "/mcp"}[transport]
	script := npmServer(w.t, "server-everything")["args"].([]string)[0]
	preload, err := filepath.Abs(filepath.Join("servers", "loopback.cjs"))
	if err != nil {
		w.t.Fatal(err)
	}
	return w.remote(path, func(addr string) *exec.Cmd {
		_, port, _ := net.SplitHostPort(addr) // it is one that net.Listen gave
		cmd := exec.Command("node", "--require", preload, script, transport)
		cmd.Env = append(os.Environ(), "PORT="+port)
		return cmd
	})
}
