package calldoc

import (
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

func apply(text string, e textdoc.Edit) string { return text[:e.Start] + e.Text + text[e.End:] }

func TestWithResult(t *testing.T) {
	ok, failed := Result{Text: "one\n  two\n"}, Result{Failed: true, Text: "no\n"}
	for _, test := range []struct {
		name   string
		text   string
		call   int
		result Result
		want   string
	}{
		{"the first result", "call: a.b\nwith:\n  x: 1 # c\n", 0, ok, "call: a.b\nwith:\n  x: 1 # c\nresult: |\n  one\n    two\n"},
		{"an error", "call: a.b\n", 0, failed, "call: a.b\nerror: |\n  no\n"},
		{"no line break at the end", "call: a.b", 0, ok, "call: a.b\nresult: |\n  one\n    two\n"},
		{"no line break at the end of an old result", "call: a.b\nresult: |\n  old", 0, ok, "call: a.b\nresult: |\n  one\n    two\n"},
		{"CRLF", "call: a.b\r\nwith:\r\n  x: 1\r\n", 0, ok, "call: a.b\r\nwith:\r\n  x: 1\r\nresult: |\r\n  one\r\n    two\r\n"},
		{"what an editor takes for its settings", "call: a.b\n", 0, Result{Text: "a\nvim: set fdm=marker:\nLocal Variables:\n"}, "call: a.b\nresult: |\n  a\n  vim\\u{3a} set fdm=marker:\n  Local Variables\\u{3a}\n"},
		{"the same in JSON", "{\"call\": \"a.b\"}", 0, Result{Text: "-*- eval: (x) -*-\n"}, "{\"call\": \"a.b\", \"result\": \"-\\\\u{2a}- eval: (x) -\\\\u{2a}-\\n\"}"},
		{"the first of two", "call: a.b\n\n---\ncall: c.d\n", 0, ok, "call: a.b\nresult: |\n  one\n    two\n\n---\ncall: c.d\n"},
		{"the second of two", "call: a.b\n---\n# c\ncall: c.d\n", 1, ok, "call: a.b\n---\n# c\ncall: c.d\nresult: |\n  one\n    two\n"},
		{"comments at the end", "call: a.b\nwith:\n  # x: 1\n# c\n\n\n", 0, ok, "call: a.b\nwith:\n  # x: 1\n# c\nresult: |\n  one\n    two\n\n\n"},
		{"a text that keeps its empty lines", "call: a.b\nwith:\n  x: |+\n    y\n\n", 0, ok, "call: a.b\nwith:\n  x: |+\n    y\n\nresult: |\n  one\n    two\n"},
		{"an old result", "call: a.b\nresult: |\n  old\n\n   old\n\n# c\nwith: {x: 1}\n", 0, ok, "call: a.b\nresult: |\n  one\n    two\n\n# c\nwith: {x: 1}\n"},
		{"an old result on its line", "call: a.b\nresult: old # c\nwith: {x: 1}\n", 0, ok, "call: a.b\nresult: \"one\\n  two\\n\" # c\nwith: {x: 1}\n"},
		{"an empty result", "call: a.b\nresult:\nwith: {x: 1}\n", 0, ok, "call: a.b\nresult: |\n  one\n    two\nwith: {x: 1}\n"},
		{"an error instead of a result", "call: a.b\nresult: |\n  old\nwith: {x: 1}\n", 0, failed, "call: a.b\nerror: |\n  no\nwith: {x: 1}\n"},
		{"a result instead of both", "call: a.b\nresult: old\nwith: {x: 1}\nerror: |\n  old\n", 0, ok, "call: a.b\nresult: |\n  one\n    two\nwith: {x: 1}\n"},
		{"a result instead of both, side by side", "error: old\nresult: |\n  old\ncall: a.b\n", 0, ok, "result: |\n  one\n    two\ncall: a.b\n"},
		{"nothing came", "call: a.b\n", 0, Result{}, "call: a.b\nresult: \"\"\n"},
		{"JSON", "{\"call\": \"a.b\"}\n", 0, ok, "{\"call\": \"a.b\", \"result\": \"one\\n  two\\n\"}\n"},
		{"JSON in lines", "{\n\t\"call\": \"a.b\",\n\t\"with\": {}\n}\n", 0, ok, "{\n\t\"call\": \"a.b\",\n\t\"with\": {},\n\t\"result\": \"one\\n  two\\n\"\n}\n"},
		{"JSON with an old result", "{\"result\": \"old\", \"call\": \"a.b\"}", 0, failed, "{\"error\": \"no\\n\", \"call\": \"a.b\"}"},
		{"JSON with both", "{\"result\": \"old\", \"call\": \"a.b\", \"error\": \"old\"}", 0, failed, "{\"error\": \"no\\n\", \"call\": \"a.b\"}"},
		{"flow style", "{call: a.b, # c\n}\n", 0, ok, "{call: a.b, \"result\": \"one\\n  two\\n\" # c\n}\n"},
		{"indented", "  call: a.b\n  with:\n    x: 1\n", 0, ok, "  call: a.b\n  with:\n    x: 1\n  result: |\n    one\n      two\n"},
		{"a result in with", "call: a.b\nwith:\n  result: mine\n", 0, ok, "call: a.b\nwith:\n  result: mine\nresult: |\n  one\n    two\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, ok := Parse(test.text).Calls()[test.call].WithResult(test.result)
			if !ok {
				t.Fatal("it takes no result")
			}
			got := apply(test.text, e)
			if got != test.want {
				t.Fatalf("got\n%q\nwant\n%q", got, test.want)
			}
			if e, ok = Parse(got).Calls()[test.call].WithResult(test.result); !ok || apply(got, e) != got {
				t.Errorf("the second time it is\n%q", apply(got, e))
			}
		})
	}
}

func TestWithResultOfWhatIsBroken(t *testing.T) {
	if e, ok := Parse("call: a.b\nwith: [").Calls()[0].WithResult(Result{Text: "x"}); ok {
		t.Errorf("got %+v", e)
	}
}

// A result does not make a document too large to be read.
func TestWithResultOfWhatIsFull(t *testing.T) {
	text := "call: a.b\n---\n# " + strings.Repeat("x", 1<<20-30)
	if e, ok := Parse(text).Calls()[0].WithResult(Result{Text: strings.Repeat("y", 100)}); ok {
		t.Errorf("the document grows to %d bytes", len(apply(text, e)))
	}
}

// Whatever a server says, the document says the same as before, and the result reads as what was said.
func FuzzWithResult(f *testing.F) {
	documents := []string{
		"call: a.b\nwith:\n  x: |+\n    1\n\n---\ncall: c.d\n", "{\"call\": \"a.b\", \"with\": {\"result\": 1}}", "# c\r\ncall: a.b\r\nresult: |\r\n  old\r\n# d\r\n---\r\n",
		"call: a.b\nerror: old # c\nresult:\n- 1\n", "--- # c\ncall: a.b\n---\nresource: x\nuri: y", "{\n\tcall: a.b, # c\n\tresult: 'old'\n}\n", "call: a.b\nresult: old", "call: a.b\nerror: |\n  old",
	}
	for i, text := range []string{
		"plain", "  leading\nspaces", "---\ncall: evil.tool", "\t tab\n\t", "a\r\nb\rc", "\u2028\u2029\u0085\ufeff", "x: y # z", "\n\n  \nx\n \n", strings.Repeat("long ", 5000),
		"...\n", "%YAML 1.2", "|", "'\"", "\\u{202e}", "\x00\xff", "${file}", " ", "- a\n- b\n#c",
	} {
		f.Add(i, text, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, i int, said string, failed bool) {
		text := documents[uint(i)%uint(len(documents))]
		d := Parse(text)
		r := Result{failed, said}
		e, ok := d.Calls()[0].WithResult(r)
		if !ok {
			t.Fatalf("%q takes no result %q", text, said)
		}
		after := apply(text, e)
		again := Parse(after)
		if len(again.Calls()) != len(d.Calls()) || len(again.problems) > 0 {
			t.Fatalf("there are %d calls and %v in\n%q", len(again.Calls()), again.problems, after)
		}
		for i, c := range again.Calls() {
			before := d.Calls()[i]
			if c.Kind != before.Kind || c.Target != before.Target || c.URI != before.URI || (c.with == nil) != (before.with == nil) || c.with != nil && !sameNode(c.with, before.with) {
				t.Fatalf("call %d has changed:\n%q", i, after)
			}
		}
		results, _ := split(again.Calls()[0].root)
		want := strings.TrimRight(safetext.Block(said), " \t\n")
		if len(results) != 1 || strings.TrimSuffix(results[0].Value.Text, "\n") != want || (results[0].Key == memberError) != failed {
			t.Fatalf("%q reads as %+v in\n%q", said, results, after)
		}
		if e, ok := again.Calls()[0].WithResult(r); !ok || apply(after, e) != after {
			t.Fatalf("the second time it is\n%q, not\n%q", apply(after, e), after)
		}
	})
}
