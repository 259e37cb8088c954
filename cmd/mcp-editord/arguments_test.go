package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestCallArguments(t *testing.T) {
	tool := json.RawMessage(`{"inputSchema":{"type":"object","$defs":{"page":{"type":"integer"}},"properties":{
		"page":{"$ref":"#/$defs/page"},
		"text":{"type":"string"}, "count":{"type":"integer"}, "ratio":{"type":"number"}, "on":{"type":"boolean"},
		"list":{"type":"array"}, "map":{"type":"object"}, "maybe":{"type":["integer","null"]},
		"either":{"anyOf":[{"type":"integer"},{"type":"string"}]}, "other":{"oneOf":[{"type":"boolean"},{"type":"integer"}]}, "any":{}}}}`)
	tests := []struct {
		name  string
		words []string
		stdin string
		want  string
		err   string // the error contains it
	}{
		{name: "none", want: `{}`},
		{name: "string", words: []string{"text=a=b"}, want: `{"text":"a=b"}`},
		{name: "empty string", words: []string{"text="}, want: `{"text":""}`},
		{name: "digits for a string", words: []string{"text=1"}, want: `{"text":"1"}`},
		{name: "integer keeps its digits", words: []string{"count=12345678901234567890"}, want: `{"count":12345678901234567890}`},
		{name: "negative integer", words: []string{"count=-1"}, want: `{"count":-1}`},
		{name: "integer behind a reference", words: []string{"page=2"}, want: `{"page":2}`},
		{name: "fraction for an integer", words: []string{"count=1.5"}, err: `the argument "count" must be of type integer`},
		{name: "text for an integer", words: []string{"count=many"}, err: `the argument "count" must be of type integer`},
		{name: "nothing for an integer", words: []string{"count="}, err: `the argument "count" must be of type integer`},
		{name: "number", words: []string{"ratio=1.50e3"}, want: `{"ratio":1.50e3}`},
		{name: "string for a number", words: []string{`ratio="1"`}, err: `the argument "ratio" must be of type number`},
		{name: "boolean", words: []string{"on=true"}, want: `{"on":true}`},
		{name: "yes for a boolean", words: []string{"on=yes"}, err: `the argument "on" must be of type boolean`},
		{name: "array", words: []string{`list=[1, 2]`}, want: `{"list":[1, 2]}`},
		{name: "object for an array", words: []string{`list={}`}, err: `the argument "list" must be of type array`},
		{name: "object", words: []string{`map={"a":1}`}, want: `{"map":{"a":1}}`},
		{name: "broken object", words: []string{`map={`}, err: `the argument "map" must be of type object`},
		{name: "null among the types", words: []string{"maybe=null"}, want: `{"maybe":null}`},
		{name: "neither of the types", words: []string{"maybe=x"}, err: "integer or null"},
		{name: "a string among the alternatives", words: []string{"either=1"}, want: `{"either":"1"}`},
		{name: "alternatives without a string", words: []string{"other=1"}, want: `{"other":1}`},
		{name: "no type", words: []string{"any=1"}, want: `{"any":"1"}`},
		{name: "not in the schema", words: []string{"new=1"}, err: `the tool has no argument "new"; to send it all the same, give the arguments as one JSON object`},
		{name: "misspelt", words: []string{"cuont=1"}, err: `the tool has no argument "cuont" (did you mean "count"?)`},
		{name: "misspelt, in JSON", words: []string{"text=a", "cuont:=1"}, err: `did you mean "count"?`},
		{name: "misspelt, in an object", words: []string{`{"cuont":1}`}, want: `{"cuont":1}`},
		{name: "forced JSON", words: []string{"text:=1", `any:={"a":[]}`}, want: `{"text":1,"any":{"a":[]}}`},
		{name: "forced JSON that is none", words: []string{"any:=x"}, err: `the argument "any" must be valid JSON`},
		{name: "twice", words: []string{"text=a", "text:=1"}, err: `the argument "text" is given twice`},
		{name: "no value", words: []string{"text"}, err: `"text" is not an argument`},
		{name: "no key", words: []string{"=a"}, err: `"=a" is not an argument`},
		{name: "no key of JSON", words: []string{":=1"}, err: `":=1" is not an argument`},
		{name: "object as a word", words: []string{`{"a": 1.0}`}, want: `{"a": 1.0}`},
		{name: "object with another word", words: []string{`{"a":1}`, "text=a"}, err: "is not an argument"},
		{name: "broken word", words: []string{`{"a"`}, err: "must be valid JSON"},
		{name: "standard input", words: []string{"-"}, stdin: "{\"a\": 1}\n", want: "{\"a\": 1}\n"},
		{name: "standard input that is no object", words: []string{"-"}, stdin: `[]`, err: "must be a JSON object"},
		{name: "empty standard input", words: []string{"-"}, err: "must be valid JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := callArguments(test.words, tool, strings.NewReader(test.stdin))
			if usage := (*usageError)(nil); test.err != "" && !errors.As(err, &usage) {
				t.Errorf("the error %v is no usage error", err)
			}
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
