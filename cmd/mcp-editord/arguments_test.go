package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
)

func TestCallArguments(t *testing.T) {
	tool := json.RawMessage(`{"inputSchema":{"type":"object","properties":{
		"text":{"type":"string"}, "count":{"type":"integer"}, "maybe":{"type":["integer","null"]}, "any":{},
		"bound":{"type":"string"}}, "required":["bound"]}}`)
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
		{name: "fraction for an integer", words: []string{"count=1.5"}, err: `the argument "count" must be of type integer`},
		{name: "null among the types", words: []string{"maybe=null"}, want: `{"maybe":null}`},
		{name: "neither of the types", words: []string{"maybe=x"}, err: "integer or null"},
		{name: "not in the schema", words: []string{"new=1"}, err: `the tool has no argument "new"; its arguments: bound (string, required), text (string), count (integer), maybe (integer or null), any (any); to send it all the same, give the arguments as one JSON object`},
		{name: "misspelt", words: []string{"cuont=1"}, err: `the tool has no argument "cuont" (did you mean "count"?); its arguments: bound (string, required), text (string), count (integer), maybe (integer or null), any (any)`},
		{name: "misspelt, in JSON", words: []string{"text=a", "cuont:=1"}, err: `did you mean "count"?`},
		{name: "misspelt, in an object", words: []string{`{"cuont":1}`}, want: `{"cuont":1}`},
		{name: "forced JSON", words: []string{"text:=1", `any:={"a":[]}`}, want: `{"text":1,"any":{"a":[]}}`},
		{name: "forced JSON that is none", words: []string{"any:=x"}, err: `the argument "any" must be valid JSON`},
		{name: "twice", words: []string{"text=a", "text:=1"}, err: `the argument "text" is given twice`},
		{name: "a text that begins with @", words: []string{"text=@@a@"}, want: `{"text":"@a@"}`},
		{name: "a number is in no file", words: []string{"count=@a"}, err: `must be of type integer`},
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
			got, err := callArguments(test.words, calldoc.Tool, tool, strings.NewReader(test.stdin), func() []string { return []string{"bound"} })
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
