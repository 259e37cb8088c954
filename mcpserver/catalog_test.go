package mcpserver

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

var update = flag.Bool("update", false, "write the goldens anew")

// compare compares with the golden file of that name in testdata.
func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it anew); got\n%s", path, got)
	}
}

// offers is a ready server with tools, prompts and resources, each as JSON.
func offers(name string, tools, prompts, resources, templates []string) editorapi.CatalogServer {
	s := editorapi.CatalogServer{Server: editorapi.Server{Name: name, State: editorapi.ServerReady}}
	for _, tool := range tools {
		s.Tools = append(s.Tools, editorapi.CatalogTool{Tool: json.RawMessage(tool)})
	}
	for _, prompt := range prompts {
		s.Prompts = append(s.Prompts, editorapi.CatalogPrompt{Prompt: json.RawMessage(prompt)})
	}
	for _, resource := range resources {
		s.Resources = append(s.Resources, json.RawMessage(resource))
	}
	for _, template := range templates {
		s.ResourceTemplates = append(s.ResourceTemplates, json.RawMessage(template))
	}
	return s
}

func texts(list []json.RawMessage) (s []string) {
	for _, raw := range list {
		s = append(s, string(raw))
	}
	return s
}

func TestLists(t *testing.T) {
	git := offers("git", []string{
		`{"inputSchema":{"type":"object"}, "title":"The log","name":"log","x":1.0}`,
		`{"name":"a.b"}`,
		`{"name":"log","title":"another of the same name"}`,
	}, []string{`{"name":"review"}`}, []string{`{"uri":"file:///a","name":"a"}`, `{"uri":"git:///x"}`}, []string{`{"uriTemplate":"git:///{x}"}`})
	db := offers("db", []string{`{"name":"log"}`}, []string{`{"name":"review"}`},
		[]string{`{"uri":"file:///a","_meta":{"k":1,"mcp-editord/server":"git"}}`, `{"uri":"db:///x","_meta":{"mcp-editord/server":"git"}}`},
		[]string{`{"uriTemplate":"git:///{x}"}`})
	off := offers("off", []string{`{"name":"t"}`}, []string{`{"name":"p"}`}, []string{`{"uri":"off:///"}`}, []string{`{"uriTemplate":"off:///{x}"}`})
	off.Server.State = editorapi.ServerDisabled
	waits := off
	waits.Server.Name, waits.Server.State = "waits", editorapi.ServerNeedsApproval
	failed := offers("failed", []string{`{"name":"t"}`}, nil, nil, nil)
	failed.Server.State = editorapi.ServerFailed
	servers := []editorapi.CatalogServer{off, git, waits, db, failed}

	all := newCatalog(servers, naming{})
	for kind, want := range map[wire.ListKind][]string{
		wire.ListTools: {
			`{"inputSchema":{"type":"object"}, "title":"The log","name":"git__log","x":1.0}`,
			`{"name":"git__a_b-` + hashOf("git", "a.b") + `"}`, `{"name":"db__log"}`, `{"name":"failed__t"}`,
		},
		wire.ListPrompts: {`{"name":"git__review"}`, `{"name":"db__review"}`},
		wire.ListResources: {
			`{"uri":"file:///a","name":"a","_meta":{"mcp-editord/server":"git"}}`, `{"uri":"git:///x"}`,
			`{"uri":"file:///a","_meta":{"k":1,"mcp-editord/server":"db"}}`, `{"uri":"db:///x","_meta":{"mcp-editord/server":"db"}}`,
		},
		wire.ListResourceTemplates: {`{"uriTemplate":"git:///{x}","_meta":{"mcp-editord/server":"git"}}`, `{"uriTemplate":"git:///{x}","_meta":{"mcp-editord/server":"db"}}`},
	} {
		if got := texts(all.lists[kind]); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", kind, got, want)
		}
	}
	if got, ok := all.target(wire.ListTools, "git__log"); !ok || got.server != "git" || got.name != "log" || string(got.definition) != texts(all.lists[wire.ListTools])[0] {
		t.Errorf("git__log is %+v", got)
	}
	if got, ok := all.target(wire.ListPrompts, "db__review"); !ok || got.server != "db" || got.name != "review" {
		t.Errorf("db__review is %+v", got)
	}
	for _, name := range []string{"log", "off__t", "waits__t", ""} {
		if got, ok := all.target(wire.ListTools, name); ok {
			t.Errorf("%q is %+v", name, got)
		}
	}

	// What promises structuredContent is what the agent was told of.
	schemed := []editorapi.CatalogServer{offers("x", []string{`{"name":"a","outputSchema":{"type":"object"}}`, `{"name":"b"}`}, nil, nil, nil)}
	tools := newCatalog(schemed, naming{}).targets[wire.ListTools]
	found := newCatalog(schemed, naming{lazy: true}).targets[wire.ListTools]
	if !tools["x__a"].promised || tools["x__b"].promised || found["x__a"].promised {
		t.Errorf("promised are %v and %v", tools, found)
	}

	one := newCatalog(servers, naming{single: "git"})
	if got, want := texts(one.lists[wire.ListTools]), []string{string(git.Tools[0].Tool), string(git.Tools[1].Tool), string(git.Tools[2].Tool)}; !slices.Equal(got, want) {
		t.Errorf("with one server: got %q, want %q", got, want)
	}
	if got, ok := one.target(wire.ListTools, "a.b"); !ok || got.name != "a.b" || got.server != "git" {
		t.Errorf("a.b is %+v", got)
	}
	if got := texts(one.lists[wire.ListResources]); !slices.Equal(got, texts(git.Resources)) {
		t.Errorf("with one server: resources %q", got)
	}
}

func TestCapabilities(t *testing.T) {
	s := offers("x", nil, nil, nil, nil)
	s.Server.ServerInfo = json.RawMessage(`{"name":"X","version":"1"}`)
	for _, tt := range []struct {
		name, own string
		naming    naming
		want      string
	}{
		{"all servers", `{"tools":{}}`, naming{}, allCapabilities},
		{"one that is not there", `{"tools":{}}`, naming{single: "y"}, allCapabilities},
		{"one that is not known", ``, naming{single: "x"}, allCapabilities},
		{
			"one", `{"tools":{"listChanged":false,"k":1}, "resources":{},"tasks":{"list":{}},"experimental":{"e":{}},"extensions":{"a/b":{}}}`, naming{single: "x"},
			`{"tools":{"listChanged":true,"k":1}, "resources":{"listChanged":true},"tasks":{"list":{}},"experimental":{"e":{}},"extensions":{"a/b":{}}}`,
		},
		{"one without lists", `{"logging":{},"prompts":null}`, naming{single: "x"}, `{"logging":{},"prompts":null}`},
		{"one that is lazy", `{"logging":{}}`, naming{single: "x", lazy: true}, `{"logging":{},"tools":{"listChanged":true}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.Server.Capabilities = json.RawMessage(tt.own)
			c := newCatalog([]editorapi.CatalogServer{s}, tt.naming)
			if got := string(c.capabilities()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			want := `{"name":"mcp-editord","version":"7"}`
			if tt.naming.single == "x" {
				want = string(s.Server.ServerInfo)
			}
			if got := string((&session{o: Options{Version: "7"}}).info(c)); got != want {
				t.Errorf("info is %s, want %s", got, want)
			}
		})
	}
}
