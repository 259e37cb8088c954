package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
)

// The schema describes the keys that the parser reads: all of them, and no others.
func TestFormatHasTheKeysThatAreRead(t *testing.T) {
	formats := map[string]reflect.Type{
		"the file":                              reflect.TypeFor[FileFormat](),
		`server "s"`:                            reflect.TypeFor[ServerFormat](),
		`server "h"`:                            reflect.TypeFor[ServerFormat](),
		`"defaults"`:                            reflect.TypeFor[SettingsFormat](),
		`input "i"`:                             reflect.TypeFor[InputFormat](),
		`"oauth" of server "h"`:                 reflect.TypeFor[OAuthFormat](),
		`"enterprise" of "oauth" of server "h"`: reflect.TypeFor[EnterpriseFormat](),
		`"auth" of server "c"`:                  reflect.TypeFor[CursorAuthFormat](),
		`server "c"`:                            reflect.TypeFor[ServerFormat](),
		`tool "t" of server "s"`:                reflect.TypeFor[ToolFormat](),
	}
	doc := newDocument(Source{URI: "file:///f", Trusted: true})
	read := map[string]bool{}
	doc.finished = func(o *object) {
		format := formats[o.what]
		if format == nil {
			t.Errorf("%s has no format; describe it in format.go", o.what)
			return
		}
		read[o.what] = true
		var described []string
		for i := range format.NumField() {
			name, _, _ := strings.Cut(format.Field(i).Tag.Get("json"), ",")
			described = append(described, name)
		}
		asked := slices.Compact(slices.Sorted(slices.Values(o.asked)))
		if slices.Sort(described); !slices.Equal(asked, described) {
			t.Errorf("%s: the parser asks for %q, %s describes %q", o.what, asked, format.Name(), described)
		}
	}
	file := doc.file([]byte(`{
		"servers": {
			"s": {"command": "c", "tools": {"t": {}}},
			"h": {"url": "https://h/", "oauth": {"clientId": "c", "grant": "client_credentials", "privateKeyFile": "k"}},
			"c": {"url": "https://h/", "auth": {}},
		},
		"inputs": [{"id": "i"}], "defaults": {},
	}`))
	doc.file([]byte(`{"servers": {"h": {"url": "https://h/", "oauth": {"clientId": "c", "clientSecret": "s", "enterprise": {"issuer": "https://i/", "clientId": "c"}}}}}`))
	if len(file.Problems) > 0 {
		t.Errorf("got %v", file.Problems)
	}
	for what := range formats {
		if !read[what] {
			t.Errorf("%s was not read", what)
		}
	}
}

// The defaults and the words that the schema names are those that the parser takes.
func TestSchemaNamesValuesThatAreTaken(t *testing.T) {
	var s struct {
		Definitions map[string]struct {
			Properties map[string]struct {
				Default  json.RawMessage
				Examples []json.RawMessage
				Enum     []json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(Schema(true), &s); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for key, property := range s.Definitions["ServerFormat"].Properties {
		for _, value := range slices.Concat([]json.RawMessage{property.Default}, property.Examples, property.Enum) {
			if value == nil {
				continue
			}
			tried++
			kind := `"command": "c"`
			if key == "headers" || key == "url" || key == "type" && string(value) != `"stdio"` {
				kind = `"url": "https://h/"`
			}
			if key == "command" || key == "url" {
				kind = `"enabled": true`
			}
			file := ParseFile([]byte(`{"servers": {"s": {`+kind+`, "`+key+`": `+string(value)+`}}, "inputs": [{"id": "token"}]}`), Source{URI: "file:///f", Trusted: true})
			if len(file.Problems) > 0 {
				t.Errorf("%s: %s: got %v", key, value, file.Problems)
			}
		}
	}
	if tried < 20 {
		t.Errorf("tried only %d values", tried)
	}
}

// A file of a workspace folder has neither defaults nor credentials.
func TestSchemaOfWorkspaceFile(t *testing.T) {
	for own, want := range map[bool]string{
		true:  "$schema servers mcpServers inputs defaults credentials",
		false: "$schema servers mcpServers inputs",
	} {
		var s struct{ Properties map[string]any }
		if err := json.Unmarshal(Schema(own), &s); err != nil {
			t.Fatal(err)
		}
		names := strings.Fields(want)
		if len(s.Properties) != len(names) {
			t.Errorf("own %v: got %v", own, s.Properties)
		}
		for _, name := range names {
			if s.Properties[name] == nil {
				t.Errorf("own %v: %s is missing", own, name)
			}
		}
	}
}

// The schema is one that others can read too, and agrees with the parser.
func TestSchemaIsASchema(t *testing.T) {
	for _, own := range []bool{true, false} {
		var s jsonschema.Schema
		if err := json.Unmarshal(Schema(own), &s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{
			`{"servers": {"x": {"command": "c", "roots": "none", "scope": "user", "agents": {"*": "ask"}}}, "inputs": [{"id": "i"}]}`: true,
			`{"mcpServers": {"x": {"url": "https://h/", "roots": ["a"], "oauth": {"scopes": "a b", "redirectPort": 8123}}}}`:          true,
			`{"credentials": "file", "defaults": {"protocol": "2025-06-18", "samplingLimit": "1/s"}}`:                                 own,
			`{"servers": {"x": {"command": 1}}}`:                                       false,
			`{"servers": {"x": {"command": "c", "commando": "c"}}}`:                    false,
			`{"servers": {"x": {"command": "c", "scope": "all"}}}`:                     false,
			`{"servers": {"x": {"command": "c", "roots": "all"}}}`:                     false,
			`{"servers": {"x": {"command": "c", "agents": {"*": "yes"}}}}`:             false,
			`{"servers": {"x": {"command": "c", "samplingLimit": "often"}}}`:           false,
			`{"servers": {"x": {"url": "https://h/", "oauth": {"redirectPort": 80}}}}`: false,
			`{"inputs": [{"type": "promptString"}]}`:                                   false,
		} {
			var value any
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(value); (err == nil) != want {
				t.Errorf("own %v: %s: got %v", own, text, err)
			}
			problems := ParseFile([]byte(text), Source{URI: "file:///f", Trusted: own}).Problems
			if (len(problems) == 0) != want {
				t.Errorf("own %v: %s: the parser says %v", own, text, problems)
			}
		}
	}
}

// Every key is offered where it may stand, and explained.
func TestEveryKeyIsExplainedAndOffered(t *testing.T) {
	s := schemalang.Compile(Schema(true))
	key := func(names ...string) (path []syntax.Step) {
		for _, name := range names {
			path = append(path, syntax.Step{Key: name, Index: -1})
		}
		return path
	}
	server := key("servers", "x")
	for _, of := range []struct {
		path   []syntax.Step
		format reflect.Type
	}{
		{nil, reflect.TypeFor[FileFormat]()},
		{server, reflect.TypeFor[ServerFormat]()},
		{key("mcpServers", "x"), reflect.TypeFor[ServerFormat]()},
		{key("defaults"), reflect.TypeFor[SettingsFormat]()},
		{append(key("inputs"), syntax.Step{Index: 0}), reflect.TypeFor[InputFormat]()},
		{key("servers", "x", "oauth"), reflect.TypeFor[OAuthFormat]()},
		{key("servers", "x", "oauth", "enterprise"), reflect.TypeFor[EnterpriseFormat]()},
		{key("servers", "x", "auth"), reflect.TypeFor[CursorAuthFormat]()},
		{key("servers", "x", "tools", "t"), reflect.TypeFor[ToolFormat]()},
	} {
		offered := map[string]string{}
		for _, c := range s.Complete(syntax.Place{Path: of.path, InKey: true, Flow: true}, syntax.JSONC) {
			offered[c.Label] = c.Documentation
		}
		for i := range of.format.NumField() {
			name, _, _ := strings.Cut(of.format.Field(i).Tag.Get("json"), ",")
			text, ok := s.Hover(append(slices.Clone(of.path), key(name)...))
			if !ok || offered[name] == "" || !strings.HasPrefix(text, offered[name]) {
				t.Errorf("%s of %s: hover %q, offered as %q", name, of.format.Name(), text, offered[name])
			}
		}
		if len(offered) != of.format.NumField() {
			t.Errorf("%s: %d keys are offered, of %d", of.format.Name(), len(offered), of.format.NumField())
		}
	}
	for name, want := range map[string]string{"scope": "session workspace user", "sampling": "ask deny", "roots": "workspace none", "enabled": "true false"} {
		var labels []string
		for _, c := range s.Complete(syntax.Place{Path: append(slices.Clone(server), key(name)...), Flow: true}, syntax.JSONC) {
			labels = append(labels, c.Label)
		}
		if got := strings.Join(labels, " "); !strings.HasPrefix(got+" ", want+" ") {
			t.Errorf("values of %s: got %s", name, got)
		}
	}
}
