package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// address is where the user signs in to the server of a fakeDaemon.
const address = "https://sign.example/authorize?client_id=a&state=b"

// A fakeDaemon has one HTTP server, "remote", that the user signs in to, and two tools on it. A sign-in ends
// when finish is called, or with the response "good".
type fakeDaemon struct {
	env map[string]string // leads the program to it

	mu        sync.Mutex // guards the fields that follow
	server    editorapi.Server
	editors   []editorapi.Editor
	refusal   error         // of SignIn; nil: none
	over      chan struct{} // closed when the sign-in under way is over
	responses []string      // that FinishSignIn got

	dying atomic.Int32 // connections that end before they say anything

	begun, cancelled chan struct{} // get a value for each SignIn, and for each that its editor cancels
}

func newFakeDaemon(t *testing.T) *fakeDaemon {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "mcpd") // a socket's path may have only about a hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	d := &fakeDaemon{
		env:   map[string]string{"HOME": dir, "MCP_EDITORD_SOCKET": filepath.Join(dir, "s")},
		begun: make(chan struct{}, 10), cancelled: make(chan struct{}, 10),
		server: editorapi.Server{
			Name: "remote", State: editorapi.ServerNeedsSignIn, Scope: "window", Transport: "http", Source: "file:///mcp.json",
			Error: &editorapi.ServerError{Kind: editorapi.ServerSignInNeeded, Message: "it wants you to sign in"},
		},
	}
	l, err := net.Listen("unix", d.env["MCP_EDITORD_SOCKET"])
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if d.dying.Add(-1) >= 0 {
				conn.Close()
				continue
			}
			serving.Go(func() {
				_ = editorapi.Serve(ctx, conn, d, editorapi.Options{}) // fails for a program that has left
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		cancel()
		serving.Wait()
		os.RemoveAll(dir)
	})
	return d
}

func (d *fakeDaemon) Attach(_ context.Context, e editorapi.Editor, _ editorapi.AttachParams) (editorapi.Attachment, error) {
	return &fakeAttachment{fakeDaemon: d, editor: e}, nil
}

// change changes the server and tells everybody. d.mu is held.
func (d *fakeDaemon) change(change func(*editorapi.Server)) {
	change(&d.server)
	for _, e := range d.editors {
		e.ServerChanged(d.server)
	}
}

// set is change for who does not hold d.mu.
func (d *fakeDaemon) set(change func(*editorapi.Server)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.change(change)
}

// begin begins a sign-in, unless one is under way. d.mu is held.
func (d *fakeDaemon) begin() {
	if d.over == nil {
		d.over = make(chan struct{})
		d.change(func(s *editorapi.Server) {
			s.SignIn = &editorapi.SignIn{URL: address, Host: "sign.example", RedirectURI: "http://127.0.0.1:1/", Until: "2030-01-01T00:00:00Z"}
		})
	}
}

// finish ends the sign-in, as the browser does.
func (d *fakeDaemon) finish() {
	d.end(func(s *editorapi.Server) {
		s.State, s.Error = editorapi.ServerReady, nil
		s.SignedIn = &editorapi.SignedIn{Issuer: "https://issuer.example", Kept: editorapi.KeptInKeyring}
	})
}

// end ends the sign-in with a change of the server.
func (d *fakeDaemon) end(change func(*editorapi.Server)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.server.SignIn = nil
	d.change(change)
	close(d.over)
	d.over = nil
}

// got returns what the user has pasted.
func (d *fakeDaemon) got() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.responses, " ")
}

// A fakeAttachment is a program that is attached to a fakeDaemon. What the tests do not need, panics.
type fakeAttachment struct {
	editorapi.Attachment
	*fakeDaemon
	editor editorapi.Editor
}

func (a *fakeAttachment) Initialized() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.editors = append(a.editors, a.editor)
	a.editor.ServerChanged(a.server)
}

func (a *fakeAttachment) Offers(string) []*editorapi.Offer { return nil }
func (a *fakeAttachment) Status() editorapi.Status         { return editorapi.Status{} }
func (a *fakeAttachment) Close()                           {}

func (a *fakeAttachment) Servers() []editorapi.Server {
	a.mu.Lock()
	defer a.mu.Unlock()
	return []editorapi.Server{a.server}
}

func (a *fakeAttachment) StartServer(string) editorapi.Change {
	return func(context.Context) (editorapi.Server, error) { return a.Servers()[0], nil }
}

func (a *fakeAttachment) Call(context.Context, editorapi.Call) (json.RawMessage, error) {
	return json.RawMessage(`{"tools":[{"name":"a"},{"name":"b"}]}`), nil
}

func (a *fakeAttachment) SignIn(server string) editorapi.Change {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refusal != nil {
		refusal := a.refusal
		return func(context.Context) (editorapi.Server, error) { return editorapi.Server{}, refusal }
	}
	a.begin()
	a.begun <- struct{}{}
	over := a.over
	return func(ctx context.Context) (editorapi.Server, error) {
		select {
		case <-over:
			return a.Servers()[0], nil
		case <-ctx.Done():
			a.cancelled <- struct{}{}
			return editorapi.Server{}, ctx.Err()
		}
	}
}

func (a *fakeAttachment) FinishSignIn(server, response string) error {
	a.mu.Lock()
	a.responses = append(a.responses, response)
	a.mu.Unlock()
	if response != "good" {
		return &editorapi.Error{Kind: editorapi.KindSignInFailed, Server: server, Message: "that is from another sign-in; paste the address that this one ended on"}
	}
	a.finish()
	return nil
}

func (a *fakeAttachment) SignOut(string) editorapi.Change {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.change(func(s *editorapi.Server) { s.State, s.SignedIn = editorapi.ServerNeedsSignIn, nil })
	return func(context.Context) (editorapi.Server, error) { return a.Servers()[0], nil }
}

// start runs the program, with an empty standard input.
func (d *fakeDaemon) start(t *testing.T, args ...string) *running {
	p := &running{t: t, stdout: newTranscript(), stderr: newTranscript(), code: make(chan int, 1)}
	a := &app{
		stdin: io.NopCloser(strings.NewReader("")), stdout: p.stdout, stderr: p.stderr,
		getenv: func(name string) string { return d.env[name] }, version: "v1.2.3",
	}
	go func() {
		code := a.run(context.Background(), args)
		p.stdout.Close()
		p.stderr.Close()
		p.code <- code
	}()
	return p
}

// run runs the program to its end, and checks its exit code.
func (d *fakeDaemon) run(t *testing.T, code int, args ...string) *running {
	t.Helper()
	p := d.start(t, args...)
	p.end(code)
	return p
}

// running is the program while it runs.
type running struct {
	t              *testing.T
	stdout, stderr *transcript
	code           chan int
}

// end waits for the end of the program, and checks its exit code.
func (p *running) end(code int) {
	p.t.Helper()
	if got := <-p.code; got != code {
		p.t.Errorf("exit code %d, want %d; stdout %q, stderr %q", got, code, p.stdout, p.stderr)
	}
}

// A transcript is what a program has written so far.
type transcript struct {
	mu      sync.Mutex // guards the fields that follow
	text    bytes.Buffer
	closed  bool
	changed *sync.Cond
}

func newTranscript() *transcript {
	t := &transcript{}
	t.changed = sync.NewCond(&t.mu)
	return t
}

func (t *transcript) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed.Broadcast()
	return t.text.Write(b)
}

func (t *transcript) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.changed.Broadcast()
	return nil
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// await waits until n times want has been written. It fails when the program ends before.
func (t *transcript) await(test testing.TB, want string, n int) {
	test.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for strings.Count(t.text.String(), want) < n {
		if t.closed {
			test.Fatalf("the program has ended without %d times %q; it wrote %q", n, want, t.text.String())
		}
		t.changed.Wait()
	}
}

// awaitEnd waits until nothing more is written.
func (t *transcript) awaitEnd() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.closed {
		t.changed.Wait()
	}
}
