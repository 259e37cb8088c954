package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

func (a *app) rootsCommand() *cobra.Command {
	return a.inWorkspace(&cobra.Command{
		Use:               "roots [SERVER]",
		Short:             "List the roots of one or all servers, without starting any",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.complete(nil, serverNames),
	}, func(ctx context.Context, s *session, args []string) error {
		if len(args) > 0 {
			return s.printRoots(ctx, args, true)
		}
		servers, err := s.servers(ctx)
		if err != nil {
			return err
		}
		var names []string
		for _, server := range servers {
			if server.State != editorapi.ServerDisabled && server.State != editorapi.ServerNeedsApproval {
				names = append(names, server.Name)
			}
		}
		return s.printRoots(ctx, names, false)
	})
}

// printRoots prints the roots of servers. With --json it prints MCP's ListRootsResult for a single
// server, or else an object of these results by server.
func (s *session) printRoots(ctx context.Context, names []string, single bool) error {
	all := json.RawMessage("{}")
	t := &table{}
	t.row("SERVER", "NAME", "ROOT")
	for _, name := range names {
		result, err := s.client.Roots(ctx, name)
		if err != nil {
			return err
		}
		if single {
			all = result
		} else {
			all = rawjson.Set(all, name, result)
		}
		for root := range rawjson.Elements(rawjson.Get(result, "roots")) {
			t.row(name, rawjson.String(root, "name"), fileuri.Shown(rawjson.String(root, "uri")))
		}
	}
	if s.json {
		return s.printRaw(all)
	}
	return t.write(s.stdout, "")
}
