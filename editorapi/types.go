package editorapi

import (
	"encoding/json"
)

// ServerState is the state of a server.
type ServerState string

// The states of a server.
const (
	ServerDisabled      ServerState = "disabled"      // its definition disables it, or another client runs it: then `runBy` says which
	ServerNeedsApproval ServerState = "needsApproval" // nobody has allowed it to run yet, or it was denied: then `error` is of kind `denied`
	ServerNeedsSignIn   ServerState = "needsSignIn"   // its endpoint wants the user to sign in: `error` is of kind `signInNeeded`, and `signIn` is there while that is under way
	ServerStarting      ServerState = "starting"      // it is being started
	ServerReady         ServerState = "ready"         // it takes calls
	ServerRestarting    ServerState = "restarting"    // it has ended or is being ended, and starts again
	ServerStopped       ServerState = "stopped"       // nobody has started it, or somebody has stopped it
	ServerFailed        ServerState = "failed"        // it does not start again by itself; `error` says why
)

// ServerScope is who shares a connection to a server.
type ServerScope string

// The scopes of a server.
const (
	ScopeSession   ServerScope = "session"   // nobody: this editor has its own
	ScopeWorkspace ServerScope = "workspace" // editors with the same folders
	ScopeUser      ServerScope = "user"      // all editors of this user
)

// ServerTransport is how to reach a server.
type ServerTransport string

// The transports of a server.
const (
	TransportStdio ServerTransport = "stdio" // a process on this machine
	TransportHTTP  ServerTransport = "http"  // MCP's Streamable HTTP
	TransportSSE   ServerTransport = "sse"   // MCP's HTTP+SSE of 2024-11-05
)

// ServerWait says what the start of a server waits for.
type ServerWait string

// What a start waits for.
const (
	WaitInput ServerWait = "input" // an answer to a question about an input of its definition
)

// Server is what editors are told of a server.
type Server struct {
	Name            string          `json:"name"`
	State           ServerState     `json:"state"`
	Scope           ServerScope     `json:"scope"`
	Transport       ServerTransport `json:"transport"`
	Source          string          `json:"source"`                    // URI of the file that defines it, `builtin` or `editor`
	ProtocolVersion string          `json:"protocolVersion,omitempty"` // the version of MCP that was negotiated
	ServerInfo      json.RawMessage `json:"serverInfo,omitempty" wire:"mcp.Implementation"`
	Instructions    string          `json:"instructions,omitempty"` // how to use it, as the server says
	Capabilities    json.RawMessage `json:"capabilities,omitempty" wire:"mcp.ServerCapabilities"`
	PID             int             `json:"pid,omitzero"`        // the id of its process; absent when it is reached by HTTP
	Digest          string          `json:"digest,omitempty"`    // what a decision about it is bound to; with a question of kind `folder`, the digest of that question
	Restarts        int             `json:"restarts"`            // how often it was restarted, by itself and by request
	Error           *ServerError    `json:"error,omitempty"`     // why it is restarting, has failed or may not run
	Approval        *ApproveParams  `json:"approval,omitempty"`  // with `needsApproval`: the params of `editord/approve` for it
	Shadowed        []string        `json:"shadowed,omitempty"`  // the files whose server of the same name is ignored
	Muted           bool            `json:"muted,omitzero"`      // its questions are refused at once
	Problems        []string        `json:"problems,omitempty"`  // what is wrong although it may run, such as roots that are left out: each one sentence that the user can act on
	SignIn          *SignIn         `json:"signIn,omitempty"`    // the sign-in that is under way, once the user can go to its address
	SignedIn        *SignedIn       `json:"signedIn,omitempty"`  // what the daemon holds from a sign-in
	RunBy           string          `json:"runBy,omitempty"`     // the name of the MCP client of this editor that runs it instead of the daemon; its state is `disabled`
	Held            *ApproveParams  `json:"held,omitempty"`      // tools of it have changed, and agents do not get them before somebody has seen how: the params of `editord/approve`, of kind `tools`
	WaitsFor        ServerWait      `json:"waitsFor,omitempty"`  // with `starting`: what its start waits for; absent while it waits for nobody
	HeldDenied      bool            `json:"heldDenied,omitzero"` // somebody has said no to `held`: nobody is asked about it again, and agents still do not get those tools
}

// SignIn is a sign-in that is under way. The editors that share the server see the same one.
type SignIn struct {
	URL         string `json:"url"`               // where the user signs in with a browser: an https: address, or http: on this machine
	Host        string `json:"host"`              // its host, as a reader sees it
	Warning     string `json:"warning,omitempty"` // why the host may be taken for another, or that others can read along: a sentence without an end
	RedirectURI string `json:"redirectUri"`       // where the browser ends; that address, whole, is what `editord/finishSignIn` takes
	Until       string `json:"until"`             // when the daemon gives it up, as in RFC 3339
}

// SignedIn is what the daemon holds from a sign-in. No member is a secret.
type SignedIn struct {
	Issuer string       `json:"issuer"`           // the authorization server
	Scopes []string     `json:"scopes,omitempty"` // what was granted; absent when the authorization server did not say
	Wanted []string     `json:"wanted,omitempty"` // scopes for which the server has refused a request: signing in again asks for them
	Kept   SignedInKept `json:"kept"`
}

// SignedInKept says where credentials are kept.
type SignedInKept string

// The places of [SignedIn.Kept].
const (
	KeptInKeyring SignedInKept = "keyring" // the keyring of the system
	KeptInFile    SignedInKept = "file"    // a file that only the user can read
	KeptInMemory  SignedInKept = "memory"  // the daemon: it forgets them when it ends
)

// ServerErrorKind classifies the reasons why a server does not run. Later versions may add kinds.
type ServerErrorKind string

// The kinds of [ServerError].
const (
	ServerDenied       ServerErrorKind = "denied"       // the user denied it, or the editor does not trust the folder; its state is `needsApproval`
	ServerSpawn        ServerErrorKind = "spawn"        // its command cannot be run
	ServerExit         ServerErrorKind = "exit"         // its process ended by itself
	ServerStartTimeout ServerErrorKind = "startTimeout" // it did not finish the handshake in time
	ServerNotMCP       ServerErrorKind = "notMCP"       // what it writes is not MCP
	ServerProtocol     ServerErrorKind = "protocol"     // it shares no version of MCP with the daemon, or refused the handshake
	ServerUnresponsive ServerErrorKind = "unresponsive" // it stopped reading, or did not answer a ping
	ServerUnreachable  ServerErrorKind = "unreachable"  // its endpoint cannot be reached: name, port or certificate (HTTP only)
	ServerUnauthorized ServerErrorKind = "unauthorized" // its endpoint requires authentication (HTTP only: 401)
	ServerSignInNeeded ServerErrorKind = "signInNeeded" // its endpoint wants the user to sign in; its state is `needsSignIn` (HTTP only)
	ServerHTTPError    ServerErrorKind = "httpError"    // its endpoint refuses requests, and the message has the status (HTTP only)
	ServerSessionLost  ServerErrorKind = "sessionLost"  // its endpoint does not know the session any more (HTTP only)
)

// ServerError is why a server does not run.
type ServerError struct {
	Kind    ServerErrorKind `json:"kind"`
	Message string          `json:"message"`          // one sentence that the user can act on
	Stderr  []string        `json:"stderr,omitempty"` // the last lines of its stderr, at most 20, where they explain it
	Told    bool            `json:"told,omitzero"`    // the user was told of it before this editor attached: it need not be said again unasked
}

// ServerCatalog is what one server offers, for [CatalogResult].
type ServerCatalog struct {
	Server Server
	Offer  *Offer // nil when it is not known what it offers

	Earlier, Tried bool // as in [CatalogServer]
}

// Decision is what the user says about a definition.
type Decision string

// The decisions.
const (
	DecisionAllow Decision = "allow"
	DecisionDeny  Decision = "deny"
	DecisionLater Decision = "later" // no decision: the user is not asked again about any server of the same file until the editor attaches anew or the definition changes
)

// Approval is a remembered decision.
type Approval struct {
	Server   string   `json:"server"`
	Source   string   `json:"source"` // URI of the file
	Digest   string   `json:"digest"` // the digest that was decided on
	Decision Decision `json:"decision"`
	At       string   `json:"at"` // when it was made, as in RFC 3339
}

// Status is the state of the daemon.
type Status struct {
	Version  string           `json:"version"` // the version of mcp-editord
	PID      int              `json:"pid"`     // the id of its process
	Socket   string           `json:"socket"`  // its path
	Config   string           `json:"config"`  // the path of the user's configuration
	LogFile  string           `json:"logFile"` // its path
	Uptime   float64          `json:"uptime"`  // seconds
	Editors  []EditorStatus   `json:"editors"`
	Servers  []ServerStatus   `json:"servers"`  // every connection, including those of other editors
	Counters map[string]int64 `json:"counters"` // counts since it started, and the bytes in use (`memoryInUse`), by name
}

// EditorStatus is one attached editor.
type EditorStatus struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`              // clientInfo.name
	Version string   `json:"version,omitempty"` // clientInfo.version
	Folders []string `json:"folders"`           // URIs
	You     bool     `json:"you,omitzero"`      // it is the editor that asked
	Agent   bool     `json:"agent,omitzero"`    // it is an agent: a client of `mcp-editord mcp`, such as the chat of an editor
}

// ServerStatus is one connection, who is on it, and what its server has of them.
type ServerStatus struct {
	Server  Server      `json:"server"`
	Folders []string    `json:"folders"`           // URIs
	Editors []int       `json:"editors"`           // ids of [EditorStatus]
	Command []string    `json:"command,omitempty"` // the path of its program, as it was last started, and the arguments; one with `${input:…}` or `${env:…}` in it is as the definition has it
	Cwd     string      `json:"cwd,omitempty"`     // the directory that it was last started in
	Roots   *RootsTold  `json:"roots,omitempty"`   // absent when it has not asked for them since it was started
	Bound   *BoundNames `json:"bound,omitempty"`   // of the last call of a tool that the configuration added arguments to
}

// RootsTold is what a server was told when it last asked for its roots.
type RootsTold struct {
	URIs []string `json:"uris"`
	At   string   `json:"at"` // when it asked, as in RFC 3339
}

// BoundNames says which arguments of a call the configuration has added.
type BoundNames struct {
	Tool      string   `json:"tool"`
	Arguments []string `json:"arguments"` // their names
}
