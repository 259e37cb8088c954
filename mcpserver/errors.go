package mcpserver

import (
	"encoding/json"
	"errors"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// outcomeOf returns what a call ends with, as the agent gets it. A server's error stays as it is. The
// daemon's own are results of tools/call, since models read these: "Any errors that originate from the
// tool SHOULD be reported inside the result object, with isError set to true, not as an MCP
// protocol-level error response. Otherwise, the LLM would not be able to see that an error occurred and
// self-correct" (MCP 2025-11-25, schema, CallToolResult). For all else they are JSON-RPC errors.
func (s *session) outcomeOf(c *call, result json.RawMessage, err error) outcome {
	var answered *wire.Error
	var theirs *editorapi.RPCError
	switch {
	case err == nil && c.modern:
		return outcome{result: completed(result)}
	case err == nil:
		return outcome{result: result}
	case errors.As(err, &answered):
		return outcome{err: inEra(c, *answered)}
	case errors.As(err, &theirs):
		return outcome{err: inEra(c, wire.Error{Kind: wire.KindRPC, Code: theirs.Code, Message: theirs.Message, Data: theirs.Data})}
	}
	own := ownError(err)
	if c.method == wire.MethodCallTool {
		return outcome{result: failed(own, c.modern)}
	}
	code := int64(wire.CodeInternalError)
	if own.Kind.Code() == wire.CodeInvalidParams {
		code = wire.CodeInvalidParams
	}
	e := wire.RPCErrorf(code, "%s", own.Message)
	e.Data, _ = json.Marshal(own) // strings
	return outcome{err: e}
}

// inEra returns an error with the code that the era of c has for it. "Implementations of this protocol
// version MUST NOT emit these codes: -32002 — resource not found (2025-11-25 and earlier; replaced by
// -32602)" (MCP 2026-07-28, Overview, Error Codes).
func inEra(c *call, e wire.Error) *wire.Error {
	if c.modern && e.Code == codeResourceNotFound && c.method == wire.MethodReadResource {
		e.Code = wire.CodeInvalidParams
	}
	return &e
}

// ownError returns err as an error of the daemon.
func ownError(err error) *editorapi.Error {
	var own *editorapi.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, editorapi.ErrDaemonGone):
		return &editorapi.Error{Kind: editorapi.KindServerGone, Message: "the daemon of mcp-editord ended during the call, which may have had an effect; it is not repeated"}
	default:
		return &editorapi.Error{Kind: editorapi.KindInternal, Message: err.Error()}
	}
}

// failed returns a CallToolResult that says why a call failed.
func failed(e *editorapi.Error, modern bool) json.RawMessage {
	text := rawjson.Set(rawjson.Set(nil, "type", []byte(`"text"`)), "text", rawjson.Quote(e.Message))
	result := rawjson.Set(rawjson.Set(nil, "content", array([]json.RawMessage{text})), "isError", []byte("true"))
	if modern {
		result = completed(result)
	}
	return result
}

// answeredBy reports whether err is an answer of the daemon or of a server.
func answeredBy(err error) bool {
	var own *editorapi.Error
	var theirs *editorapi.RPCError
	return errors.As(err, &own) || errors.As(err, &theirs)
}
