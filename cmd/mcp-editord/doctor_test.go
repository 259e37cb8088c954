//go:build linux || darwin

package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// changing is what a line has that is not the same each time.
var changing = regexp.MustCompile(`\(devel\)|process [0-9]+|v[0-9.]+-0\.[0-9a-f-]+(\+dirty)?`)

var update = flag.Bool("update", false, "write what the doctor says into docs/doctor.md")

// An ailment is a set-up that is broken, on a machine of its own. In its texts HTTP and TLS stand for the hosts of two servers, and
// ~ for the home directory.
type ailment struct {
	name    string
	server  string // the definition of the server x in the user's configuration
	user    string // the user's configuration, where it is more than that
	project string // the definition of x in .mcp.json
	before  string // a shell script, in the project
	env     string // a variable, NAME=VALUE
	killed  bool   // a daemon that runs by then is killed
	start   bool   // the doctor is to start x
	ok      bool   // what to look at is no error
}

// fake returns the definition of a server that does what a script of fakeserver says.
func fake(script string) string {
	return `{"command": "fakeserver", "startTimeout": "2s", "env": {"FAKESERVER": ` + string(mustJSON(script)) + `}}`
}

func mustJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

func ailments() []ailment {
	return []ailment{
		{name: "nothing is wrong", server: fake(`{"plain": true}`), start: true, ok: true},
		{name: "there is no configuration", ok: true},
		{name: "the command is misspelt", server: `{"command": "fakeservr"}`},
		{name: "the command is not there", server: `{"command": "no-such-program"}`},
		{name: "the file of the command is misspelt", server: `{"command": "~/bin/runn"}`, before: `echo >~/bin/run; chmod +x ~/bin/run`},
		{name: "the command is not executable", server: `{"command": "~/bin/run"}`, before: `echo >~/bin/run`},
		{name: "the server ends at once", server: fake(`{"steps": {"start": [{"do": "stderr", "text": "no database\n"}, {"do": "exit", "code": 3}]}}`), start: true},
		{name: "it says a secret as it ends", server: `{"command": "sh", "args": ["-c", "echo $API_TOKEN is wrong >&2; exit 1"], "env": {"API_TOKEN": "hunter2!"}}`, start: true},
		{name: "a wrapper prints on stdout", server: fake(`{"plain": true, "steps": {"start": [{"do": "stdout", "text": "Welcome!\n"}]}}`), start: true, ok: true},
		{name: "the server speaks another version", server: fake(`{"protocolVersions": ["1999-01-01"]}`), start: true},
		{name: "the server refuses the handshake", server: fake(`{"steps": {"server/discover": [{"do": "refuse", "code": -32601}], "initialize": [{"do": "refuse", "code": -32000, "message": "no license"}]}}`), start: true},
		{name: "the server hangs", server: fake(`{"steps": {"server/discover": [{"do": "hang"}], "initialize": [{"do": "hang"}]}}`), start: true},
		{name: "nothing listens at the url", server: `{"url": "http://127.0.0.1:9/mcp"}`, start: true},
		{name: "the url wants you to sign in", server: `{"url": "http://HTTP/401"}`, start: true, ok: true},
		{name: "the url refuses a token", server: `{"url": "http://HTTP/401", "headers": {"Authorization": "Bearer hunter2!"}}`, start: true},
		{name: "the server is not there", server: `{"comand": "fakeserver"}`, start: true},
		{name: "the url has a wrong path", server: `{"url": "http://HTTP/404"}`, start: true},
		{name: "the url is that of a page", server: `{"url": "http://HTTP/page"}`, start: true},
		{name: "http: for an https: server", server: `{"url": "http://TLS/mcp"}`, start: true},
		{name: "the certificate is not trusted", server: `{"url": "https://TLS/mcp"}`, start: true},
		{name: "the certificate is for another host", server: `{"url": "https://localhost:PORT/mcp"}`, env: "SSL_CERT_FILE=~/ca.pem", start: true},
		{name: "the proxy is not a URL", server: `{"url": "http://mcp.example/mcp"}`, env: "HTTP_PROXY=["},
		{name: "the proxy is not there", server: `{"url": "http://mcp.example/mcp"}`, env: "HTTP_PROXY=http://127.0.0.1:9", start: true},
		{name: "a variable has no value", server: `{"command": "fakeserver", "args": ["${env:WIKI_URL}"]}`},
		{name: "nobody has given an input", user: `{"servers": {"x": {"command": "fakeserver", "args": ["${input:url}"]}}, "inputs": [{"id": "url", "type": "promptString"}]}`, start: true},
		{name: "the envFile is missing", server: `{"command": "fakeserver", "envFile": "~/x.env"}`},
		{name: "the cwd does not exist", server: `{"command": "fakeserver", "cwd": "~/nowhere"}`},
		{name: "a root does not exist", server: `{"command": "fakeserver", "roots": ["nowhere", "*"]}`, ok: true},
		{name: "the configuration is not JSON", user: "{\"servers\": {\n  \"x\": {\"command\" \"y\"}\n}}"},
		{name: "a key is misspelt", server: `{"command": "fakeserver", "agrs": []}`, ok: true},
		{name: "a server is there twice in a file", user: "{\"servers\": {\n  \"x\": {\"command\": \"fakeserver\"},\n  \"x\": {\"command\": \"fakeserver\"}\n}}", ok: true},
		{name: "a server is defined in two files", server: `{"command": "fakeserver"}`, project: `{"command": "other"}`, ok: true},
		{name: "a server is disabled", server: `{"command": "fakeserver", "enabled": false}`, ok: true},
		{name: "a server of the project waits for approval", project: `{"command": "fakeserver"}`, ok: true},
		{name: "a server of the project was denied", project: `{"command": "fakeserver"}`, before: `mcp-editord approvals deny x`, ok: true},
		{name: "others may write to the configuration", server: `{"command": "fakeserver"}`, before: `chmod 666 ~/.config/mcp-editord/mcp.json`, ok: true},
		{name: "others may read the state", server: `{"command": "fakeserver"}`, before: `mkdir -p ~/.local/state/mcp-editord; chmod 755 ~/.local/state/mcp-editord`},
		{name: "the folder of the socket is open", server: `{"command": "fakeserver"}`, before: `chmod 755 ~/run`},
		{name: "there is a file in the place of the socket", server: `{"command": "fakeserver"}`, before: `echo >~/run/s`},
		{name: "another daemon has the state directory", server: `{"command": "fakeserver"}`, before: `mcp-editord start --config ~/other.json`, env: "MCP_EDITORD_CONFIG=~/.config/mcp-editord/mcp.json"},
		{name: "the daemon is of another version", server: `{"command": "fakeserver"}`, before: `mcp-editord-old start`, ok: true},
		{name: "the daemon was killed", server: `{"command": "fakeserver"}`, before: `mcp-editord start`, killed: true, ok: true},
		{name: "there is no keyring", user: `{"servers": {"x": {"command": "fakeserver", "args": ["${input:k}"]}}, "inputs": [{"id": "k", "type": "promptString", "password": true}]}`, ok: true},
		{name: "npx without node", server: `{"command": "npx"}`, before: `printf '#!/bin/sh\n' >~/bin/npx; chmod +x ~/bin/npx`, ok: true},
		{name: "node is old", server: `{"command": "node"}`, before: `printf '#!/bin/sh\necho v12.22.9\n' >~/bin/node; chmod +x ~/bin/node`, ok: true},
		{name: "docker does not run", server: `{"command": "docker"}`, before: `printf '#!/bin/sh\necho Cannot connect to the Docker daemon\nexit 1\n' >~/bin/docker; chmod +x ~/bin/docker`, ok: true},
	}
}

// TestDoctor has docs/doctor.md say for each set-up what the doctor says. -update writes it.
func TestDoctor(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "doctor.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	hosts := newHosts(t)
	rows := make([]string, len(ailments()))
	t.Run("set-ups", func(t *testing.T) {
		for i, s := range ailments() {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = fmt.Sprintf("| %s | %s |\n", s.name, strings.Join(s.lines(t, hosts), "<br>"))
			})
		}
	})
	const begin, end = "<!-- made by the tests: go test ./cmd/mcp-editord -run TestDoctor -update -->\n", "<!-- end -->"
	head, rest, _ := strings.Cut(string(page), begin)
	was, tail, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no table between %q and %q", path, begin, end)
	}
	is := "| what is wrong | what `doctor` says |\n|---|---|\n" + strings.Join(rows, "")
	switch {
	case t.Failed() || is == was:
	case *update:
		if err := os.WriteFile(path, []byte(head+begin+is+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		old := strings.Split(was, "\n")
		for line := range strings.SplitSeq(is, "\n") {
			if !slices.Contains(old, line) {
				t.Errorf("%s does not have this line; look at it and run the test with -update:\n%s", path, line)
			}
		}
		if !t.Failed() {
			t.Errorf("%s has other lines too; run the test with -update", path)
		}
	}
}

// hosts are servers that are none of MCP.
type hosts struct {
	in, out *strings.Replacer // the names of the hosts into the hosts, and back
	ca      []byte            // of the one with TLS
}

func newHosts(t *testing.T) hosts {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/401":
			w.WriteHeader(http.StatusUnauthorized)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<h1>Welcome</h1>")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	plain, secure := httptest.NewServer(handler), httptest.NewUnstartedServer(handler)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that refuse it
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	http, tls := plain.Listener.Addr().String(), secure.Listener.Addr().String()
	port := tls[strings.LastIndex(tls, ":")+1:]
	return hosts{
		in:  strings.NewReplacer("HTTP/", http+"/", "TLS/", tls+"/", "PORT", port),
		out: strings.NewReplacer(http, "HTTP", tls, "TLS", port, "PORT"),
		ca:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}),
	}
}

// lines makes the set-up and returns what the doctor says that is not ok; without such, the last line.
func (s ailment) lines(t *testing.T, hosts hosts) []string {
	home, err := os.MkdirTemp("/tmp", "mcpd") // a socket's path may have only about a hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	for _, dir := range []string{"run", "bin", "ws/src", ".config/mcp-editord"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	here := func(text string) string { return hosts.in.Replace(strings.ReplaceAll(text, "~", home)) }
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(home, name), []byte(here(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("ca.pem", string(hosts.ca))
	switch {
	case s.server != "":
		put(".config/mcp-editord/mcp.json", "{\n\"credentials\": \"memory\",\n\"servers\": {\n\"x\": "+s.server+"\n}}")
	case s.user != "":
		put(".config/mcp-editord/mcp.json", s.user)
	}
	if s.project != "" {
		put("ws/.mcp.json", "{\"mcpServers\": {\n\"x\": "+s.project+"\n}}")
	}
	program, err := exec.LookPath("mcp-editord")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(home, "bin", "sh")); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"HOME=" + home, "MCP_EDITORD_SOCKET=" + home + "/run/s", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + home + "/no-bus",
		"PATH=" + home + "/bin:" + filepath.Dir(program), here(s.env),
	}
	run := func(env []string, name string, args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir, cmd.Env = filepath.Join(home, "ws"), env
		said, err := cmd.Output()
		return string(said), err
	}
	t.Cleanup(func() {
		if err := endDaemon(home+"/run/s", syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	})
	if said, err := run(append(slices.Clone(env[:3]), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH")), "sh", "-c", here(s.before)); err != nil {
		t.Fatalf("%s: %v: %s", s.before, err, said)
	}
	if s.killed {
		if err := endDaemon(home+"/run/s", syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"doctor", "--json"}
	if s.start {
		args = append(args, "x")
	}
	said, err := run(env, program, args...)
	var found struct{ Checks []editorapi.Check }
	if json.Unmarshal([]byte(said), &found) != nil || (err == nil) != s.ok {
		t.Fatalf("it ended with %v and said: %s", err, said)
	}
	var lines []string
	for _, c := range found.Checks {
		if c.State != editorapi.CheckOK {
			if c.Why == "" || c.Remedy == "" {
				t.Errorf("it does not say why %+v matters, or what mends it", c)
			}
			lines = append(lines, fmt.Sprintf("%s, %s: %s. %s", c.State, c.Name, c.Text, c.Remedy))
		}
	}
	if len(lines) == 0 {
		lines = []string{"everything is ok"}
	}
	for i, line := range lines {
		line = hosts.out.Replace(strings.ReplaceAll(line, home, "~"))
		lines[i] = changing.ReplaceAllString(strings.ReplaceAll(line, "|", `\|`), "…")
	}
	return lines
}

func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		said, version string
		old           bool
	}{
		{"v22.1.0\n", "22.1.0", false},
		{"v18.0.0", "18.0.0", false},
		{"v9.11.2", "9.11.2", true},
		{"uv 0.4.30 (61ed2a236 2024-11-04)", "0.4.30", true},
		{"command not found", "", true},
	} {
		if version, old := versionIn(tt.said, [2]int{18, 0}); version != tt.version || old != tt.old {
			t.Errorf("%q: version %q, old %v", tt.said, version, old)
		}
	}
}
