package mcpclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// gaveUp is the error of a wait that ctx ended.
func gaveUp(ctx context.Context, doing string) *wire.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return wire.Errorf(wire.KindTimeout, "", "%s took too long", doing)
	}
	return wire.Errorf(wire.KindCancelled, "", "%s was cancelled", doing)
}

// notReady is the error of a call to a server that takes none. reason may be nil. Editors get the
// same words for a server that has no client yet. Where the user has to sign in first, every call
// says so.
func notReady(name string, state State, reason *wire.Error) *wire.Error {
	if reason != nil && reason.Kind == wire.KindSignInNeeded {
		return wire.Errorf(wire.KindSignInNeeded, reason.Detail, "%s", reason.Message)
	}
	message := fmt.Sprintf("server %q is not ready (%s)", name, state)
	switch {
	case reason != nil && state == StateRestarting:
		message = wording.Adding(wording.OfServer(name, reason.Message), ", and is started again")
	case reason != nil:
		message = wording.OfServer(name, reason.Message)
	case state == StateStopped:
		message += "; start it first"
	default:
		message += "; try again in a moment"
	}
	return &wire.Error{Kind: wire.KindNotReady, Detail: string(state), Message: message}
}
