package mcpclient

import (
	"context"
	"errors"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// gaveUp is the error of a wait that ctx ended.
func gaveUp(ctx context.Context, doing string) *wire.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return wire.Errorf(wire.KindTimeout, "", "the time for %s is over", doing)
	}
	return wire.Errorf(wire.KindCancelled, "", "%s was cancelled", doing)
}

// notReady is the error of a call to a server that takes none. reason may be nil.
func notReady(name string, state State, reason *wire.Error) *wire.Error {
	var advice string
	switch state {
	case StateStarting:
		advice = "is starting: wait until it is ready"
	case StateRestarting:
		advice = "has ended and is about to be started again"
		if reason != nil && (reason.Kind == wire.KindUnreachable || reason.Kind == wire.KindHTTP) {
			advice = "is out of reach and is tried again"
		}
	case StateFailed:
		advice = "has failed: restart it when the reason is mended"
	default:
		advice = "is stopped: start it first"
	}
	if reason != nil {
		advice += " (" + reason.Message + ")"
	}
	return wire.Errorf(wire.KindNotReady, string(state), "server %q %s", name, advice)
}
