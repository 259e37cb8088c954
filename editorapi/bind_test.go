package editorapi

import (
	"encoding/json"
	"runtime"
	"testing"
)

// What a bound value becomes for an argument, by the schema of the tool.
func TestBoundValue(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	place := Bound{Text: "/w/a b.go", Place: true}
	for _, test := range []struct {
		name, argument string // its schema
		bound          Bound
		want           string // the arguments
	}{
		{"a path", `"path":{"type":"string"}`, place, `{"path":"/w/a b.go"}`},
		{"a path whose format is a URI", `"path":{"type":"string","format":"uri"}`, place, `{"path":"file:///w/a%20b.go"}`},
		{"a path that may be null", `"path":{"anyOf":[{"type":"string","format":"uri"},{"type":"null"}]}`, place, `{"path":"file:///w/a%20b.go"}`},
		{"a path whose pattern is that of a URI", `"path":{"type":"string","pattern":"^file://"}`, place, `{"path":"file:///w/a%20b.go"}`},
		{"a list of paths", `"path":{"type":"array","items":{"type":"string"}}`, place, `{"path":["/w/a b.go"]}`},
		{"a list of URIs", `"path":{"type":"array","items":{"type":"string","format":"uri"}}`, place, `{"path":["file:///w/a%20b.go"]}`},
		{"a number", `"path":{"type":"integer"}`, place, `{}`},
		{"more than a place", `"path":{"type":"string","format":"uri"}`, Bound{Text: "/w/a b.go:3"}, `{"path":"/w/a b.go:3"}`},
		{"a text for a list", `"path":{"type":"array","items":{"type":"string"}}`, Bound{Text: "x"}, `{}`},
		{"without a schema", ``, place, `{"path":"/w/a b.go"}`},
		{"without a schema, by a pattern", ``, Bound{Text: "x", Pattern: true}, `{}`},
		{"by a pattern", `"path":{"type":"string"}`, Bound{Text: "x", Pattern: true}, `{"path":"x"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &command{definition: json.RawMessage(`{"name":"t","inputSchema":{"properties":{` + test.argument + `}}}`)}
			if got := fill(c, json.RawMessage("{}"), map[string]Bound{"path": test.bound}); string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	c := &command{definition: json.RawMessage(`{"name":"t","inputSchema":{"properties":{"fileUri":{"type":"string"}}}}`)}
	if got := fill(c, json.RawMessage("{}"), map[string]Bound{"fileUri": place}); string(got) != `{"fileUri":"file:///w/a%20b.go"}` {
		t.Errorf("an argument whose name is that of a URI gets %s", got)
	}
}
