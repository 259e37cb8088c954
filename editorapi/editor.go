package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// An Editor is the backend's way to reach one attached editor. It is safe for
// concurrent use. Once the editor has gone, notifications are dropped and questions
// fail with [ErrEditorGone].
type Editor interface {
	// News waits for an editor that is slow to read, so the editor is told no more than it can
	// take.

	// ServerChanged tells the state of a server.
	ServerChanged(server Server)
	// ServerRemoved tells that a server is no longer defined.
	ServerRemoved(server string)
	// CatalogChanged says that commands may have come or gone: they are registered anew,
	// debounced. The editor is notified only if there are kinds.
	CatalogChanged(server string, kinds []string)
	// SubscriptionEnded tells that no more updates of a resource come. reason is safe to show.
	SubscriptionEnded(server, uri, reason string)
	// ServerLogged brings new lines of a log.
	ServerLogged(ServerLogged)

	// A notice is sent at once. An editor for which too many wait has stopped reading, and is
	// disconnected.

	// Diagnostics tells everything that is wrong in a file, and replaces what was told of it
	// before.
	Diagnostics(uri string, list []Diagnostic)
	// ShowMessage shows one line of text.
	ShowMessage(severity Severity, text string)

	// Relay passes on a notification of a server. It does not block. If the editor does not keep
	// up, Relay leaves n out and fails with [ErrLeftOut], at next to no cost. subscribed lists the
	// subscriptions of this editor that an update of a resource is for; nil for all else. The
	// editor gets notifications in the order of the calls.
	Relay(n *Notification, subscribed []string) error

	// A question waits for its answer, however long the user takes. If ctx ends first, the question
	// is withdrawn and fails with ctx's error. An error from the editor is an [*RPCError].

	// Sample has the editor's model answer, and returns MCP's CreateMessageResult.
	Sample(ctx context.Context, q Question) (json.RawMessage, error)
	// Elicit asks the user, and returns MCP's ElicitResult.
	Elicit(ctx context.Context, q Question) (json.RawMessage, error)
	// ListRoots asks for the roots that count for one of the editor's own calls, and returns MCP's
	// ListRootsResult.
	ListRoots(ctx context.Context, q Question) (json.RawMessage, error)
	// Visit has the user go to an address to sign in. It returns once the editor has it, and false if
	// the editor cannot open it; then the user has been shown it as text.
	Visit(ctx context.Context, v Visit) (opened bool, err error)
	// Approve asks the user whether a server may run, in a message box if the editor did not
	// declare approval. Closing the question is [DecisionLater].
	Approve(ctx context.Context, params ApproveParams) (Decision, error)
}

// Visit is an address at which the user signs in to a server.
type Visit struct {
	Server string
	SignIn SignIn
}

// ErrLeftOut is returned by [Editor.Relay] for a notification that was not sent,
// because too much waits for the editor already.
var ErrLeftOut = errors.New("the editor does not keep up")

// ErrEditorGone is returned by the methods of an [Editor] that has gone.
var ErrEditorGone = errors.New("the editor is gone")

// ErrEditorLeft is the [ErrEditorGone] of an editor that has ended its session in order. It may attach again, as a window does
// that reloads.
var ErrEditorLeft = fmt.Errorf("%w: its session was shut down", ErrEditorGone)

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
