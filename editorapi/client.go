package editorapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// ErrDaemonGone is returned by the methods of a [Client] whose daemon has gone.
var ErrDaemonGone = errors.New("the daemon has gone")

// ClientOptions say what kind of editor a [Client] is. They are copied.
type ClientOptions struct {
	Name, Version string       // clientInfo
	Folders       []Folder     // nil: no folder
	Capabilities  Capabilities // what Sample and Elicit answer
	Environment   map[string]string
	Umask         string // in octal; "" for none
	AutoStart     bool   // false: the daemon starts no server before it is asked to
	Agent         *Agent // nil for an editor

	// Sample, Elicit and ListRoots answer questions of servers with MCP's CreateMessageResult,
	// ElicitResult and ListRootsResult. ctx ends when a question is withdrawn. An [*RPCError] is sent
	// as it is. They are called concurrently. nil: the question gets -32601.
	Sample, Elicit, ListRoots func(ctx context.Context, q Question) (any, error)

	// Message gets what window/showMessage shows, and Relayed the notifications of servers, mcp/notifications/…;
	// method is MCP's. The others tell what their names say. All are called in the order of the wire, and must not
	// block: no answer is read before they return. So the progress of a call is there before the call returns.
	// nil: they are dropped.
	Message           func(severity Severity, text string)
	Relayed           func(method string, n MCPNotification)
	ServerChanged     func(Server)
	ServerRemoved     func(ServerRemoved)
	CatalogChanged    func(CatalogChanged)
	SubscriptionEnded func(SubscriptionEnded)
	ServerLogged      func(ServerLogged)

	Log *zap.Logger // nil means none
}

// A Client is a program that attaches to the daemon like an editor: the other end
// of [Serve]. Its methods are safe for concurrent use.
type Client struct {
	peer  *peer
	o     ClientOptions
	ended chan struct{}
	close sync.Once

	folders sync.Mutex // held while ChangeFolders sends, so that the last call holds; guards open
	open    []Folder   // what the daemon was told last

	lastToken atomic.Int64 // number of the last progress token
	progress  sync.Map     // of the calls under way, by token: func(WorkDone)
}

// NewClient shakes hands over rwc, which it owns from now on: it sends initialize and
// initialized. ctx bounds the handshake. A daemon that speaks another version of the editor
// protocol is refused.
func NewClient(ctx context.Context, rwc io.ReadWriteCloser, o ClientOptions) (*Client, error) {
	o.Log = cmp.Or(o.Log, zap.NewNop())
	c := &Client{o: o, open: o.Folders, ended: make(chan struct{})}
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
	options := InitializationOptions{AutoStart: &c.o.AutoStart, Agent: c.o.Agent}
	if c.o.Environment != nil {
		options.Environment = encodeEnvironment(c.o.Environment)
	}
	if c.o.Umask != "" {
		options.Umask = &c.o.Umask
	}
	result, err := c.ask(ctx, protocol.MethodInitialize, map[string]any{
		"processId":        os.Getpid(),
		"clientInfo":       map[string]string{"name": c.o.Name, "version": c.o.Version},
		"rootUri":          nil,
		"workspaceFolders": folders,
		"capabilities": map[string]any{
			"experimental": map[string]any{"mcp": c.o.Capabilities.Encode()}, // whatever else it can, it knows the protocol
		},
		"initializationOptions": options,
	}, nil)
	if err != nil {
		return err
	}
	if version, _ := rawjson.Int(rawjson.Path(result, "capabilities", "experimental", "mcp"), "version"); version != ProtocolVersion {
		return fmt.Errorf("it speaks version %d of the editor protocol and this program version %d; restart the older of the two after an update", version, ProtocolVersion)
	}
	return c.peer.notify(protocol.MethodInitialized, struct{}{}, answer)
}

// Encode returns c as [EditorCapabilities].
func (c Capabilities) Encode() json.RawMessage {
	declared := EditorCapabilities{Sampling: c.Sampling, Elicitation: c.Elicitation, Extensions: c.Extensions}
	if c.Approval {
		declared.Approval = json.RawMessage("{}")
	}
	if c.Roots {
		declared.Roots = json.RawMessage("{}")
	}
	return encodeOwn(declared)
}

// Done returns a channel that is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.ended }

// Close sends shutdown and exit, as far as ctx allows, and returns when nothing of c runs any
// more. The functions of the options have returned by then.
func (c *Client) Close(ctx context.Context) error {
	var err error
	c.close.Do(func() {
		if _, err = c.ask(ctx, protocol.MethodShutdown, nil, nil); err == nil {
			err = c.peer.notify(protocol.MethodExit, nil, answer)
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

// passes implements [served].
func (c *Client) passes(string) bool { return false }

// begin implements [served]. It is never called.
func (c *Client) begin(*request, *cork.Cork) {}

// serve implements [served].
func (c *Client) serve(r *request) (rest func() (any, error)) {
	var put func(context.Context, Question) (any, error)
	switch r.method {
	case methodSample.name:
		put = c.o.Sample
	case methodElicit.name:
		put = c.o.Elicit
	case methodListRoots.name:
		put = c.o.ListRoots
	}
	if put == nil {
		return fails(methodNotFound(r.method))
	}
	var q Question
	if err := decode(r.params, &q, ""); err != nil {
		return fails(err)
	}
	return func() (any, error) { return put(r.ctx, q) }
}

// notification implements [served].
func (c *Client) notification(method string, params json.RawMessage) {
	switch method {
	case protocol.MethodWindowShowMessage:
		if severity, ok := rawjson.Int(params, "type"); ok && c.o.Message != nil {
			c.o.Message(Severity(severity), rawjson.String(params, "message"))
		}
	case methodServerChanged.name:
		tellOf(c.o.ServerChanged, params)
	case methodServerRemoved.name:
		tellOf(c.o.ServerRemoved, params)
	case methodCatalogChanged.name:
		tellOf(c.o.CatalogChanged, params)
	case methodSubscriptionEnded.name:
		tellOf(c.o.SubscriptionEnded, params)
	case methodServerLogged.name:
		tellOf(c.o.ServerLogged, params)
	case protocol.MethodProgress:
		c.progressed(params)
	default:
		if own, ok := strings.CutPrefix(method, mcpPrefix); ok && c.o.Relayed != nil {
			own = strings.Clone(own) // it is borrowed here
			tellOf(func(n MCPNotification) { c.o.Relayed(own, n) }, params)
		}
	}
}

// tellOf hands the params of a notification to f, unless it is nil or they are not valid.
func tellOf[P any](f func(P), params json.RawMessage) {
	var p P
	if f != nil && decode(params, &p, "") == nil {
		f(p)
	}
}
