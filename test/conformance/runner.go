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

// runLimit ends a run that hangs. The suite gives its client 30 s.
const runLimit = time.Minute

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
	dir, err := os.MkdirTemp("", "mcp-editord-suite-results-")
	if err != nil {
		return finding{}, err
	}
	defer os.RemoveAll(dir)
	limited, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	args := []string{r.script, "client", "--command", r.client, "--scenario", what.scenario}
	if what.version != extensions {
		args = append(args, "--spec-version", what.version)
	}
	cmd := exec.CommandContext(limited, r.node, append(args, "--output-dir", dir)...)
	output, ended := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); ctx.Err() != nil || ended != nil && !errors.As(ended, &exit) {
		return finding{}, cmp.Or(ctx.Err(), ended)
	}
	left, err := readResults(dir)
	if err != nil {
		problem := fmt.Sprintf("the suite left no results: %v", err)
		return finding{run: what, problems: []string{problem}, printed: string(output)}, nil
	}
	f := finding{run: what, printed: left.stderr}
	f.counts, f.problems = judge(left.checks, scenarios()[what.scenario].inapplicable)
	if !strings.Contains(left.stdout, done) {
		f.problems = append(f.problems, "the client failed")
	} else if ended != nil && len(f.problems) == 0 {
		f.problems = append(f.problems, fmt.Sprintf("the suite failed: %v", ended))
	}
	return f, nil
}

// results are what the suite writes about one run: its checks, and what the client printed.
type results struct {
	checks         []check
	stdout, stderr string
}

// readResults reads the results of the only run, in a directory below dir.
func readResults(dir string) (results, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "checks.json" {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		return results{}, err
	}
	if len(found) != 1 {
		return results{}, fmt.Errorf("found %d files named checks.json, want 1", len(found))
	}
	at := filepath.Dir(found[0])
	checks, err1 := os.ReadFile(found[0])
	stdout, err2 := os.ReadFile(filepath.Join(at, "stdout.txt"))
	stderr, err3 := os.ReadFile(filepath.Join(at, "stderr.txt"))
	if err := errors.Join(err1, err2, err3); err != nil {
		return results{}, err
	}
	r := results{stdout: string(stdout), stderr: string(stderr)}
	err = json.Unmarshal(checks, &r.checks)
	return r, err
}
