package editorapi

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

const daemonCommandIDs = `"editord.startServer","editord.stopServer","editord.restartServer","editord.signIn","editord.signOut","editord.allowServer","editord.denyServer","editord.showApproval","editord.addServer","editord.importServers","editord.removeServer","editord.enableServer","editord.disableServer","editord.showStatus","editord.showServerLog","mcp.call","mcp.prompt","mcp.resource","mcp.tools","mcp.servers","mcp.questions","mcp.run","mcp.cancel","mcp.answer"`

// Editor protocol, section 2: what initialize returns, byte for byte.
func TestInitializeResult(t *testing.T) {
	conn, _ := serve(t, newFakeBackend())
	wantJSON(t, fakeeditor.New(t, conn, fakeeditor.Options{}).Initialize(),
		`{"capabilities":{"textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":true}},"completionProvider":{"triggerCharacters":[".",":"," ","{","\"","/"]},"hoverProvider":true,"documentSymbolProvider":true,"codeActionProvider":{"codeActionKinds":["quickfix","source.mcp.run","source.mcp.call","source.mcp.server"]},"codeLensProvider":{},"executeCommandProvider":{"workDoneProgress":true,"commands":[`+daemonCommandIDs+`]},`+
			`"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true}},"experimental":{"mcp":{"version":1}}},`+
			`"serverInfo":{"name":"mcp-editord","version":"1.2.3"}}`)
}

// What initialize returns depends on what the client can: a text that it fetches has a scheme, large results have a folder (a
// server may make links of the same form), and the commands that are known come with it where no others can be registered.
func TestInitializeResultForAClient(t *testing.T) {
	for _, test := range []struct{ name, params, path, want string }{
		{"it fetches texts", `{"capabilities":` + canFetch + `}`, "workspace textDocumentContent", `{"schemes":["mcp"]}`},
		{"it wants files", `{"capabilities":{},"initializationOptions":{"inlineLimit":1}}`, "experimental mcp files", `"file:///texts"`},
		{"it allows no registration", `{"capabilities":{}}`, "executeCommandProvider commands", `[` + daemonCommandIDs + `,"mcp.tool.s.a","mcp.tool.s.b"]`},
		{"it allows registration", `{"capabilities":` + string(dynamic) + `}`, "executeCommandProvider commands", `[` + daemonCommandIDs + `]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.o.TextDir = filepath.FromSlash("/texts")
			b.setCatalogs(offer("s", "b", "a"))
			conn, _ := serve(t, b)
			result, err := fakeeditor.New(t, conn, fakeeditor.Options{}).Request("initialize", json.RawMessage(test.params))
			if err != nil {
				t.Fatal(err)
			}
			wantJSON(t, rawjson.Path(rawjson.Get(result, "capabilities"), strings.Fields(test.path)...), test.want)
		})
	}
}

// Fault bad-request: the lifecycle.
func TestLifecycle(t *testing.T) {
	conn, _ := serve(t, newFakeBackend())
	e := fakeeditor.New(t, conn, fakeeditor.Options{})
	code := func(method string) int64 {
		if _, err := e.Request(method, nil); err != nil {
			return err.Code
		}
		return 0
	}
	for _, step := range []struct {
		name, method string
		want         int64
	}{
		{"request before initialize", "editord/servers", -32002},
		{"unknown request before initialize", "nobody/knows", -32002},
		{"shutdown before initialize", "shutdown", -32002},
		{"initialize", "initialize", 0},
		{"initialize again", "initialize", -32600},
		{"request", "editord/servers", 0},
		{"unknown request", "nobody/knows", -32601},
		{"unknown optional request", "$/nobody", -32601},
		{"mcp notification as a request", "mcp/notifications/x", -32602},
		{"shutdown", "shutdown", 0},
		{"request after shutdown", "editord/servers", -32600},
		{"initialize after shutdown", "initialize", -32600},
		{"shutdown again", "shutdown", -32600},
	} {
		if got := code(step.method); got != step.want {
			t.Errorf("%s: code %d, want %d", step.name, got, step.want)
		}
	}
}

// Requests in the same packet as initialize and shutdown see their effect, and are
// answered in that order.
func TestLifecycleInOnePacket(t *testing.T) {
	conn, s := serve(t, newFakeBackend())
	e := fakeeditor.New(t, conn, fakeeditor.Options{})
	var packet []byte
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":"a","method":"editord/servers"}`,
		`{"jsonrpc":"2.0","id":"b","method":"initialize","params":{"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":"c","method":"editord/servers"}`,
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
		`{"jsonrpc":"2.0","id":"d","method":"shutdown"}`,
		`{"jsonrpc":"2.0","id":"e","method":"editord/servers"}`,
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		packet = append(packet, fakeeditor.Frame([]byte(body))...)
	}
	if err := e.SendRaw(packet); err != nil {
		t.Fatal(err)
	}
	e.AwaitEnd()
	<-s.done
	if s.err != nil {
		t.Errorf("Serve returned %v", s.err)
	}
	codes := map[string]int64{}
	for _, m := range e.Messages() {
		codes[string(m.ID)] = 0
		if m.Error != nil {
			codes[string(m.ID)] = m.Error.Code
		}
	}
	for id, want := range map[string]int64{`"a"`: -32002, `"b"`: 0, `"d"`: 0, `"e"`: -32600} {
		if got, ok := codes[id]; !ok || got != want {
			t.Errorf("the request %s was answered: %v, with code %d, want %d", id, ok, got, want)
		}
	}
	// c may end with the connection, but is never refused.
	if codes[`"c"`] == -32002 || codes[`"c"`] == -32600 {
		t.Errorf("the request after initialize was refused with %d", codes[`"c"`])
	}
}

// Nothing overtakes the answer to initialize, and nothing is lost.
func TestNotificationsWaitForInitialize(t *testing.T) {
	b := newFakeBackend()
	b.attach = func(e Editor, _ AttachParams) {
		for range 3 {
			e.ServerChanged(Server{Name: "early"})
		}
		e.ServerRemoved("late")
		e.CatalogChanged("early", []string{"tools"})
	}
	e := open(t, b, fakeeditor.Options{Capabilities: mcpEditor})
	e.AwaitMethod("editord/catalogChanged")
	var order []string
	for _, m := range e.Messages() {
		if !m.Sent {
			order = append(order, m.Method)
		}
	}
	if want := []string{"", "editord/serverChanged", "editord/serverChanged", "editord/serverChanged", "editord/serverRemoved", "editord/catalogChanged"}; !slices.Equal(order, want) {
		t.Errorf("received %q, want %q", order, want)
	}
}

func TestAttachParams(t *testing.T) {
	type folders = []Folder
	for _, test := range []struct {
		name, params string
		want         AttachParams
	}{
		{"nothing", `{}`, AttachParams{AutoStart: true}},
		{"client", `{"clientInfo":{"name":"n","version":"v"}}`, AttachParams{ClientName: "n", ClientVersion: "v", AutoStart: true}},
		{"folders before root", `{"rootUri":"file:///r","workspaceFolders":[{"uri":"file:///a","name":"A"}]}`, AttachParams{Folders: folders{{"file:///a", "A"}}, AutoStart: true}},
		{"no folder open", `{"rootUri":"file:///r","workspaceFolders":[]}`, AttachParams{AutoStart: true}},
		{"null folders", `{"rootUri":"file:///a/r","workspaceFolders":null}`, AttachParams{Folders: folders{{"file:///a/r", "r"}}, AutoStart: true}},
		{"root alone", `{"rootUri":"file:///a/r%20s"}`, AttachParams{Folders: folders{{"file:///a/r%20s", "r s"}}, AutoStart: true}},
		{"null root", `{"rootUri":null}`, AttachParams{AutoStart: true}},
		{"folders that are not on this disk", `{"workspaceFolders":[{"uri":"untitled:x","name":"x"},{"uri":"file:///a","name":""},{"uri":"vscode-remote://h/a","name":"y"}]}`,
			AttachParams{Folders: folders{{"file:///a", "a"}}, AutoStart: true}},
		{"options", `{"initializationOptions":{"environment":{"PATH":"/bin"},"cwd":"/w","servers":{"s": {"command":"c"}},"autoStart":false}}`,
			AttachParams{Environment: map[string]string{"PATH": "/bin"}, Servers: json.RawMessage(`{"s": {"command":"c"}}`)}},
		{"a folder that is not trusted", `{"initializationOptions":{"trusted":false}}`, AttachParams{Trusted: new(bool), AutoStart: true}},
		{"an open umask", `{"initializationOptions":{"umask":"0"}}`, AttachParams{Umask: new(0), AutoStart: true}},
		{"a closed umask", `{"initializationOptions":{"umask":"0777"}}`, AttachParams{Umask: new(0o777), AutoStart: true}},
		{"a client of its own", `{"initializationOptions":{"ownClient":{"name":"VS Code","files":[".vscode/mcp.json"]}}}`,
			AttachParams{OwnClient: &OwnClient{"VS Code", []string{".vscode/mcp.json"}}, AutoStart: true}},
		{"no client of its own", `{"initializationOptions":{"ownClient":null}}`, AttachParams{AutoStart: true}},
		{"no umask", `{"initializationOptions":{"umask":null}}`, AttachParams{AutoStart: true}},
		{"empty Lua tables", `{"initializationOptions":[],"capabilities":{"experimental":{"mcp":{"sampling":[],"elicitation":{"form":[]},"approval":[ ]}}}}`,
			AttachParams{AutoStart: true, Capabilities: Capabilities{MCP: true, Sampling: json.RawMessage(`{}`), Elicitation: json.RawMessage(`{"form":{}}`), Approval: true}}},
		{"capabilities in canonical form", `{"capabilities":{"experimental":{"mcp":{"elicitation":{ "url":{},"form":{} }}}}}`,
			AttachParams{AutoStart: true, Capabilities: Capabilities{MCP: true, Elicitation: json.RawMessage(`{"form":{},"url":{}}`)}}},
		{"extensions in any order", `{"capabilities":{"experimental":{"mcp":{"extensions":{"b/y":{"n":12345678901234567890},"a/x":[]}}}}}`,
			AttachParams{AutoStart: true, Capabilities: Capabilities{MCP: true, Extensions: json.RawMessage(`{"a/x":{},"b/y":{"n":12345678901234567890}}`)}}},
		{"capabilities that are null", `{"capabilities":{"experimental":{"mcp":{"sampling":null,"approval":null}}}}`,
			AttachParams{AutoStart: true, Capabilities: Capabilities{MCP: true}}},
		{"commands that come later", `{"capabilities":{"workspace":{"executeCommand":{"dynamicRegistration":true}}}}`, AttachParams{AutoStart: true, DynamicCommands: true}},
		{"a client that shows documents", `{"capabilities":` + canShow + `}`, AttachParams{AutoStart: true, Capabilities: Capabilities{Sampling: json.RawMessage(`{}`), Elicitation: json.RawMessage(`{"form":{},"url":{}}`)}}},
		{"experimental of another shape", `{"capabilities":{"experimental":true}}`, AttachParams{AutoStart: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			conn, _ := serve(t, b)
			if _, err := fakeeditor.New(t, conn, fakeeditor.Options{}).Request("initialize", json.RawMessage(test.params)); err != nil {
				t.Fatal(err)
			}
			got, want := b.params, test.want
			if !want.Capabilities.MCP && want.Capabilities.Sampling == nil {
				want.Capabilities.Elicitation = json.RawMessage(`{"form":{},"url":{}}`) // in a box or a document
			}
			if len(got.Folders) == 0 {
				got.Folders = nil
			}
			if a, b := string(encodeOwn(got)), string(encodeOwn(want)); a != b || (got.Environment == nil) != (want.Environment == nil) {
				t.Errorf("got  %s\nwant %s", a, b)
			}
		})
	}
}

// A malformed initialize names the member, and may be sent again.
func TestMalformedInitialize(t *testing.T) {
	for _, test := range []struct{ params, detail string }{
		{`[]`, "params"},
		{`{"clientInfo":1}`, "clientInfo"},
		{`{"rootUri":1}`, "rootUri"},
		{`{"workspaceFolders":{}}`, "workspaceFolders"},
		{`{"workspaceFolders":[{"uri":"file:///a","name":"a"},{"uri":7}]}`, "workspaceFolders[1].uri"},
		{`{"initializationOptions":"x"}`, "initializationOptions"},
		{`{"initializationOptions":{"environment":[1]}}`, "initializationOptions.environment"},
		{`{"initializationOptions":{"environment":{"PATH":1}}}`, "initializationOptions.environment.PATH"},
		{`{"initializationOptions":{"trusted":"yes"}}`, "initializationOptions.trusted"},
		{`{"initializationOptions":{"umask":18}}`, "initializationOptions.umask"},
		{`{"initializationOptions":{"umask":"0o22"}}`, "initializationOptions.umask"},
		{`{"initializationOptions":{"umask":"0089"}}`, "initializationOptions.umask"},
		{`{"initializationOptions":{"umask":"1022"}}`, "initializationOptions.umask"},
		{`{"initializationOptions":{"umask":"00022"}}`, "initializationOptions.umask"},
		{`{"initializationOptions":{"ownClient":"VS Code"}}`, "initializationOptions.ownClient"},
		{`{"initializationOptions":{"ownClient":{"files":[]}}}`, "initializationOptions.ownClient.name"},
		{`{"initializationOptions":{"ownClient":{"name":"VS\u001bCode","files":[]}}}`, "initializationOptions.ownClient.name"},
		{`{"initializationOptions":{"ownClient":{"name":"` + strings.Repeat("n", 65) + `","files":[]}}}`, "initializationOptions.ownClient.name"},
		{`{"initializationOptions":{"ownClient":{"name":"n","files":"a"}}}`, "initializationOptions.ownClient.files"},
		{`{"initializationOptions":{"ownClient":{"name":"n","files":["a"` + strings.Repeat(`,"a"`, 16) + `]}}}`, "initializationOptions.ownClient.files"},
		{`{"initializationOptions":{"ownClient":{"name":"n","files":["a",""]}}}`, "initializationOptions.ownClient.files[1]"},
		{`{"initializationOptions":{"ownClient":{"name":"n","files":["../a"]}}}`, "initializationOptions.ownClient.files[0]"},
		{`{"initializationOptions":{"ownClient":{"name":"n","files":["/a"]}}}`, "initializationOptions.ownClient.files[0]"},
		{`{"initializationOptions":{"ownClient":{"name":"n","files":["."]}}}`, "initializationOptions.ownClient.files[0]"},
		{`{"initializationOptions":{"ownClient":{"name":"n","files":["` + strings.Repeat("f", 257) + `"]}}}`, "initializationOptions.ownClient.files[0]"},
		{`{"initializationOptions":{"servers":[1]}}`, "initializationOptions.servers"},
		{`{"initializationOptions":{"autoStart":"yes"}}`, "initializationOptions.autoStart"},
		{`{"capabilities":{"experimental":{"mcp":{"sampling":true}}}}`, "capabilities.experimental.mcp.sampling"},
		{`{"capabilities":{"experimental":{"mcp":{"extensions":["a/x"]}}}}`, "capabilities.experimental.mcp.extensions"},
	} {
		t.Run(test.detail, func(t *testing.T) {
			conn, _ := serve(t, newFakeBackend())
			e := fakeeditor.New(t, conn, fakeeditor.Options{})
			_, err := e.Request("initialize", json.RawMessage(test.params))
			wantError(t, err, -32602, KindInvalidParams, test.detail)
			e.Initialize()
		})
	}
}

func TestChangeFolders(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Folders: []string{"file:///a", "file:///b"}})
	for _, event := range []string{
		`{"added":[{"uri":"file:///c","name":"c"},{"uri":"untitled:x","name":"x"}],"removed":[{"uri":"file:///a","name":"a"}]}`,
		`{"added":[{"uri":"file:///b","name":"again"}],"removed":[]}`,
		`{"added":"nonsense"}`,
		`{"added":[],"removed":[{"uri":"file:///b","name":"b"},{"uri":"file:///c","name":"c"}]}`,
	} {
		e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": json.RawMessage(event)})
	}
	e.Call("editord/servers", nil, nil) // notifications before it were handled
	got := string(encodeOwn(b.folders))
	want := `[[{"uri":"file:///b","name":"b"},{"uri":"file:///c","name":"c"}],[{"uri":"file:///b","name":"b"},{"uri":"file:///c","name":"c"}],[]]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Fault rude-exit, and the orderly ways to go.
func TestLeaving(t *testing.T) {
	for _, test := range []struct {
		name  string
		leave func(*fakeeditor.Editor)
	}{
		{"exit after shutdown", func(e *fakeeditor.Editor) {
			if _, err := e.Request("shutdown", nil); err != nil {
				t.Error(err)
			}
			e.Notify("exit", nil)
			e.AwaitEnd()
		}},
		{"exit without shutdown", func(e *fakeeditor.Editor) { e.Notify("exit", nil); e.AwaitEnd() }},
		{"the connection ends", (*fakeeditor.Editor).Vanish},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			e := open(t, b, fakeeditor.Options{})
			s := b.serving
			test.leave(e)
			<-s.done
			if s.err != nil {
				t.Errorf("Serve returned %v", s.err)
			}
			<-b.closed
			b.theEditor().ServerRemoved("s") // is dropped
			if err := b.theEditor().Relay(&Notification{Server: "s", Method: "notifications/x"}, nil); !errors.Is(err, ErrEditorGone) {
				t.Errorf("Relay to an editor that has gone returned %v", err)
			}
			if _, err := b.theEditor().Elicit(t.Context(), Question{}); !errors.Is(err, ErrEditorGone) {
				t.Errorf("Elicit of an editor that has gone returned %v", err)
			}
		})
	}
}

// Fault rude-exit: unknown messages are ignored.
func TestUnknownNotifications(t *testing.T) {
	e := open(t, newFakeBackend(), fakeeditor.Options{})
	e.Notify("$/whatIsThis", nil)
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": 1})
	e.Notify("$/cancelRequest", map[string]any{"id": 99})
	e.Notify("$/cancelRequest", map[string]any{"id": map[string]any{}})
	e.Notify("$/cancelRequest", []int{1})
	e.Notify("window/workDoneProgress/cancel", map[string]any{"token": "nobody's"})
	e.Notify("mcp/tools/call", map[string]any{"server": "s"})
	e.Notify("initialized", nil) // again
	e.Call("editord/servers", nil, nil)
	if n := len(e.Messages()); n != 13 {
		e.Fatalf("%d messages, want 13: the notifications were answered", n)
	}
}

// Fault silent-connection: an editor that never sends initialize.
func TestHandshakeTimeout(t *testing.T) {
	for _, test := range []struct {
		name string
		send func(net.Conn)
	}{
		{"silent", func(net.Conn) {}},
		{"a byte a second", func(c net.Conn) {
			for _, b := range fakeeditor.Frame([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)) {
				<-time.After(time.Second) // of the test's clock
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
			}
		}},
		{"other requests", func(c net.Conn) {
			go io.Copy(io.Discard, c) // reads the refusals
			for {
				<-time.After(time.Second) // of the test's clock
				if _, err := c.Write(fakeeditor.Frame([]byte(`{"jsonrpc":"2.0","id":1,"method":"editord/servers"}`))); err != nil {
					return
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				var sending sync.WaitGroup
				defer sending.Wait()
				defer near.Close()
				sending.Go(func() { test.send(near) })
				start := time.Now()
				err := Serve(t.Context(), far, newFakeBackend(), Options{})
				if err == nil || !strings.Contains(err.Error(), "no initialize arrived within 10s") {
					t.Errorf("Serve returned %v", err)
				}
				if waited := time.Since(start); waited < 10*time.Second || waited > 11*time.Second {
					t.Errorf("Serve waited %v", waited)
				}
			})
		})
	}
}

// The handshake deadline ends with initialize.
func TestNoTimeoutAfterHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- Serve(t.Context(), far, newFakeBackend(), Options{}) }()
		e := fakeeditor.Open(t, near, fakeeditor.Options{})
		<-time.After(time.Hour) // of the test's clock
		e.Call("editord/servers", nil, nil)
		e.Notify("exit", nil)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// Fault bad-frame: what is not a message is answered, and the connection goes on. What is no frame ends it, and whoever
// called Serve logs the reason.
func TestInvalidMessagesAreAnswered(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{})
	for _, test := range []struct {
		body, id string
		code     int64
	}{
		{`{`, "null", -32700},
		{`[]`, "null", -32600},
		{`{"jsonrpc":"2.0","id":1.5,"method":"editord/servers"}`, "1.5", -32600},
		{`{"jsonrpc":"2.0","id":false,"method":"editord/servers"}`, "false", -32600},
	} {
		if err := e.SendBody(test.body); err != nil {
			t.Fatal(err)
		}
		e.Await("the answer to "+test.body, func(m fakeeditor.Message) bool {
			return m.Error != nil && m.Error.Code == test.code && string(rawjson.Get(m.Raw, "id")) == test.id
		})
	}
	e.Call("editord/servers", nil, nil)
	if err := e.SendRaw([]byte("Content-Length: 1e9\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	e.AwaitEnd()
	<-b.serving.done
	if err := b.serving.err; err == nil || !strings.Contains(err.Error(), "1e9") {
		t.Errorf("Serve returned %v", err)
	}
}
