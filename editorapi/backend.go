package editorapi

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/cork"
)

// A Backend serves the editors: it is the daemon.
type Backend interface {
	// Attach begins the session of an editor whose initialize has been read. The backend may
	// notify editor from now on, and ask it after [Attachment.Initialized].
	Attach(ctx context.Context, editor Editor, params AttachParams) (Attachment, error)
}

// AttachParams is what an editor's initialize said.
type AttachParams struct {
	ClientName    string // clientInfo
	ClientVersion string
	Folders       []Folder // workspaceFolders, else rootUri, else none
	Capabilities  Capabilities
	Environment   map[string]string // initializationOptions.environment; nil when absent
	Umask         *int              // initializationOptions.umask; nil when absent
	Trusted       *bool             // initializationOptions.trusted: whether the user trusts the folders; nil when absent
	Servers       json.RawMessage   // initializationOptions.servers; nil when absent
	AutoStart     bool              // initializationOptions.autoStart; true when absent
	OwnClient     *OwnClient        // initializationOptions.ownClient, checked; nil when absent
	Agent         *Agent            // initializationOptions.agent, checked; nil for an editor

	// DynamicCommands says that commands can be registered later. Without it the editor learns of
	// commands from the answer to initialize only.
	DynamicCommands bool
}

// Folder is a workspace folder as the editor names it.
type Folder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// Capabilities is what an editor declared it can answer, in
// capabilities.experimental.mcp. The raw values are MCP's own and go to servers
// as they are, in canonical form; nil means not declared.
type Capabilities struct {
	MCP         bool            // experimental.mcp is present
	Sampling    json.RawMessage // MCP's ClientCapabilities.sampling
	Elicitation json.RawMessage // MCP's ClientCapabilities.elicitation
	Extensions  json.RawMessage // MCP's ClientCapabilities.extensions
	Approval    bool            // it answers editord/approve
	Roots       bool            // it answers mcp/roots/list for its own calls
}

// Done gets the outcome of a call. result is only valid until Done returns. What Done writes may wait as
// c has it; c may be nil, and must not be used afterwards.
type Done func(result json.RawMessage, err error, c *cork.Cork)

// An Attachment is one editor's session with the backend. Its methods are called
// concurrently; ctx ends when the editor cancels the request or goes away.
// Errors that are an [*Error] or an [*RPCError] go to the editor as they are; all
// others become [KindInternal] and are logged.
type Attachment interface {
	// Initialized is called when the editor has sent initialized. The editor may be asked from now
	// on, but not by Initialized itself, since nothing is read before it returns. The same goes
	// for ChangeFolders and Notify.
	Initialized()

	// ChangeFolders replaces the editor's folders. It does not wait for servers.
	ChangeFolders(folders []Folder)

	// Used is called when the user does something in this editor. A question that belongs to no
	// call goes to the editor that was used last.
	Used()

	// Call sends one MCP request: mcp/<method>.
	Call(ctx context.Context, call Call) (json.RawMessage, error)

	// Begin is Call for requests that are only passed on: all but those about lists, roots and
	// subscriptions. It waits for nobody. done gets what Call would return, exactly once and perhaps
	// before Begin returns; it must not wait for anybody. The request is sent now, or as later has it.
	// cancel ends the call as the end of its ctx would.
	Begin(call Call, later *cork.Cork, done Done) (cancel func())

	// Notify sends one MCP notification: mcp/notifications/…. It is called in the
	// order of the wire and does not wait for the server.
	Notify(ctx context.Context, server, method string, params json.RawMessage) error

	Servers() []Server
	// StartServer, StopServer, RestartServer and MuteServer note the request and return at once.
	// They are called in the order of the wire, and the last request holds. Whatever a muted server
	// asks is refused at once, including what it is asking now.
	StartServer(server string) Change
	StopServer(server string) Change
	RestartServer(server string) Change
	MuteServer(server string, muted bool) Change

	// SignIn begins to sign the user in to a server, or joins the sign-in that is under way, and
	// SignOut forgets what is kept. Both note the request and return at once.
	SignIn(server string) Change
	SignOut(server string) Change
	// FinishSignIn hands over what the browser ended with: a whole address, or a code.
	FinishSignIn(server, response string) error

	ApproveServer(ctx context.Context, server, digest string, decision Decision) (Server, error)
	Approvals() ([]Approval, error)
	RevokeApproval(digest string) error

	// Catalog returns what server offers, or all ready servers when server is "". It does not wait
	// for servers that are not ready; with p.Known it has what these offered last. It leaves hidden
	// tools out. The user's servers come before those of a project.
	Catalog(ctx context.Context, p CatalogParams) ([]ServerCatalog, error)

	// Offers returns what the servers of [Attachment.Catalog] offer, in the same order: none when
	// server is not ready or not there.
	Offers(server string) []*Offer

	// Bound returns the arguments that the configuration binds for a tool, by name, with the variables of
	// context put in. It leaves out those whose variables have no value.
	Bound(server, tool string, context *Context) map[string]Bound

	// ConfigFile returns what there is to know about text, which the editor shows as the content of a
	// file; false where that is not one of the editor's configuration files. It does not wait for the
	// disk.
	ConfigFile(uri, text string) (ConfigFile, bool)

	// ServerLog notes whether to follow the log of a server, and returns a function that reads it.
	// It is called in the order of the wire, with p.Lines set. New lines are sent after the answer;
	// answered is as [Call.Answered].
	ServerLog(p ServerLogParams, answered <-chan struct{}) (read func(ctx context.Context) (ServerLogResult, error))
	Roots(server string) (json.RawMessage, error)
	Status() Status

	// These are editord/searchServers and so on, each as [methods.go] describes it.
	SearchServers(ctx context.Context, p SearchServersParams) (SearchServersResult, error)
	ProposeServers(ctx context.Context, p ProposeServersParams) (ProposeServersResult, error)
	AddServer(ctx context.Context, p AddServerParams) (AddServerResult, error)
	RemoveServer(ctx context.Context, p ServerParams) (ConfigPlace, error)
	EnableServer(ctx context.Context, p EnableServerParams) (ConfigPlace, error)
	ConfigPlace(ctx context.Context, p ConfigPlaceParams) (ConfigPlace, error)
	Doctor(ctx context.Context, p DoctorParams) (DoctorResult, error)

	// Close ends the session. Calls under way are cancelled, questions withdrawn.
	Close()
}

// A Change waits for a change of a server's life. It returns the server once that is ready, failed
// or stopped, or the error of ctx, which bounds only the wait.
type Change func(ctx context.Context) (Server, error)

// Call is one MCP request of an editor.
type Call struct {
	Server   string
	Method   string                       // MCP's, without "mcp/"
	Params   json.RawMessage              // nil when absent
	Timeout  time.Duration                // without any sign of life; 0 means the default
	Progress func(params json.RawMessage) // each notifications/progress, in order; nil when nobody listens
	Cause    Cause
	Bound    []string // the names of the arguments that the configuration has added

	// Capabilities is what the editor can answer for this call; nil for what it declared.
	Capabilities *Capabilities

	// Answered is closed once nothing can overtake the answer to the call; the editor's end does not
	// close it. It is nil for [Attachment.Begin].
	Answered <-chan struct{}
}

// Bound is the value that the configuration binds to an argument of a tool.
type Bound struct {
	Text    string
	Place   bool // Text is the path of a file or a folder: an argument that wants a URI gets that URI
	Pattern bool // the rule is for a pattern of names: it fills in only what the schema of the tool has
}

// Context is where the user is in the editor. Commands fill arguments from it.
type Context struct {
	TextDocument *TextDocument `json:"textDocument,omitempty"`
	Range        *Range        `json:"range,omitempty"`
	SelectedText *string       `json:"selectedText,omitempty"`
	LanguageID   string        `json:"languageId,omitempty"`
}

// TextDocument names a document.
type TextDocument struct {
	URI string `json:"uri"`
}

// Range is LSP's, lines and characters from 0.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is LSP's.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}
