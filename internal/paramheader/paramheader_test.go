package paramheader

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// toolOf returns a tool with this inputSchema.
func toolOf(schema string) json.RawMessage {
	return json.RawMessage(`{"name":"t","inputSchema":` + schema + `}`)
}

// MCP 2026-07-28, Streamable HTTP, Custom Headers from Tool Parameters, and the
// edge cases of SEP-2243.
func TestOf(t *testing.T) {
	one := func(typ string) string {
		return `{"type":"object","properties":{"v":{"x-mcp-header":"V","type":"` + typ + `"}}}`
	}
	value := func(v string) map[string]string { return map[string]string{"Mcp-Param-V": v} }
	tests := []struct {
		name, schema, arguments string
		want                    map[string]string
	}{
		{"no schema", `null`, `{"v":"x"}`, nil},
		{"a schema that is true", `true`, `{"v":"x"}`, nil},
		{"no annotation", `{"properties":{"v":{"type":"string"}}}`, `{"v":"x"}`, nil},
		{"a string", one("string"), `{"v":"us west 1"}`, value("us west 1")},
		{"an empty string", one("string"), `{"v":""}`, value("")},
		{"an escaped string", one("string"), `{"v":"\u0061\/b"}`, value("a/b")},
		{"true", one("boolean"), `{"v":true}`, value("true")},
		{"false", one("boolean"), `{"v":false}`, value("false")},
		{"an integer", one("integer"), `{"v":42}`, value("42")},
		{"an integer with a point", one("integer"), `{"v":2.0}`, value("2")},
		{"an integer with an exponent", one("integer"), `{"v":1e3}`, value("1000")},
		{"minus zero", one("integer"), `{"v":-0}`, value("0")},
		{"the largest integer", one("integer"), `{"v":9007199254740991}`, value("9007199254740991")},
		{"the smallest integer", one("integer"), `{"v":-9007199254740991}`, value("-9007199254740991")},
		{"an integer too large", one("integer"), `{"v":9007199254740992}`, nil},
		{"an integer too small", one("integer"), `{"v":-9007199254740992}`, nil},
		{"an integer beyond all bounds", one("integer"), `{"v":1e999999999}`, nil},
		{"a fraction", one("integer"), `{"v":1.5}`, nil},
		{"null", one("string"), `{"v":null}`, nil},
		{"absent", one("string"), `{"w":"x"}`, nil},
		{"no arguments", one("string"), ``, nil},
		{"arguments that are no object", one("string"), `["x"]`, nil},
		{"a number for a string", one("string"), `{"v":1}`, nil},
		{"a string for an integer", one("integer"), `{"v":"1"}`, nil},
		{"an object for a string", one("string"), `{"v":{}}`, nil},
		{
			"nested", `{"properties":{"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"V"}}},"b":{"type":"string"}}}`,
			`{"b":"wrong","a":{"b":"right"}}`, value("right"),
		},
		{
			"the way to a nested one is no object", `{"properties":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"V"}}}}}`,
			`{"a":"b"}`, nil,
		},
		{
			"several", `{"properties":{"a":{"type":"string","x-mcp-header":"Method"},"b":{"type":"integer","x-mcp-header":"tenant_id"}}}`,
			`{"b":5,"a":"x"}`, map[string]string{"Mcp-Param-Method": "x", "Mcp-Param-tenant_id": "5"},
		},
		{
			"a property of the name of the annotation", `{"properties":{"x-mcp-header":{"type":"string","x-mcp-header":"V"}}}`,
			`{"x-mcp-header":"x"}`, value("x"),
		},
		{
			"a property of the name of a keyword", `{"properties":{"properties":{"type":"string","x-mcp-header":"V"}}}`,
			`{"properties":"x"}`, value("x"),
		},
		{
			"an annotation in data", `{"properties":{"v":{"type":"string","x-mcp-header":"V"},"w":{"default":{"x-mcp-header":""},"enum":[{"x-mcp-header":"V"}]}}}`,
			`{"v":"x"}`, value("x"),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Of(toolOf(tt.schema), json.RawMessage(tt.arguments))
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("no inputSchema", func(t *testing.T) {
		if got, err := Of(json.RawMessage(`{"name":"t"}`), json.RawMessage(`{"v":1}`)); err != nil || len(got) > 0 {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

// Check refuses a definition with invalid annotations, and the reason names the place.
func TestCheck(t *testing.T) {
	property := func(annotation, typ string) string {
		return `{"properties":{"v":{"type":` + typ + `,"x-mcp-header":` + annotation + `}}}`
	}
	good := `{"type":"string","x-mcp-header":"V"}`
	var many strings.Builder
	for i := range maxParamHeaders + 1 {
		fmt.Fprintf(&many, `,"p%d":{"type":"string","x-mcp-header":"P%d"}`, i, i)
	}
	tests := []struct{ name, schema, want string }{
		{"empty", property(`""`, `"string"`), "inputSchema/properties/v is not a string"},
		{"not a string", property(`7`, `"string"`), "not a string"},
		{"null", property(`null`, `"string"`), "not a string"},
		{"a space", property(`"My Region"`, `"string"`), "not the name of a header"},
		{"a colon", property(`"Region:Primary"`, `"string"`), "not the name of a header"},
		{"a line break", property(`"Region\r\nX: y"`, `"string"`), "not the name of a header"},
		{"type number", property(`"V"`, `"number"`), "string, integer or boolean"},
		{"type object", property(`"V"`, `"object"`), "string, integer or boolean"},
		{"several types", property(`"V"`, `["string","null"]`), "string, integer or boolean"},
		{"no type", `{"properties":{"v":{"x-mcp-header":"V"}}}`, "string, integer or boolean"},
		{"twice", `{"properties":{"a":` + good + `,"b":` + good + `}}`, "inputSchema/properties/b names a header that another"},
		{"twice but for the case", `{"properties":{"a":` + good + `,"b":{"properties":{"c":{"type":"string","x-mcp-header":"v"}}}}}`, "inputSchema/properties/b/properties/c names"},
		{"too many", `{"properties":{` + many.String()[1:] + `}}`, "one too many: a tool may have 64"},
		{"at the root", `{"type":"string","x-mcp-header":"V"}`, "of inputSchema is not reached"},
		{"items", `{"properties":{"v":{"items":` + good + `}}}`, "inputSchema/properties/v/items is not reached"},
		{"prefixItems", `{"properties":{"v":{"prefixItems":[{},` + good + `]}}}`, "prefixItems/1 is not reached"},
		{"anyOf", `{"anyOf":[{"properties":{"v":` + good + `}}]}`, "inputSchema/anyOf/0/properties/v is not reached"},
		{"allOf", `{"allOf":[{"properties":{"v":` + good + `}}]}`, "is not reached"},
		{"not", `{"not":{"properties":{"v":` + good + `}}}`, "is not reached"},
		{"if", `{"if":{"properties":{"v":` + good + `}}}`, "is not reached"},
		{"$defs", `{"$defs":{"d":` + good + `},"properties":{"v":{"$ref":"#/$defs/d"}}}`, "inputSchema/$defs/d is not reached"},
		{"properties of a definition", `{"$defs":{"d":{"properties":{"v":` + good + `}}}}`, "is not reached"},
		{"a definition of the name of data", `{"$defs":{"default":` + good + `}}`, "is not reached"},
		{"patternProperties", `{"patternProperties":{"^v":` + good + `}}`, "is not reached"},
		{"additionalProperties", `{"additionalProperties":` + good + `}`, "is not reached"},
		{"dependentSchemas", `{"dependentSchemas":{"v":{"properties":{"w":` + good + `}}}}`, "is not reached"},
		{"a keyword that nobody knows", `{"x-more":[{"v":` + good + `}]}`, "is not reached"},
		{"properties that are an array", `{"properties":[` + good + `]}`, "is not reached"},
		{"below a good one", `{"properties":{"v":{"type":"string","x-mcp-header":"V","items":` + good + `}}}`, "inputSchema/properties/v/items is not reached"},
		{"an escaped name", `{"allOf":[{"\u0078-mcp-header":"V"}]}`, "is not reached"},
		{"a place that is no text", `{"properties":{"\u001b[2J":{"x-mcp-header":"V"}}}`, `inputSchema/properties/\u{1b}[2J is`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Check(toolOf(tt.schema))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if len(err.Error()) > 500 {
				t.Errorf("the reason has %d bytes", len(err.Error()))
			}
			if headers, callErr := Of(toolOf(tt.schema), json.RawMessage(`{"v":"x"}`)); callErr == nil || headers != nil {
				t.Errorf("a call has the headers %q", headers)
			}
		})
	}
}

// Fault hostile-schema: Check reads a schema in one pass, whatever its size and depth, and only
// a wrong annotation makes a tool invalid.
func TestHugeSchemas(t *testing.T) {
	nested := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	good := `{"type":"string","x-mcp-header":"V"}`
	tests := []struct {
		name, schema string
		ok           bool
	}{
		{"deep properties", nested(`{"properties":{"p":`, good, `}}`, 4000), true},
		{"deep composition", nested(`{"allOf":[`, good, `]}`, 4000), false},
		{"deep composition without an annotation", nested(`{"allOf":[`, `{}`, `]}`, 4000), true},
		{"recursive", `{"properties":{"v":` + good + `,"self":{"$ref":"#"}}}`, true},
		{"wide", `{"properties":{"v":` + good + strings.Repeat(`,"w":{"type":"string","description":"x"}`, 100_000) + `}}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := Check(toolOf(tt.schema)); (err == nil) != tt.ok {
				t.Errorf("got %.200v", err)
			}
		})
	}
}
