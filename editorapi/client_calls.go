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

// Call sends any MCP request; method is MCP's. The result is the server's, byte for byte. The params go
// to the server without the white space between their tokens. progress is called with how far it is,
// under the rules of [ClientOptions.Message]; nil when nobody looks.
func (c *Client) Call(ctx context.Context, method string, r MCPRequest, progress func(WorkDone)) (json.RawMessage, error) {
	if progress != nil {
		token := strconv.FormatInt(c.lastToken.Add(1), 10)
		c.progress.Store(token, progress)
		defer c.progress.Delete(token)
		r.WorkDoneToken = rawjson.Quote(token)
	}
	return c.ask(ctx, mcpPrefix+method, r, nil)
}

// CallParams returns MCP's params of tools/call and prompts/get.
func CallParams(name string, arguments json.RawMessage) json.RawMessage {
	return rawjson.Set(rawjson.Set(nil, "name", rawjson.Quote(name)), "arguments", arguments)
}

// CallNamed is Call without progress. named gets the id of the request before it is sent: [Cause]
// names a request by its id.
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
	var p foldersParams
	p.Event.Added, p.Event.Removed = folders, c.open // all of them, so that the order is that of folders
	if err := c.peer.notify(protocol.MethodWorkspaceDidChangeWorkspaceFolders, p, notice); err != nil {
		return err
	}
	c.open = slices.Clone(folders)
	return nil
}

// Call calls a method of the daemon.
func (m requestToDaemon[P, R]) Call(ctx context.Context, c *Client, params P) (answer Answer[R], err error) {
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
	if answered, ok := errors.AsType[*RPCError](err); ok {
		own := Error{Message: answered.Message}
		// A server's own error may have a kind too.
		if decode(answered.Data, &own, "") == nil && own.Kind != "" && answered.Code == int64(own.Kind.Code()) {
			return nil, &own
		}
	}
	return result, err
}

// progressed handles a $/progress.
func (c *Client) progressed(params json.RawMessage) {
	var p progressParams
	if decode(params, &p, "") != nil {
		return
	}
	if progress, ok := c.progress.Load(rawjson.String(params, "token")); ok {
		progress.(func(WorkDone))(p.Value)
	}
}
