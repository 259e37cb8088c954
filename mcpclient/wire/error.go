package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Kind classifies an [Error].
type Kind string

// The kinds of errors. The first is the server's own, those of the second group are
// failures of a call, those of the third reasons why a server is not running.
const (
	KindRPC Kind = "rpc" // a JSON-RPC error, as the server sent it or is to get it

	KindNotReady               Kind = "serverNotReady"         // the server is not in state ready
	KindGone                   Kind = "serverGone"             // it ended while the call was under way
	KindTimeout                Kind = "timeout"                // no answer and no sign of life within the limit
	KindCancelled              Kind = "cancelled"              // by the caller
	KindCapabilityNotSupported Kind = "capabilityNotSupported" // the server did not declare it; nothing was sent
	KindTooLarge               Kind = "tooLarge"               // the answer was over the frame limit
	KindInvalidParams          Kind = "invalidParams"          // the caller's params are not what MCP allows
	KindInvalidResult          Kind = "invalidResult"          // the server's answer is not what MCP allows
	KindHTTP                   Kind = "httpError"              // the endpoint refused the request; Detail is the status code
	KindScope                  Kind = "insufficientScope"      // the access token does not allow it; Detail has the scopes that do, separated by spaces

	KindSpawn        Kind = "spawn"        // the command cannot be run
	KindExit         Kind = "exit"         // the process ended by itself
	KindStartTimeout Kind = "startTimeout" // no handshake within the start budget
	KindNotMCP       Kind = "notMCP"       // what it writes is not MCP
	KindProtocol     Kind = "protocol"     // no common protocol version, or the handshake was refused
	KindUnresponsive Kind = "unresponsive" // it stopped reading or did not answer a ping
	KindUnreachable  Kind = "unreachable"  // there is no connection to the endpoint: its name, its port, its certificate
	KindUnauthorized Kind = "unauthorized" // the endpoint requires authentication: 401
	KindSignInNeeded Kind = "signInNeeded" // the endpoint wants an access token, and only a person can get one: 401
	KindSessionLost  Kind = "sessionLost"  // the endpoint no longer knows the session, and has refused the request unread
)

// Error is every error that callers tell apart: by its Kind, see [KindOf]. Message is
// one sentence that the user can act on, or the server's own for [KindRPC].
type Error struct {
	Kind    Kind
	Message string
	Detail  string   // what Kind needs to be exact: the state, the capability, the member; may be empty
	Stderr  []string // the last lines of the server's stderr where they explain it, at most 20

	// RetryAfter is how long the endpoint does not want to be asked again; 0 when it did not
	// say (RFC 9110, section 10.2.3).
	RetryAfter time.Duration

	// Code and Data are those of [KindRPC]; Data is nil when absent.
	Code int64
	Data json.RawMessage
}

func (e *Error) Error() string { return e.Message }

// Temporary reports whether the endpoint may take the same request later: 429 and 5xx
// say so, except for 501 (RFC 6585, section 4; RFC 9110, section 15.6).
func (e *Error) Temporary() bool {
	status, _ := strconv.Atoi(e.Detail)
	return e.Kind == KindHTTP && (status == http.StatusTooManyRequests || status >= 500 && status != http.StatusNotImplemented)
}

// Errorf returns an error of a kind other than [KindRPC].
func Errorf(kind Kind, detail, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: detail, Message: fmt.Sprintf(format, args...)}
}

// RPCErrorf returns an error of [KindRPC] without data.
func RPCErrorf(code int64, format string, args ...any) *Error {
	return &Error{Kind: KindRPC, Code: code, Message: fmt.Sprintf(format, args...)}
}

// AsError returns err as an [*Error]: itself when it is one, else of this kind.
func AsError(err error, kind Kind, format string, args ...any) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Errorf(kind, "", "%s: %v", fmt.Sprintf(format, args...), err)
}

// AsRPC returns the error of [KindRPC] that err is, nil when it is none.
func AsRPC(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == KindRPC {
		return e
	}
	return nil
}

// Gone returns the error of a write to a wire that has ended because of failure.
func Gone(failure error) *Error {
	if e, ok := errors.AsType[*Error](failure); ok {
		return e
	}
	return Errorf(KindGone, "", "the connection to the server is closed")
}

// EndsWire reports whether a wire of HTTP that gives err to a request ends with it.
func EndsWire(err error) bool {
	switch KindOf(err) {
	case KindUnreachable, KindUnauthorized, KindSignInNeeded, KindSessionLost:
		return true
	default:
		return false
	}
}

// KindOf returns the kind of err, "" for nil and for any other error than an [Error].
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
