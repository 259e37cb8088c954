package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
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
		for _, f := range reflect.VisibleFields(format) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				described = append(described, name)
			}
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

// The schema explains every key, and the defaults and the words that it names are those that the parser takes.
func TestSchemaExplains(t *testing.T) {
	type object struct {
		Properties map[string]struct {
			Description string
			Default     json.RawMessage
			Examples    []json.RawMessage
			Enum        []json.RawMessage
		}
	}
	var s struct {
		object
		Definitions map[string]object
	}
	if err := json.Unmarshal(Schema(true), &s); err != nil {
		t.Fatal(err)
	}
	s.Definitions["the file"] = s.object
	for name, of := range s.Definitions {
		for key, property := range of.Properties {
			if property.Description == "" {
				t.Errorf("%q of %s is not explained", key, name)
			}
		}
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

// The schema is one that others can read too, and agrees with the parser. A file of a workspace folder
// has neither defaults nor credentials.
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
			`{"credentials": "file"}`: own,
			`{"defaults": {"protocol": "2025-06-18", "samplingLimit": "1/s"}}`:         own,
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
