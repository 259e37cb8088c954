//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// answersOf returns the answers that a fake server has got to its requests.
func (w *world) answersOf(name string) (answers []recordedMessage) {
	for _, m := range w.recorded(name, "") {
		if m.Result != nil || m.Error != nil {
			answers = append(answers, m)
		}
	}
	return answers
}

// Fault editor-killed: the editor is killed while its person is asked. The other editor, which
// shares the server, is not asked instead and not disturbed.
func TestEditorKilledWhileItIsAsked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, method string
		cancelled    func(recordedMessage) bool
	}{
		{"ask_elicitation", "mcp/elicitation/create", func(m recordedMessage) bool {
			return strings.Contains(string(m.Result), `"cancel"`)
		}},
		{"ask_sampling", "mcp/sampling/createMessage", func(m recordedMessage) bool {
			return strings.Contains(string(m.Error), `-1`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
			o := in(allCapabilities, w.folder("project"))
			o.Answers = map[string]fakeeditor.Answer{tt.method: func(json.RawMessage) (any, error) {
				<-t.Context().Done()
				return nil, errors.New("nobody is there")
			}}
			stays := w.attach(o)
			shim := w.spawn("attach")
			goes := w.open(shim, o)
			if a, b := awaitReady(stays, "fake"), awaitReady(goes, "fake"); a.PID != b.PID {
				t.Fatal("they do not share the server")
			}
			goes.AwaitMethod(tt.method, goes.Start("mcp/tools/call", toolCall("fake", tt.tool, object{})))
			w.kill(shim.pid)
			await(t, "the server has an answer", func() bool { return len(w.answersOf("fake")) == 1 })
			if m := w.answersOf("fake")[0]; !tt.cancelled(m) {
				t.Errorf("the server got the result %s, the error %s", m.Result, m.Error)
			}
			served(stays, "fake")
			for _, m := range stays.Messages() {
				if m.Method == tt.method {
					t.Errorf("the other editor was asked: %s", m)
				}
			}
			await(t, "the daemon has one editor", func() bool { return len(status(stays).Editors) == 1 })
		})
	}
}

// Fault bad-frame, one of its cases; the others are with editorapi.
func TestFrameThatIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	bad := fakeeditor.New(t, w.dial(), fakeeditor.Options{})
	if err := bad.SendRaw([]byte("Content-Length: -5\r\n\r\n{}")); err != nil {
		t.Fatal(err)
	}
	bad.AwaitEnd()
	await(t, "the reason is in the log", func() bool { return w.logged(`-5`, "not a decimal number") })
	served(e, "fake")
}

// Faults silent-connection and connection-flood. Connections that say nothing fill the daemon's places, and lose them
// after 10 s.
func TestSilentConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	ended := make(chan error)
	const n, places = 1200, 1152
	for range n {
		var conn net.Conn
		await(t, "there is room in the queue of those who connect", func() bool {
			var err error
			conn, err = net.Dial("unix", w.socket)
			return err == nil
		})
		t.Cleanup(func() { conn.Close() })
		go func() {
			_ = conn.SetReadDeadline(time.Now().Add(patience))
			_, err := conn.Read(make([]byte, 1))
			ended <- err
		}()
	}
	for i := range n {
		if i == n-places+1 { // those that found no place, the editor having one
			served(e, "fake")
			if !w.logged("too many") {
				t.Error("the log does not say that there are too many connections")
			}
		}
		// A connection that is closed before it is accepted may be reset.
		if err := <-ended; err == nil || os.IsTimeout(err) {
			t.Errorf("connection %d was not closed: %v", i, err)
		}
	}
	served(e, "fake")
	served(w.another(), "fake")
}

// another returns one more editor on the project, whose server is ready.
func (w *world) another() *fakeeditor.Editor {
	w.t.Helper()
	other := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(other, "fake")
	return other
}

// Fault editor-stops-reading. Results of 1 MiB fill what the operating system takes; then the begin
// and the end of each progress waits, until too many do.
func TestEditorThatStopsReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	folder := w.folder("project")
	e := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "fake")
	stalled := fakeeditor.Open(t, w.dial(), in(mcpCapabilities, folder))
	awaitReady(stalled, "fake")
	stalled.Stall()
	for range 4 {
		stalled.Start("mcp/tools/call", toolCall("fake", "big", object{"bytes": 1 << 20}))
	}
	await(t, "the server has its calls", func() bool { return len(w.recorded("fake", "tools/call")) == 4 })
	token := 0
	await(t, "the editor is cut off", func() bool {
		for range 100 {
			token++
			params := toolCall("fake", "echo", object{})
			params["workDoneToken"] = token
			stalled.Start("mcp/tools/call", params)
		}
		served(e, "fake")
		return len(status(e).Editors) == 1
	})
	await(t, "the log says why", func() bool { return w.logged("stopped reading") })
	stalled.Resume()
	stalled.AwaitEnd()
	served(e, "fake")
}

// Faults no-runtime-dir and socket-removed. TestOneDaemon has the place that is chosen by default.
func TestPlaceOfTheSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	long := filepath.Join(w.dir, strings.Repeat("long/", 30), "daemon.sock")
	if _, stderr, code := w.run("start", "--socket", long); code == 0 || !strings.Contains(stderr, long) || !strings.Contains(stderr, "--socket") {
		t.Errorf("a path that is too long: code %d, %q", code, stderr)
	}

	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	if got := status(e).Socket; got != w.socket {
		t.Errorf("the socket is %s, want %s", got, w.socket)
	}
	for _, dir := range []string{filepath.Dir(w.socket), w.state("")} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory %s: %v, %v", dir, info, err)
		}
	}

	// A cleaner of old files takes the socket away.
	daemon := w.daemonPID()
	if err := os.Remove(w.socket); err != nil {
		t.Fatal(err)
	}
	await(t, "the socket is there again", func() bool { return w.daemonPID() == daemon })
	served(e, "fake")
	served(w.another(), "fake")
}
