package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// suites are scripts of the suite. The test binary stands in for the suite's Node, and gets
// the name of one of these in the place of the script.
var suites = map[string]func(dir string) (exit int){
	"good": func(dir string) int { return leave(dir, `[{"name":"A","status":"SUCCESS"}]`, done+"\n") },
	// The suite passes a client that fails in http-invalid-tool-headers.
	"client failed": func(dir string) int { return leave(dir, `[{"name":"A","status":"SUCCESS"}]`, "") },
	"suite failed":  func(dir string) int { return leave(dir, `[{"name":"A","status":"SUCCESS"}]`, done) + 1 },
	"check failed": func(dir string) int {
		return leave(dir, `[{"name":"A","status":"SUCCESS"},{"name":"B","status":"FAILURE","errorMessage":"no"}]`, done) + 1
	},
	"no results":  func(string) int { return 3 },
	"bad results": func(dir string) int { return leave(dir, `{}`, done) },
}

// leave writes the results of a run as the suite does.
func leave(dir, checks, stdout string) (exit int) {
	at := filepath.Join(dir, "scenario-2026-07-28T00-00-00")
	if err := os.Mkdir(at, 0o700); err != nil {
		return 99
	}
	for name, text := range map[string]string{"checks.json": checks, "stdout.txt": stdout, "stderr.txt": "the client's log"} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			return 99
		}
	}
	return 0
}

func TestMain(m *testing.M) {
	if args := os.Args[1:]; len(args) > 1 && args[1] == "list" {
		fmt.Print("Client scenarios (test against a client):\n  - one [2025-11-25]\n  - auth/two [2025-11-25,2026-07-28]\n  - three [2025-06-18,", args[len(args)-1], "]\n")
		os.Exit(0)
	} else if len(args) > 1 && args[1] == "client" {
		fmt.Print("what the suite says")
		os.Exit(suites[args[0]](args[len(args)-1]))
	}
	os.Exit(m.Run())
}

// standIn returns a runner of one of the suites.
func standIn(t *testing.T, script string) runner {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return runner{node: self, script: script, client: "unused"}
}

func TestList(t *testing.T) {
	t.Parallel()
	got, err := standIn(t, "good").list(t.Context(), versions[0])
	if want := []string{"one", "auth/two", "three"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the scenarios are %q, %v; want %q", got, err, want)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		script  string
		want    []string // the problems
		printed string
	}{
		{"good", nil, "the client's log"},
		{"client failed", []string{"the client failed"}, "the client's log"},
		{"suite failed", []string{"the suite failed: exit status 1"}, "the client's log"},
		{"check failed", []string{"FAILURE B: no"}, "the client's log"},
		{"no results", []string{"the suite left no results: found 0 files named checks.json, want 1"}, "what the suite says"},
		{"bad results", []string{"the suite left no results: json: cannot unmarshal object into Go value of type []main.check"}, "what the suite says"},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			what := run{"tools_call", versions[0]}
			got, err := standIn(t, test.script).run(t.Context(), what)
			if err != nil || got.run != what || !slices.Equal(got.problems, test.want) || got.printed != test.printed {
				t.Errorf("the finding is %+v, %v; want the problems %q and what was printed %q", got, err, test.want, test.printed)
			}
		})
	}
}

// A runner that is interrupted returns an error: the daemon did nothing wrong.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := standIn(t, "good").run(ctx, run{"tools_call", versions[0]}); err == nil {
		t.Errorf("the finding is %+v, want an error", got)
	}
}

func TestShellQuote(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/a b/c":  `'/a b/c'`,
		"/it's/$": `'/it'\''s/$'`,
	} {
		if got := shellQuote(path); got != want {
			t.Errorf("%s is quoted %s, want %s", path, got, want)
		}
	}
}
