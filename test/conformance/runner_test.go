package main

import (
	"fmt"
	"io"
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
	"no results": func(string) int { return 3 },
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
	if args := os.Args[1:]; len(args) > 1 && args[1] == "client" {
		fmt.Print("what the suite says")
		os.Exit(suites[args[0]](args[len(args)-1]))
	}
	os.Exit(m.Run())
}

// What the suite passes is not always what the client did.
func TestRun(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string][]string{ // the problems
		"good":          nil,
		"client failed": {"the client failed"},
		"check failed":  {"FAILURE B: no"},
		"suite failed":  {"the suite failed"},
		"no results":    {"the suite left 0 results, want 1"},
	} {
		r := runner{node: self, script: script, client: "unused"}
		got, err := r.run(t.Context(), run{"tools_call", versions[0]})
		if err != nil || !slices.Equal(got.problems, want) {
			t.Errorf("%s: the finding is %+v, %v; want the problems %q", script, got, err, want)
		}
		if failed := report(io.Discard, []finding{got}); (failed == nil) != (want == nil) {
			t.Errorf("%s: the report ends with %v", script, failed)
		}
	}
	if report(io.Discard, nil) == nil {
		t.Error("nothing ran, and that is reported as good")
	}
}
