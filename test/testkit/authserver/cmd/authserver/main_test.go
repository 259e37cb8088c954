package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// The test binary runs itself again as the program.
func TestMain(m *testing.M) {
	if os.Getenv("AUTHSERVER_TEST") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func program(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, arguments...)
	c.Env = append(os.Environ(), "AUTHSERVER_TEST=1")
	return c
}

func TestProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "options.json")
	if err := os.WriteFile(file, []byte(`{"issuerPath":"/tenant1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, options := range []string{file, ` {"issuerPath":"/tenant1"}`} {
		c := program(t, "-options", options)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		var urls authserver.URLs
		if err != nil || json.Unmarshal([]byte(line), &urls) != nil || !strings.HasSuffix(urls.Issuer, "/tenant1") {
			t.Fatalf("%q, %v", line, err)
		}
		answer, err := http.Get(urls.Control + "/urls")
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", answer, err)
		}
		answer.Body.Close()
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("at the end of stdin: %v", err)
		}
	}
}

func TestProgramRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		arguments []string
		says      string
	}{
		"unknown member": {[]string{"-options", `{"isuerPath":"/x"}`}, `unknown field "isuerPath"`},
		"no such file":   {[]string{"-options", "nowhere.json"}, "nowhere.json"},
		"argument":       {[]string{"x"}, `unexpected argument "x"`},
		"bad knob":       {[]string{"-options", `{"knobs":{"iss":"x"}}`}, `iss: "x" is not one of`},
	} {
		if out, err := program(t, test.arguments...).CombinedOutput(); err == nil || !strings.Contains(string(out), test.says) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}
