package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

func (a *app) callCommand() *cobra.Command {
	var yes bool
	var save string
	cmd := a.inWorkspace(&cobra.Command{
		Use:   "call SERVER TOOL [key=value… | key=@file… | key:=json… | {…} | -]",
		Short: "Call a tool, and start its server if needed",
		Example: `  mcp-editord call workspace find_files pattern='*.go' limit=10
  mcp-editord call workspace find_files --json '{"pattern": "*.go"}'
  echo '{"pattern": "*.go"}' | mcp-editord call workspace find_files -`,
		Args: cobra.MinimumNArgs(1),
	}, func(ctx context.Context, s *session, args []string) error {
		args, err := s.apart(ctx, args)
		if err != nil {
			return err
		}
		if len(args) < 2 {
			return &usageError{fmt.Errorf("say which tool to call; to list them: mcp-editord tools %s", safetext.ShellWord(args[0]))}
		}
		s.destructive, s.saveDir = yes, save
		return s.call(ctx, calldoc.Tool, args[0], args[1], args[2:])
	})
	yesFlag(cmd, &yes)
	saveFlag(cmd, &save)
	cmd.ValidArgsFunction = a.complete(argumentsOf(calldoc.Tool), serverNames, namesOf(calldoc.Tool))
	return cmd
}

// call calls a tool, gets a prompt or reads a resource, with arguments that are made of words and of what the server lists
// about it, and prints the result.
func (s *session) call(ctx context.Context, k calldoc.Kind, server, name string, words []string) error {
	result, err := s.request(ctx, k, server, name, func(definition json.RawMessage) (json.RawMessage, error) {
		if k == calldoc.Resource {
			return uriParams(name), nil
		}
		made, err := callArguments(words, k, definition, s.stdin, func() []string { return s.bound(ctx, k, server, name) })
		return editorapi.CallParams(name, made), err
	})
	if err != nil {
		return err
	}
	return s.printResult(k, result)
}

// request starts a server, makes a request with params that are made of what the server lists about it, and returns the
// result. It asks before a destructive tool runs.
func (s *session) request(ctx context.Context, k calldoc.Kind, server, name string, params func(definition json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	if err := s.start(ctx, server); err != nil {
		return nil, err
	}
	definition, err := s.definition(ctx, k, server, name)
	if err != nil {
		return nil, err
	}
	made, err := params(definition)
	if err != nil {
		return nil, err
	}
	if k == calldoc.Tool {
		if err := s.mayRun(ctx, server, definition, rawjson.Get(made, "arguments")); err != nil {
			return nil, err
		}
	}
	defer s.terminal.busy(fmt.Sprintf("waiting for server %q…", server))()
	result, err := s.client.Call(ctx, k.Method(), editorapi.MCPRequest{Server: server, Params: made}, s.progress())
	theirs, ok := errors.AsType[*editorapi.RPCError](err)
	if ok && k == calldoc.Resource && (theirs.Code == codeResourceNotFound || theirs.Code == editorapi.CodeInvalidParams) {
		err = &codedError{err, exitNotFound}
	}
	return result, err
}

// codeResourceNotFound is how servers up to 2025-11-25 say that there is no such resource (MCP, Server, Resources). Later
// ones say that the only parameter is invalid.
const codeResourceNotFound = -32002

// bound returns the arguments that the configuration fills in where a call leaves them out.
func (s *session) bound(ctx context.Context, k calldoc.Kind, server, name string) []string {
	if k != calldoc.Tool {
		return nil
	}
	catalog, _ := editorapi.MethodCatalog.Call(ctx, s.client, editorapi.CatalogParams{Server: server}) // without it, nothing is
	for _, of := range catalog.Value.Servers {
		for _, tool := range of.Tools {
			if rawjson.String(tool.Tool, "name") == name {
				filled, _ := editorapi.MethodPrefill.Call(ctx, s.client, editorapi.PrefillParams{Command: tool.Command})
				return filled.Value.Bound
			}
		}
	}
	return nil
}

func yesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "run destructive tools without asking")
}

// mayRun asks before a tool runs of which its server says that it is destructive: no arguments, or those of a
// document, are no sign that a person knows. The error says that it is not to run.
func (s *session) mayRun(ctx context.Context, server string, tool, arguments json.RawMessage) error {
	if s.destructive || !calldoc.Destructive(tool) {
		return nil
	}
	t := &table{}
	t.row(fmt.Sprintf("The tool %q is destructive, says server %q. It gets:", rawjson.String(tool, "name"), server))
	for argument, value := range rawjson.Members(arguments) {
		t.note(safetext.Line(argument, maxCell) + " = " + safetext.Line(string(rawjson.OneLine(value)), maxCell))
	}
	if string(arguments) == "{}" {
		t.note("no arguments")
	}
	_, err := s.agreed(ctx, s.terminal, consent{}, t.String(), "Run it?")
	return err
}

// progress returns a function that shows the progress of a call; nil without a terminal.
func (s *session) progress() func(editorapi.WorkDone) {
	if s.terminal == nil {
		return nil
	}
	return s.terminal.progress
}
