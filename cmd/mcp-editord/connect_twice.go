package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

// compare notes which servers the agents start a second time. The daemon says which servers there
// are and which file defines each; the files say what the servers are. It needs no daemon when the
// agents have no servers of their own. What keeps it from comparing is no reason to fail.
func (c *connecting) compare(cmd *cobra.Command, results []connected) {
	if !slices.ContainsFunc(results, func(r connected) bool { return r.agent.Others(c.getenv) }) {
		return
	}
	shared, err := c.shared(cmd)
	if err != nil {
		c.complain(fmt.Errorf("whether the agents start servers a second time is not known: %w", err))
		return
	}
	for i := range results {
		results[i].Twice = results[i].agent.Twice(c.getenv, shared)
	}
}

// shared returns the servers of the workspace that files define.
func (c *connecting) shared(cmd *cobra.Command) (shared []agentconfig.Shared, err error) {
	folders, err := workspaceFolders(cmd)
	if err != nil {
		return nil, err
	}
	err = c.attached(cmd.Context(), ipc.Connect, folders, false, func(ctx context.Context, s *session) error {
		servers, err := s.servers(ctx)
		for _, server := range servers {
			path, notFile := fileuri.ToPath(server.Source)
			if notFile == nil && server.State != editorapi.ServerDisabled {
				shared = append(shared, agentconfig.Shared{Name: server.Name, File: path})
			}
		}
		return err
	})
	return shared, err
}
