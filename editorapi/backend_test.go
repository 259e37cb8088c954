package editorapi

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// fakeBackend attaches one editor. Its fields are set before the editor is
// opened; a nil function answers with nothing.
type fakeBackend struct {
	Attachment // nil: what no test asks for

	attach   func(Editor, AttachParams)
	begin    func(Call)       // before a call that is passed on
	later    func(*cork.Cork) // likewise
	call     func(context.Context, Call) (json.RawMessage, error)
	notify   func(server, method string, params json.RawMessage)
	restart  func(context.Context, string) (Server, error)
	log      func(context.Context, ServerLogParams, <-chan struct{}) (ServerLogResult, error)
	bound    map[string]Bound
	catalogs []listing // of ready servers; guarded by mu
	servers  []Server  // guarded by mu

	configFile func(uri, text string) (ConfigFile, bool)
	propose    func(ProposeServersParams) []ProposedServer
	add        func(AddServerParams) AddServerResult
	approve    func(server, digest string, decision Decision) error

	o           Options        // more of them
	questionDir string         // of the Options; serve makes one
	memory      *budget.Budget // of the editor
	serving     *serving       // set by open

	attached    chan struct{} // closed by Attach
	initialized chan struct{} // closed by Initialized
	closed      chan struct{} // closed by Close
	flushed     chan struct{} // closed by Flush

	mu      sync.Mutex // guards the fields that follow, and catalogs
	editor  Editor
	params  AttachParams
	folders [][]Folder
	calls   []Call
	changes []string // what was asked of the life of servers
	used    int
	listed  int // how often all servers were asked for
}

func newFakeBackend() *fakeBackend {
	return &fakeBackend{attached: make(chan struct{}), initialized: make(chan struct{}), closed: make(chan struct{}), flushed: make(chan struct{})}
}

func (b *fakeBackend) Attach(_ context.Context, e Editor, p AttachParams) (Attachment, error) {
	b.mu.Lock()
	b.editor, b.params = e, p
	b.mu.Unlock()
	if b.attach != nil {
		b.attach(e, p)
	}
	close(b.attached)
	return b, nil
}

// Flush implements [cork.Flusher].
func (b *fakeBackend) Flush() { close(b.flushed) }

func (b *fakeBackend) Initialized() { close(b.initialized) }
func (b *fakeBackend) Close()       { close(b.closed) }

func (b *fakeBackend) ChangeFolders(folders []Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.folders = append(b.folders, folders)
}

func (b *fakeBackend) Used() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used++
}

func (b *fakeBackend) Call(ctx context.Context, c Call) (json.RawMessage, error) {
	b.mu.Lock()
	b.calls = append(b.calls, c)
	b.mu.Unlock()
	if b.call == nil {
		return json.RawMessage("{}"), nil
	}
	return b.call(ctx, c)
}

func (b *fakeBackend) Begin(c Call, later *cork.Cork, done Done) (cancel func()) {
	if b.later != nil {
		b.later(later)
	}
	if b.begin != nil {
		b.begin(c)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		result, err := b.Call(ctx, c)
		if result == nil {
			result = json.RawMessage("{}")
		}
		done(result, err, nil)
	}()
	return cancel
}

func (b *fakeBackend) Notify(_ context.Context, server, method string, params json.RawMessage) error {
	if b.notify != nil {
		b.notify(server, method, params)
	}
	return nil
}

func (b *fakeBackend) Servers() []Server {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listed++
	return b.servers
}

func (b *fakeBackend) setServers(servers ...Server) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.servers = servers
}

func (b *fakeBackend) StartServer(server string) Change { return b.change("start", server, "ready") }
func (b *fakeBackend) StopServer(server string) Change  { return b.change("stop", server, "stopped") }
func (b *fakeBackend) RestartServer(server string) Change {
	return b.change("restart", server, "ready")
}

func (b *fakeBackend) SignIn(server string) Change { return b.change("signIn", server, "ready") }
func (b *fakeBackend) SignOut(server string) Change {
	return b.change("signOut", server, "needsSignIn")
}

func (b *fakeBackend) FinishSignIn(server, response string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = append(b.changes, "finishSignIn "+server+" "+response)
	return nil
}

func (b *fakeBackend) change(what, server string, state ServerState) Change {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = append(b.changes, what+" "+server)
	return func(ctx context.Context) (Server, error) {
		if what == "restart" && b.restart != nil {
			return b.restart(ctx, server)
		}
		return Server{Name: server, State: state}, nil
	}
}

func (b *fakeBackend) MuteServer(server string, muted bool) Change {
	return func(context.Context) (Server, error) {
		return Server{Name: server, State: "ready", Muted: muted}, nil
	}
}

func (b *fakeBackend) ApproveServer(_ context.Context, server, digest string, decision Decision) (Server, error) {
	if b.approve != nil {
		if err := b.approve(server, digest, decision); err != nil {
			return Server{}, err
		}
	}
	return Server{Name: server, Digest: digest}, nil
}

func (b *fakeBackend) Approvals() ([]Approval, error)     { return nil, nil }
func (b *fakeBackend) RevokeApproval(digest string) error { return nil }

// A listing is what a server of a fakeBackend offers.
type listing struct {
	Server                                       Server
	Tools, Prompts, Resources, ResourceTemplates []json.RawMessage
}

func (l listing) offer() *Offer {
	return NewOffer(l.Server.Name, l.Tools, l.Prompts, l.Resources, l.ResourceTemplates)
}

func (b *fakeBackend) Catalog(_ context.Context, p CatalogParams) (catalogs []ServerCatalog, err error) {
	server := p.Server
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.catalogs {
		if server == "" || server == l.Server.Name {
			catalogs = append(catalogs, ServerCatalog{Server: l.Server, Offer: l.offer()})
		}
	}
	if server != "" && catalogs == nil {
		return nil, &Error{Kind: KindServerNotFound, Server: server, Message: "there is no such server"}
	}
	return catalogs, nil
}

func (b *fakeBackend) Offers(server string) (offers []*Offer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.catalogs {
		if server == "" || server == l.Server.Name {
			offers = append(offers, l.offer())
		}
	}
	return offers
}

func (b *fakeBackend) setCatalogs(catalogs ...listing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.catalogs = catalogs
}

func (b *fakeBackend) Bound(string, string, *Context) map[string]Bound { return b.bound }

func (b *fakeBackend) ConfigFile(uri, text string) (ConfigFile, bool) {
	if b.configFile == nil {
		return ConfigFile{}, false
	}
	return b.configFile(uri, text)
}

func (b *fakeBackend) ServerLog(p ServerLogParams, answered <-chan struct{}) func(context.Context) (ServerLogResult, error) {
	return func(ctx context.Context) (ServerLogResult, error) {
		if b.log != nil {
			return b.log(ctx, p, answered)
		}
		return ServerLogResult{}, nil
	}
}

func (b *fakeBackend) Roots(string) (json.RawMessage, error) {
	return json.RawMessage(`{"roots":[]}`), nil
}

func (b *fakeBackend) Status() Status { return Status{Version: "1.2.3"} }

// lastCall returns the last call that was made.
func (b *fakeBackend) lastCall(t *testing.T) Call {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.calls) == 0 {
		t.Fatal("nothing was called")
	}
	return b.calls[len(b.calls)-1]
}

// theEditor returns the editor that is attached.
func (b *fakeBackend) theEditor() Editor {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.editor
}

// session is theEditor as what it is.
func (b *fakeBackend) session() *session { return b.theEditor().(*session) }

// A serving is a Serve under test.
type serving struct {
	done chan struct{} // closed when Serve has returned
	err  error         // what it returned
	logs *observer.ObservedLogs
}

func (b *fakeBackend) ProposeServers(_ context.Context, p ProposeServersParams) (ProposeServersResult, error) {
	return ProposeServersResult{Servers: b.propose(p)}, nil
}

func (b *fakeBackend) AddServer(_ context.Context, p AddServerParams) (AddServerResult, error) {
	return b.add(p), nil
}

// serve runs Serve on one end of a pipe and returns the other. The test ends
// when Serve has returned.
func serve(t *testing.T, b *fakeBackend) (net.Conn, *serving) {
	t.Helper()
	near, far := net.Pipe()
	core, logs := observer.New(zap.DebugLevel)
	s := &serving{done: make(chan struct{}), logs: logs}
	if b.questionDir == "" {
		b.questionDir = t.TempDir()
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(s.done)
		o := b.o
		o.Log, o.Version, o.QuestionDir, o.Memory = zap.New(core), "1.2.3", b.questionDir, b.memory
		s.err = Serve(ctx, far, b, o)
	}()
	t.Cleanup(func() {
		cancel()
		<-s.done
	})
	return near, s
}

// mcpEditor declares all that an editor can.
var mcpEditor = json.RawMessage(`{"experimental":{"mcp":{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"approval":{}}}}`)

// open attaches an editor to b.
func open(t *testing.T, b *fakeBackend, o fakeeditor.Options) *fakeeditor.Editor {
	t.Helper()
	var conn net.Conn
	conn, b.serving = serve(t, b)
	e := fakeeditor.Open(t, conn, o)
	<-b.initialized
	return e
}

// requested returns the result of a request that must not fail.
func requested(t *testing.T, e *fakeeditor.Editor, method string, params any) json.RawMessage {
	t.Helper()
	result, err := e.Request(method, params)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// waitFor waits for the answers to requests that must not fail.
func waitFor(t *testing.T, pending ...*fakeeditor.Pending) {
	t.Helper()
	for _, p := range pending {
		if _, err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// execute has an editor run a command, and returns its result.
func execute(t *testing.T, e *fakeeditor.Editor, params any) json.RawMessage {
	t.Helper()
	return requested(t, e, "workspace/executeCommand", params)
}

// runCall has an editor run the first call of a document.
func runCall(t *testing.T, e *fakeeditor.Editor, uri string) {
	t.Helper()
	execute(t, e, json.RawMessage(`{"command":"mcp.run","arguments":[{"textDocument":{"uri":"`+uri+`"},"call":0}]}`))
}

// always is the same answer to all requests.
func always(result any) fakeeditor.Answer {
	return func(json.RawMessage) (any, error) { return result, nil }
}

// chooses is the answer of somebody who takes an action of a box.
func chooses(title string) fakeeditor.Answer { return always(map[string]string{"title": title}) }

// success is the answer of an editor that shows a document.
var success = always(map[string]bool{"success": true})

// shows are the answers of an editor that shows documents.
var shows = map[string]fakeeditor.Answer{"window/showDocument": success}

// said returns the first message that an editor shows.
func said(e *fakeeditor.Editor) string {
	return rawjson.String(e.AwaitMethod("window/showMessage").Params, "message")
}

// count returns how often a method was sent and received.
func count(e *fakeeditor.Editor, method string) (n int) {
	for _, m := range e.Messages() {
		if m.Method == method {
			n++
		}
	}
	return n
}

// awaitText awaits a message of the daemon whose params have a text.
func awaitText(e *fakeeditor.Editor, method, text string) {
	e.Await(text, func(m fakeeditor.Message) bool { return m.Method == method && strings.Contains(string(m.Params), text) })
}

// titles returns the titles of actions.
func titles(actions json.RawMessage) (list []string) {
	for action := range rawjson.Elements(actions) {
		list = append(list, rawjson.String(action, "title"))
	}
	return list
}

// shownFile returns the file that an editor has shown.
func shownFile(t *testing.T, e *fakeeditor.Editor) (uri, text string) {
	t.Helper()
	uri = rawjson.String(e.AwaitMethod("window/showDocument").Params, "uri")
	path, err := fileuri.ToPath(uri)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return uri, string(content)
}

// raw makes raw messages of JSON texts.
func raw(texts ...string) (list []json.RawMessage) {
	for _, text := range texts {
		list = append(list, json.RawMessage(text))
	}
	return list
}

// wantError fails the test unless err is of that code, kind and detail.
func wantError(t *testing.T, err *fakeeditor.RPCError, code int64, kind Kind, detail string) {
	t.Helper()
	switch {
	case err == nil:
		t.Fatalf("there was no error, want %d %s %s", code, kind, detail)
	case err.Code != code || err.Kind() != string(kind) || err.Detail() != detail:
		t.Fatalf("the error is %v, want %d %s %s", err, code, kind, detail)
	case err.Message == "":
		t.Fatalf("the error %v has no message", err)
	}
}

// wantJSON fails the test unless got is byte for byte want.
func wantJSON(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	if string(got) != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}
