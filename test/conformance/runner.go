package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// suiteLimit ends a suite that hangs. It gives a scenario 30 s, and all those of a server take a few seconds.
const suiteLimit = 3 * time.Minute

// versions are the versions of MCP at which the runner runs the suite: the last of each era, and the one
// whose authorization was another. The last stands for the scenarios about extensions of MCP, which belong
// to no version.
var versions = [...]string{oldAuthorization, "2025-11-25", "2026-07-28", extensions}

const (
	oldAuthorization = "2025-03-26"
	extensions       = "extensions"
)

// ofExtensions are those of them that the daemon has.
var ofExtensions = []string{"auth/client-credentials-basic", "auth/client-credentials-jwt"}

// A runner makes the suite run its scenarios.
type runner struct {
	node, script string // the suite's Node and program
	client       string // the command that the suite runs
}

// newRunner returns a runner of the suite that is installed in the directory suite. self is
// this program.
func newRunner(suite, self, binary string) runner {
	modules := filepath.Join(suite, "node_modules")
	return runner{
		node:   filepath.Join(modules, ".bin", "node"),
		script: filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
		client: shellQuote(self) + " -binary " + shellQuote(binary),
	}
}

// shellQuote quotes a path: the suite hands the command to a shell.
func shellQuote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// A run is one scenario at one version.
type run struct{ scenario, version string }

// A finding is the result of a run.
type finding struct {
	run
	counts   map[string]int // of checks, by status
	problems []string       // why the run did not pass; none if it did
	printed  string         // by the client, or by a suite that left no results
}

// runAll runs every scenario at every version and prints the results. It runs one after the
// other because sse-retry measures time.
func runAll(ctx context.Context, r runner) error {
	var found []finding
	for _, version := range versions {
		names, err := r.list(ctx, version)
		if err != nil {
			return fmt.Errorf("asking the suite for its scenarios: %w; run `make suite` to install it", err)
		}
		for _, name := range names {
			f, err := r.run(ctx, run{name, version})
			if err != nil {
				return fmt.Errorf("running %s at %s: %w", name, version, err)
			}
			found = append(found, f)
		}
	}
	return report(os.Stdout, found)
}

// listed is a line of the suite's list.
var listed = regexp.MustCompile(`(?m)^  - (\S+) \[`)

// list returns the names of the scenarios that a version has.
func (r runner) list(ctx context.Context, version string) (names []string, err error) {
	if version == extensions {
		return ofExtensions, nil
	}
	out, err := exec.CommandContext(ctx, r.node, r.script, "list", "--client", "--spec-version", version).Output()
	if err != nil {
		return nil, err
	}
	for _, match := range listed.FindAllSubmatch(out, -1) {
		names = append(names, string(match[1]))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("version %s has none", version)
	}
	return names, nil
}

// run makes the suite run one scenario. It returns an error if the suite could not run.
func (r runner) run(ctx context.Context, what run) (finding, error) {
	args := []string{"client", "--command", r.client, "--scenario", what.scenario}
	if what.version != extensions {
		args = append(args, "--spec-version", what.version)
	}
	all, printed, failed, err := r.ask(ctx, args...)
	if err != nil {
		return finding{}, err
	}
	if len(all) != 1 {
		problem := fmt.Sprintf("the suite left %d results, want 1", len(all))
		return finding{run: what, problems: []string{problem}, printed: printed}, nil
	}
	f := finding{run: what, printed: all[0].stderr}
	f.counts, f.problems = judge(all[0].checks, scenarios()[what.scenario].inapplicable)
	if !strings.Contains(all[0].stdout, done) {
		f.problems = append(f.problems, "the client failed")
	} else if failed && len(f.problems) == 0 {
		f.problems = append(f.problems, "the suite failed")
	}
	return f, nil
}

// results are what the suite leaves about one scenario: its checks, and what the client printed.
type results struct {
	scenario       string
	checks         []check
	stdout, stderr string
}

// timeOfRun is what the suite adds to the name of a scenario to name the directory of its results.
var timeOfRun = regexp.MustCompile(`-\d{4}-\d{2}-\d{2}T[\d-]+Z$`)

// ask runs the suite, and returns what it left and printed, and whether it said that something failed.
func (r runner) ask(ctx context.Context, args ...string) (all []results, printed string, failed bool, err error) {
	dir, err := os.MkdirTemp("", "mcp-editord-suite-results-")
	if err != nil {
		return nil, "", false, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, suiteLimit)
	defer cancel()
	args = append(append([]string{r.script}, args...), "--output-dir", dir)
	out, ended := exec.CommandContext(ctx, r.node, args...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); ctx.Err() != nil || ended != nil && !errors.As(ended, &exit) {
		return nil, "", false, fmt.Errorf("running the suite: %w; it printed:\n%s", cmp.Or(ctx.Err(), ended), out)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		at := filepath.Dir(path)
		left := results{scenario: timeOfRun.ReplaceAllString(filepath.Base(at), "")}
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &left.checks)
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		stdout, _ := os.ReadFile(filepath.Join(at, "stdout.txt")) // only where it has a client
		stderr, _ := os.ReadFile(filepath.Join(at, "stderr.txt"))
		left.stdout, left.stderr = string(stdout), string(stderr)
		all = append(all, left)
		return nil
	})
	return all, string(out), ended != nil, err
}
