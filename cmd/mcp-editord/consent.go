package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// A consent is what flags say about asking before something is done.
type consent struct {
	yes, dryRun bool
	word        bool // only the whole word "yes" agrees
}

func (c *consent) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.yes, "yes", false, "do it without asking")
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "only show what would be done")
}

// agreed shows what is to be done and asks whether it may. It reports whether to go on: not after a dry run. Whoever says
// no, or cannot be asked, is an error.
func (a *app) agreed(ctx context.Context, t *terminal, c consent, what, question string) (bool, error) {
	out := a.stderr
	if c.dryRun && !a.json {
		out = io.Writer(a.stdout)
	}
	if err := write(out, what); err != nil || c.dryRun || c.yes {
		return err == nil && !c.dryRun, err
	}
	if !t.answers() {
		return false, needsPerson("there is no terminal to ask you in; " +
			"add --yes to do what is shown above")
	}
	ask := t.confirm
	if c.word {
		ask = t.insist
	}
	wanted, err := ask(ctx, question)
	if err == nil && !wanted {
		err = needsPerson("you said no, so nothing was done")
	}
	return wanted, err
}

// each calls do for every item. What fails for one does not keep it from the others: all but the last error are printed.
func each[T any](ctx context.Context, a *app, items []T, do func(T) error) (failed error) {
	for _, item := range items {
		err := do(item)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && failed != nil {
			a.complain(failed)
		}
		if err != nil {
			failed = err
		}
	}
	return failed
}
