package config

import (
	"strings"
	"testing"
)

// Every problem underlines the key or the value that it is about.
func TestProblemsHaveSpans(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a value":                  {`{"servers": {"x": {"command": "c", "scope" : "all", "args": []}}}`, `"all"`},
		"a string with an escape":  {`{"servers": {"x": {"command": "c", "scope": "a\"b,}"}}}`, `"a\"b,}"`},
		"a key":                    {`{"servers": {"x": {"command": "c", "arg": []}}}`, `"arg"`},
		"an object on one line":    {`{"servers": {"x": {"type": "stdio"}, "y": {"command": "c"}}}`, `{"type": "stdio"}`},
		"an object on many lines":  {"{\"servers\": {\"x\": {  \r\n\"type\": \"stdio\"\r\n}}}", `{`},
		"a list":                   {`{"servers": ["a", ["b"]], "inputs": []}`, `["a", ["b"]]`},
		"behind a byte order mark": {"\ufeff" + `{"nonsense": 1}`, `"nonsense"`},
		"what is not JSON":         {"{\n  \"servers\": {\n    \"x\": nonsense, \"y\": 1\n}}", `nonsense`},
		"the end":                  {`{"servers": {`, ``},
		"an odd end of the object": {`{"servers": }`, `}`},
		"the whole file":           {"\xff\xfe{\x00", ``},
		"letters outside of ASCII": {`{"sërvers": 1, "é": 2}`, `"sërvers"`},
		"a value beside a comment": {`{"servers": {"x": {"command": 1/* no */}}}`, `1`},
	} {
		problems := ParseFile([]byte(test.text), Source{URI: "file:///f", Trusted: true}).Problems
		if len(problems) == 0 {
			t.Errorf("%s: got no problem", name)
			continue
		}
		span := problems[0].Span
		if span.Start < 0 || span.End < span.Start || span.End > len(test.text) {
			t.Errorf("%s: got %+v", name, problems[0])
		} else if got := test.text[span.Start:span.End]; got != test.want {
			t.Errorf("%s: %q: got %q, want %q", name, problems[0].Message, got, test.want)
		}
	}
}

// Each server knows its name and its whole entry in the text.
func TestPlacesOfServers(t *testing.T) {
	const text = "\ufeff{\n  // comment\n  \"mcpServers\": {\"broken\": {}, \"b\": {\"command\": \"b\"}},\n  \"servers\": {\n    \"a\" : {\n \"url\": \"https://a/\" },\n  },\n}"
	file := ParseFile([]byte(text), Source{URI: "file:///f", Trusted: true})
	want := []string{`"a"`, "\"a\" : {\n \"url\": \"https://a/\" }", `"b"`, `"b": {"command": "b"}`}
	var got []string
	for _, place := range file.Places {
		got = append(got, text[place.Key.Start:place.Key.End], text[place.Entry.Start:place.Entry.End])
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRepeats(t *testing.T) {
	for text, want := range map[string]bool{
		`{"servers": {"x": {"command": "a"}}}`:                                              false,
		`{"servers": {"x": {"command": "a"}}, "mcpServers": {"y": {"command": "a"}}}`:       false,
		`{"servers": {"x": {"command": "a"}, "x": {"command": "b"}}}`:                       true,
		`{"servers": {"x": {"command": "a", "comm\u0061nd": "b"}}}`:                         true,
		`{"servers": {"x": {"command": "a"}}, "servers": {"y": {"command": "b"}}}`:          true,
		`{"servers": {"x": {"command": "a"}}, "mcpServers": {"x": {"command": "b"}}}`:       true,
		`{"servers": {"x": {"command": "a", "env": {"A": "1", "A": "2"}}}}`:                 true,
		`{"servers": {"x": {"command": "a", "tools": {"t": {"bind": {"a":"1","a":"2"}}}}}}`: true,
	} {
		if got := ParseFile([]byte(text), Source{URI: "file:///f", Folder: "/"}).Repeats; got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

// An editor has the text of a file when only line ends differ.
func TestIsText(t *testing.T) {
	file := ParseFile([]byte("\ufeff{\r\n}\r\n"), Source{URI: "file:///f"})
	for text, want := range map[string]bool{
		"{\n}": true, "{\n}\n": true, "{\r\n}\r\n": true, "\ufeff{\r\n}": true,
		"{}": false, "{\n} ": false, " {\n}\n": false, "": false,
	} {
		if got := file.Is(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
