//go:build linux || darwin

package stdio

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/await"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/wiretest"
)

// Fault command-missing: what cannot be started is an error of kind spawn that names it.
func TestSpawn(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, dir, want string }{
		{"not there", "/does/not/exist", "", "/does/not/exist"},
		{"no program", text, "", text},
		{"no folder", os.Args[0], "/does/not/exist", "/does/not/exist"},
		{"a file for a folder", os.Args[0], text, text},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Dialer{Path: tt.path, Dir: tt.dir, Owner: "o"}
			w, err := d.Dial(t.Context(), wiretest.NewLog())
			if e, ok := errors.AsType[*wire.Error](err); w != nil || !ok || e.Kind != wire.KindSpawn || !strings.Contains(e.Message, tt.want) {
				t.Errorf("got %v, %v", w, err)
			}
		})
	}
}

// Faults start-crash and server-killed: how a server ended by itself.
func TestExit(t *testing.T) {
	boom := `{"do":"stderr","text":"boom\n"}`
	for _, tt := range []struct{ name, step, want string }{
		{"with a code", `{"do":"exit","code":3}`, "exited with code 3"},
		{"with success", `{"do":"exit"}`, "exited with code 0"},
		{"killed", `{"do":"exit","signal":9}`, "was ended by signal: killed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := dialFake(t, fakeDialer(fakeserver.Script{Steps: stepsAt("ping", boom, tt.step)}))
			w.send(1, "ping", "")
			w.wantEnd(wire.KindExit, tt.want)
			if got := w.log.Lines(); !slices.Equal(got, []string{"stderr: boom"}) {
				t.Errorf("the log is %q when the end is told", got)
			}
			w.closed()
		})
	}
	t.Run("what it wrote before is read", func(t *testing.T) {
		last := `{"do":"stdout","text":"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}"}`
		w := dialFake(t, fakeDialer(fakeserver.Script{Steps: stepsAt("start", last, `{"do":"exit"}`)}))
		<-w.proc.Done()
		w.wantNext("request null a ")
		w.wantNext("request null b ") // without a newline
		w.wantEnd(wire.KindExit, "exited with code 0")
	})
	t.Run("it goes on without standard output", func(t *testing.T) {
		w := dialFake(t, fakeDialer(fakeserver.Script{}), func(l *limits) { l.linger = 20 * time.Millisecond })
		w.call(1, "close", `{"stream":"stdout"}`)
		w.wantEnd(wire.KindExit, "closed its standard output")
		<-w.proc.Done()
		w.closed()
	})
}

// Fault stop-ignored: each step of Close comes when the one before it did not help.
func TestCloseSteps(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script fakeserver.Script
		grace  time.Duration // long where the step before must do it
		want   string        // how it ended
	}{
		{"the end of its input", fakeserver.Script{}, time.Minute, "exited with code 0"},
		{"SIGTERM", fakeserver.Script{Steps: stepsAt("eof", `{"do":"hang"}`)}, time.Second, "was ended by signal: terminated"},
		{"SIGKILL", fakeserver.Script{Steps: map[string][]json.RawMessage{
			"start": {json.RawMessage(`{"do":"ignore","signal":15}`)},
			"eof":   {json.RawMessage(`{"do":"hang"}`)}}}, 50 * time.Millisecond, "was ended by signal: killed"},
		{"it is blocked in writing", fakeserver.Script{Steps: stepsAt("eof", `{"do":"flood","to":"stdout","bytes":5000000}`)}, time.Minute, "exited with code 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := dialFake(t, fakeDialer(tt.script), func(l *limits) { l.grace = tt.grace })
			w.send(1, "ping", "")
			w.next() // it has started
			w.closed()
			if got := w.proc.Exit(); got != tt.want {
				t.Errorf("it %s, want: %s", got, tt.want)
			}
		})
	}
}

// Fault stop-ignored, the second stop: Kill cuts the grace short. The grace of these tests is a minute.
func TestKillDuringClose(t *testing.T) {
	w := dialFake(t, fakeDialer(fakeserver.Script{Steps: stepsAt("eof", `{"do":"stderr","text":"deaf to the end\n"}`, `{"do":"hang"}`)}))
	w.send(1, "ping", "")
	w.next()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { _ = w.Close() })
	}
	await.Until(t, "the end of its input", func() bool { return w.log.Count("deaf to the end") == 1 })
	for range 3 {
		wg.Go(w.Kill)
	}
	wg.Wait()
	w.closed()
	if got := w.proc.Exit(); got != "was ended by signal: killed" {
		t.Errorf("it %s", got)
	}
}

// Fault pipe-held: a process that is not the server's holds its standard output and error open.
func TestHeldPipes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("opens the pipes in /proc")
	}
	w := dialFake(t, fakeDialer(fakeserver.Script{}), func(l *limits) { l.drain = 20 * time.Millisecond })
	for _, fd := range []int{1, 2} {
		held, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", w.PID(), fd), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
	}
	w.call(1, "exit", `{"code":1}`)
	w.wantEnd(wire.KindExit, "exited with code 1")
	w.closed()
}
