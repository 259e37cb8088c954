package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

func (a *app) callCommand() *cobra.Command {
	var yes bool
	cmd := a.inWorkspace(&cobra.Command{
		Use:   "call SERVER TOOL [key=value… | key:=json… | {…} | -]",
		Short: "Call a tool, and start its server if needed",
		Example: `  mcp-editord call workspace find_files pattern='*.go' limit=10
  mcp-editord call workspace find_files --json '{"pattern": "*.go"}'
  echo '{"pattern": "*.go"}' | mcp-editord call workspace find_files -`,
		Args: cobra.MinimumNArgs(2),
	}, func(ctx context.Context, s *session, args []string) error {
		s.yes = yes
		return s.call(ctx, calldoc.Tool, args[0], args[1], func(tool json.RawMessage) (json.RawMessage, error) {
			return callArguments(args[2:], tool, s.stdin)
		})
	})
	yesFlag(cmd, &yes)
	cmd.ValidArgsFunction = a.complete(argumentsOf(calldoc.Tool), serverNames, namesOf(calldoc.Tool))
	return cmd
}

// call calls a tool or gets a prompt, with arguments that are made of what the server lists about it, and prints the
// result.
func (s *session) call(ctx context.Context, k calldoc.Kind, server, name string, arguments func(definition json.RawMessage) (json.RawMessage, error)) error {
	result, err := s.request(ctx, k, server, name, func(definition json.RawMessage) (json.RawMessage, error) {
		made, err := arguments(definition)
		return editorapi.CallParams(name, made), err
	})
	s.terminal.clear()
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
	return s.client.Call(ctx, k.Method(), editorapi.MCPRequest{Server: server, Params: made}, s.progress())
}

func yesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "run destructive tools without asking")
}

// mayRun asks before a tool runs of which its server says that it is destructive: no arguments, or those of a
// document, are no sign that a person knows. The error says that it is not to run.
func (s *session) mayRun(ctx context.Context, server string, tool, arguments json.RawMessage) error {
	if s.yes || !calldoc.Destructive(tool) {
		return nil
	}
	name := rawjson.String(tool, "name")
	if !s.terminal.answers() {
		return fmt.Errorf("the tool %q is destructive, says server %q, and there is no terminal to ask you in; add --yes to run it", name, server)
	}
	question := fmt.Sprintf("The tool %s is destructive, says server %s. It gets:\n", safetext.Line(strconv.Quote(name), maxCell), safetext.Line(strconv.Quote(server), maxCell))
	for argument, value := range rawjson.Members(arguments) {
		question += "  " + safetext.Line(argument, maxCell) + " = " + safetext.Line(string(rawjson.OneLine(value)), maxCell) + "\n"
	}
	if string(arguments) == "{}" {
		question += "  no arguments\n"
	}
	wanted, err := s.terminal.confirm(ctx, question+"Run it?")
	if err == nil && !wanted {
		err = fmt.Errorf("the tool %q was not run", name)
	}
	return err
}

// progress returns a function that shows the progress of a call; nil without a terminal.
func (s *session) progress() func(editorapi.WorkDone) {
	if s.terminal == nil {
		return nil
	}
	return s.terminal.progress
}
