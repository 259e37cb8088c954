package daemon

import (
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/roots"
)

// This file notes what a server really used: for somebody who wonders why it works elsewhere than
// expected. What it points to is replaced as a whole.

// launches notes how the server is started.
func (c *connection) launches(command []string, cwd string) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.uses.Command, c.uses.Cwd = command, cwd
}

// tellsRoots notes that the server has asked for its roots, and gets these.
func (c *connection) tellsRoots(list []roots.Root) {
	told := &editorapi.RootsTold{URIs: []string{}, At: time.Now().UTC().Format(time.RFC3339)}
	for _, root := range list {
		told.URIs = append(told.URIs, root.URI)
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.uses.Roots = told
}

// binds notes which arguments of a call the configuration has added.
func (c *connection) binds(call editorapi.Call) {
	if len(call.Bound) == 0 {
		return
	}
	bound := &editorapi.BoundNames{Tool: rawjson.String(call.Params, "name"), Arguments: call.Bound}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.uses.Bound = bound
}
