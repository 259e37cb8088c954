package toolschema

import (
	"fmt"
	"strings"
	"testing"
)

func TestConvert(t *testing.T) {
	for _, test := range []struct {
		name  string
		types []string
		text  string
		want  string // "" when it cannot be
	}{
		{"no type", nil, "5", `"5"`},
		{"string", []string{"string"}, "5", `"5"`},
		{"string comes first", []string{"integer", "string"}, "5", `"5"`},
		{"integer", []string{"integer"}, " 5 ", `5`},
		{"integer over 2^53", []string{"integer"}, "9007199254740993", `9007199254740993`},
		{"integer from a fraction", []string{"integer"}, "5.5", ""},
		{"number", []string{"number"}, "5.5", `5.5`},
		{"number from an integer", []string{"number"}, "5", `5`},
		{"number that is not JSON", []string{"number"}, "0x10", ""},
		{"not a number", []string{"number"}, "NaN", ""},
		{"boolean", []string{"boolean"}, "false", `false`},
		{"boolean from a word", []string{"boolean"}, "yes", ""},
		{"array", []string{"array"}, `["a"]`, `["a"]`},
		{"array from a text", []string{"array"}, "a", ""},
		{"object", []string{"object"}, `{"a":1}`, `{"a":1}`},
		{"empty text for an integer", []string{"integer"}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := Property{Types: test.types}.Convert(test.text)
			if ok != (test.want != "") || string(got) != test.want {
				t.Errorf("got %s (%v), want %s", got, ok, test.want)
			}
		})
	}
}

func TestOfTool(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"type", `{"type":"string","format":"uri","description":"d"}`, "[string] uri d  -"},
		{"types", `{"type":["string","null"]}`, "[string null]    -"},
		{"no type", `{}`, "[]    -"},
		{"alternatives", `{"anyOf":[{"type":"string","format":"uri","enum":["a"]},{"type":"null"}],"description":"d"}`, `[string null] uri d ["a"] -`},
		{"an alternative that allows more than a list", `{"anyOf":[{"enum":["a"],"type":"string"},{"type":"string"}]}`, "[string string]    -"},
		{"two lists", `{"oneOf":[{"enum":["a"]},{"enum":["b"]}]}`, "[]    -"},
		{"reference", `{"$ref":"#/$defs/a~1b","description":"mine"}`, "[integer]  mine  -"},
		{"reference to a property", `{"$ref":"#/properties/other"}`, "[boolean]    -"},
		{"all of a reference", `{"allOf":[{"$ref":"#/$defs/a~1b"}]}`, "[integer]  whole  -"},
		{"reference to itself", `{"$ref":"#/properties/p"}`, "[]    -"},
		{"reference to nothing", `{"$ref":"#/$defs/gone"}`, "[]    -"},
		{"reference to another file", `{"$ref":"x.json#/$defs/a"}`, "[]    -"},
		{"list", `{"type":"array","items":{"type":"string"}}`, "[array]    [string]"},
		{"list that may be missing", `{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/a~1b"}},{"type":"null"}]}`, "[array null]    [integer]"},
		{"list of anything", `{"type":"array","items":true}`, "[array]    []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := OfTool([]byte(`{"inputSchema":{"$defs":{"a/b":{"type":"integer","description":"whole"}},"properties":{"p":` + test.schema + `,"other":{"type":"boolean"}}}}`)).Property("p")
			items := "-"
			if p.Items != nil {
				items = fmt.Sprint(p.Items.Types)
			}
			if got := fmt.Sprintf("%v %s %s %s %s", p.Types, p.Format, p.Description, p.Enum, items); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// A list in a list in a list is not followed to its end: nobody asks, and its schema is read again for
// each of them.
func TestItemsOfItems(t *testing.T) {
	p := OfTool([]byte(`{"inputSchema":{"properties":{"p":{"items":{"type":"array","items":{"type":"string"}}}}}}`)).Property("p")
	if p.Items == nil || p.Items.Types[0] != "array" || p.Items.Items != nil {
		t.Errorf("got %+v", p.Items)
	}
}

// References may double at each step; the number that is followed is bounded.
func TestManyReferences(t *testing.T) {
	twice := `{"anyOf":[` + strings.Repeat(`{"$ref":"#/properties/p"},`, 1000) + `{"type":"string"}]}`
	r := reader{[]byte(`{"properties":{"p":` + twice + `}}`), maxReferences}
	if got := len(r.variants([]byte(twice), maxNesting)); got > maxReferences*2000 {
		t.Errorf("read %d schemas", got)
	}
	if r.left != 0 {
		t.Errorf("%d references are left", r.left)
	}
}
