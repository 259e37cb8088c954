package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

func (a *app) searchCommand() *cobra.Command {
	var all bool
	cmd := a.looking(&cobra.Command{
		Use:   "search WORD…",
		Short: "Look for servers in the registry",
		Long: `Look for servers in the registry whose names, titles or descriptions have all of these words; one of them is a part
of the name. Nobody has checked what publishers say there. To add one: mcp-editord add PUBLISHER/NAME`,
		Args: cobra.MinimumNArgs(1),
	}, func(ctx context.Context, s *session, args []string) error {
		params := editorapi.SearchServersParams{Words: args}
		found := editorapi.SearchServersResult{Servers: []editorapi.FoundServer{}}
		for {
			answer, err := editorapi.MethodSearchServers.Call(ctx, s.client, params)
			if err != nil {
				return err
			}
			page := answer.Value
			page.Servers = append(found.Servers, page.Servers...)
			found, params.Cursor = page, page.Next
			if page.Next == "" || !all && len(found.Servers) > 0 {
				break
			}
		}
		return s.printFound(found)
	})
	cmd.Flags().BoolVar(&all, "all", false, "also what the registry has on its next pages")
	return cmd
}

func (s *session) printFound(found editorapi.SearchServersResult) error {
	if s.json {
		return s.printJSON(found)
	}
	if found.Age > 0 {
		s.complain(fmt.Errorf("the registry does not answer now; this is what it said %s ago", time.Duration(found.Age)*time.Second))
	}
	if len(found.Servers) == 0 {
		return notFound("the registry %s has no such server; try a part of its name", found.Registry)
	}
	t := &table{}
	t.row("NAME", "VERSION", "RUNS AS", "DESCRIPTION")
	for _, server := range found.Servers {
		t.row(server.Name, server.Version, strings.Join(server.Kinds, ", "), firstLine(server.Description))
		if server.Deprecated != "" {
			t.note("deprecated: " + server.Deprecated)
		}
	}
	if err := t.write(s.stdout, ""); err != nil {
		return err
	}
	if found.Next != "" {
		s.complain(errors.New("there are more; add --all to see them"))
	}
	return nil
}
