package calldoc

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParams(t *testing.T) {
	review := `{"name":"review","arguments":[{"name":"code","required":true},{"name":"n"}]}`
	for _, test := range []struct{ name, text, definition, want string }{
		{"tool", "call: tracker.create_issue\nwith:\n  title: 1.10\n  version: 2.50\n  priority: 2\n  labels: [a, 1]", createIssue,
			`{"name":"create_issue","arguments":{"title":"1.10","version":"2.50","priority":2,"labels":["a","1"]}}`},
		{"no arguments", "call: a.b", `{"name":"b"}`, `{"name":"b","arguments":{}}`},
		{"blank arguments", "call: a.b\nwith:\n", `{"name":"b"}`, `{"name":"b","arguments":{}}`},
		{"what is blank is left out", "call: a.b\nwith:\n  x:\n  y: null\n  z: \"\"\n  m:\n    n:\n    o: 1", `{"name":"b"}`, `{"name":"b","arguments":{"y":null,"z":"","m":{"o":1}}}`},
		{"nothing is known of the tool", "call: a.b.c\nwith: {n: 1}", ``, `{"name":"b.c","arguments":{"n":1}}`},
		{"prompt", "prompt: tracker.review\nwith:\n  code: ${selectedText}\n  n: 5", review, `{"name":"review","arguments":{"code":"<selectedText>","n":"5"}}`},
		{"resource", "resource: a\nuri: file://${file}", ``, `{"uri":"file://<file>"}`},
		{"answer", "answer: \"17\"\nwith: {project: alpha, notify: false}", `{"type":"object","properties":{"project":{"type":"string"},"notify":{"type":"boolean"}}}`, `{"project":"alpha","notify":false}`},
		{"variables", "call: a.b\nwith:\n  x: [\"a ${file} b\", \"$${file}\", \"${HOME}\"]\n  ${file}: 1", ``, `{"name":"b","arguments":{"x":["a <file> b","${file}","${HOME}"],"${file}":1}}`},
		{"a value is not read again", "call: a.b\nwith: {x: \"${relativeFile}\"}", ``, `{"name":"b","arguments":{"x":"<relativeFile>"}}`},
		{"JSON", `{"call": "a.b", "with": {"x": 1e2, "y": "\u0041"}}`, ``, `{"name":"b","arguments":{"x":1e2,"y":"A"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, problems := Parse(test.text).Calls()[0].Params(json.RawMessage(test.definition), func(name string) (string, bool) { return "<" + name + ">", true })
			if string(got) != test.want || len(problems) > 0 {
				t.Errorf("got %s, %v, want %s", got, problems, test.want)
			}
		})
	}
}

// What to do about a variable without a value depends on what there is.
func TestVariablesWithoutValue(t *testing.T) {
	for _, test := range []struct{ name, context, variable, values, want string }{
		{"no file", "", "file", "", "name the file"},
		{"no lines", "context: {file: a.x}", "selectedText", "file", "name the lines"},
		{"no language", "context: {file: a.x}", "languageId", "file", "write the language instead"},
		{"no folder", "context: {file: a.x, lines: 1}", "file", "", "open a folder"},
		{"no folder, so no language", "context: {file: a.x}", "languageId", "", "open a folder"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "call: a.b\nwith:\n  x: ${" + test.variable + "}\n" + test.context
			_, problems := Parse(text).Calls()[0].Params(nil, func(name string) (string, bool) { return "", name == test.values })
			if len(problems) != 1 || !strings.Contains(problems[0].Message, " has no value; "+test.want) {
				t.Errorf("got %v, want %q", problems, test.want)
			}
		})
	}
}

func TestParamsOfWhatIsWrong(t *testing.T) {
	for _, text := range []string{"call: a.b\nwith: [", "call: a.b\nwiht: {}", "call: a", "with: {}"} {
		if got, problems := Parse(text).Calls()[0].Params(nil, nil); got != nil || len(problems) == 0 {
			t.Errorf("%q: got %s, %v", text, got, problems)
		}
	}
}
