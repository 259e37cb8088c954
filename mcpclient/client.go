package mcpclient

import (
	"encoding/json"
	"time"

	"go.uber.org/zap"
)

// Protocol versions that this package speaks by initialize (MCP, Versioning).
// 2024-10-07 is spoken to as 2024-11-05.
const (
	Version20241007 = "2024-10-07"
	Version20241105 = "2024-11-05"
	Version20250326 = "2025-03-26"
	Version20250618 = "2025-06-18"
	Version20251125 = "2025-11-25"
)

// Limits that are not configurable.
const (
	maxFrame     = 64 << 20 // bytes of one message from a server
	maxListPages = 1000     // pages of one list
	maxIncoming  = 64       // requests of the server answered at the same time; more are refused
)

// Options are what a [Client] is made of. They are copied.
type Options struct {
	Name   string // of the server, for messages and logs
	Dialer Dialer
	Host   Host

	// ClientInfo and Capabilities are sent in initialize as they are: MCP's
	// Implementation and ClientCapabilities.
	ClientInfo   json.RawMessage
	Capabilities json.RawMessage

	// Protocol pins the version: one of the Version constants, or "auto".
	Protocol string

	StartTimeout time.Duration // from Dial to the end of the handshake; 0 means 30 s
	CallTimeout  time.Duration // of a call without a sign of life; 0 means 60 s
	ReadTimeout  time.Duration // the same for listings, reads and other short requests; 0 means 30 s

	Log *zap.Logger
}

// State is where a server is in its life.
type State string

// The states, as `Server.state` of the editor protocol names them. What comes
// before a Client exists (disabled, needsApproval, needsSignIn) is not here.
const (
	StateStarting   State = "starting"
	StateReady      State = "ready"
	StateRestarting State = "restarting" // it ended, and is started again after the back-off
	StateStopped    State = "stopped"
	StateFailed     State = "failed" // it will not be started again by itself
)

// Status is a snapshot of a Client.
type Status struct {
	State           State
	PID             int // 0 when there is no process
	ProtocolVersion string
	ServerInfo      json.RawMessage // MCP's Implementation; nil before the handshake
	Capabilities    json.RawMessage // MCP's ServerCapabilities; nil before the handshake
	Instructions    string
	Restarts        int    // since the Client was made, by itself and by request
	Err             *Error // why it is restarting or failed; nil otherwise
}

// Call is one request to the server.
type Call struct {
	Method string
	Params json.RawMessage // an object, or nil

	// Timeout is how long the call may be without any sign of life; progress
	// restarts it. 0 means the default of its method.
	Timeout time.Duration

	// Progress takes the params of each notifications/progress of this call, in
	// order. It must not block. nil when nobody listens; a progress token is sent
	// all the same, because progress keeps a call alive.
	Progress func(params json.RawMessage)

	// Owner is handed to [Host.Request] while the call is under way.
	Owner any
}

// ListKind names one of the lists a server offers.
type ListKind string

// The lists of a server.
const (
	ListTools             ListKind = "tools"
	ListPrompts           ListKind = "prompts"
	ListResources         ListKind = "resources"
	ListResourceTemplates ListKind = "resourceTemplates"
)

// Counters count what a Client has dropped. All only grow.
type Counters struct {
	NoiseLines    int64 // lines on stdout that are not JSON-RPC
	LateResponses int64 // answers to nothing that is pending: late, unknown, doubled
	Oversized     int64 // frames over the limit
	Refused       int64 // requests of the server that were refused for their number
}
