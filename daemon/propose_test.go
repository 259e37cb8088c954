//go:build linux || darwin

package daemon

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// weather is a server.json as a registry has it, with two ways to run the server.
const weather = `{"server": {
  "name": "io.github.example/weather", "description": "Tells the weather", "version": "1.2.3",
  "packages": [{"registryType": "npm", "identifier": "weather-mcp", "version": "1.2.3", "transport": {"type": "stdio"},
    "environmentVariables": [
      {"name": "WEATHER_KEY", "isRequired": true, "isSecret": true, "description": "Key of the service"},
      {"name": "REGION", "isRequired": true, "choices": ["eu", "us"]}]}],
  "remotes": [{"type": "streamable-http", "url": "https://weather.example/mcp"}]
}, "_meta": {"io.modelcontextprotocol.registry/official": {"status": "deprecated", "statusMessage": "use climate"}}}`

// newRegistry returns a registry that has weather, and has a use it.
func newRegistry(t *testing.T, a *adder) *httptest.Server {
	t.Helper()
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v0.1/servers":
			_, _ = w.Write([]byte(`{"servers": [` + weather + `], "metadata": {"count": 1}}`))
		case strings.HasSuffix(r.URL.Path, "/weather/versions/latest"):
			_, _ = w.Write([]byte(weather))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(served.Close)
	a.env = map[string]string{registryVariable: served.URL, "PATH": os.Getenv("PATH")}
	return served
}

func TestSearchServers(t *testing.T) {
	t.Parallel()
	a := newAdder(t, "")
	served := newRegistry(t, a)
	search := func() editorapi.SearchServersResult {
		t.Helper()
		found, err := a.SearchServers(t.Context(), editorapi.SearchServersParams{Words: []string{"weather"}})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	found := search()
	if len(found.Servers) != 1 || found.Registry != served.URL {
		t.Fatalf("found %+v", found)
	}
	if s := found.Servers[0]; s.Deprecated != "use climate" || strings.Join(s.Kinds, " ") != "remote npm" || s.Version != "1.2.3" {
		t.Errorf("found %+v", s)
	}
	served.Close()
	if again := search(); len(again.Servers) != 1 {
		t.Errorf("without a network: %+v", again)
	}
	_, err := a.SearchServers(t.Context(), editorapi.SearchServersParams{Words: []string{"other"}})
	if err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("what was never read: %v", err)
	}
}

// A server of the registry is proposed in each way that it can be run, with what has to be asked.
func TestProposeServerOfRegistry(t *testing.T) {
	t.Parallel()
	a := newAdder(t, "")
	newRegistry(t, a)
	result, err := a.ProposeServers(t.Context(), editorapi.ProposeServersParams{Words: []string{"io.github.example/weather"}})
	if err != nil {
		t.Fatal(err)
	}
	if !result.Choose || len(result.Servers) != 2 {
		t.Fatalf("proposed %+v", result)
	}
	remote, program := result.Servers[0], result.Servers[1]
	if remote.Runs != "https://weather.example/mcp" || program.Runs != "npx -y weather-mcp@1.2.3" {
		t.Errorf("they run %q and %q", remote.Runs, program.Runs)
	}
	if want := "io.github.example/weather 1.2.3, npm, http://127.0.0.1:"; !strings.HasPrefix(program.From, want) {
		t.Errorf("it is from %q, want %q…", program.From, want)
	}
	if !strings.Contains(strings.Join(program.Notes, "\n"), "use climate") {
		t.Errorf("the notes are %q", program.Notes)
	}
	if len(program.Inputs) != 2 || !program.Inputs[0].Password || program.Inputs[1].Password || len(program.Inputs[1].Options) != 2 {
		t.Errorf("the inputs are %+v", program.Inputs)
	}
	if _, err := a.ProposeServers(t.Context(), editorapi.ProposeServersParams{Words: []string{"io.github.example/other"}}); err == nil || !strings.Contains(err.Error(), "not in the registry") {
		t.Errorf("what is not there: %v", err)
	}
}

// What was imported once is there already the next time, also where an input got another id.
func TestImportTwice(t *testing.T) {
	t.Parallel()
	a := newAdder(t, `{"inputs": [{"id": "token", "description": "of another"}]}`)
	theirs := filepath.Join(filepath.Dir(a.d.opts.Paths.Config), "theirs.json")
	writeFile(t, theirs, `{"servers": {"x": {"command": "a", "env": {"TOKEN": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}, "y": 3}}`)
	propose := func() editorapi.ProposeServersResult {
		t.Helper()
		result, err := a.ProposeServers(t.Context(), editorapi.ProposeServersParams{From: theirs})
		if err != nil || len(result.Servers) != 1 || len(result.Problems) != 1 {
			t.Fatalf("proposed %+v, %v", result, err)
		}
		return result
	}
	first := propose().Servers[0]
	if first.State != editorapi.ProposalNew || strings.Contains(string(first.Definition)+first.Text, "ghp_") || len(first.Secrets) != 1 {
		t.Errorf("proposed %+v", first)
	}
	if _, err := a.add(editorapi.AddServerParams{Server: first, Trusted: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(a.text(), "ghp_") || serverOf(t, a, "x").State != editorapi.ServerStopped {
		t.Errorf("x is %s, and the file is\n%s", serverOf(t, a, "x").State, a.text())
	}
	if again := propose().Servers[0]; again.State != editorapi.ProposalSame {
		t.Errorf("again it is %s:\n%s", again.State, a.text())
	}
}
