package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// buffer stands in for standard output.
type buffer struct{ bytes.Buffer }

func (*buffer) Close() error { return nil }

// runApp runs the program with an environment of its own and an empty standard input.
func runApp(env map[string]string, args ...string) (code int, stdout, stderr string) {
	var out buffer
	var errs bytes.Buffer
	a := &app{
		stdin: io.NopCloser(strings.NewReader("")), stdout: &out, stderr: &errs,
		getenv: func(name string) string { return env[name] }, version: "v1.2.3",
	}
	code = a.run(context.Background(), args)
	return code, out.String(), errs.String()
}

func TestRun(t *testing.T) {
	home := map[string]string{"HOME": t.TempDir()}
	tests := []struct {
		name   string
		env    map[string]string
		args   []string
		code   int
		stdout string // "" means empty; else it contains this
		stderr string // likewise
	}{
		{"no arguments", nil, nil, 0, "Usage:", ""},
		{"help", nil, []string{"--help"}, 0, "attach", ""},
		{"--version", nil, []string{"--version"}, 0, "v1.2.3\n", ""},
		{"version", nil, []string{"version"}, 0, "v1.2.3\n", ""},
		{"version for programs", nil, []string{"version", "--json"}, 0, `{"version":"v1.2.3"}`, ""},
		{"unknown command", nil, []string{"atach"}, 2, "", `unknown command "atach"`},
		{"unknown flag", nil, []string{"attach", "--sock"}, 2, "", "unknown flag: --sock"},
		{"flag without value", nil, []string{"attach", "--socket"}, 2, "", "--socket"},
		{"an argument too many", nil, []string{"version", "x"}, 2, "", `"x"`},
		{"no home", nil, []string{"start"}, 1, "", "HOME"},
		{"a socket path that is too long", home, []string{"start", "--socket", "/" + strings.Repeat("x", 200)}, 1, "", "--socket"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := runApp(test.env, test.args...)
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			check(t, "stdout", stdout, test.stdout)
			check(t, "stderr", stderr, test.stderr)
			if stderr != "" && (!strings.HasPrefix(stderr, "mcp-editord: ") || strings.Count(stderr, "\n") != 1) {
				t.Errorf("stderr is not one line of ours: %q", stderr)
			}
		})
	}
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("%s is %q, want %q", what, got, want)
	}
}
