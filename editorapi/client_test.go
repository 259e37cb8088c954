package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"

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
		Environment:  map[string]string{"PATH": "/bin"}, Umask: "0027",
	})
	<-b.initialized
	want := AttachParams{
		ClientName: "cli", ClientVersion: "9", Folders: []Folder{{URI: "file:///w", Name: "w"}},
		Capabilities: Capabilities{MCP: true, Sampling: json.RawMessage(`{}`), Elicitation: json.RawMessage(`{"form":{}}`), Extensions: json.RawMessage(`{"a/x":{}}`), Approval: true},
		Environment:  map[string]string{"PATH": "/bin"}, Umask: new(0o027),
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
	if err := c.Call(t.Context(), "editord/servers", nil, nil); !errors.Is(err, ErrDaemonGone) {
		t.Errorf("Call after Close returned %v", err)
	}
}

// An environment that is not UTF-8 keeps nobody from the daemon.
func TestClientEnvironmentNotUTF8(t *testing.T) {
	b := newFakeBackend()
	c, _ := connect(t, b, ClientOptions{Environment: map[string]string{"a\xfe": "1", "a\xff": "1", "b": "\xff"}})
	<-b.initialized
	defer c.Close(t.Context())
	if got := b.params.Environment; len(got) != 2 || got["a\uFFFD"] != "1" || got["b"] != "\uFFFD" {
		t.Errorf("the daemon got %q", got)
	}
}

func TestClientCall(t *testing.T) {
	const text = `{ "n": 9007199254740993, "unknown":[] }`
	b := newFakeBackend()
	b.call = func(ctx context.Context, c Call) (json.RawMessage, error) {
		switch c.Method {
		case "fail":
			return nil, &Error{Kind: KindServerGone, Server: "s", Message: "gone"}
		case "wait":
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return json.RawMessage(text), nil
	}
	c, _ := connect(t, b, ClientOptions{})

	var result json.RawMessage
	if err := c.Call(t.Context(), "mcp/x", map[string]string{"server": "s"}, &result); err != nil {
		t.Fatal(err)
	}
	wantJSON(t, result, text)

	var decoded struct {
		N int64 `json:"n"`
	}
	if err := c.Call(t.Context(), "mcp/x", map[string]string{"server": "s"}, &decoded); err != nil || decoded.N != 9007199254740993 {
		t.Errorf("decoded %+v, %v", decoded, err)
	}
	if err := c.Call(t.Context(), "mcp/x", map[string]string{"server": "s"}, new(string)); err == nil {
		t.Error("an object was decoded into a string")
	}

	var rpc *RPCError
	if err := c.Call(t.Context(), "mcp/fail", map[string]string{"server": "s"}, nil); !errors.As(err, &rpc) || rpc.Code != -32803 || string(rpc.Data) != `{"kind":"serverGone","server":"s"}` {
		t.Errorf("the error is %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Call(ctx, "mcp/wait", map[string]string{"server": "s"}, nil) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call returned %v", err)
	}
}

func TestClientIsAsked(t *testing.T) {
	notified := make(chan string, 10)
	arrived, withdrawn := make(chan struct{}), make(chan struct{})
	b := newFakeBackend()
	connect(t, b, ClientOptions{
		Request: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			switch method {
			case "echo":
				return params, nil
			case "wait":
				close(arrived)
				<-ctx.Done()
				close(withdrawn)
				return nil, ctx.Err()
			}
			return nil, &RPCError{Code: CodeMethodNotFound, Message: "no such method"}
		},
		Notification: func(method string, params json.RawMessage) { notified <- method + " " + string(params) },
	})
	<-b.initialized
	editor := b.theEditor().(*session)
	result, err := editor.ask(t.Context(), "echo", json.RawMessage(`{"a": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, result, `{"a": 1}`)
	var rpc *RPCError
	if _, err := editor.ask(t.Context(), "other", nil); !errors.As(err, &rpc) || rpc.Code != CodeMethodNotFound {
		t.Errorf("the error is %v", err)
	}
	for _, method := range []string{"a", "b", "c"} {
		editor.tell(method, map[string]string{}, notice)
		if got := <-notified; got != method+" {}" {
			t.Errorf("notified of %q", got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := editor.ask(ctx, "wait", nil)
		done <- err
	}()
	<-arrived
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Ask returned %v", err)
	}
	<-withdrawn
}

// A daemon that speaks another version, and one that is none at all.
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
