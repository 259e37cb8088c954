//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// An adder is an editor that adds servers, and the user's configuration.
type adder struct {
	*asker
	t *testing.T
	d *Daemon
}

func newAdder(t *testing.T, before string) *adder {
	d, folder := newTestDaemon(t, time.Hour)
	if before != "" {
		writeFile(t, d.opts.Paths.Config, before)
	}
	return &adder{asker: attachAsker(t, d, folder, false), t: t, d: d}
}

// proposal returns a server of the tests that could be added to the user's configuration.
func (a *adder) proposal(name string) editorapi.ProposedServer {
	definition := rawjson.Get(fakeDefinitions(a.t, plainScript, nil, name), name)
	return editorapi.ProposedServer{Name: name, Definition: definition, File: fileuri.FromPath(a.d.opts.Paths.Config)}
}

func (a *adder) add(p editorapi.AddServerParams) (editorapi.AddServerResult, error) {
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	return a.AddServer(ctx, p)
}

func (a *adder) text() string {
	text, _ := os.ReadFile(a.d.opts.Paths.Config) // absent is empty
	return string(text)
}

// What was started for the trial is what runs afterwards.
func TestAddServer(t *testing.T) {
	t.Parallel()
	a := newAdder(t, "{\n  // mine\n  \"servers\": {}\n}\n")
	result, err := a.add(editorapi.AddServerParams{Server: a.proposal("one")})
	if err != nil {
		t.Fatal(err)
	}
	if result.Server.State != editorapi.ServerReady || result.Place == nil || result.Place.Range == nil || result.Place.Range.Start.Line != 3 {
		t.Errorf("got %+v", result)
	}
	if text := a.text(); !strings.HasPrefix(text, "{\n  // mine\n  \"servers\": {\n    \"one\": {") {
		t.Errorf("the file is\n%s", text)
	}
	again, err := a.add(editorapi.AddServerParams{Server: a.proposal("one")})
	if err != nil || again.Server.PID != result.Server.PID || again.Server.PID == 0 {
		t.Errorf("added again: %+v, %v; want process %d", again, err, result.Server.PID)
	}
}

// Nothing stays of a server that does not start: neither in the file nor in the workspace.
func TestAddServerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	a := newAdder(t, "")
	server := a.proposal("broken")
	server.Definition = json.RawMessage(`{"command": "/nothing/there"}`)
	result, err := a.add(editorapi.AddServerParams{Server: server})
	if err != nil || result.Place != nil || result.Server.Error == nil || !strings.Contains(result.Server.Error.Message, "/nothing/there") {
		t.Errorf("got %+v, %v", result, err)
	}
	if text := a.text(); text != "" || namesOf(a) != "workspace" {
		t.Errorf("the file is %q, the servers are %q", text, namesOf(a))
	}
	result, err = a.add(editorapi.AddServerParams{Server: server, Force: true})
	if err != nil || result.Server.State != editorapi.ServerFailed || !strings.Contains(a.text(), "/nothing/there") {
		t.Errorf("added all the same: %+v, %v", result, err)
	}
}

// What is no secret becomes a part of the definition; a secret stays out of the file and is known.
func TestAddServerAsksForValues(t *testing.T) {
	t.Parallel()
	a := newAdder(t, `{"inputs": [{"id": "other"}]}`)
	server := a.proposal("one")
	for name, id := range map[string]string{"REGION": "region", "TOKEN": "token"} {
		server.Definition = rawjson.SetPath(server.Definition, []byte(`"${input:`+id+`}"`), "env", name)
	}
	server.Inputs = []editorapi.ProposedInput{{ID: "region", Description: "Region"}, {ID: "token", Password: true}}
	server.Secrets = map[string]string{"token": "s3cret"}
	go func() {
		<-a.asked
		a.answers <- `a "b"`
	}()
	if _, err := a.add(editorapi.AddServerParams{Server: server}); err != nil {
		t.Fatal(err)
	}
	text := a.text()
	if !strings.Contains(text, `"REGION": "a \"b\""`) || !strings.Contains(text, "${input:token}") || strings.Contains(text, "s3cret") || strings.Contains(text, `"region"`) {
		t.Errorf("the file is\n%s", text)
	}
	file := config.ParseFile([]byte(text), a.d.store.User().Source)
	value, known := a.d.keptPassword(t.Context(), file.Servers[0], file.Inputs[1])
	if !known || value != "s3cret" {
		t.Errorf("kept is %q, %v", value, known)
	}
}

// Who declines to give a value has nothing added.
func TestAddServerDeclined(t *testing.T) {
	t.Parallel()
	a := newAdder(t, "")
	server := a.proposal("one")
	server.Definition = rawjson.SetPath(server.Definition, []byte(`"${input:region}"`), "env", "REGION")
	server.Inputs = []editorapi.ProposedInput{{ID: "region"}}
	go func() {
		<-a.asked
		a.answers <- ""
	}()
	if _, err := a.add(editorapi.AddServerParams{Server: server}); err == nil || !strings.Contains(err.Error(), `no value was given for "region"`) || a.text() != "" {
		t.Errorf("error %v, the file is %q", err, a.text())
	}
}

func TestAddServerRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, want string
		change       func(*editorapi.ProposedServer)
	}{
		"another of the name": {before: `{"servers": {"one": {"command": "x"}}}`, want: "has another server"},
		"a broken file":       {before: `{"servers": `, want: "mend it first"},
		"no definition":       {change: func(p *editorapi.ProposedServer) { p.Definition = json.RawMessage(`{"args": []}`) }, want: "command"},
		"a name of nothing":   {change: func(p *editorapi.ProposedServer) { p.Name = "" }, want: "cannot be added"},
		"another file":        {change: func(p *editorapi.ProposedServer) { p.File = "file:///etc/passwd" }, want: "not a configuration file of this editor"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAdder(t, test.before)
			server := a.proposal("one")
			if test.change != nil {
				test.change(&server)
			}
			if _, err := a.add(editorapi.AddServerParams{Server: server}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if a.text() != test.before {
				t.Errorf("the file is\n%s", a.text())
			}
		})
	}
}

// Adding to a project is the decision that the server may run.
func TestAddServerToProject(t *testing.T) {
	t.Parallel()
	a := newAdder(t, "")
	server := a.proposal("one")
	folder := filepath.Dir(a.d.opts.Paths.Config)
	server.File = fileuri.FromPath(filepath.Join(folder, ".mcp.json"))
	result, err := a.add(editorapi.AddServerParams{Server: server})
	if err != nil || result.Server.State != editorapi.ServerReady || result.Server.Source != server.File {
		t.Fatalf("got %+v, %v", result, err)
	}
	if a.text() != "" {
		t.Errorf("the user's file is %q", a.text())
	}
}

func TestRemoveAndDisableServer(t *testing.T) {
	t.Parallel()
	a := newAdder(t, "{\"mcpServers\": {\n  \"a\": {\"command\": \"x\"},\n  \"b\": {\"command\": \"y\", \"disabled\": true}\n}}")
	if _, err := a.EnableServer(t.Context(), editorapi.EnableServerParams{Server: "a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.EnableServer(t.Context(), editorapi.EnableServerParams{Server: "b", Enabled: true}); err != nil {
		t.Fatal(err)
	}
	if s := serverOf(t, a, "a"); s.State != editorapi.ServerDisabled {
		t.Errorf("a is %s", s.State)
	}
	place, err := a.RemoveServer(t.Context(), editorapi.ServerParams{Server: "a"})
	if err != nil || place.Range != nil || namesOf(a) != "b" {
		t.Errorf("%+v, %v; the servers are %q", place, err, namesOf(a))
	}
	if want := "{\"mcpServers\": {\n  \"b\": {\"command\": \"y\", \"disabled\": false}\n}}"; a.text() != want {
		t.Errorf("the file is\n%s\nwant\n%s", a.text(), want)
	}
	if _, err := a.RemoveServer(t.Context(), editorapi.ServerParams{Server: "a"}); err == nil {
		t.Error("it was removed twice")
	}
}
