package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Limits that are not configurable.
const (
	maxListPages = 1000      // pages of one list
	maxListItems = 100_000   // items of one list, all pages together
	maxListBytes = 64 << 20  // bytes of the items of one list, all pages together
	maxCatalog   = 128 << 20 // bytes of all lists together
	maxCursor    = 64 << 10  // bytes of a cursor
	maxIncoming  = 64        // requests of the server answered at the same time; more are refused
	maxOutgoing  = 64        // messages that wait to be written; further senders wait
)

// Options are what a [Client] is made of. They are copied.
type Options struct {
	Name   string // of the server, for messages and logs
	Dialer wire.Dialer
	Host   Host

	// ClientInfo and Capabilities are sent as they are: MCP's Implementation and
	// ClientCapabilities. The latter may be nil for none; see [Client.Declare].
	ClientInfo   json.RawMessage
	Capabilities json.RawMessage

	// Protocol pins the version to speak: one of the Version constants of wire. With "auto" or
	// "" it is the latest that the server speaks in the first era that works; see
	// [Options.eras].
	Protocol string

	// LastVersion is the version that this server spoke last, "" when that is not
	// known. It saves asking in the wrong era first.
	LastVersion string

	StartTimeout time.Duration // from Dial to the end of the handshake; 0 means 30 s
	CallTimeout  time.Duration // of a call without a sign of life; 0 means 60 s

	// Memory bounds what the Client holds of what the server sends: answers on their
	// way, lists, questions; nil means no bound. Dialer has the same budget.
	Memory *budget.Budget

	Log *zap.Logger
}

// State is where a server is in its life.
type State string

// The states, as `Server.state` of the editor protocol names them. The states before
// a Client exists (disabled, needsApproval, needsSignIn) are not here.
const (
	StateStarting   State = "starting"
	StateReady      State = "ready"
	StateRestarting State = "restarting" // it ended, and starts again after the back-off
	StateStopped    State = "stopped"
	StateFailed     State = "failed" // it does not start again by itself
)

// Status is a snapshot of a Client.
type Status struct {
	State           State
	PID             int // 0 when there is no process
	ProtocolVersion string
	ServerInfo      json.RawMessage // MCP's Implementation; nil before the handshake
	Capabilities    json.RawMessage // MCP's ServerCapabilities; nil before the handshake
	Instructions    string
	Restarts        int         // since the Client was made, by itself and by request; not by [Client.Renew]
	Err             *wire.Error // why it is restarting or failed; nil otherwise

	// Told is what the server was told in initialize: MCP's ClientCapabilities. It is nil before
	// the handshake, and for a server of 2026-07-28, which is told with each request.
	Told json.RawMessage
}

// Call is one request to the server.
type Call struct {
	Method string
	Params json.RawMessage // an object, or nil

	// Timeout is how long the call may be without any sign of life; progress
	// restarts it. 0 means the default of its method.
	Timeout time.Duration

	// Progress is called with the params of each notifications/progress of this call,
	// in order. It must not block. nil when nobody wants it; a progress token is sent
	// all the same, because progress keeps a call alive.
	Progress func(params json.RawMessage)

	// Owner is handed to [Host.Request] while the call is under way; its zero value is not.
	Owner Owner

	// Capabilities is what the requests of this call tell the server at 2026-07-28: MCP's
	// ClientCapabilities. nil means what was declared last. It has no effect in the legacy era.
	Capabilities json.RawMessage

	// told is what they tell it. It is the same for all of them, so that the server may ask for
	// what the first one said.
	told json.RawMessage
}

// Owner says whose [Call] it is, in the terms of its [Host]. The zero value is nobody.
type Owner struct {
	User    int    // as the host counts them, from 1
	Command string // of the request behind the call, where that is a command
	Request string // the id of that request, as JSON
	Tool    string // the name of the tool that is called; the Client sets it in [Ask.Owners]
}

// A Client is one MCP server: its supervised life, its session, its catalog. [New]
// makes one. It is safe for concurrent use.
type Client struct {
	opts    Options
	log     *serverLog
	catalog *catalog
	counts  counts
	level   atomic.Value // of log messages, a string: what the server was last asked for; nil when nobody has
	watched *watched

	declared atomic.Pointer[capabilities] // what the server is told from now on

	lastVersion string // as in Options, kept by the goroutine of the life

	// mu guards the fields that follow. It is never held while a method of the
	// Host, the Dialer or the Wire runs.
	mu        sync.Mutex
	status    Status
	session   *session // takes calls; nil unless the state is ready and nobody stops it
	life      *life    // from Start to the end of Stop; nil otherwise
	restarts  int
	closed    bool
	reopening bool          // it ended because the connection was lost, and may be back at once
	renewing  bool          // it is being initialized anew, and calls wait; see Renew
	changed   chan struct{} // closed with the next change of the status, and replaced
}

// readTimeout is how long listings, reads and other short requests may be without a sign of life.
const readTimeout = 30 * time.Second

// DefaultStartTimeout is how long a server has for the handshake when [Options.StartTimeout] does not say.
const DefaultStartTimeout = 30 * time.Second

// New makes a Client in the state stopped; nothing runs before [Client.Start]. It
// panics when o lacks Dialer, Host or ClientInfo.
func New(o Options) *Client {
	if o.Dialer == nil || o.Host == nil || !rawjson.IsObject(o.ClientInfo) {
		panic("mcpclient.New: Options lack Dialer, Host or ClientInfo")
	}
	o.Protocol = cmp.Or(o.Protocol, protocolAuto)
	o.StartTimeout = cmp.Or(o.StartTimeout, DefaultStartTimeout)
	o.CallTimeout = cmp.Or(o.CallTimeout, 60*time.Second)
	c := &Client{opts: o, status: Status{State: StateStopped}, lastVersion: o.LastVersion, changed: make(chan struct{})}
	c.declared.Store(capabilitiesOf(o.Capabilities))
	c.log = newServerLog()
	c.log.grew = o.Host.LogGrew
	c.catalog = newCatalog(o.Host, c.log)
	c.watched = newWatched(o.Host)
	return c
}

// Status returns the current status of the server.
func (c *Client) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Lists returns what the server offers, as it was last read, without waiting. It is the same pointer until
// a list changes.
func (c *Client) Lists() *Lists { return c.catalog.current() }

// Refresh has lists whose time is over (MCP 2026-07-28, Caching, ttlMs) read again, in
// the background.
func (c *Client) Refresh() { c.catalog.refresh() }

// List returns a list of the server as one result object: all pages joined, no
// nextCursor. It comes from the cache, or from the listing that is under way. List
// fails with [wire.KindCapabilityNotSupported] when the server did not declare the
// list, and with the error of the last listing when none has succeeded.
func (c *Client) List(ctx context.Context, kind wire.ListKind) (json.RawMessage, error) {
	s, err := c.ready(ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := s.peer.check(kind.Method()); err != nil {
		return nil, err
	}
	list, err := c.catalog.list(ctx, s, kind)
	if s.reason() == nil {
		return list, err
	}
	// Reading may be repeated, if there is a session again at once.
	if again, none := c.ready(ctx, s); none == nil {
		return c.catalog.list(ctx, again, kind)
	}
	return list, err
}

// Call sends one request and returns the result as the server wrote it. The error
// is a [*wire.Error], of [wire.KindRPC] when the server sent one. When ctx ends or
// the call is without a sign of life for its Timeout, the server is told and Call
// returns at once.
//
// Call never sends twice what the server may have begun to do. If the server refused a
// request unread because the session was lost, Call sends it once more in a new one; if it was
// refused because the user has to sign in, Call fails with that. If the server first wants input, Call sends the request again with that, as MCP prescribes.
//
// At 2026-07-28, which has neither ping nor logging/setLevel, Call uses what replaces them. A level
// holds after a restart too. For resources/subscribe and resources/unsubscribe use
// [Client.Subscribe] and [Client.Unsubscribe].
func (c *Client) Call(ctx context.Context, call Call) (json.RawMessage, error) {
	if err := checkParams(call.Params); err != nil {
		return nil, err
	}
	return c.dispatch(ctx, call)
}

// dispatch makes a call in the current session, and again in the next one when it was refused
// unread.
func (c *Client) dispatch(ctx context.Context, call Call) (json.RawMessage, error) {
	call.Timeout = cmp.Or(call.Timeout, c.opts.timeout(call.Method))
	s, err := c.ready(ctx, nil)
	if err != nil {
		return nil, err
	}
	result, err := c.perform(ctx, s, call)
	return c.again(ctx, s, call, result, err)
}

// again makes a call in the next session when s refused it unread, or had ended before it was sent.
// Any other outcome it returns as it is; one that ends s when the host knows that it is not ready.
func (c *Client) again(ctx context.Context, s *session, call Call, result json.RawMessage, err error) (json.RawMessage, error) {
	switch wire.KindOf(err) {
	case wire.KindSessionLost, wire.KindNotReady:
	case wire.KindSignInNeeded, wire.KindUnauthorized: // who hears of it must not find the server ready
		select {
		case <-s.left:
		case <-time.After(writeGrace):
		case <-ctx.Done():
		}
		return result, err
	default:
		return result, err
	}
	if s, err = c.ready(ctx, s); err != nil {
		return nil, err
	}
	return c.perform(ctx, s, call)
}

// perform does a call in a session, as its era requires.
func (c *Client) perform(ctx context.Context, s *session, call Call) (json.RawMessage, error) {
	if err := s.peer.check(call.Method); err != nil {
		return nil, err
	}
	s.probe()
	call.told = s.tell(call)
	switch call.Method {
	case wire.MethodListen:
		return nil, wire.Errorf(wire.KindInvalidParams, "method", "%s is kept open here for all subscribers; use %s", wire.MethodListen, wire.MethodSubscribe)
	case wire.MethodPing:
		return s.ping(ctx, call)
	case wire.MethodSetLevel:
		return s.setLevel(ctx, call)
	case wire.MethodSubscribe, wire.MethodUnsubscribe:
		return s.subscription(ctx, call)
	default:
		return s.whole(ctx, call)
	}
}

// Notify sends one notification. It returns when the message is on its way; ctx bounds only the
// wait for room in the queue. Notify does not tell a server of 2026-07-28 that the roots have
// changed, because MCP has no word for it: the server asks whenever it needs them.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	s, err := c.ready(ctx, nil)
	if err != nil {
		return err
	}
	if err := checkParams(params); err != nil {
		return err
	}
	if method == wire.MethodRootsChanged && s.modern.Load() {
		return nil
	}
	return s.notify(ctx, method, params)
}

// ready returns the session that takes calls, if it is another one than not, or a [*wire.Error] of
// [wire.KindNotReady] or [wire.KindSignInNeeded]. If only the connection was lost, so that the server may be back at once,
// ready waits for it, one attempt long.
func (c *Client) ready(ctx context.Context, not *session) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for attempts := -1; ; {
		if c.session != nil && c.session != not && c.session.reason() == nil {
			return c.session, nil
		}
		state := c.status.State
		switch {
		case c.session != nil: // it has ended, but the status does not say so yet
		case c.renewing:
		case !c.reopening:
			if state == StateReady {
				state = StateStopped // it is being stopped
			}
			return nil, notReady(c.opts.Name, state, c.status.Err)
		case attempts >= 0 && state == StateRestarting && c.restarts > attempts:
			return nil, notReady(c.opts.Name, state, c.status.Err) // tried, in vain
		case attempts < 0:
			attempts = c.restarts // of the attempt to wait for: one more
			if state == StateStarting {
				attempts--
			} else if c.status.Err.RetryAfter > 0 {
				return nil, notReady(c.opts.Name, state, c.status.Err)
			} else {
				poke(c.life.wake)
			}
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
			c.mu.Lock()
		case <-ctx.Done():
			c.mu.Lock()
			return nil, gaveUp(ctx, fmt.Sprintf("waiting for server %q", c.opts.Name))
		}
	}
}

// checkParams checks params against what JSON-RPC in MCP allows ("params?: {
// [key: string]: unknown; }", MCP 2025-11-25, Base Protocol, Messages).
func checkParams(params json.RawMessage) error {
	if params == nil {
		return nil
	}
	if !rawjson.IsObject(params) {
		return wire.Errorf(wire.KindInvalidParams, "params", "the params of an MCP message must be an object")
	}
	switch depth, err := rawjson.Measure(params); {
	case depth > rawjson.MaxDepth:
		return wire.Errorf(wire.KindInvalidParams, "params", "the params are nested over %d deep; send them flatter", rawjson.MaxDepth)
	case err != nil:
		return wire.Errorf(wire.KindInvalidParams, "params", "the params are not valid JSON: %v", err)
	}
	return nil
}

// timeout returns how long a request may be without a sign of life when its caller
// does not say. Methods that may do work get CallTimeout, and so do unknown ones.
func (o *Options) timeout(method string) time.Duration {
	switch method {
	case wire.MethodPing, wire.MethodListTools, wire.MethodListPrompts, wire.MethodListResources, wire.MethodListTemplates, wire.MethodReadResource,
		wire.MethodSubscribe, wire.MethodUnsubscribe, wire.MethodSetLevel:
		return readTimeout
	default:
		return o.CallTimeout
	}
}
