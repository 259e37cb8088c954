package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Kind classifies an [Error].
type Kind string

// The kinds of errors. Those of the first group are failures of a call, those of
// the second reasons why a server is not running.
const (
	KindNotReady               Kind = "serverNotReady"         // the server is not in state ready
	KindGone                   Kind = "serverGone"             // it ended while the call was under way
	KindTimeout                Kind = "timeout"                // no answer and no sign of life within the limit
	KindCancelled              Kind = "cancelled"              // by the caller
	KindCapabilityNotSupported Kind = "capabilityNotSupported" // the server did not declare it; nothing was sent
	KindTooLarge               Kind = "tooLarge"               // the answer was over the frame limit
	KindInvalidParams          Kind = "invalidParams"          // the caller's params are not what MCP allows
	KindInvalidResult          Kind = "invalidResult"          // the server's answer is not what MCP allows
	KindHTTP                   Kind = "httpError"              // the endpoint refused the request; Detail is the status code

	KindSpawn        Kind = "spawn"        // the command cannot be run
	KindExit         Kind = "exit"         // the process ended by itself
	KindStartTimeout Kind = "startTimeout" // no handshake within the start budget
	KindNotMCP       Kind = "notMCP"       // what it writes is not MCP
	KindProtocol     Kind = "protocol"     // no common protocol version, or the handshake was refused
	KindUnresponsive Kind = "unresponsive" // it stopped reading or did not answer a ping
	KindUnreachable  Kind = "unreachable"  // there is no connection to the endpoint: its name, its port, its certificate
	KindUnauthorized Kind = "unauthorized" // the endpoint wants to know who we are: 401
	KindSessionLost  Kind = "sessionLost"  // the endpoint does not know the session any more, and has refused the request unread
)

// Error is every error that this package makes itself. Message is one sentence
// that a person can act on.
type Error struct {
	Kind    Kind
	Message string
	Detail  string   // what Kind needs to be exact: the state, the capability, the member; may be empty
	Stderr  []string // the last lines of the server's stderr where they explain it, at most 20

	// RetryAfter is for how long the endpoint does not want to be asked again; 0
	// when it did not say (RFC 9110, section 10.2.3).
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

// temporary tells whether the endpoint may take the same request later: 429 and 5xx
// say so, except for 501 (RFC 6585, section 4; RFC 9110, section 15.6).
func (e *Error) temporary() bool {
	status, _ := strconv.Atoi(e.Detail)
	return e.Kind == KindHTTP && (status == http.StatusTooManyRequests || status >= 500 && status != http.StatusNotImplemented)
}

func errorf(kind Kind, detail, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: detail, Message: fmt.Sprintf(format, args...)}
}

// asError returns err as an [*Error]: itself when it is one, else of this kind.
func asError(err error, kind Kind, format string, args ...any) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return errorf(kind, "", "%s: %v", fmt.Sprintf(format, args...), err)
}

// gaveUp is the error of a wait that ctx ended.
func gaveUp(ctx context.Context, doing string) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errorf(KindTimeout, "", "the time for %s is over", doing)
	}
	return errorf(KindCancelled, "", "%s was cancelled", doing)
}

// notReady is the error of a call to a server that takes none. reason may be nil.
func notReady(name string, state State, reason *Error) *Error {
	var advice string
	switch state {
	case StateStarting:
		advice = "is starting: wait until it is ready"
	case StateRestarting:
		advice = "has ended and is about to be started again"
		if reason != nil && (reason.Kind == KindUnreachable || reason.Kind == KindHTTP) {
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
	return errorf(KindNotReady, string(state), "server %q %s", name, advice)
}

// RPCError is an error that the server sent as the answer to a request, or that
// a [Host] wants sent to it. It passes through unchanged.
type RPCError struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil when absent
}

func (e *RPCError) Error() string { return e.Message }
