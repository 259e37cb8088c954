package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// Kind classifies the daemon's own errors.
//
//protocolgen:type ErrorKind
type Kind string

// The kinds and, with [Kind.Code], their codes.
const (
	KindServerNotFound         Kind = "serverNotFound"         // no such server in this workspace
	KindServerNotReady         Kind = "serverNotReady"         // `detail` is its state
	KindServerGone             Kind = "serverGone"             // it ended during the call, or could not be reached; the call is not repeated
	KindTimeout                Kind = "timeout"                // no sign of life within the limit; the server was told
	KindCancelled              Kind = "cancelled"              // by the editor
	KindCapabilityNotSupported Kind = "capabilityNotSupported" // the server did not declare it
	KindTooLarge               Kind = "tooLarge"               // the answer was over the frame limit (64 MiB), or over the memory that was left for it
	KindInvalidParams          Kind = "invalidParams"          // `detail` names the member
	KindInvalidResult          Kind = "invalidResult"          // the server's answer is not what MCP allows, or is nested more than 500 deep
	KindHTTP                   Kind = "httpError"              // the endpoint refused the request; `detail` is the status code
	KindSignInNeeded           Kind = "signInNeeded"           // the user has to sign in; `detail` has the scopes that are missing, separated by spaces, where that is why
	KindSignInFailed           Kind = "signInFailed"           // the sign-in was refused, or its answer does not fit; nothing has changed
	KindNotAllowed             Kind = "notAllowed"             // an agent may not do this; `detail` says why: `never`, `ask` (nobody can be asked now), `denied` (a person said no), `changed` (a person has to see the tool first) or `agent` (no agent may)
	KindBusy                   Kind = "busy"                   // 1024 requests of this editor are under way, what waits for it uses up its memory, or 1024 other editors are attached
	KindInternal               Kind = "internal"               // a bug; the log has its stack
)

// Error is the `data` of the daemon's own errors. Their message is one sentence that the user can
// act on.
//
//protocolgen:type ErrorData
type Error struct {
	Kind    Kind   `json:"kind"`
	Server  string `json:"server,omitempty"` // the server that it is about
	Detail  string `json:"detail,omitempty"` // more, depending on the kind
	Message string `json:"-"`
}

func (e *Error) Error() string { return e.Message }

// Code returns the code of JSON-RPC or LSP that goes with k.
func (k Kind) Code() int32 {
	switch k {
	case KindServerNotFound, KindInvalidParams:
		return -32602 // InvalidParams
	case KindCancelled:
		return -32800 // RequestCancelled
	case KindInternal:
		return -32603 // InternalError
	default:
		return -32803 // RequestFailed
	}
}

// errorf makes an [Error]; detail may be empty.
func errorf(kind Kind, detail, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: detail, Message: fmt.Sprintf(format, args...)}
}

// invalidMember is the error for a member of params; format continues after its name.
func invalidMember(member, format string, args ...any) *Error {
	return errorf(KindInvalidParams, member, "the member %q %s", member, fmt.Sprintf(format, args...))
}

// NotReady is the error for a server that cannot be called in its state: of [KindSignInNeeded] when the
// user has to sign in first, else of [KindServerNotReady].
func NotReady(server Server) *Error {
	if server.State == ServerNeedsSignIn && server.Error != nil {
		return &Error{Kind: KindSignInNeeded, Server: server.Name, Message: server.Error.Message}
	}
	message := fmt.Sprintf("server %q is not ready (%s)", server.Name, server.State)
	switch {
	case server.RunBy != "":
		message = fmt.Sprintf("server %q is run by %s itself; call it there, or let all your editors share it: move it from %s to your own mcp.json", server.Name, server.RunBy, fileuri.Shown(server.Source))
	case server.Error != nil && server.State == ServerRestarting:
		message = wording.Adding(wording.OfServer(server.Name, server.Error.Message), ", and is started again")
	case server.Error != nil:
		message = wording.OfServer(server.Name, server.Error.Message)
	case server.State == ServerDisabled:
		message += "; enable it in " + fileuri.Shown(server.Source)
	case server.State == ServerNeedsApproval:
		message += "; to allow it, run: " + AllowCommand(server.Name)
	case server.State == ServerStopped:
		message += "; start it first"
	default:
		message += "; try again in a moment"
	}
	return &Error{Kind: KindServerNotReady, Server: server.Name, Detail: string(server.State), Message: message}
}

// AllowCommand returns what you type in a terminal to decide on a server.
func AllowCommand(server string) string {
	return "mcp-editord approvals allow " + safetext.ShellWord(server)
}

// RPCError is a JSON-RPC error that an editor or a server answered, on its way to the other one.
type RPCError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"` // valid JSON; nil for none
}

func (e *RPCError) Error() string { return e.Message }

// Codes of JSON-RPC and LSP.
const (
	CodeMethodNotFound   = int64(jsonrpc2.MethodNotFound)
	CodeInvalidParams    = int64(jsonrpc2.InvalidParams)
	CodeRequestCancelled = -32800
)

// invalidRequest is the answer to what JSON-RPC or the lifecycle of LSP forbids.
func invalidRequest(format string, args ...any) error {
	return &RPCError{Code: int64(jsonrpc2.InvalidRequest), Message: fmt.Sprintf(format, args...)}
}

// wireError returns err as the peer gets it.
func wireError(err error, log *zap.Logger) *RPCError {
	err = peerError(err, log)
	if rpc, ok := errors.AsType[*RPCError](err); ok {
		return &RPCError{rpc.Code, strings.ToValidUTF8(rpc.Message, "\ufffd"), rpc.Data}
	}
	own, _ := errors.AsType[*Error](err)
	message := safetext.Line(own.Message, math.MaxInt) // it quotes names that others chose
	return &RPCError{int64(own.Kind.Code()), message, encodeOwn(own)}
}

// peerError returns the error that a peer may learn of: one that is an [*Error] or an [*RPCError]. Any
// other is a bug somewhere: it is logged, and the peer learns no more than that, because nobody has checked
// what its text may give away.
func peerError(err error, log *zap.Logger) error {
	switch {
	case errors.As(err, new(*RPCError)), errors.As(err, new(*Error)):
		return err
	case errors.Is(err, context.Canceled):
		return errorf(KindCancelled, "", "the request was cancelled")
	}
	log.Error("a request failed with an error that is not for editors", zap.Error(err))
	return errorf(KindInternal, "", "mcp-editord made a mistake with this request; its log file has the details")
}
