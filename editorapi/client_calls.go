package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// What a [Client] asks the daemon. An error is the daemon's own ([*Error]), a server's
// ([*RPCError]), [ErrDaemonGone], or that of ctx. If ctx ends first, the request is cancelled.

// Answer is a result as the daemon sent it.
type Answer[R any] struct {
	Value R
	Raw   json.RawMessage // byte for byte, with members that this version does not know
}

// Servers returns the servers of the workspace.
func (c *Client) Servers(ctx context.Context) (Answer[ServersResult], error) {
	return methodServers.call(ctx, c, Nothing{})
}

// StartServer starts a server, and returns it once it is ready or has failed.
func (c *Client) StartServer(ctx context.Context, server string) (Server, error) {
	answer, err := methodStartServer.call(ctx, c, ServerParams{server})
	return answer.Value, err
}

// SignIn has the user sign in to a server, and waits until it is ready or has failed.
func (c *Client) SignIn(ctx context.Context, server string) (Server, error) {
	answer, err := methodSignIn.call(ctx, c, ServerParams{server})
	return answer.Value, err
}

// FinishSignIn hands over what the browser ended with.
func (c *Client) FinishSignIn(ctx context.Context, server, response string) error {
	_, err := methodFinishSignIn.call(ctx, c, FinishSignInParams{Server: server, Response: response})
	return err
}

// SignOut forgets what the daemon keeps from signing in to a server.
func (c *Client) SignOut(ctx context.Context, server string) (Server, error) {
	answer, err := methodSignOut.call(ctx, c, ServerParams{server})
	return answer.Value, err
}

// ApproveServer decides whether a server may run.
func (c *Client) ApproveServer(ctx context.Context, p ApproveServerParams) (Server, error) {
	answer, err := methodApproveServer.call(ctx, c, p)
	return answer.Value, err
}

// Approvals returns the decisions that are remembered.
func (c *Client) Approvals(ctx context.Context) (Answer[ApprovalsResult], error) {
	return methodApprovals.call(ctx, c, Nothing{})
}

// RevokeApproval forgets the decision on a definition.
func (c *Client) RevokeApproval(ctx context.Context, digest string) error {
	_, err := methodRevokeApproval.call(ctx, c, RevokeParams{digest})
	return err
}

// Catalog returns what servers offer.
func (c *Client) Catalog(ctx context.Context, p CatalogParams) (Answer[CatalogResult], error) {
	return methodCatalog.call(ctx, c, p)
}

// ServerLog returns lines of the log of a server.
func (c *Client) ServerLog(ctx context.Context, p ServerLogParams) (Answer[ServerLogResult], error) {
	return methodServerLog.call(ctx, c, p)
}

// Status returns the state of the daemon.
func (c *Client) Status(ctx context.Context) (Answer[Status], error) {
	return methodStatus.call(ctx, c, Nothing{})
}

// ListTools returns MCP's ListToolsResult, with all pages joined.
func (c *Client) ListTools(ctx context.Context, server string) (json.RawMessage, error) {
	return c.Call(ctx, "tools/list", MCPRequest{Server: server})
}

// ListPrompts returns MCP's ListPromptsResult, with all pages joined.
func (c *Client) ListPrompts(ctx context.Context, server string) (json.RawMessage, error) {
	return c.Call(ctx, "prompts/list", MCPRequest{Server: server})
}

// Roots returns MCP's ListRootsResult: the roots that a server is told.
func (c *Client) Roots(ctx context.Context, server string) (json.RawMessage, error) {
	return c.Call(ctx, "roots/list", MCPRequest{Server: server})
}

// CallTool calls a tool and returns MCP's CallToolResult. progress is called with how far it is,
// under the rules of [ClientOptions.Message]; nil when nobody looks.
func (c *Client) CallTool(ctx context.Context, server, name string, arguments json.RawMessage, progress func(WorkDone)) (json.RawMessage, error) {
	return c.callNamed(ctx, "tools/call", server, name, arguments, progress)
}

// GetPrompt returns MCP's GetPromptResult. progress is as with CallTool.
func (c *Client) GetPrompt(ctx context.Context, server, name string, arguments json.RawMessage, progress func(WorkDone)) (json.RawMessage, error) {
	return c.callNamed(ctx, "prompts/get", server, name, arguments, progress)
}

// callNamed sends an MCP request about a tool or prompt, and hands its progress on.
func (c *Client) callNamed(ctx context.Context, method, server, name string, arguments json.RawMessage, progress func(WorkDone)) (json.RawMessage, error) {
	r := MCPRequest{Server: server, Params: rawjson.Set(rawjson.Set(nil, "name", rawjson.Quote(name)), "arguments", arguments)}
	if progress != nil {
		token, forget := c.newToken(progress)
		defer forget()
		r.WorkDoneToken = rawjson.Quote(token)
	}
	return c.Call(ctx, method, r)
}

// Call sends any MCP request; method is MCP's. The result is the server's, byte for byte. The params go
// to the server without the white space between their tokens.
func (c *Client) Call(ctx context.Context, method string, r MCPRequest) (json.RawMessage, error) {
	return c.ask(ctx, mcpPrefix+method, r, nil)
}

// CallNamed is Call. named gets the id of the request before it is sent: [Cause] names a request by its id.
func (c *Client) CallNamed(ctx context.Context, method string, r MCPRequest, named func(id json.RawMessage)) (json.RawMessage, error) {
	return c.ask(ctx, mcpPrefix+method, r, named)
}

// Notify sends an MCP notification to a server; method is MCP's, such as notifications/x. It does not
// wait for the server, and nobody says whether the server got it.
func (c *Client) Notify(server, method string, params json.RawMessage) error {
	return c.peer.notify(mcpPrefix+method, MCPNotification{Server: server, Params: params}, notice)
}

// ChangeFolders replaces the folders of the client. It does not wait for the daemon.
func (c *Client) ChangeFolders(folders []Folder) error {
	c.folders.Lock()
	defer c.folders.Unlock()
	var p struct {
		Event struct {
			Added   []Folder `json:"added"`
			Removed []Folder `json:"removed"`
		} `json:"event"`
	}
	p.Event.Added, p.Event.Removed = folders, c.open // all of them, so that the order is that of folders
	if err := c.peer.notify(protocol.MethodWorkspaceDidChangeWorkspaceFolders, p, notice); err != nil {
		return err
	}
	c.open = slices.Clone(folders)
	return nil
}

// call calls a method of the daemon.
func (m requestToDaemon[P, R]) call(ctx context.Context, c *Client, params P) (answer Answer[R], err error) {
	if answer.Raw, err = c.ask(ctx, m.name, params, nil); err != nil {
		return answer, err
	}
	if err := decode(answer.Raw, &answer.Value, ""); err != nil {
		return answer, fmt.Errorf("reading the result of %s: %w", m.name, err)
	}
	return answer, nil
}

// ask sends a request and returns its result, or its error in its own type.
func (c *Client) ask(ctx context.Context, method string, params any, named func(id json.RawMessage)) (json.RawMessage, error) {
	result, err := c.peer.ask(ctx, method, params, named)
	var answered *RPCError
	if errors.As(err, &answered) {
		own := Error{Message: answered.Message}
		// A server's own error may have a kind too.
		if decode(answered.Data, &own, "") == nil && own.Kind != "" && answered.Code == int64(own.Kind.Code()) {
			return nil, &own
		}
	}
	return result, err
}

// newToken makes a token. progress is called for that token until forget is called.
func (c *Client) newToken(progress func(WorkDone)) (token string, forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastToken++
	token = strconv.Itoa(c.lastToken)
	c.progress[token] = progress
	return token, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.progress, token)
	}
}

// progressed handles a $/progress.
func (c *Client) progressed(params json.RawMessage) {
	var p progressParams
	if decode(params, &p, "") != nil {
		return
	}
	c.mu.Lock()
	progress := c.progress[rawjson.String(params, "token")]
	c.mu.Unlock()
	if progress != nil {
		progress(p.Value)
	}
}
