package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
)

func (a *app) promptsCommand() *cobra.Command {
	return a.inWorkspace(&cobra.Command{
		Use:               "prompts [SERVER [PROMPT [key=value…]]]",
		Short:             "List prompts, or get one, and start servers if needed",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.complete(argumentsOf(calldoc.Prompt), serverNames, namesOf(calldoc.Prompt)),
	}, func(ctx context.Context, s *session, args []string) error {
		if len(args) > 1 {
			return s.getPrompt(ctx, args[0], args[1], args[2:])
		}
		return s.list(ctx, args, calldoc.Prompt)
	})
}

// getPrompt prints the messages of a prompt.
func (s *session) getPrompt(ctx context.Context, server, name string, words []string) error {
	arguments, err := stringArguments(words)
	if err != nil {
		return err
	}
	if err := s.start(ctx, server); err != nil {
		return err
	}
	defer s.terminal.clear()
	result, err := s.client.GetPrompt(ctx, server, name, arguments, s.progress())
	if err != nil {
		return err
	}
	return s.printResult(calldoc.Prompt, result)
}
