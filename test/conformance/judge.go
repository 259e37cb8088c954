package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// A check is one check of the suite.
type check struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	Description  string `json:"description"`
	ErrorMessage string `json:"errorMessage"`
}

// key tells the checks of a scenario apart.
func (c check) key() string { return c.ID + " " + c.Name }

// The statuses that a check has. Others say nothing about the client.
const (
	success = "SUCCESS"
	failure = "FAILURE"
	warning = "WARNING"
	skipped = "SKIPPED"
)

// judge counts the checks by their status and says why the run did not pass. The suite
// itself passes skipped checks, and a run in which nothing was checked.
func judge(checks []check, inapplicable []string) (counts map[string]int, problems []string) {
	counts = map[string]int{}
	for _, c := range checks {
		counts[c.Status]++
		bad := c.Status == failure || c.Status == warning ||
			c.Status == skipped && !slices.Contains(inapplicable, c.Name)
		if bad {
			problems = append(problems, fmt.Sprintf("%s %s: %s", c.Status, c.Name, cmp.Or(c.ErrorMessage, c.Description)))
		}
	}
	if counts[success] == 0 {
		problems = append(problems, "no check passed")
	}
	return counts, problems
}

// report prints the findings, and the details of the runs that did not pass.
func report(w io.Writer, found []finding) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "scenario\tversion\tpassed\tfailed\twarned\tskipped")
	for _, f := range found {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\n", f.scenario, f.version,
			f.counts[success], f.counts[failure], f.counts[warning], f.counts[skipped])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	failed := 0
	for _, f := range found {
		if len(f.problems) == 0 {
			continue
		}
		failed++
		fmt.Fprintf(w, "\n%s at %s did not pass:\n", f.scenario, f.version)
		for _, p := range f.problems {
			fmt.Fprintf(w, "  %s\n", safetext.Line(p, 1000))
		}
		fmt.Fprintf(w, "it printed:\n%s\n", safetext.Block(strings.TrimSpace(f.printed)))
	}
	switch {
	case len(found) == 0:
		return errors.New("no scenario ran")
	case failed > 0:
		return fmt.Errorf("%d of %d runs did not pass", failed, len(found))
	}
	_, err := fmt.Fprintf(w, "\nAll %d runs passed.\n", len(found))
	return err
}
