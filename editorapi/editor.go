package editorapi

import (
	"context"
	"encoding/json"
	"errors"
)

// An Editor is the backend's way to reach one attached editor. It is safe for
// concurrent use. What an editor that has gone would be told is dropped; what it
// would be asked fails with [ErrEditorGone].
type Editor interface {
	// What is news waits for an editor that is slow to read: that is how it is told no
	// more than it can take.

	// ServerChanged tells how a server is now.
	ServerChanged(server Server)
	// ServerRemoved tells that a server is no longer defined.
	ServerRemoved(server string)
	// CatalogChanged tells that commands may have come or gone: they are registered
	// anew, debounced. The editor itself is told only if there are kinds.
	CatalogChanged(server string, kinds []string)
	// SubscriptionEnded tells that no more updates of a resource come. reason is safe to show.
	SubscriptionEnded(server, uri, reason string)
	// ServerLogged brings new lines of a log.
	ServerLogged(ServerLogged)

	// What is a notice is sent at once. An editor for which too much of it waits has
	// stopped reading, and is disconnected.

	// Diagnostics tells all that is wrong in a file, in the place of what was told of it
	// before.
	Diagnostics(uri string, list []Diagnostic)
	// ShowMessage shows one line of text.
	ShowMessage(severity Severity, text string)

	// Relay passes on a notification of a server. It does not block: what an editor that
	// does not keep up is not sent fails with [ErrLeftOut], and costs next to nothing.
	// subscribed is which subscriptions of this editor an update of a resource is for; nil
	// for all else. An editor gets what is relayed to it in the order of the calls.
	Relay(n *Notification, subscribed []string) error

	// A question waits for its answer, however long the person takes. When ctx ends
	// first it is withdrawn, and fails with ctx's error. An error that the editor
	// answered is an [*RPCError].

	// Sample has the editor's model answer, and returns MCP's CreateMessageResult.
	Sample(ctx context.Context, q Question) (json.RawMessage, error)
	// Elicit asks the person, and returns MCP's ElicitResult.
	Elicit(ctx context.Context, q Question) (json.RawMessage, error)
	// Approve asks the person whether a server may run, in a message box where the
	// editor did not declare approval. Closing the question is [DecisionLater].
	Approve(ctx context.Context, params ApproveParams) (Decision, error)
}

// ErrLeftOut is returned by [Editor.Relay] for a notification that was not sent,
// because too much waits for the editor already.
var ErrLeftOut = errors.New("the editor does not keep up")

// ErrEditorGone is returned by the methods of an [Editor] that has gone.
var ErrEditorGone = errors.New("the editor is gone")

// Severity is LSP's MessageType, and its DiagnosticSeverity.
type Severity int

// The severities of messages and diagnostics.
const (
	SeverityError   Severity = 1
	SeverityWarning Severity = 2
	SeverityInfo    Severity = 3
)

// Diagnostic says what is wrong at one place of a file.
type Diagnostic struct {
	Line, Column int // from 1; 0 for the file as a whole
	Severity     Severity
	Message      string // any text: it is made safe to show, and cut
}
