package mcpclient

import (
	"context"
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A Host is whoever holds a [Client] and answers for its users. Its methods are
// called concurrently, except that Notification and StatusChanged are each
// called in order.
type Host interface {
	// Request answers a request of the server. ctx ends when the server withdraws the
	// request or the connection ends. The result is an object. An error of [wire.KindRPC] is
	// sent as it is, any other error as -32603. Request returns soon after the end of ctx:
	// stopping waits for it.
	Request(ctx context.Context, ask Ask) (json.RawMessage, error)

	// Notification takes a notification of the server that is not about a call
	// (progress and cancelled are). It must not block.
	Notification(method string, params json.RawMessage)

	// StatusChanged tells every change of the status. It must not block, and must call nothing
	// of the Client but [Client.Declare] and [Client.Renew].
	StatusChanged(Status)

	// CatalogChanged tells that the lists of these kinds have been read again
	// and differ from before. It must not block.
	CatalogChanged(kinds []wire.ListKind)

	// SubscriptionEnded tells that the server no longer watches a resource. Its
	// subscribers have left, and the next [Client.Subscribe] asks the server again.
	// reason is for the user to read. It must not block and must not call back into
	// the Client.
	SubscriptionEnded(uri, reason string)

	// LogGrew tells that the log of the server has new lines. It may be called very often.
	// It must not block and must not call back into the Client.
	LogGrew()
}

// An Ask is a request of the server: roots/list, or one whose capability the server was told.
type Ask struct {
	Method string
	Params json.RawMessage
	Key    string // of the request among the inputRequests of a result; "" when it is a request of its own

	// Told is what the server knows of its client, MCP's ClientCapabilities: what it was told
	// when it was initialized or, at 2026-07-28, by the call that needs the answer.
	Told json.RawMessage

	// Owners are the [Call.Owner] of the calls under way, in the order in which they began;
	// those that name nobody are left out.
	Owners []Owner
}
