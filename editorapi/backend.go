package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// A Backend is what stands behind the editors: the daemon.
type Backend interface {
	// Attach begins the session of an editor, when its initialize was read.
	// editor may be used from now on for notifications, and for requests after
	// [Attachment.Initialized].
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
	Trusted       *bool             // initializationOptions.trusted: whether the person trusts the folders; nil when absent
	Servers       json.RawMessage   // initializationOptions.servers; nil when absent
	AutoStart     bool              // initializationOptions.autoStart; true when absent

	// DynamicCommands tells that commands can be registered later. Without it the
	// editor learns of commands by the answer to initialize and never again.
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
	MCP         bool            // experimental.mcp is there at all
	Sampling    json.RawMessage // MCP's ClientCapabilities.sampling
	Elicitation json.RawMessage // MCP's ClientCapabilities.elicitation
	Extensions  json.RawMessage // MCP's ClientCapabilities.extensions
	Approval    bool            // it answers editord/approve
}

// An Editor is the backend's way to reach one attached editor. It is safe for
// concurrent use. Once the editor is gone every method fails with [ErrEditorGone].
type Editor interface {
	// Ask sends a request and waits for its answer, however long the person
	// takes. When ctx ends first the editor is sent $/cancelRequest and Ask
	// returns ctx's error. An error the editor answered is a *jsonrpc2.Error.
	Ask(ctx context.Context, method string, params any) (json.RawMessage, error)

	// Notify sends a notification. It does not block.
	Notify(method string, params any) error

	// Tell sends a notification when there is room for it: it waits for an editor that is slow to
	// read, which is how that is told no more than it can take.
	Tell(method string, params any) error

	// Relay sends a notification that a server sent. It does not block. An editor that
	// does not keep up is not sent all of them: [ErrLeftOut].
	Relay(method string, params any) error

	// Approve asks whether a server may run: by editord/approve if the editor
	// declared approval, else by window/showMessageRequest. Closing the question
	// is [DecisionLater].
	Approve(ctx context.Context, params ApproveParams) (Decision, error)

	// ShowMessage shows one line of text (window/showMessage).
	ShowMessage(severity Severity, text string) error

	// CatalogChanged tells that commands may have come or gone: they are
	// registered anew, debounced. The editor is sent editord/catalogChanged for
	// server and kinds, unless there are no kinds; that waits as [Editor.Tell] does.
	CatalogChanged(server string, kinds []string)
}

// Severity is LSP's MessageType.
type Severity int

// The severities of messages.
const (
	SeverityError   Severity = 1
	SeverityWarning Severity = 2
	SeverityInfo    Severity = 3
)

// ErrLeftOut is returned by [Editor.Relay] for a notification that was not sent,
// because too much waits for the editor already.
var ErrLeftOut = errors.New("the editor does not keep up")

// ErrEditorGone is returned by the methods of an [Editor] that has gone.
var ErrEditorGone = errors.New("the editor is gone")

// An Attachment is one editor's session with the backend. Its methods are called
// concurrently; ctx ends when the editor cancels the request or goes away.
// Errors that are an [*Error] go to the editor as they are; so do
// *jsonrpc2.Error; all others are [KindInternal] and logged.
type Attachment interface {
	// Initialized tells that the editor sent initialized: it may be asked now, but
	// not by Initialized itself, since nothing is read before it returns. The
	// same goes for ChangeFolders and Notify.
	Initialized()

	// ChangeFolders replaces the editor's folders. It does not wait for servers.
	ChangeFolders(folders []Folder)

	// Used tells that the person did something in this editor. The editor used
	// last is the one that is asked when a question belongs to no call.
	Used()

	// Call sends one MCP request: mcp/<method>.
	Call(ctx context.Context, call Call) (json.RawMessage, error)

	// Notify sends one MCP notification: mcp/notifications/…. It is called in the
	// order of the wire and does not wait for the server.
	Notify(ctx context.Context, server, method string, params json.RawMessage) error

	Servers() []Server
	// StartServer, StopServer, RestartServer and MuteServer note what is asked for and return at
	// once. They are called in the order of the wire, and what was asked last holds. A server that
	// is muted has everything refused at once that it asks, also what it asks now.
	StartServer(server string) Change
	StopServer(server string) Change
	RestartServer(server string) Change
	MuteServer(server string, muted bool) Change
	ApproveServer(ctx context.Context, server, digest string, decision Decision) (Server, error)
	Approvals() ([]Approval, error)
	RevokeApproval(digest string) error

	// Catalog returns what the ready servers offer, or that one; it does not wait for
	// servers that are not ready. Hidden tools are left out. The user's servers come
	// before those of a project.
	Catalog(ctx context.Context, server string) ([]ServerCatalog, error)

	// Bound returns the arguments that the configuration binds for a tool, with
	// the variables of ctx put in. Those whose variables have no value are left out.
	Bound(server, tool string, context *Context) map[string]string

	ServerLog(server string, lines int) ([]string, error)
	Roots(server string) (json.RawMessage, error)
	Status() Status

	// Close ends the session. Calls under way are cancelled, questions withdrawn.
	Close()
}

// A Change is what was asked of a server's life. It returns how the server is once that is
// ready, failed or stopped, or the error of ctx, which bounds only the wait.
type Change func(ctx context.Context) (Server, error)

// Call is one MCP request of an editor.
type Call struct {
	Server   string
	Method   string                       // MCP's, without "mcp/"
	Params   json.RawMessage              // nil when absent
	Timeout  time.Duration                // without any sign of life; 0 means the default
	Progress func(params json.RawMessage) // each notifications/progress, in order; nil when nobody listens
	Cause    Cause
}

// Cause names the request of the editor that led to a question.
type Cause struct {
	Command string          `json:"command,omitempty"` // when it was a command
	ID      json.RawMessage `json:"id"`                // the request's id, as the editor wrote it
}

// Context is where the person is: what commands fill arguments from.
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
