package ipc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

// frame returns a message with its header.
func frame(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// shim is an Attach that runs, with the test as editor and as daemon.
type shim struct {
	stdin  *io.PipeWriter
	stdout *bytes.Buffer // to be read when the shim has ended
	daemon *Conn
	ended  chan error // takes what Attach returned
	p      Paths
	l      *Listener
	cancel context.CancelFunc
}

func attach(t *testing.T) *shim {
	t.Helper()
	stdout := new(bytes.Buffer)
	s := attachTo(t, stdout)
	s.stdout = stdout
	return s
}

func attachTo(t *testing.T, stdout io.Writer) *shim {
	t.Helper()
	in, stdin := io.Pipe()
	p := tempPaths(t)
	l, _ := openListener(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	s := &shim{stdin: stdin, ended: make(chan error, 1), p: p, l: l, cancel: cancel}
	go func() { s.ended <- Attach(ctx, p, in, stdout, nil, "") }()
	t.Cleanup(func() {
		cancel()
		in.Close() // ends the Read that is under way
	})
	s.daemon = acceptOne(t, l)
	return s
}

func TestAttachFirstFrame(t *testing.T) {
	env := []string{"A=1", "B=x=y", "EMPTY=", "=C:=C:\\", "nonsense"}
	const added = `"environment":{"A":"1","B":"x=y","EMPTY":""},"umask":"0027"`
	const options = `"initializationOptions":{` + added + `}`
	initialize := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + params + `}`
	}
	odd := func(body string) string {
		return fmt.Sprintf("X-Y:z\r\ncontent-length:\t %d \r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s", len(body), body)
	}
	const more = "Content-Length: 2\r\n\r\n{}and then something that is no frame at all \x00\xff"

	tests := []struct{ name, in, want string }{
		{"options absent", frame(initialize(`{"processId":1}`)), frame(initialize(`{"processId":1,"initializationOptions":{` + added + `}}`))},
		{"options null", frame(initialize(`{"initializationOptions":null,"x":1e400}`)), frame(initialize(`{"initializationOptions":{` + added + `},"x":1e400}`))},
		{"options without them", frame(initialize(`{"initializationOptions":{"servers":{ }}}`)), frame(initialize(`{"initializationOptions":{"servers":{ },` + added + `}}`))},
		{"environment there", frame(initialize(`{"initializationOptions":{"environment":{}}}`)), frame(initialize(`{"initializationOptions":{"environment":{},"umask":"0027"}}`))},
		{"environment null", frame(initialize(`{"initializationOptions":{"environment":null,"umask":"0","cwd":"/e"}}`)), frame(initialize(`{"initializationOptions":{"environment":{"A":"1","B":"x=y","EMPTY":""},"umask":"0","cwd":"/e"}}`))},
		{"umask null", frame(initialize(`{"initializationOptions":{"environment":{},"umask":null,"cwd":"/e"}}`)), frame(initialize(`{"initializationOptions":{"environment":{},"umask":"0027","cwd":"/e"}}`))},
		{"line feeds alone", "Content-Length: 35\n\n" + `{"method":"initialize","params":{}}`, frame(`{"method":"initialize","params":{` + options + `}}`)},
		{
			"white space stays",
			odd(`{ "method" : "initialize", "id":"a", "params": { "a" : 12345678901234567890.10 } }`) + more,
			frame(`{ "method" : "initialize", "id":"a", "params": { "a" : 12345678901234567890.10 ,"initializationOptions":{`+added+`}} }`) + more,
		},

		// What follows passes unchanged. Fault bad-frame: the daemon refuses it.
		{"all there", frame(initialize(`{"initializationOptions":{"environment":{"P":"q"},"umask":""}}`)), ""},
		{"options that are no object", frame(initialize(`{"initializationOptions":"x"}`)), ""},
		{"params that are no object", frame(initialize(`[1]`)), ""},
		{"another method first", frame(`{"jsonrpc":"2.0","id":1,"method":"shutdown","params":{}}`) + frame(initialize(`{}`)), ""},
		{"not JSON", frame(`{"method":"initialize","params":{}`), ""},
		{"an empty stream", "", ""},
		{"the middle of a header", "Content-Length: 1", ""},
		{"a body that is cut", "Content-Length: 100\r\n\r\n{\"method\":\"initialize\"", ""},
		{"no frames at all", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		{"a line without end", strings.Repeat("x", 80<<10), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got strings.Builder
			// One byte at a time is as bad as a pipe can be.
			if err := copyFromEditor(&got, iotest.OneByteReader(strings.NewReader(test.in)), env, "0027"); err != nil {
				t.Error(err)
			}
			want := test.want
			if want == "" {
				want = test.in
			}
			if got.String() != want {
				t.Errorf("the daemon got\n%q, want\n%q", got.String(), want)
			}
		})
	}
}

// Both directions pass byte for byte, far more than any buffer holds.
func TestAttachCopiesBothWays(t *testing.T) {
	t.Parallel()
	s := attach(t)
	up := frame(`{"id":1}`) + strings.Repeat("up\x00\xff", 1<<18)
	down := strings.Repeat("down\r\n", 1<<18)
	written := make(chan error)
	go func() {
		_, err := io.WriteString(s.daemon, down)
		written <- err
	}()
	go io.WriteString(s.stdin, up)
	got := make([]byte, len(up))
	if _, err := io.ReadFull(s.daemon, got); err != nil {
		t.Fatal(err)
	}
	if string(got) != up {
		t.Error("the daemon got other bytes than the editor sent")
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	s.stdin.Close()
	if rest, err := io.ReadAll(s.daemon); err != nil || len(rest) > 0 {
		t.Errorf("then the daemon got %q, %v", rest, err)
	}
	s.daemon.Close()
	if err := <-s.ended; err != nil {
		t.Errorf("Attach returned %v", err)
	}
	if s.stdout.String() != down {
		t.Errorf("the editor got %d bytes, not the %d that the daemon sent", s.stdout.Len(), len(down))
	}
}

// When stdin ends, the daemon can still finish what it writes; one that does not close is not waited for.
func TestAttachLastWords(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"last words", ""} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			s := attach(t)
			s.stdin.Close()
			if b, err := io.ReadAll(s.daemon); err != nil || len(b) > 0 {
				t.Fatalf("the daemon read %q, %v", b, err)
			}
			if words != "" {
				io.WriteString(s.daemon, words)
				s.daemon.Close()
			}
			if err := <-s.ended; err != nil || s.stdout.String() != words {
				t.Errorf("the editor got %q, and Attach returned %v", s.stdout, err)
			}
		})
	}
}

// brokenWriter is a stdout that fails.
type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestAttachEnds(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, test := range []struct {
		name   string
		stdout io.Writer
		spoil  func(s *shim)
		want   error
	}{
		{"stdin", io.Discard, func(s *shim) { s.stdin.CloseWithError(broken) }, broken},
		{"an editor that is killed before it has read everything from a socket", io.Discard, func(s *shim) { s.stdin.CloseWithError(syscall.ECONNRESET) }, nil},
		{"stdout", brokenWriter{broken}, func(s *shim) { io.WriteString(s.daemon, "x") }, broken},
		{"an editor that reads nothing more ends the session", brokenWriter{syscall.EPIPE}, func(s *shim) { io.WriteString(s.daemon, "x") }, nil},
		{"cancelled", io.Discard, func(s *shim) { s.cancel() }, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := attachTo(t, test.stdout)
			test.spoil(s)
			if err := <-s.ended; !errors.Is(err, test.want) {
				t.Errorf("Attach returned %v, want %v", err, test.want)
			}
		})
	}
}

// The daemon closes. After exit that is no error; otherwise the error gives the reason, and says
// whether the daemon is still there.
func TestAttachDaemonCloses(t *testing.T) {
	t.Parallel()
	exit := frame(`{"jsonrpc":"2.0", "method":"exit"}`)
	for _, test := range []struct {
		name  string
		said  string // by the editor
		gone  bool   // the daemon, not only the connection
		want  string // in the error; "" means none
		reset bool   // the daemon has not read everything
	}{
		{name: "the connection", said: frame(`{}`), want: "closed the connection"},
		{name: "the connection, with a reset", said: frame(`{}`) + frame(`{}`), want: "closed the connection", reset: true},
		{name: "the daemon has ended", said: frame(`{}`), gone: true, want: "the daemon has ended"},
		{name: "after exit", said: frame(`{}`) + exit},
		{name: "after exit, the daemon has ended", said: exit, gone: true},
		{name: "exit was not the last", said: exit + frame(`{}`), want: "closed the connection"},
		{name: "exit is only spoken of", said: frame(`{"method":"x","params":"\"method\":\"exit\""}`), want: "closed the connection"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := attach(t)
			// In pieces, because an editor's writes are not frames.
			if _, err := io.Copy(s.stdin, iotest.HalfReader(strings.NewReader(test.said))); err != nil {
				t.Fatal(err)
			}
			read := len(test.said)
			if test.reset {
				read = 1
			}
			if _, err := io.ReadFull(s.daemon, make([]byte, read)); err != nil {
				t.Fatal(err)
			}
			if test.gone {
				if err := s.l.Close(); err != nil {
					t.Fatal(err)
				}
			}
			s.daemon.Close()
			err := <-s.ended
			switch {
			case test.want == "":
				if err != nil {
					t.Errorf("Attach returned %v", err)
				}
			case err == nil:
				t.Error("no error")
			case !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), s.p.LogFile()):
				t.Errorf("%q does not say %q and where the log is", err, test.want)
			}
		})
	}
}

// The shim writes what it reads, however the bytes arrive and whatever they are.
func FuzzReadFirst(f *testing.F) {
	for _, seed := range []string{
		"", "x", "\r\n\r\n", frame("{}"), frame("{}") + "rest", "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
		"Content-Length:2\r\n\r\n{}", "content-length: 002\n\n{}", "Content-Length: -1\r\n\r\n", "a: b\r\n\r\n",
		"Content-Length: 99999999999\r\n\r\n", "Content-Length: 9\r\n\r\ncut", strings.Repeat("h", 9<<10),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bufio.NewReader(iotest.OneByteReader(bytes.NewReader(data)))
		got, _ := readFirst(in, nil, "")
		rest, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(got, rest...), data) && !bytes.Contains(data, []byte("initialize")) {
			t.Errorf("%q became %q", data, append(got, rest...))
		}
	})
}
