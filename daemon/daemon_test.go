//go:build linux || darwin

package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// TestFakeServerProcess is the server of these tests: this binary again.
func TestFakeServerProcess(t *testing.T) {
	if os.Getenv(fakeserver.Env) == "" {
		t.Skip("not a server")
	}
	fakeserver.Main()
}

// screen is an editor as the daemon sees it. It records what it is told.
type screen struct {
	answer func(ctx context.Context, method string, q editorapi.Question) (json.RawMessage, error) // nil: never
	decide func(ctx context.Context, p editorapi.ApproveParams) (editorapi.Decision, error)
	visit  func(context.Context, editorapi.Visit) (opened bool, err error)
	hold   func() // called before each news is recorded, and may block; nil: nothing

	relaying func() // called by Relay before anything else; nil: nothing
	saying   func() // likewise, of ShowMessage

	mu      sync.Mutex // guards the fields that follow
	servers []editorapi.Server
	news    []string // "name state" or "name removed" of each server, as told
	changed []string // "name kind" of each list that has changed
	said    []string // messages
	relayed []string // method and params of each notification of a server
	logged  []editorapi.ServerLogged
	told    chan struct{} // closed and replaced whenever the screen is told something
}

func newScreen() *screen { return &screen{told: make(chan struct{})} }

func (s *screen) Sample(ctx context.Context, q editorapi.Question) (json.RawMessage, error) {
	return s.ask(ctx, wire.MethodSample, q)
}

func (s *screen) Elicit(ctx context.Context, q editorapi.Question) (json.RawMessage, error) {
	return s.ask(ctx, wire.MethodElicit, q)
}

func (s *screen) ListRoots(ctx context.Context, q editorapi.Question) (json.RawMessage, error) {
	return s.ask(ctx, wire.MethodListRoots, q)
}

func (s *screen) ask(ctx context.Context, method string, q editorapi.Question) (json.RawMessage, error) {
	if s.answer != nil {
		return s.answer(ctx, method, q)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s *screen) ServerChanged(server editorapi.Server) {
	s.hear(func() {
		s.servers = append(s.servers, server)
		s.news = append(s.news, server.Name+" "+string(server.State))
	})
}

func (s *screen) ServerRemoved(server string) {
	s.hear(func() { s.news = append(s.news, server+" removed") })
}

func (s *screen) SubscriptionEnded(server, uri, reason string) {
	s.hear(func() { s.news = append(s.news, server+" ended "+uri+": "+reason) })
}

func (s *screen) ServerLogged(l editorapi.ServerLogged) {
	s.hear(func() { s.logged = append(s.logged, l) })
}

// hear records news.
func (s *screen) hear(news func()) {
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		hold()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	news()
	s.tell()
}

func (s *screen) Relay(n *editorapi.Notification, subscribed []string) error {
	if s.relaying != nil {
		s.relaying()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := n.Method + " " + string(n.Params)
	if subscribed != nil {
		text += fmt.Sprint(" ", subscribed)
	}
	s.relayed = append(s.relayed, text)
	s.tell()
	return nil
}

// tell wakes those who wait. s.mu is held.
func (s *screen) tell() {
	close(s.told)
	s.told = make(chan struct{})
}

func (s *screen) Approve(ctx context.Context, p editorapi.ApproveParams) (editorapi.Decision, error) {
	if s.decide != nil {
		return s.decide(ctx, p)
	}
	return editorapi.DecisionLater, nil
}

func (s *screen) Visit(ctx context.Context, v editorapi.Visit) (bool, error) {
	if s.visit != nil {
		return s.visit(ctx, v)
	}
	return false, nil
}

func (s *screen) ShowMessage(_ editorapi.Severity, text string) {
	if s.saying != nil {
		s.saying()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, text)
	s.tell()
}

func (s *screen) Diagnostics(string, []editorapi.Diagnostic) {}

func (s *screen) CatalogChanged(server string, kinds []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range kinds {
		s.changed = append(s.changed, server+" "+kind)
	}
	s.tell()
}

// await waits until a server is shown in a state.
func (s *screen) await(t *testing.T, state string) (shown editorapi.Server) {
	t.Helper()
	s.until(t, state, func() bool {
		i := slices.IndexFunc(s.servers, func(v editorapi.Server) bool { return string(v.State) == state })
		if i >= 0 {
			shown = s.servers[i]
		}
		return i >= 0
	})
	return shown
}

// awaitNews waits until the editor has been told this of a server.
func (s *screen) awaitNews(t *testing.T, news string) {
	t.Helper()
	s.until(t, news, func() bool { return slices.Contains(s.news, news) })
}

// awaitLast waits until this is the last that the editor has been told of a server.
func (s *screen) awaitLast(t *testing.T, news string) {
	t.Helper()
	name, _, _ := strings.Cut(news, " ")
	s.until(t, news, func() bool {
		for _, n := range slices.Backward(s.news) {
			if strings.HasPrefix(n, name+" ") {
				return n == news
			}
		}
		return false
	})
}

// awaitRelayed waits for a notification of a server, and returns all so far.
func (s *screen) awaitRelayed(t *testing.T, want string) (all []string) {
	t.Helper()
	s.until(t, want, func() bool {
		all = slices.Clone(s.relayed)
		return slices.Contains(all, want)
	})
	return all
}

// until waits for a condition, and checks it with s.mu held.
func (s *screen) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		s.mu.Lock()
		told := s.told
		if holds() {
			s.mu.Unlock()
			return
		}
		shown := fmt.Sprint(s.news, s.relayed)
		s.mu.Unlock()
		select {
		case <-told:
		case <-deadline:
			t.Fatalf("never %s; shown was %s", what, shown)
		}
	}
}

// newTestDaemon returns a daemon without a socket, and a folder.
func newTestDaemon(t *testing.T, linger time.Duration) (d *Daemon, folder string) {
	t.Helper()
	p := tempPaths(t)
	d = startDaemon(t, p, nothingLeft)
	d.linger = cmp.Or(linger, d.linger)
	return d, filepath.Dir(p.Config)
}

// nothingLeft finds no servers of an earlier daemon.
func nothingLeft() ([]int, error) { return nil, nil }

// startDaemon returns a daemon of these paths; reap ends the servers of an earlier one.
func startDaemon(t *testing.T, p ipc.Paths, reap func() ([]int, error)) *Daemon {
	t.Helper()
	d, err := newDaemon(Options{Paths: p}, zap.New(&eventLog{changed: make(chan struct{})}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	d.endLeftovers(reap)
	return d
}

// attachEditor attaches an editor with one server.
func attachEditor(t *testing.T, d *Daemon, folder string) (editorapi.Attachment, *screen) {
	t.Helper()
	s := newScreen()
	return attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{}), s
}

// newReady returns a daemon with one editor, whose server is ready.
func newReady(t *testing.T) (*Daemon, string, editorapi.Attachment, *screen) {
	t.Helper()
	d, folder := newTestDaemon(t, time.Hour)
	a, s := attachEditor(t, d, folder)
	s.await(t, "ready")
	return d, folder, a, s
}

// attachScreen is attachEditor with a choice of the editor, its capabilities and the server's
// script.
func attachScreen(t *testing.T, d *Daemon, folder string, s *screen, script fakeserver.Script, caps editorapi.Capabilities) editorapi.Attachment {
	t.Helper()
	return attachWith(t, d, s, editorapi.AttachParams{
		Folders: opened(folder), Servers: fakeDefinition(t, scriptText(script)), AutoStart: true, DynamicCommands: true, Capabilities: caps,
	})
}

// opened returns folders as an editor names them.
func opened(paths ...string) (folders []editorapi.Folder) {
	for _, path := range paths {
		folders = append(folders, editorapi.Folder{URI: fileuri.FromPath(path)})
	}
	return folders
}

var plainScript = scriptText(fakeserver.Script{Plain: true})

// scriptText returns a script as a definition has it.
func scriptText(script fakeserver.Script) string {
	return strings.TrimPrefix(script.Environ(), fakeserver.Env+"=")
}

// fakeDefinition defines the server "fake", with its script as text, or as the path of its file.
func fakeDefinition(t testing.TB, script string) json.RawMessage {
	t.Helper()
	return fakeDefinitions(t, script, nil, "fake")
}

// fakeDefinitions defines servers with the same script and the same rules for tools, as in mcp.json; nil for none.
func fakeDefinitions(t testing.TB, script string, tools any, names ...string) json.RawMessage {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	servers := map[string]any{}
	for _, name := range names {
		server := map[string]any{"command": exe, "args": []string{"-test.run=^TestFakeServerProcess$"}, "env": map[string]string{fakeserver.Env: script}}
		if tools != nil {
			server["tools"] = tools
		}
		servers[name] = server
	}
	encoded, err := json.Marshal(servers)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// attachWith attaches an editor and initializes it. The editor leaves when the test ends.
func attachWith(t *testing.T, d *Daemon, s editorapi.Editor, p editorapi.AttachParams) editorapi.Attachment {
	t.Helper()
	a, err := d.Attach(t.Context(), s, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	a.Initialized()
	return a
}

// call sends one MCP request for an editor.
func call(ctx context.Context, a editorapi.Attachment, method, params string) (string, error) {
	result, err := a.Call(ctx, editorapi.Call{Server: "fake", Method: method, Params: json.RawMessage(params), Cause: editorapi.Cause{ID: json.RawMessage("1")}})
	return string(result), err
}

// does carries out a change that succeeds.
func does(t *testing.T, change editorapi.Change) editorapi.Server {
	t.Helper()
	view, err := change(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// begins carries out a change in the background, and says what comes of it.
func begins(ctx context.Context, change editorapi.Change) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := change(ctx)
		done <- err
	}()
	return done
}

// serverOf returns what an editor was last told of a server.
func serverOf(t *testing.T, a editorapi.Attachment, name string) editorapi.Server {
	t.Helper()
	servers := a.Servers()
	i := slices.IndexFunc(servers, func(s editorapi.Server) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no %q", name)
	}
	return servers[i]
}

// namesOf returns the names of the servers of an editor.
func namesOf(a editorapi.Attachment) string {
	var names []string
	for _, server := range a.Servers() {
		names = append(names, server.Name)
	}
	return strings.Join(names, " ")
}

// awaitConnections waits until there are n connections.
func (d *Daemon) awaitConnections(t *testing.T, n int) {
	t.Helper()
	d.await(t, fmt.Sprintf("%d connections", n), func() bool { return len(d.conns) == n })
}

// await waits for a condition, and checks it with d.mu held whenever the daemon logs something. So a line of the
// log, of whatever level, must follow what it waits for.
func (d *Daemon) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	l := d.log.Core().(*eventLog)
	deadline := time.After(2 * time.Minute)
	locked := func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return holds()
	}
	for {
		changed := l.next()
		if locked() {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("never %s; the log's last lines are\n%s", what, strings.Join(l.last(), "\n"))
		}
	}
}

// An eventLog is a log that announces its entries.
type eventLog struct {
	mu      sync.Mutex // guards the fields that follow
	changed chan struct{}
	entries []string
}

func (l *eventLog) Enabled(zapcore.Level) bool        { return true }
func (l *eventLog) With([]zapcore.Field) zapcore.Core { return l }
func (l *eventLog) Sync() error                       { return nil }
func (l *eventLog) Check(e zapcore.Entry, c *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return c.AddCore(e, l)
}

func (l *eventLog) Write(e zapcore.Entry, _ []zapcore.Field) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e.LoggerName+": "+e.Message)
	close(l.changed)
	l.changed = make(chan struct{})
	return nil
}

// next returns a channel that is closed with the next entry.
func (l *eventLog) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

func (l *eventLog) last() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries[max(0, len(l.entries)-20):])
}

// A connection without editors stays for a while, then ends.
func TestLinger(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	first, s := attachEditor(t, d, folder)
	pid := s.await(t, "ready").PID
	first.Close()
	second, s := attachEditor(t, d, folder)
	if got := s.await(t, "ready").PID; got != pid {
		t.Errorf("the server is process %d, was %d", got, pid)
	}
	d.linger = time.Millisecond
	second.Close()
	d.awaitConnections(t, 0)
}

// An editor that is alone on a connection takes it along to its new folders; one that is not alone
// leaves it to the others.
func TestFoldersAndConnections(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	other := t.TempDir()
	alone, s := attachEditor(t, d, folder)
	pid := s.await(t, "ready").PID
	alone.ChangeFolders(opened(other))
	if got := alone.Servers()[0]; got.PID != pid {
		t.Errorf("alone: the server is process %d, was %d", got.PID, pid)
	}
	d.awaitConnections(t, 1)

	second, _ := attachEditor(t, d, other)
	alone.ChangeFolders(opened(folder))
	if got := second.Servers()[0]; got.PID != pid {
		t.Errorf("the one that stayed has process %d, had %d", got.PID, pid)
	}
	d.awaitConnections(t, 2)
}
