package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// patience ends waits that would otherwise hang. Nothing is measured by it.
const patience = 30 * time.Second

// A fakeDaemon serves attachments with the daemon's own end of the protocol. Its functions are set
// before the session begins; nil ones answer {}.
type fakeDaemon struct {
	editorapi.Attachment // what is not used

	call    func(context.Context, editorapi.Call) (json.RawMessage, error)
	slow    chan struct{} // attaching waits until it is closed; nil for not at all
	refuse  error         // of Connect
	started int           // how often Connect was called
	going   int           // so many connections end as soon as they are made

	mu       sync.Mutex // guards the fields that follow
	servers  []offered
	editor   editorapi.Editor
	params   []editorapi.AttachParams // of each attachment
	calls    []string                 // method, server and params
	before   int                      // how many of these came before the last attachment
	dialed   int                      // how often it was connected to, or in vain
	folders  []string                 // of each ChangeFolders
	notified []string
	end      context.CancelFunc // ends the daemon
	running  sync.WaitGroup
}

// offered is what a server of a fakeDaemon offers.
type offered struct {
	editorapi.Server
	tried                                bool
	tools, prompts, resources, templates []string
}

// running returns a server that runs.
func running(name string, tools ...string) offered {
	return offered{Server: editorapi.Server{Name: name, State: editorapi.ServerReady}, tried: true, tools: tools}
}

func tool(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }

// starts is connect, and counts.
func (d *fakeDaemon) starts(ctx context.Context) (net.Conn, error) {
	d.mu.Lock()
	d.started++
	d.mu.Unlock()
	return d.connect(ctx)
}

func (d *fakeDaemon) connect(context.Context) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dialed++
	if d.refuse != nil {
		return nil, d.refuse
	}
	near, far := net.Pipe()
	if d.going > 0 {
		d.going--
		far.Close()
		return near, nil
	}
	ctx, end := context.WithCancel(context.Background())
	d.end = end
	d.running.Go(func() { _ = editorapi.Serve(ctx, far, d, editorapi.Options{}) })
	return near, nil
}

// gone ends the daemon; the next Connect fails with err, unless it is nil.
func (d *fakeDaemon) gone(err error) {
	d.mu.Lock()
	end := d.end
	d.refuse = err
	d.mu.Unlock()
	end()
}

// set changes what the servers offer, and tells so.
func (d *fakeDaemon) set(servers ...offered) {
	d.mu.Lock()
	before := d.servers
	d.servers = servers
	editor := d.editor
	d.mu.Unlock()
	for _, s := range servers {
		i := slices.IndexFunc(before, func(b offered) bool { return b.Name == s.Name })
		if i >= 0 && reflect.DeepEqual(before[i], s) {
			continue
		}
		editor.ServerChanged(s.Server)
		editor.CatalogChanged(s.Name, []string{"tools", "prompts", "resources", "resourceTemplates"})
	}
}

func (d *fakeDaemon) Attach(_ context.Context, e editorapi.Editor, p editorapi.AttachParams) (editorapi.Attachment, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.editor, d.params, d.before = e, append(d.params, p), len(d.calls)
	if slow := d.slow; slow != nil {
		d.mu.Unlock()
		<-slow
		d.mu.Lock()
	}
	return d, nil
}

// Initialized tells of all servers, as the daemon does.
func (d *fakeDaemon) Initialized() {
	d.mu.Lock()
	servers, editor := slices.Clone(d.servers), d.editor
	d.mu.Unlock()
	for _, s := range servers {
		editor.ServerChanged(s.Server)
		editor.CatalogChanged(s.Name, nil)
	}
}
func (d *fakeDaemon) Used()  {}
func (d *fakeDaemon) Close() {}

func (d *fakeDaemon) ChangeFolders(folders []editorapi.Folder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.folders = append(d.folders, uris(folders))
}

func uris(folders []editorapi.Folder) string {
	var all []string
	for _, f := range folders {
		all = append(all, f.URI)
	}
	return strings.Join(all, " ")
}

func (d *fakeDaemon) Call(ctx context.Context, c editorapi.Call) (json.RawMessage, error) {
	d.mu.Lock()
	d.calls = append(d.calls, c.Method+" "+c.Server+" "+string(c.Params))
	d.mu.Unlock()
	if d.call == nil {
		return json.RawMessage("{}"), nil
	}
	return d.call(ctx, c)
}

func (d *fakeDaemon) Begin(c editorapi.Call, _ *cork.Cork, done editorapi.Done) (cancel func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		result, err := d.Call(ctx, c)
		done(result, err, nil)
	}()
	return cancel
}

func (d *fakeDaemon) Notify(_ context.Context, server, method string, params json.RawMessage) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notified = append(d.notified, method+" "+server+" "+string(params))
	return nil
}

func (d *fakeDaemon) Servers() (servers []editorapi.Server) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.servers {
		servers = append(servers, s.Server)
	}
	return servers
}

func (d *fakeDaemon) Catalog(context.Context, editorapi.CatalogParams) (catalogs []editorapi.ServerCatalog, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.servers {
		catalogs = append(catalogs, editorapi.ServerCatalog{
			Server: s.Server, Tried: s.tried,
			Offer: editorapi.NewOffer(s.Name, raws(s.tools), raws(s.prompts), raws(s.resources), raws(s.templates)),
		})
	}
	return catalogs, nil
}

func (d *fakeDaemon) Offers(string) []*editorapi.Offer { return nil }

func (d *fakeDaemon) Bound(string, string, *editorapi.Context) map[string]editorapi.Bound {
	return nil
}

func (d *fakeDaemon) theEditor() editorapi.Editor {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.editor
}

// called returns the calls so far.
func (d *fakeDaemon) called() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

func raws(texts []string) (list []json.RawMessage) {
	for _, text := range texts {
		list = append(list, json.RawMessage(text))
	}
	return list
}

// An agent is the other end of Serve.
type agent struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan json.RawMessage // closed when the session has closed its output
	err   chan error           // has what Serve returned
}

// open begins a session with a daemon, and ends both with the test.
func open(t *testing.T, d *fakeDaemon, o Options) *agent {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	a := &agent{t: t, in: inWrite, lines: make(chan json.RawMessage, 1000), err: make(chan error, 1)}
	o.Connect, o.Dial, o.Log, o.Busy = d.starts, d.connect, zap.NewNop(), func() {}
	go func() {
		a.err <- Serve(context.Background(), inRead, outWrite, o)
		inRead.Close()
		outWrite.Close()
	}()
	go func() {
		defer close(a.lines)
		for lines := bufio.NewScanner(outRead); lines.Scan(); {
			a.lines <- json.RawMessage(strings.Clone(lines.Text()))
		}
	}()
	t.Cleanup(func() {
		a.in.Close()
		if err := <-a.err; err != nil {
			t.Errorf("Serve returned %v", err)
		}
		for line := range a.lines {
			_ = line
		}
		if d.end != nil {
			d.end()
		}
		d.running.Wait()
	})
	return a
}

// send writes a line.
func (a *agent) send(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatalf("sending %s: %v", line, err)
	}
}

// next returns the next message.
func (a *agent) next() json.RawMessage {
	a.t.Helper()
	select {
	case line, ok := <-a.lines:
		if !ok {
			a.t.Fatal("the session has ended")
		}
		return line
	case <-time.After(patience):
		a.t.Fatal("there is no message")
	}
	return nil
}

// answer returns the answer to a request, and leaves out what comes before it.
func (a *agent) answer(id string) json.RawMessage {
	a.t.Helper()
	for {
		if line := a.next(); string(rawjson.Get(line, "id")) == id {
			return line
		}
	}
}

// want fails the test unless the next message is this, byte for byte.
func (a *agent) want(message string) {
	a.t.Helper()
	if got := string(a.next()); got != message {
		a.t.Fatalf("got  %s\nwant %s", got, message)
	}
}

// ask sends a request, and fails the test unless the next message is its result, byte for byte.
func (a *agent) ask(request, result string) {
	a.t.Helper()
	a.send(request)
	a.want(`{"jsonrpc":"2.0","id":` + string(rawjson.Get([]byte(request), "id")) + `,"result":` + result + `}`)
}

// refused sends a request, and fails the test unless the next message is an error with that code to it.
func (a *agent) refused(request string, code int64) (line json.RawMessage) {
	a.t.Helper()
	a.send(request)
	line = a.next()
	e := rawjson.Get(line, "error")
	got, _ := rawjson.Int(e, "code")
	if id := string(rawjson.Get([]byte(request), "id")); got != code || string(rawjson.Get(line, "id")) != id || rawjson.String(e, "message") == "" {
		a.t.Fatalf("got %s, want an error %d to %s", line, code, request)
	}
	return line
}

// reply answers a question; answer is the member result or error.
func (a *agent) reply(question json.RawMessage, answer string) {
	a.t.Helper()
	a.send(`{"jsonrpc":"2.0","id":` + string(rawjson.Get(question, "id")) + `,` + answer + `}`)
}

// silent fails the test if there is a message that nobody has read.
func (a *agent) silent() {
	a.t.Helper()
	a.ask(legacy(`"silent"`, "ping", ``), `{}`)
}

// hello initializes the session.
func (a *agent) hello(capabilities string) {
	a.t.Helper()
	a.send(legacy(`"hello"`, "initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"cli","title":"An Agent","version":"7"}}`))
	a.next()
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// await waits until ok, which the daemon's lock guards.
func (d *fakeDaemon) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		d.mu.Lock()
		is := ok()
		d.mu.Unlock()
		if is {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is not so: %s", what)
		}
	}
}

// legacy returns a request of the legacy era; params may be "".
func legacy(id, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"` + params + `}`
}

// modern returns a request of the modern era. members are those of its params, and capabilities what it
// declares.
func modern(id, method, capabilities, members string) string {
	if members != "" {
		members += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"cli","version":"7"},"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}}}`
}
