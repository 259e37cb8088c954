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

// A remote is a server over HTTP, which the test starts and the daemon does not.
type remote struct {
	t       *testing.T
	command func(addr string) *exec.Cmd
	addr    string
	path    string
	said    bytes.Buffer // read when it has ended
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the process has ended
}

// remote starts a server that serves at a path of the address that command is
// given, which is on the loopback interface. It ends with the test.
func (w *world) remote(path string, command func(addr string) *exec.Cmd) *remote {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	r := &remote{t: w.t, command: command, addr: l.Addr().String(), path: path}
	if err := l.Close(); err != nil {
		w.t.Fatal(err)
	}
	r.start()
	w.t.Cleanup(func() {
		r.kill()
		if w.t.Failed() {
			w.t.Logf("%s says:\n%s", r.cmd.Path, tailOf(r.said.Bytes()))
		}
	})
	return r
}

// start starts the server and returns when it takes connections.
func (r *remote) start() {
	r.t.Helper()
	r.cmd = r.command(r.addr)
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan struct{})
	r.ended = ended
	go func(cmd *exec.Cmd) {
		_ = cmd.Wait() // how it ends is for the test to judge
		close(ended)
	}(r.cmd)
	await(r.t, r.cmd.Path+" takes connections", func() bool {
		select {
		case <-ended:
			r.t.Fatalf("%s has ended: %s", r.cmd.Path, r.said.Bytes())
		default:
		}
		conn, err := net.Dial("tcp", r.addr)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
}

// kill ends the server without a word and waits until it has ended.
func (r *remote) kill() {
	_ = r.cmd.Process.Kill() // it may have ended
	<-r.ended
}

// definition is the server's in mcp.json.
func (r *remote) definition() map[string]any { return object{"url": "http://" + r.addr + r.path} }

// sse is the definition of a server of HTTP+SSE.
func (r *remote) sse() map[string]any { return with(r.definition(), "type", "sse") }

// tailOf returns the end of what a server says.
func tailOf(b []byte) []byte { return b[max(0, len(b)-16<<10):] }

// goServer returns the path of a real server that is written in Go.
func goServer(t testing.TB, name string) string {
	t.Helper()
	modules := os.Getenv("MCP_EDITORD_TEST_SERVERS")
	if modules == "" {
		modules = filepath.Join("..", "..", ".tools", "servers", "node_modules")
	}
	path, err := filepath.Abs(filepath.Join(modules, "..", "bin", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil && testing.Short() {
		t.Skipf("the real server %s is not installed", name)
	}
	if err != nil {
		t.Fatalf("the real server %s is not installed (%v); run make test, which installs it, or leave it out with -short", name, err)
	}
	return path
}

// remoteEverything starts server-everything over a transport of HTTP.
func (w *world) remoteEverything(transport string) *remote {
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
