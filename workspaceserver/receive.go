package workspaceserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The protocol versions between which something changes.
const (
	lastWithInitialize = "2025-11-25"
	firstWithMRTR      = "2026-07-28"
)

// clientRequest is what every request says about the client that sent it.
type clientRequest interface {
	mcp.Request
	ProtocolVersion() string
	ClientCapabilities() *mcp.ClientCapabilities
}

// receive is the middleware for every request. A panic ends its
// request, not the server; its stack goes to stderr.
func (s *server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				slog.ErrorContext(ctx, "a request panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				result, err = nil, internalError("%s failed because of a bug in the server", method)
			}
		}()
		result, err = s.handle(ctx, next, method, req)
		if err == nil {
			return result, nil
		}
		if !errors.As(err, new(*jsonrpc.Error)) { // the SDK would send it with the code 0
			err = internalError("%v", err)
		}
		return nil, err
	}
}

// handle adapts the SDK's handling of a request to the client that sends it.
func (s *server) handle(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request) (mcp.Result, error) {
	switch req := req.(type) {
	case *mcp.ServerRequest[*mcp.InitializeParams]:
		// The SDK answers with the last version that has initialize, but then goes
		// by the requested version and takes the client for one of the later era.
		if req.Params.ProtocolVersion >= firstWithMRTR {
			req.Params.ProtocolVersion = lastWithInitialize
		}
	case *mcp.CallToolRequest:
		if !offered(req.Params.Name, req) {
			return nil, invalidParams("unknown tool %q", req.Params.Name)
		}
		if string(req.Params.Arguments) == "null" {
			req.Params.Arguments = nil // null panics in the SDK, which puts defaults into it
		}
	}
	result, err := next(ctx, method, req)
	if err != nil {
		return nil, err
	}
	switch req := req.(type) {
	case *mcp.ListToolsRequest:
		list := result.(*mcp.ListToolsResult)
		list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return !offered(t.Name, req) })
	case *mcp.ListResourcesRequest:
		list := result.(*mcp.ListResourcesResult)
		if list.Resources, err = s.topResources(ctx, req); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// offered reports whether the client can answer what the tool asks it.
func offered(tool string, req clientRequest) bool {
	can := req.ClientCapabilities()
	switch tool {
	case askUserName:
		// Without a mode, elicitation means forms (MCP 2025-11-25, Elicitation, Capabilities).
		return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
	case askModelName:
		return can != nil && can.Sampling != nil
	}
	return true
}

func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func internalError(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf(format, args...)}
}
