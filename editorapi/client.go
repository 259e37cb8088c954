package editorapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// ErrDaemonGone is returned by the methods of a [Client] whose daemon has gone.
var ErrDaemonGone = errors.New("the daemon has gone")

// ClientOptions say what kind of editor a [Client] is. They are copied.
type ClientOptions struct {
	Name, Version string       // clientInfo
	Folders       []Folder     // nil: no folder
	Capabilities  Capabilities // what Request answers
	Environment   map[string]string
	Umask         string // in octal; "" for none
	AutoStart     bool   // false: the daemon starts no server before it is asked to

	// Request answers a request of the daemon; ctx ends when the daemon withdraws it.
	// An [*RPCError] is sent as it is. It is called concurrently. nil: every request
	// gets -32601.
	Request func(ctx context.Context, method string, params json.RawMessage) (any, error)

	// Notification takes the notifications of the daemon in their order. It must not
	// block: no answer is read before it returns. nil: they are dropped.
	Notification func(method string, params json.RawMessage)

	Log *zap.Logger // nil means none
}

// A Client is a program that attaches to the daemon like an editor: the other end
// of [Serve]. Its methods are safe for concurrent use.
type Client struct {
	peer  *peer
	o     ClientOptions
	ended chan struct{}
	close sync.Once
}

// NewClient shakes hands over rwc, which it owns from now on: it sends initialize and
// initialized. ctx bounds the handshake. A daemon that speaks another version of the editor
// protocol is refused.
func NewClient(ctx context.Context, rwc io.ReadWriteCloser, o ClientOptions) (*Client, error) {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	c := &Client{o: o, ended: make(chan struct{})}
	c.peer = newPeer(rwc, c, ErrDaemonGone, o.Log, nil)
	c.peer.start()
	go func() {
		_ = c.peer.wait() // the calls that fail say so
		c.peer.running.Wait()
		close(c.ended)
	}()
	if err := c.initialize(ctx); err != nil {
		c.peer.end(nil)
		<-c.ended
		return nil, fmt.Errorf("shaking hands with the daemon: %w", err)
	}
	return c, nil
}

func (c *Client) initialize(ctx context.Context) error {
	var folders any // null: the client has folders, but none is open
	if c.o.Folders != nil {
		folders = c.o.Folders
	}
	options := InitializationOptions{AutoStart: &c.o.AutoStart}
	if c.o.Environment != nil {
		options.Environment = encodeEnvironment(c.o.Environment)
	}
	if c.o.Umask != "" {
		options.Umask = &c.o.Umask
	}
	experimental := map[string]any{}
	if c.o.Capabilities.MCP {
		experimental["mcp"] = c.o.Capabilities.encode()
	}
	var result json.RawMessage
	err := c.Call(ctx, protocol.MethodInitialize, map[string]any{
		"processId":             os.Getpid(),
		"clientInfo":            map[string]string{"name": c.o.Name, "version": c.o.Version},
		"rootUri":               nil,
		"workspaceFolders":      folders,
		"capabilities":          map[string]any{"experimental": experimental},
		"initializationOptions": options,
	}, &result)
	if err != nil {
		return err
	}
	if version, _ := rawjson.Int(rawjson.Path(result, "capabilities", "experimental", "mcp"), "version"); version != ProtocolVersion {
		return fmt.Errorf("it speaks version %d of the editor protocol and this program version %d; restart the older of the two after an update", version, ProtocolVersion)
	}
	return c.Notify(protocol.MethodInitialized, struct{}{})
}

// encode is the other way round of readCapabilities.
func (c Capabilities) encode() EditorCapabilities {
	declared := EditorCapabilities{Sampling: c.Sampling, Elicitation: c.Elicitation, Extensions: c.Extensions}
	if c.Approval {
		declared.Approval = json.RawMessage("{}")
	}
	return declared
}

// Call sends a request and decodes the result into result; nil drops it, and a
// *json.RawMessage gets it byte for byte. An error that the daemon answered is an
// [*RPCError]. When ctx ends first, the request is cancelled by $/cancelRequest.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	raw, err := c.peer.ask(ctx, method, params, answer)
	if err != nil || result == nil {
		return err
	}
	if err := (codec{}).Unmarshal(raw, result); err != nil {
		return fmt.Errorf("reading the result of %s: %w", method, err)
	}
	return nil
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) error {
	return c.peer.notify(method, params, answer)
}

// Done returns a channel that is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.ended }

// Close leaves the daemon in the orderly way, shutdown and exit, as far as ctx allows, and
// returns when nothing of c runs any more. The options' functions have returned by then.
func (c *Client) Close(ctx context.Context) error {
	var err error
	c.close.Do(func() {
		if err = c.Call(ctx, protocol.MethodShutdown, nil, nil); err == nil {
			err = c.Notify(protocol.MethodExit, nil)
		}
		c.peer.end(nil)
	})
	<-c.ended
	if errors.Is(err, ErrDaemonGone) {
		return nil // that is what was wanted
	}
	return err
}

// gate implements [served].
func (c *Client) gate(string, json.RawMessage) (any, error, bool) { return nil, nil, false }

// inOrder implements [served].
func (c *Client) inOrder(*request) func() (any, error) { return nil }

// request implements [served].
func (c *Client) request(r *request) (any, error) {
	if c.o.Request == nil {
		return nil, methodNotFound(r.method)
	}
	return c.o.Request(r.ctx, r.method, r.params)
}

// notification implements [served].
func (c *Client) notification(method string, params json.RawMessage) {
	if c.o.Notification != nil {
		c.o.Notification(strings.Clone(method), bytes.Clone(params)) // they are borrowed here
	}
}
