package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// maxDocument is how many MiB a call document may have.
const maxDocument = 1

// errProblems means that a call document is wrong. What is wrong is printed already.
var errProblems = errors.New("the call document has problems")

func (a *app) runCommand() *cobra.Command {
	var block int
	var yes bool
	var cmd *cobra.Command
	cmd = a.inWorkspace(&cobra.Command{
		Use:   "run FILE.mcp",
		Short: "Run the calls of a call document, and start their servers if needed",
		Example: `  mcp-editord run issues.mcp
  mcp-editord run issues.mcp --block 2
  mcp-editord run --json - <issues.mcp`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, s *session, args []string) error {
		if cmd.Flags().Changed("block") && block < 1 {
			return &usageError{errors.New("--block is the number of a call, from 1")}
		}
		s.destructive = yes
		r := &run{session: s, name: args[0]}
		return r.run(ctx, args[0], block)
	})
	yesFlag(cmd, &yes)
	cmd.Flags().IntVar(&block, "block", 0, "run only this call, counted from 1")
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return []cobra.Completion{"mcp"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return cmd
}

// A run runs calls of one document.
type run struct {
	*session
	name      string // of the document, for messages
	text      textdoc.Text
	workspace calldoc.Workspace
}

// run runs all calls of a document, or the one with this number from 1; "-" is standard input. The first that fails ends
// it. Nothing runs when the document is wrong.
func (r *run) run(ctx context.Context, file string, block int) error {
	in := io.Reader(r.stdin)
	if file == "-" {
		r.name = "standard input"
	} else {
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("opening the call document: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := readAtMost(in, maxDocument, r.name)
	if err != nil {
		return err
	}
	r.text = textdoc.New(string(text))
	for _, folder := range r.folders {
		if path, err := fileuri.ToPath(folder.URI); err == nil {
			r.workspace.Folders = append(r.workspace.Folders, path)
		}
	}
	calls := calldoc.Parse(string(text)).Calls()
	switch {
	case len(calls) == 0:
		return fmt.Errorf(`%s has no call; begin one with "call: SERVER.TOOL"`, r.name)
	case block > len(calls):
		return fmt.Errorf("%s has no call %d, only %d in all", r.name, block, len(calls))
	}
	if block > 0 {
		calls = calls[block-1 : block]
	}
	var problems []textdoc.Problem
	for _, c := range calls {
		problems = append(problems, c.Problems()...)
		if c.Kind == calldoc.Answer {
			problems = append(problems, textdoc.Problem{Span: c.TargetSpan, Message: "an answer is sent from the editor that was asked"})
		}
	}
	if len(problems) > 0 {
		return r.refuse(problems)
	}
	names, err := r.names(ctx)
	if err != nil {
		return err
	}
	for _, c := range calls {
		if err := r.one(ctx, c, names); err != nil {
			return err
		}
	}
	return nil
}

// refuse prints problems, and returns [errProblems].
func (r *run) refuse(problems []textdoc.Problem) error {
	for _, p := range problems {
		r.say(p.Start, p.Message)
	}
	return errProblems
}

// say prints a message about a place in the document.
func (r *run) say(at int, message string) {
	r.terminal.clear()
	p := r.text.Position(at)
	fmt.Fprintf(r.stderr, "%s:%d:%d: %s\n", safetext.Line(r.name, math.MaxInt), p.Line+1, p.Character+1, safetext.Line(strings.Join(strings.Fields(message), " "), math.MaxInt))
}

// one runs one call and prints what came of it.
func (r *run) one(ctx context.Context, c *calldoc.Call, servers []string) error {
	server, name := c.Resolve(servers)
	r.say(c.TargetSpan.Start, c.Target)
	result, err := r.request(ctx, c.Kind, server, name, func(definition json.RawMessage) (json.RawMessage, error) {
		variable, problems := r.workspace.Values(c)
		if len(problems) > 0 {
			return nil, r.refuse(problems)
		}
		params, problems := c.Params(definition, variable)
		if len(problems) > 0 {
			return nil, r.refuse(problems)
		}
		return params, nil
	})
	switch {
	case errors.Is(err, errProblems) || ctx.Err() != nil:
		return err
	case err != nil:
		err = r.explained(ctx, err)
		r.say(c.TargetSpan.Start, err.Error())
		if r.json {
			if err := r.printCall(c, "error", rawjson.Set(nil, "message", rawjson.Quote(err.Error()))); err != nil {
				return err
			}
		}
		return &codedError{errToolFailed, exitCode(err)}
	}
	if !r.json {
		return r.printResult(c.Kind, result)
	}
	return cmp.Or(r.printCall(c, "result", rawjson.OneLine(result)), failure(result))
}

// printCall prints for programs what came of a call, in one line.
func (r *run) printCall(c *calldoc.Call, member string, value []byte) error {
	return r.printRaw(rawjson.Set(rawjson.Set(nil, "call", rawjson.Quote(c.Target)), member, value))
}
