package editorapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// Kind classifies the daemon's own errors (editor protocol, section 6).
type Kind string

// The kinds and, with [Kind.Code], their codes.
const (
	KindServerNotFound         Kind = "serverNotFound"
	KindServerNotReady         Kind = "serverNotReady"
	KindServerGone             Kind = "serverGone"
	KindTimeout                Kind = "timeout"
	KindCancelled              Kind = "cancelled"
	KindCapabilityNotSupported Kind = "capabilityNotSupported"
	KindTooLarge               Kind = "tooLarge"
	KindInvalidParams          Kind = "invalidParams"
	KindInvalidResult          Kind = "invalidResult" // what the server answered is not what MCP allows
	KindHTTP                   Kind = "httpError"     // the server's endpoint refused the request; detail is the status
	KindBusy                   Kind = "busy"          // too many requests are under way
	KindInternal               Kind = "internal"
)

// Error is an error of the daemon's own. Message is one sentence that a person can act on.
type Error struct {
	Kind    Kind   `json:"kind"`
	Server  string `json:"server,omitempty"`
	Detail  string `json:"detail,omitempty"`
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

// invalidRequest is the answer to what JSON-RPC or the lifecycle of LSP forbids.
func invalidRequest(format string, args ...any) *jsonrpc2.Error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, format, args...)
}

// wireError returns err as the editor gets it. What is neither an [*Error] nor a
// *jsonrpc2.Error is a bug somewhere: it is logged, and the editor is told no more
// than that, because nobody has looked at what such a text may give away.
func wireError(err error, log *zap.Logger) *jsonrpc2.Error {
	var rpc *jsonrpc2.Error
	if errors.As(err, &rpc) {
		if message := strings.ToValidUTF8(rpc.Message, "\ufffd"); message != rpc.Message {
			return &jsonrpc2.Error{Code: rpc.Code, Message: message, Data: rpc.Data}
		}
		return rpc
	}
	var own *Error
	if !errors.As(err, &own) {
		if errors.Is(err, context.Canceled) {
			own = errorf(KindCancelled, "", "the request was cancelled")
		} else {
			log.Error("a request failed with an error that is not for editors", zap.Error(err))
			own = errorf(KindInternal, "", "mcp-editord made a mistake with this request; its log file has the details")
		}
	}
	return &jsonrpc2.Error{
		Code:    jsonrpc2.Code(own.Kind.Code()),
		Message: safetext.Line(own.Message, math.MaxInt), // it quotes names that others chose
		Data:    encodeOwn(own),
	}
}
