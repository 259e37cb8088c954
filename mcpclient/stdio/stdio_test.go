//go:build linux || darwin

package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/buffers"
	"github.com/mcp-editord/mcp-editord/internal/procgroup"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/wiretest"
)

func TestMain(m *testing.M) {
	procgroup.Supervise() // of the servers that the tests start
	os.Exit(m.Run())
}

// TestFakeServerProcess is the server's process: the test binary run again.
func TestFakeServerProcess(t *testing.T) {
	if os.Getenv(fakeserver.Env) == "" {
		t.Skip("runs as a server only")
	}
	fakeserver.Main()
}

// fakeDialer returns the dialer of a server that follows script.
func fakeDialer(script fakeserver.Script) Dialer {
	script.Plain = true
	return Dialer{
		Path:  os.Args[0],
		Args:  []string{"-test.run=^TestFakeServerProcess$"},
		Env:   append(os.Environ(), script.Environ(), "GORACE=atexit_sleep_ms=0"),
		Owner: procgroup.Owner(fmt.Sprintf("test-%d", os.Getpid())),
	}
}

// testWire is a wire under test with what its server said beside the protocol.
type testWire struct {
	*conn
	t   *testing.T
	log *wiretest.Log
}

func dialFake(t *testing.T, d Dialer, change ...func(*limits)) testWire {
	t.Helper()
	limits := defaults
	limits.stall = time.Minute
	limits.linger = time.Minute
	limits.grace = time.Minute // what a test waits for must come by itself
	for _, f := range change {
		f(&limits)
	}
	log := wiretest.NewLog()
	d.limits = &limits
	w, err := d.Dial(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Kill()
		_ = w.Close()
	})
	return testWire{w.(*conn), t, log}
}

// send writes a request.
func (w testWire) send(id int64, method, params string) {
	w.t.Helper()
	if err := w.Write(w.t.Context(), &wire.Request{ID: wire.NumberID(id), Method: method, Params: json.RawMessage(params)}); err != nil {
		w.t.Fatal(err)
	}
}

func (w testWire) call(id int64, tool, args string) {
	w.t.Helper()
	w.send(id, "tools/call", `{"name":"`+tool+`","arguments":`+args+`}`)
}

// next reads one message.
func (w testWire) next() string {
	w.t.Helper()
	msg, err := w.Read()
	if err != nil {
		w.t.Fatal(err)
	}
	return wiretest.Show(msg)
}

func (w testWire) wantNext(want string) {
	w.t.Helper()
	if got := w.next(); got != want {
		w.t.Errorf("got %s, want %s", got, want)
	}
}

// wantEnd reads the final error, which must come again.
func (w testWire) wantEnd(kind wire.Kind, part string) *wire.Error {
	w.t.Helper()
	_, err := w.Read()
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || e.Kind != kind || !strings.Contains(e.Message, part) {
		w.t.Fatalf("got %v, want an error %s with %q", err, kind, part)
	}
	if _, again := w.Read(); again != err {
		w.t.Errorf("the next error is %v", again)
	}
	return e
}

// closed closes the wire and looks that nothing of it is left.
func (w testWire) closed() {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Error(err)
	}
	select {
	case <-w.ended:
	default:
		w.t.Error("the process or the reader of stderr is left")
	}
	if rest := w.out.rest; rest != nil && !closed(rest) {
		w.t.Error("a writer is left")
	}
	for _, f := range []*os.File{w.stdin, w.stdout, w.stderr} {
		if err := f.Close(); !errors.Is(err, os.ErrClosed) {
			w.t.Errorf("%s was left open", f.Name())
		}
	}
	if _, err := w.Read(); err == nil {
		w.t.Error("Read goes on")
	}
	if err := w.Write(w.t.Context(), &wire.Request{Method: "x"}); err == nil {
		w.t.Error("Write goes on")
	}
}

// stepsAt returns the steps of one moment.
func stepsAt(moment string, list ...string) map[string][]json.RawMessage {
	out := map[string][]json.RawMessage{}
	for _, s := range list {
		out[moment] = append(out[moment], json.RawMessage(s))
	}
	return out
}

func TestConversation(t *testing.T) {
	dir := t.TempDir()
	d := fakeDialer(fakeserver.Script{})
	d.Dir = dir
	w := dialFake(t, d)
	w.send(1, "ping", "")
	w.wantNext(`result 1 {}`)
	w.call(2, "process", `{}`)
	msg, err := w.Read()
	if err != nil {
		t.Fatal(err)
	}
	result := rawjson.Get(msg.(*wire.Response).Result, "structuredContent")
	if cwd := rawjson.String(result, "cwd"); filepath.Base(cwd) != filepath.Base(dir) {
		t.Errorf("it runs in %s", cwd)
	}
	if pid, _ := rawjson.Int(result, "pid"); int(pid) != w.PID() {
		t.Errorf("pid %d, want %d", w.PID(), pid)
	}
	w.closed()
}

func TestBatch(t *testing.T) {
	w := dialFake(t, fakeDialer(fakeserver.Script{}))
	w.call(1, "batch", `{}`)
	w.wantNext(`request null notifications/message {"level":"info","data":"in a batch"}`)
	if got := w.next(); !strings.HasPrefix(got, "result 1 ") {
		t.Errorf("got %s", got)
	}
	many := "[" + strings.Repeat(`{},`, wire.MaxBatch) + "{}]"
	w.call(2, "raw", `{"lines":["[]","[1,{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}},2]","[{","`+many+`"]}`)
	w.wantNext(`result 2 {}`)
	w.send(3, "ping", "")
	w.wantNext(`result 3 {}`)
	if noise, _ := w.log.Counted(); noise != 5 {
		t.Errorf("%d frames were no messages, want 5", noise)
	}
}

// Fault stdout-noise: lines between the messages are logged and counted, and too many in a row end it.
func TestNoise(t *testing.T) {
	banner := `{"do":"stdout","text":"banner \u001b[1m\n\n","n":` + fmt.Sprint(maxBadRun) + `}`
	w := dialFake(t, fakeDialer(fakeserver.Script{Steps: stepsAt("start", banner)}))
	w.send(1, "ping", "")
	w.wantNext(`result 1 {}`)
	if n := w.log.Count("stdout: banner \x1b[1m"); n != maxBadRun {
		t.Errorf("%d lines in the log, want %d", n, maxBadRun)
	}
	long := strings.Repeat("y", 2*wire.MaxNoise)
	w.call(2, "raw", `{"lines":["`+long+`","{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"for nobody\"}}","{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}"]}`)
	w.wantNext(`result 2 {}`)
	w.call(3, "stdout", `{"text":"noise\n","n":100}`)
	if got := w.next(); !strings.HasPrefix(got, "result 3 ") {
		t.Errorf("got %s", got)
	}
	if w.log.Count(strings.Repeat("y", wire.MaxNoise)+" [cut]") != 1 || w.log.Count("daemon: skipped an error that answers no request") != 1 {
		t.Errorf("the log ends with %.300q", w.log.Lines()[maxBadRun:])
	}
	w.call(4, "stdout", `{"text":"no server\n","n":1000}`)
	e := w.wantEnd(wire.KindNotMCP, `"no server"`)
	if e.Detail != "no server" {
		t.Errorf("detail %q", e.Detail)
	}
	if noise, _ := w.log.Counted(); noise != maxBadRun+1+100+maxBadRun+1 {
		t.Errorf("%d lines counted", noise)
	}
	w.closed()
}

// Fault huge-message: a frame over the limit fails the call that it answers, and nothing else.
func TestTooLarge(t *testing.T) {
	for name, idLast := range map[string]bool{"the id first": false, "the id last": true} {
		t.Run(name, func(t *testing.T) {
			w := dialFake(t, fakeDialer(fakeserver.Script{IDLast: idLast}), func(l *limits) { l.frame = 100_000 })
			w.call(1, "big", `{"bytes":99000}`)
			if got := w.next(); !strings.HasPrefix(got, "result 1 ") || len(got) < 99_000 {
				t.Errorf("got %.100s", got)
			}
			w.call(2, "big", `{"bytes":10000000}`)
			w.wantNext(`tooLarge 2`)
			w.call(3, "raw", `{"lines":["`+strings.Repeat("x", 200_000)+`","{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}"]}`)
			w.wantNext(`result 3 {}`)
			if _, oversized := w.log.Counted(); oversized != 2 {
				t.Errorf("%d frames over the limit, want 2", oversized)
			}
			if w.log.Count("daemon: skipped a message of") != 1 {
				t.Errorf("the log is %.300q", w.log.Lines())
			}
		})
	}
}

// Fault stderr-flood: stderr is drained whatever comes, in pieces of bounded length.
func TestStderrFlood(t *testing.T) {
	const size = 32 << 20
	w := dialFake(t, fakeDialer(fakeserver.Script{}))
	w.call(1, "flood", fmt.Sprintf(`{"to":"stderr","bytes":%d}`, size))
	if got := w.next(); !strings.HasPrefix(got, "result 1 ") { // so it was never blocked
		t.Errorf("got %s", got)
	}
	w.call(2, "stderr", `{"text":"\nlast \u00e9\r\nwords"}`)
	w.next()
	w.call(3, "exit", `{"code":1}`)
	w.wantEnd(wire.KindExit, "exited with code 1")
	if got := w.log.Lines(); !slices.Equal(got[len(got)-2:], []string{"stderr: last é", "stderr: words"}) {
		t.Errorf("the log ends with %.80q", got[len(got)-2:])
	}
	if all, longest := w.log.Size(); all < size || longest > stderrLine {
		t.Errorf("%d bytes of %d were logged, the longest line with %d", all, size, longest)
	}
}

// Fault server-stops-reading: a server that stops reading is given up, and a caller is not held up by it.
func TestDeaf(t *testing.T) {
	long := func(w testWire) error {
		return w.Write(t.Context(), &wire.Request{Method: "n", Params: json.RawMessage(`["` + strings.Repeat("x", 10<<20) + `"]`)})
	}
	t.Run("it is killed", func(t *testing.T) {
		w := dialFake(t, fakeDialer(fakeserver.Script{}), func(l *limits) { l.stall = 50 * time.Millisecond })
		w.call(1, "deaf", `{}`)
		w.next()
		err := long(w)
		if e, ok := errors.AsType[*wire.Error](err); !ok || e.Kind != wire.KindUnresponsive {
			t.Errorf("Write: %v", err)
		}
		w.wantEnd(wire.KindUnresponsive, "has not read")
		<-w.proc.Done()
		w.closed()
	})
	t.Run("the caller gives up", func(t *testing.T) {
		w := dialFake(t, fakeDialer(fakeserver.Script{}))
		w.call(1, "deaf", `{}`)
		w.next()
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		large := &wire.Request{Method: "n", Params: json.RawMessage(`["` + strings.Repeat("x", 1<<20) + `"]`)}
		go func() { failed <- w.Write(ctx, large) }()
		cancel()
		if err := <-failed; err != context.Canceled {
			t.Errorf("Write: %v", err)
		}
		if w.TryWrite(large) {
			t.Error("TryWrite takes a message while another is being written")
		}
		if err := w.Write(ctx, large); err != context.Canceled {
			t.Errorf("Write after it: %v", err)
		}
		w.Kill()
		w.closed()
	})
}

// Messages arrive whole, whether the server takes them at once or not.
func TestWritesInParts(t *testing.T) {
	w := dialFake(t, fakeDialer(fakeserver.Script{}))
	const messages = 400
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range messages {
			m := &wire.Request{ID: wire.NumberID(int64(i)), Method: "ping", Params: json.RawMessage(`{"_":"` + strings.Repeat("x", i*i) + `"}`)}
			if w.TryWrite(m) {
				continue
			}
			if err := w.Write(t.Context(), m); err != nil {
				t.Error(err)
			}
		}
	}()
	seen := map[string]bool{}
	for range messages {
		seen[w.next()] = true
	}
	<-written
	if len(seen) != messages {
		t.Errorf("%d answers, want %d", len(seen), messages)
	}
}

// Reading ends with the wire.
func TestReadEnds(t *testing.T) {
	w := dialFake(t, fakeDialer(fakeserver.Script{}))
	failed := make(chan error)
	go func() {
		_, err := w.Read()
		failed <- err
	}()
	w.closed()
	if err := <-failed; err != io.EOF {
		t.Errorf("Read: %v", err)
	}
}

// What was read last stays as it is when the wire is closed: somebody may still be passing it on.
func TestCloseLeavesTheLastMessage(t *testing.T) {
	w := dialFake(t, fakeDialer(fakeserver.Script{}))
	w.call(1, "echo", `"`+strings.Repeat("x", 300<<10)+`"`)
	msg, err := w.Read()
	if err != nil {
		t.Fatal(err)
	}
	before := wiretest.Show(msg)
	w.closed()
	for size := 64 << 10; size <= 4<<20; size *= 2 { // another wire reads its own messages
		b := buffers.Get(size)[:size]
		for i := range b {
			b[i] = '!'
		}
	}
	if after := wiretest.Show(msg); after != before {
		t.Errorf("another one has written over a message: %.200q", after)
	}
}

// A message that comes while the wire closes starts nothing that Close does not wait for.
func TestWriteDuringClose(t *testing.T) {
	w := dialFake(t, fakeDialer(fakeserver.Script{}))
	w.closed()
	w.start([]byte("{}\n")) // by somebody who saw the wire open
	if !closed(w.out.rest) || wire.KindOf(w.out.err) != wire.KindGone {
		t.Errorf("it is still being written: %v", w.out.err)
	}
}
