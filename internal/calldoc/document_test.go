package calldoc

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

const example = `# issues.mcp
call: tracker.create_issue
with:
  title: Link drops at 40 C
  body: |
    Seen on the bench since Monday.
    The log is attached.
result: |
  Issue 42 created.
---
# The second one.
prompt: tracker.review
context: {file: src/link.c, lines: 10-24}
with:
  code: ${selectedText}
---
resource: tracker
uri: issue://42
---
{"call": "tracker.list_issues", "with": {}}
`

func TestParse(t *testing.T) {
	d := Parse(example)
	type call struct {
		kind              Kind
		target, uri, file string
		first, last       int
	}
	want := []call{
		{Tool, "tracker.create_issue", "", "", 0, 0},
		{Prompt, "tracker.review", "", "src/link.c", 10, 24},
		{Resource, "tracker", "issue://42", "", 0, 0},
		{Tool, "tracker.list_issues", "", "", 0, 0},
	}
	if len(d.Calls()) != len(want) {
		t.Fatalf("there are %d calls, want %d", len(d.Calls()), len(want))
	}
	for i, c := range d.Calls() {
		if got := (call{c.Kind, c.Target, c.URI, c.File, c.FirstLine, c.LastLine}); got != want[i] {
			t.Errorf("call %d is %+v, want %+v", i, got, want[i])
		}
		if text := strings.Trim(example[c.TargetSpan.Start:c.TargetSpan.End], `"`); text != c.Target {
			t.Errorf("the target of call %d is at %q", i, text)
		}
		if p := c.Problems(); len(p) > 0 {
			t.Errorf("call %d has problems: %v", i, p)
		}
	}
}

func TestAt(t *testing.T) {
	d := Parse(example)
	for _, test := range []struct {
		before string
		call   int // -1 for none
	}{{"# issues", 0}, {"Link drops", 0}, {"  Issue 42 created.\n", 0}, {"# The second", 1}, {"prompt: ", 1}, {"resource: ", 2}, {"{}}\n", 3}} {
		at := strings.Index(example, test.before) + len(test.before)
		if got := d.At(at); got != d.Calls()[test.call] {
			t.Errorf("behind %q is %+v", test.before, got)
		}
	}
	for text, at := range map[string]int{"\ufeffcall: a.b\n": 0, "---\ncall: a.b\n": 0, "call: c.d\n--- {call: a.b}\n": len("call: c.d\n")} {
		if got := Parse(text).At(at); got == nil || got.Target != "a.b" {
			t.Errorf("at %d of %q is %+v", at, text, got)
		}
	}
	if got := Parse("\n# nothing\n").At(3); got != nil {
		t.Errorf("in an empty document is %+v", got)
	}
}

func TestResolve(t *testing.T) {
	servers := []string{"a", "a.b", "c"}
	for _, test := range []struct {
		text, server, name string
	}{
		{"call: a.x", "a", "x"}, {"call: a.b.x", "a.b", "x"}, {"call: a.b", "a", "b"}, {"call: c.x.y", "c", "x.y"}, {"call: d.x.y", "d", "x.y"},
		{"call: d", "d", ""}, {"resource: a.b\nuri: x", "a.b", ""},
	} {
		server, name := Parse(test.text).Calls()[0].Resolve(servers)
		if server != test.server || name != test.name {
			t.Errorf("%q: got %q and %q", test.text, server, name)
		}
	}
}

// bracketed returns a text without its brackets ⟦ and ⟧, and what is between them.
func bracketed(marked string) (text string, span textdoc.Span) {
	before, rest, _ := strings.Cut(marked, "⟦")
	inside, after, _ := strings.Cut(rest, "⟧")
	return before + inside + after, textdoc.Span{Start: len(before), End: len(before + inside)}
}

// What the document alone says to be wrong, with its place between ⟦ and ⟧.
func TestProblems(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing is called", "⟦with: {}⟧", "nothing is called"},
		{"two kinds", "call: a.b\n⟦prompt⟧: a.c", `only one of "call" and "prompt"`},
		{"unknown member", "call: a.b\n⟦wiht⟧: {}", `no member "wiht"; did you mean "with"?`},
		{"no dot", "call: ⟦tool⟧", "as SERVER.TOOL"},
		{"no target", "⟦prompt⟧:", "as SERVER.PROMPT"},
		{"uri of a tool", "call: a.b\n⟦uri⟧: x", `"uri" does not belong to "call"`},
		{"with of a resource", "resource: a\nuri: x\n⟦with⟧: {}", `"with" does not belong to "resource"`},
		{"no uri", "resource: ⟦a⟧", `"uri" is missing`},
		{"with that is a text", "call: a.b\nwith: ⟦x⟧", "write \"name: value\""},
		{"a context that is a text", "call: a.b\ncontext: ⟦x⟧", `"context" has "file" and "lines"`},
		{"member of a context", "call: a.b\ncontext: {⟦fiel⟧: x}", `did you mean "file"?`},
		{"lines backwards", "call: a.b\ncontext: {file: x, lines: ⟦9-3⟧}", "from 1, as 10-24"},
		{"lines that are no numbers", "call: a.b\ncontext: {file: x, lines: ⟦+1-2⟧}", "from 1, as 10-24"},
		{"lines of no file", "call: a.b\ncontext: {lines: ⟦1⟧}", `needs a "file"`},
		{"a file elsewhere", "call: a.b\ncontext: {file: ⟦../x⟧}", "in the workspace folder"},
		{"a file that leads away", "call: a.b\ncontext: {file: ⟦x/../../y⟧}", "in the workspace folder"},
		{"a list", "⟦- a⟧", "a call begins with"},
		{"not YAML", "call: a.b\nwith: ⟦{⟧", `"}"`},
		{"twice", "call: a.b\nwith: {x: 1, ⟦x⟧: 2}", `"x" is there already`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, span := bracketed(test.text)
			problems := Parse(text).Calls()[0].Problems()
			if len(problems) != 1 || problems[0].Span != span || !strings.Contains(problems[0].Message, test.want) {
				t.Errorf("got %+v, want %q at %v", problems, test.want, span)
			}
		})
	}
}

// A problem of the syntax belongs to the call that has it.
func TestProblemsOfTheSyntax(t *testing.T) {
	var got []int
	for _, c := range Parse("call: a.b\n---\ncall: a.b\nwith: [\n---\n# c\n---\ncall: a.b\ncall: a.b\nwith: 1\nwith: 2\n---\n{\n").Calls() {
		got = append(got, len(c.syntax))
	}
	if want := []int{0, 1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("the calls have %v problems, want %v", got, want)
	}
}

// While a call is written its document is not YAML, but what it is about is known.
func TestBroken(t *testing.T) {
	for _, text := range []string{
		"# x\ncall: a.b # c\nwith:\n  x: [", "{\"call\": \"a.b\",\n \"with\": {", "call: \"a.b\"\nwith: {x: ",
	} {
		calls := Parse("resource: x\nuri: y\n---\n" + text).Calls()
		if len(calls) != 2 || !calls[1].Broken || calls[1].Kind != Tool || calls[1].Target != "a.b" {
			t.Errorf("%q: got %+v", text, calls)
		}
	}
}

func TestSymbols(t *testing.T) {
	symbols := Parse(example).Symbols()
	got := ""
	for _, s := range symbols {
		got += s.Name + "|" + s.Detail + "\n"
		if s.Start > s.Select.Start || s.Select.End > s.End {
			t.Errorf("%q is selected at %v, outside of %v", s.Name, s.Select, s.Span)
		}
	}
	if want := "tracker.create_issue|Link drops at 40 C\ntracker.review|${selectedText}\ntracker|issue://42\ntracker.list_issues|\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}
