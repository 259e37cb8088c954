package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// connect attaches a Client to b.
func connect(t *testing.T, b *fakeBackend, o ClientOptions) (*Client, *serving) {
	t.Helper()
	conn, s := serve(t, b)
	c, err := NewClient(t.Context(), conn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c, s
}

func TestClientHandshake(t *testing.T) {
	b := newFakeBackend()
	c, s := connect(t, b, ClientOptions{
		Name: "cli", Version: "9", Folders: []Folder{{URI: "file:///w", Name: "w"}},
		Capabilities: Capabilities{MCP: true, Sampling: json.RawMessage(`{}`), Elicitation: json.RawMessage(`{"form":{}}`), Extensions: json.RawMessage(`{"a/x":{}}`), Approval: true},
		// One that is not UTF-8 keeps nobody from the daemon.
		Environment: map[string]string{"PATH": "/bin", "a\xfe": "1", "a\xff": "1", "b": "\xff"}, Umask: "0027",
	})
	<-b.initialized
	want := AttachParams{
		ClientName: "cli", ClientVersion: "9", Folders: []Folder{{URI: "file:///w", Name: "w"}},
		Capabilities: Capabilities{MCP: true, Sampling: json.RawMessage(`{}`), Elicitation: json.RawMessage(`{"form":{}}`), Extensions: json.RawMessage(`{"a/x":{}}`), Approval: true},
		Environment:  map[string]string{"PATH": "/bin", "a\uFFFD": "1", "b": "\uFFFD"}, Umask: new(0o027),
	}
	if got, want := string(encodeOwn(b.params)), string(encodeOwn(want)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("Close returned %v", err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("Close again returned %v", err)
	}
	<-c.Done()
	<-s.done
	if s.err != nil {
		t.Errorf("Serve returned %v", s.err)
	}
	if _, err := MethodServers.Call(t.Context(), c, Nothing{}); !errors.Is(err, ErrDaemonGone) {
		t.Errorf("Servers after Close returned %v", err)
	}
}

func TestClientCall(t *testing.T) {
	const text = `{ "n": 9007199254740993, "unknown":[] }`
	waiting, cancel := context.WithCancel(t.Context())
	b := newFakeBackend()
	b.call = func(ctx context.Context, c Call) (json.RawMessage, error) {
		switch c.Method {
		case "fail":
			return nil, &Error{Kind: KindServerGone, Server: "s", Detail: "d", Message: "gone"}
		case "refuse":
			return nil, &RPCError{Code: -32803, Message: "no", Data: json.RawMessage(`{"server":"s"}`)}
		case "refuse with a kind":
			return nil, &RPCError{Code: -32001, Message: "no", Data: json.RawMessage(`{"kind":"timeout"}`)}
		case "wait":
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return json.RawMessage(text), nil
	}
	c, _ := connect(t, b, ClientOptions{})
	call := func(ctx context.Context, method string) (json.RawMessage, error) {
		return c.Call(ctx, method, MCPRequest{Server: "s", Params: json.RawMessage(`{"x":1.0}`)}, nil)
	}

	result, err := call(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, result, text)
	if got := b.lastCall(t); got.Server != "s" || got.Method != "x" || string(got.Params) != `{"x":1.0}` {
		t.Errorf("called was %+v", got)
	}

	var own *Error
	if _, err := call(t.Context(), "fail"); !errors.As(err, &own) || *own != (Error{Kind: KindServerGone, Server: "s", Detail: "d", Message: "gone"}) {
		t.Errorf("the daemon's error is %+v", err)
	}
	var theirs *RPCError
	if _, err := call(t.Context(), "refuse"); !errors.As(err, &theirs) || theirs.Code != -32803 || theirs.Message != "no" || string(theirs.Data) != `{"server":"s"}` {
		t.Errorf("the server's error is %+v", err)
	}
	if _, err := call(t.Context(), "refuse with a kind"); !errors.As(err, &theirs) || theirs.Code != -32001 || string(theirs.Data) != `{"kind":"timeout"}` {
		t.Errorf("the server's error with a kind is %+v", err)
	}

	if _, err := call(waiting, "wait"); !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call returned %v", err)
	}
}

// An answer of the daemon is typed, and also there as it came.
func TestClientAnswers(t *testing.T) {
	b := newFakeBackend()
	b.servers = []Server{{Name: "s", State: ServerReady}}
	b.setCatalogs(listing{Server: b.servers[0], Tools: raw(`{"name":"t","n":1.0}`)})
	c, _ := connect(t, b, ClientOptions{})
	servers, err := MethodServers.Call(t.Context(), c, Nothing{})
	if err != nil || len(servers.Value.Servers) != 1 || servers.Value.Servers[0].State != ServerReady {
		t.Errorf("got %+v, %v", servers.Value, err)
	}
	wantJSON(t, servers.Raw, `{"servers":[{"name":"s","state":"ready","scope":"","transport":"","source":"","restarts":0}]}`)
	catalog, err := MethodCatalog.Call(t.Context(), c, CatalogParams{Server: "s"})
	if err != nil || len(catalog.Value.Servers) != 1 || len(catalog.Value.Servers[0].Tools) != 1 {
		t.Fatalf("got %+v, %v", catalog.Value, err)
	}
	wantJSON(t, catalog.Value.Servers[0].Tools[0].Tool, `{"name":"t","n":1.0}`)
}

// Each call is told its own progress.
func TestClientProgress(t *testing.T) {
	b := newFakeBackend()
	b.call = func(_ context.Context, c Call) (json.RawMessage, error) {
		if c.Progress != nil {
			c.Progress(json.RawMessage(`{"progress":1,"total":4,"message":` + string(rawjson.Get(c.Params, "name")) + `}`))
		}
		return json.RawMessage(`{}`), nil
	}
	c, _ := connect(t, b, ClientOptions{})
	var told []string
	tell := func(w WorkDone) {
		if w.Percentage != nil {
			w.Message += fmt.Sprint(*w.Percentage)
		}
		told = append(told, w.Kind+" "+w.Title+w.Message)
	}
	for range 2 {
		if _, err := c.Call(t.Context(), "tools/call", MCPRequest{Server: "s", Params: CallParams("a", raw(`{}`)[0])}, tell); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(t.Context(), "prompts/get", MCPRequest{Server: "s", Params: CallParams("b", raw(`{}`)[0])}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"begin s: a", "report a25", "end ", "begin s: a", "report a25", "end "}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestClientIsAsked(t *testing.T) {
	arrived, withdrawn := make(chan struct{}), make(chan struct{})
	b := newFakeBackend()
	connect(t, b, ClientOptions{
		Elicit: func(ctx context.Context, q Question) (any, error) {
			switch q.Server {
			case "echo":
				return q.Params, nil
			case "wait":
				close(arrived)
				<-ctx.Done()
				close(withdrawn)
				return nil, ctx.Err()
			}
			return nil, &RPCError{Code: CodeInvalidParams, Message: "no"}
		},
	})
	<-b.initialized
	editor := b.theEditor()
	result, err := editor.Elicit(t.Context(), Question{Server: "echo", Params: json.RawMessage(`{"a":1.0}`)})
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, result, `{"a":1.0}`)
	var rpc *RPCError
	if _, err := editor.Elicit(t.Context(), Question{Server: "other"}); !errors.As(err, &rpc) || rpc.Code != CodeInvalidParams {
		t.Errorf("the error is %v", err)
	}
	if _, err := editor.Sample(t.Context(), Question{Server: "echo"}); !errors.As(err, &rpc) || rpc.Code != CodeMethodNotFound {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	wait := asking(ctx, editor.Elicit, Question{Server: "wait"})
	<-arrived
	cancel()
	if _, err := wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("Elicit returned %v", err)
	}
	<-withdrawn
}

// Fault version-skew: a daemon that speaks another version, and something that is not a daemon.
func TestClientRefusesDaemon(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, conn net.Conn)
		want string
	}{
		{"another version", func(t *testing.T, conn net.Conn) {
			r := newFrameReader(conn)
			if _, err := r.next(); err != nil {
				t.Error(err)
			}
			conn.Write(fakeeditor.Frame([]byte(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"experimental":{"mcp":{"version":2}}}}}`)))
			r.next()
		}, "version 2 of the editor protocol"},
		{"it hangs up", func(t *testing.T, conn net.Conn) { conn.Close() }, "the daemon has gone"},
		{"it speaks HTTP", func(t *testing.T, conn net.Conn) {
			newFrameReader(conn).next()
			conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		}, "the daemon has gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			near, far := net.Pipe()
			go func() {
				defer far.Close()
				test.run(t, far)
			}()
			_, err := NewClient(t.Context(), near, ClientOptions{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("NewClient returned %v, want %q", err, test.want)
			}
		})
	}
	t.Run("it says nothing", func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := NewClient(ctx, near, ClientOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("NewClient returned %v", err)
		}
	})
}

// What a client sends to a server without a question, and its folders, in the order of the calls.
func TestClientNotifies(t *testing.T) {
	notified := make(chan string, 10)
	b := newFakeBackend()
	b.notify = func(server, method string, params json.RawMessage) {
		notified <- server + " " + method + " " + string(params)
	}
	a, b1, c1 := Folder{URI: "file:///a", Name: "a"}, Folder{URI: "file:///b", Name: "b"}, Folder{URI: "file:///c", Name: "c"}
	c, _ := connect(t, b, ClientOptions{Folders: []Folder{a, b1}})
	for _, params := range []json.RawMessage{json.RawMessage(`{"x":1.0}`), nil} {
		if err := c.Notify("s", "notifications/x", params); err != nil {
			t.Fatal(err)
		}
	}
	if got := []string{<-notified, <-notified}; !slices.Equal(got, []string{`s notifications/x {"x":1.0}`, "s notifications/x "}) {
		t.Errorf("the server got %q", got)
	}
	for _, folders := range [][]Folder{{c1, b1}, nil, {a}} {
		if err := c.ChangeFolders(folders); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := MethodServers.Call(t.Context(), c, Nothing{}); err != nil { // it comes after them
		t.Fatal(err)
	}
	b.mu.Lock()
	got := fmt.Sprint(b.folders)
	b.mu.Unlock()
	if want := fmt.Sprint([][]Folder{{c1, b1}, {}, {a}}); got != want {
		t.Errorf("the folders were %s, want %s", got, want)
	}
	c.Close(t.Context())
	if err := c.Notify("s", "notifications/x", nil); !errors.Is(err, ErrDaemonGone) {
		t.Errorf("Notify after Close returned %v", err)
	}
	if err := c.ChangeFolders(nil); !errors.Is(err, ErrDaemonGone) {
		t.Errorf("ChangeFolders after Close returned %v", err)
	}
}

// What the daemon tells arrives where the options say, in its own types.
func TestClientIsTold(t *testing.T) {
	told := make(chan string, 8)
	server := Server{Name: "a", State: ServerNeedsSignIn, SignIn: &SignIn{URL: "https://a.example"}, Capabilities: json.RawMessage(`{"tools":{}}`)}
	b := newFakeBackend()
	connect(t, b, ClientOptions{
		Relayed:           func(method string, n MCPNotification) { told <- method + " " + n.Server + " " + string(n.Params) },
		ServerChanged:     func(s Server) { told <- fmt.Sprint("changed ", reflect.DeepEqual(server, s)) },
		ServerRemoved:     func(p ServerRemoved) { told <- "removed " + p.Server },
		Message:           func(severity Severity, text string) { told <- fmt.Sprint(severity, " ", text) },
		SubscriptionEnded: func(p SubscriptionEnded) { told <- "ended " + p.URI },
	})
	<-b.initialized
	e := b.theEditor()
	_ = e.Relay(&Notification{Server: "s", Method: "notifications/x/y", Params: json.RawMessage(`{"n":1.0}`)}, nil)
	e.ServerChanged(server)
	e.ServerRemoved("gone")
	e.ShowMessage(SeverityWarning, "look")
	e.SubscriptionEnded("s", "file:///x", "because")
	for _, want := range []string{`notifications/x/y s {"n":1.0}`, "changed true", "removed gone", "2 look", "ended file:///x"} {
		if got := <-told; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A question names the request that led to it by the id that CallNamed gave.
func TestClientKnowsTheIDOfACall(t *testing.T) {
	b := newFakeBackend()
	b.call = func(_ context.Context, c Call) (json.RawMessage, error) { return c.Cause.ID, nil }
	c, _ := connect(t, b, ClientOptions{})
	for range 3 {
		var id json.RawMessage
		result, err := c.CallNamed(t.Context(), "tools/call", MCPRequest{Server: "s"}, func(own json.RawMessage) { id = own })
		if err != nil || len(id) == 0 || string(id) != string(result) {
			t.Errorf("the daemon got the id %s, %v, want %s", result, err, id)
		}
	}
}
