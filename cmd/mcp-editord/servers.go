package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

func (a *app) serversCommand() *cobra.Command {
	return a.looking(&cobra.Command{
		Use:   "servers",
		Short: "List the servers of the workspace, without starting any",
	}, func(ctx context.Context, s *session, _ []string) error {
		servers, err := editorapi.MethodServers.Call(ctx, s.client, editorapi.Nothing{})
		if err != nil {
			return err
		}
		if s.json {
			return s.printRaw(servers.Raw)
		}
		status, err := editorapi.MethodStatus.Call(ctx, s.client, editorapi.Nothing{})
		if err != nil {
			return err
		}
		t := &table{}
		t.row("NAME", "STATE", "TRANSPORT", "SCOPE", "SOURCE")
		for _, server := range servers.Value.Servers {
			t.server(server)
			if server.State == editorapi.ServerStopped {
				t.elsewhere(server, status.Value)
			}
		}
		return t.write(s.stdout, "")
	})
}

// server adds the row of a server, with notes about it below.
func (t *table) server(server editorapi.Server) {
	t.row(server.Name, string(server.State), string(server.Transport), string(server.Scope), fileuri.Shown(server.Source))
	if server.Error != nil {
		t.note(server.Error.Message)
		for _, line := range server.Error.Stderr {
			t.note("| " + line)
		}
	} else if server.WaitsFor == editorapi.WaitInput {
		t.note("waits for an answer to the question that an editor shows")
	} else if server.Approval != nil {
		t.note(allowHint(server.Name))
	}
	if held := server.Held; held != nil {
		t.note(fmt.Sprintf("agents do not get %s; to see how and decide: %s", changedTools(len(held.Tools)), editorapi.AllowCommand(server.Name)))
	}
	command := editorapi.SignInCommand(server.Name)
	switch { // unless its error has said so
	case server.State == editorapi.ServerNeedsSignIn && (server.Error == nil || !strings.Contains(server.Error.Message, command)):
		t.note("to sign in: " + command)
	case server.SignedIn != nil && len(server.SignedIn.Wanted) > 0:
		t.note("has refused a request that needs " + strings.Join(server.SignedIn.Wanted, " ") + "; to sign in again with that: " + command)
	}
	t.note(strings.Join(server.Problems, "\n"))
	for _, other := range server.Shadowed {
		t.note("ignored: another server of this name in " + fileuri.Shown(other))
	}
}

// troubles notes why a server does not run, and what is wrong with it although it may.
func (t *table) troubles(server editorapi.Server) {
	if server.Error != nil {
		t.note(server.Error.Message)
	}
	t.note(strings.Join(server.Problems, "\n"))
}

// elsewhere notes that a server runs for an editor although it does not run for the terminal: an
// editor that can answer other questions has a process of its own.
func (t *table) elsewhere(server editorapi.Server, status editorapi.Status) {
	for _, other := range status.Servers {
		if other.Server.Digest != server.Digest || other.Server.State == editorapi.ServerStopped {
			continue
		}
		t.note(fmt.Sprintf("%s for %d other editors", other.Server.State, len(other.Editors)))
		t.troubles(other.Server)
	}
}

// allowHint says how to allow a server that needs approval.
func allowHint(server string) string {
	return "needs your approval; to see what it runs and decide: " + editorapi.AllowCommand(server)
}

// changedTools counts tools.
func changedTools(n int) string {
	if n == 1 {
		return "a tool of it that has changed"
	}
	return fmt.Sprintf("%d tools of it that have changed", n)
}

func (a *app) rootsCommand() *cobra.Command {
	cmd := a.ofServers("roots [SERVER]",
		"List the roots of one or all servers, without starting any")
	return a.inWorkspace(cmd, func(ctx context.Context, s *session, args []string) error {
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
		result, err := s.client.Call(ctx, "roots/list", editorapi.MCPRequest{Server: name}, nil)
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
