package calldoc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// completed returns the completions at the mark, and what the text is with each of them.
func completed(t *testing.T, text string, c Catalog) (labels, texts []string) {
	t.Helper()
	plain, at := marked(text)
	for _, one := range Parse(plain).Complete(t.Context(), at, c) {
		labels = append(labels, one.Label)
		if one.Insert.Start > at || one.Insert.End < at || strings.ContainsAny(one.Insert.Text, "\r\n") {
			t.Errorf("%q inserts %+v, not on the line of %d", one.Label, one.Insert, at)
			continue
		}
		texts = append(texts, apply(plain, one.Insert))
	}
	return labels, texts
}

func TestComplete(t *testing.T) {
	c := newFake()
	c.values = func(ref json.RawMessage, argument, value string, others map[string]string) []string {
		return []string{fmt.Sprintf("%s %s=%s %v", rawjson.String(ref, "type"), argument, value, others)}
	}
	for _, test := range []struct {
		name, text string
		labels     string // with blanks between
		first      string // the text with the first one; "" for any
	}{
		{"an empty document", "‸", "call prompt resource uri with context", "call: "},
		{"behind another call", "call: a.b\n---\n‸", "call prompt resource uri with context", "call: a.b\n---\ncall: "},
		{"the beginning of a separator", "call: a.b\n--‸", "", ""},
		{"a separator", "call: a.b\n---‸\ncall: c.d\n", "", ""},
		{"members of a tool", "call: a.b\n‸", "with context", "call: a.b\nwith: "},
		{"members of a resource", "resource: a\n‸", "uri context", "resource: a\nuri: "},
		{"members that are there", "call: a.b\nwith:\n  x: 1\nc‸", "context", "call: a.b\nwith:\n  x: 1\ncontext: "},
		{"JSON", "{\"call\": \"a.b\", ‸}", "with context", "{\"call\": \"a.b\", \"with\": }"},
		{"all tools", "call: ‸", "tracker.create_issue tracker.list_issues my.docs.search slow.", "call: tracker.create_issue"},
		{"tools by what is typed", "call: iss‸", "tracker.create_issue tracker.list_issues", "call: tracker.create_issue"},
		{"tools by their server", "call: my‸", "my.docs.search", "call: my.docs.search"},
		{"letters of a tool", "call: tkli‸", "tracker.list_issues", ""},
		{"another tool", "call: tracker.list_issues‸\nwith: {}", "tracker.list_issues", "call: tracker.list_issues\nwith: {}"},
		{"a tool below its key", "call:\n  tracker.l‸\nwith: {}", "tracker.list_issues", "call:\n  tracker.list_issues\nwith: {}"},
		{"a comment", "call: tracker.create_issue # c‸", "", ""},
		{"a variable in a block", "call: tracker.create_issue\nwith:\n  body: |\n    ${sel‸", "${file} ${relativeFile} ${fileDirname} ${fileBasename} ${lineNumber} ${selectedText} ${languageId} ${workspaceFolder} ${workspaceFolderBasename}", "call: tracker.create_issue\nwith:\n  body: |\n    ${file}"},
		{"a variable in brackets", "call: tracker.create_issue\nwith: {title: see ${‸}", "${file} ${relativeFile} ${fileDirname} ${fileBasename} ${lineNumber} ${selectedText} ${languageId} ${workspaceFolder} ${workspaceFolderBasename}", "call: tracker.create_issue\nwith: {title: \"see ${file}\"}"},
		{"a tool in JSON", "{\"call\": \"tracker.l‸\"}", "tracker.list_issues", "{\"call\": \"tracker.list_issues\"}"},
		{"prompts", "prompt: ‸", "tracker.review slow.", ""},
		{"servers", "resource: ‸", "tracker my.docs slow", "resource: tracker"},
		{"resources", "resource: tracker\nuri: ‸", "issue://42 file://", "resource: tracker\nuri: issue://42"},
		{"a template", "resource: tracker\nuri: file://p‸", "file://ref%2Fresource%20project=p%20map%5B%5D/src/", ""},
		{"a template's second variable", "resource: tracker\nuri: file://a/src/b‸", "file://a/src/ref%2Fresource%20name=b%20map%5Bproject:a%5D", ""},
		{"context", "call: a.b\ncontext:\n  ‸", "file lines", "call: a.b\ncontext:\n  file: "},
		{"variables", "call: tracker.create_issue\nwith:\n  title: see ${‸ for it", "${file} ${relativeFile} ${fileDirname} ${fileBasename} ${lineNumber} ${selectedText} ${languageId} ${workspaceFolder} ${workspaceFolderBasename}",
			"call: tracker.create_issue\nwith:\n  title: see ${file} for it"},
		{"a variable that is there", "resource: tracker\nuri: ${fi‸le}/x", "${file} ${relativeFile} ${fileDirname} ${fileBasename} ${lineNumber} ${selectedText} ${languageId} ${workspaceFolder} ${workspaceFolderBasename}", "resource: tracker\nuri: ${file}/x"},
		{"no variable", "call: tracker.create_issue\ncontext: {file: \"${‸\"}", "", ""},
		{"arguments", "call: tracker.create_issue\nwith:\n  title: x\n  ‸", "kind body labels version priority", "call: tracker.create_issue\nwith:\n  title: x\n  kind: "},
		{"values", "call: tracker.create_issue\nwith:\n  kind: ‸", "bug wish", "call: tracker.create_issue\nwith:\n  kind: bug"},
		{"arguments of a prompt", "prompt: tracker.review\nwith:\n  ‸", "code style", "prompt: tracker.review\nwith:\n  code: "},
		{"a value of a prompt", "prompt: tracker.review\nwith:\n  code: x\n  style: f‸", "ref/prompt style=f map[code:x]", "prompt: tracker.review\nwith:\n  code: x\n  style: ref/prompt style=f map[code:x]"},
		{"fields of an answer", "answer: \"17\"\nwith:\n  ‸", "project notify", "answer: \"17\"\nwith:\n  project: "},
		{"values of an answer", "answer: \"17\"\nwith:\n  project: ‸", "alpha beta", "answer: \"17\"\nwith:\n  project: alpha"},
		{"a result", "call: a.b\nresult: ‸", "", ""},
		{"a new call", "# Create\ncall: tracker.create_issue\nwith:\n  # What\n  title: ‸\n  # body: x", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			labels, texts := completed(t, test.text, c)
			if test.name == "a template" || test.name == "a template's second variable" || test.name == "a value of a prompt" {
				labels = []string{strings.Join(labels, " | ")}
			}
			if got := strings.Join(labels, " "); got != test.labels {
				t.Errorf("got %s, want %s", got, test.labels)
			}
			if test.first != "" && (len(texts) == 0 || texts[0] != test.first) {
				t.Errorf("the text becomes\n%s\nwant\n%s", slices.Concat(texts, []string{"nothing"})[0], test.first)
			}
		})
	}
}

// With many tools, those that fit best come, and no more than a client can show.
func TestCompleteManyTools(t *testing.T) {
	c := newFake()
	c.tools["tracker"] = append(named(2000), json.RawMessage(`{"name":"the_tool_0007"}`))
	labels, _ := completed(t, "call: ‸", c)
	if len(labels) != MaxCompletions {
		t.Errorf("there are %d", len(labels))
	}
	labels, _ = completed(t, "call: tool_0007‸", c)
	if want := []string{"tracker.tool_0007", "tracker.the_tool_0007"}; !slices.Equal(labels, want) {
		t.Errorf("got %v, want %v", labels, want)
	}
}

// A target that YAML would read as something else is quoted.
func TestCompleteHostileNames(t *testing.T) {
	c := newFake()
	c.tools["tracker"] = []json.RawMessage{json.RawMessage(`{"name":"x: y\n---\ncall: z # \u202e"}`)}
	_, texts := completed(t, "call: x‸", c)
	if len(texts) != 1 {
		t.Fatalf("got %q", texts)
	}
	calls := Parse(texts[0]).Calls()
	if len(calls) != 1 || calls[0].Target != "tracker.x: y\n---\ncall: z # \u202e" {
		t.Errorf("got %+v", calls)
	}
}

func TestHover(t *testing.T) {
	for _, test := range []struct{ name, text, at, want string }{
		{"a member", "ca‸ll: tracker.create_issue", "call", "the tool to call"},
		{"a tool", "call: tracker.cre‸ate_issue", "tracker.create_issue", "Create an issue\n\nCreates an issue.\nIt can be changed later.\n\nIt may change things."},
		{"a tool that reads", "call: tracker.list_‸issues", "tracker.list_issues", "The server says that it changes nothing."},
		{"a tool that nobody knows", "call: slow.x‸", "slow.x", `Server "slow" is starting.`},
		{"a server that nobody knows", "resource: y‸\nuri: x", "y", `There is no server "y".`},
		{"a resource", "resource: tracker\nuri: issue:‸//42", "issue://42", "Link drops\n\nAn issue"},
		{"an argument", "call: tracker.create_issue\nwith:\n  ti‸tle: x", "title", "What it is about"},
		{"a value", "call: tracker.create_issue\nwith:\n  title: x‸", "x", "What it is about"},
		{"a variable", "call: tracker.create_issue\nwith:\n  title: see ${fi‸le}", "${file}", "the path of the file"},
		{"the beginning of a variable", "resource: tracker\nuri: ‸${file}", "${file}", "the path of the file"},
		{"no variable", "call: tracker.create_issue\nwith:\n  title: see ${fi‸l}", "see ${fil}", "What it is about"},
		{"context", "call: a.b\ncontext: {fi‸le: x}", "file", "relative to the workspace folder"},
		{"a field", "answer: \"17\"\nwith:\n  proj‸ect: alpha", "project", "alpha"},
		{"nothing", "call: a.b\nresult: x‸", "", ""},
		{"an empty document", "# x‸\n", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, at := marked(test.text)
			h, ok := Parse(text).Hover(at, newFake())
			if ok != (test.want != "") || !strings.Contains(h.Text, test.want) || ok && text[h.Start:h.End] != test.at {
				t.Errorf("got %q at %q, want %q at %q", h.Text, text[h.Start:h.End], test.want, test.at)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name, text string
		severity   textdoc.Severity
		want       string // "" for nothing wrong
	}{
		{"all is well", "call: tracker.create_issue\nwith: {title: 1.10, kind: bug}", 0, ""},
		{"an unknown server", "call: ⟦trakcer.x⟧", textdoc.Error, `there is no server "trakcer"; did you mean "tracker"?`},
		{"an unknown tool", "call: ⟦tracker.creat_issue⟧", textdoc.Error, `server "tracker" has no tool "creat_issue"; did you mean "create_issue"?`},
		{"an unknown prompt", "prompt: ⟦tracker.x⟧", textdoc.Error, `server "tracker" has no prompt "x"`},
		{"a server that is not ready", "call: ⟦slow.x⟧", textdoc.Info, `server "slow" is not ready (starting)`},
		{"a missing argument", "call: tracker.create_issue\nwith: {⟦kind⟧: bug}", textdoc.Error, `"title" is missing`},
		{"an argument that is bound", "call: tracker.create_issue\nwith:\n  title:\n  kind: bug\ncontext: {file: x}", 0, ""},
		{"one that is bound and not there", "call: tracker.create_issue\nwith: {kind: bug}\ncontext: {file: x}", 0, ""},
		{"a blank argument", "call: tracker.create_issue\nwith:\n  ⟦title⟧:\n  kind: bug", textdoc.Error, `"title" needs a value`},
		{"a blank argument that is optional", "call: tracker.create_issue\nwith:\n  title: x\n  kind: bug\n  priority:", 0, ""},
		{"an unknown argument", "call: tracker.create_issue\nwith: {title: x, kind: bug, ⟦bdy⟧: x}", textdoc.Error, `body`},
		{"a wrong value", "call: tracker.create_issue\nwith: {title: x, kind: ⟦bgu⟧}", textdoc.Error, "bug"},
		{"an unknown argument of a prompt", "prompt: tracker.review\nwith: {code: x, ⟦stile⟧: y}", textdoc.Warning, `the prompt has no argument "stile"; did you mean "style"?`},
		{"an argument that is misspelt", "call: my.docs.search\nwith: {query: x, ⟦lmit⟧: 1}", textdoc.Warning, `the tool has no argument "lmit"; did you mean "limit"?`},
		{"an argument that nobody knows", "call: my.docs.search\nwith: {query: x, other: 1}", 0, ""},
		{"a number for a prompt", "prompt: tracker.review\nwith: {code: 5}", 0, ""},
		{"a variable without a value", "call: my.docs.search\nwith: {query: \"a ⟦${file}⟧\"}", textdoc.Error, "${file} has no value; name the file"},
		{"lines without a value", "call: my.docs.search\nwith: {query: \"⟦${selectedText}⟧\"}\ncontext: {file: x}", textdoc.Error, "name the lines"},
		{"variables with a value", "call: my.docs.search\nwith: {query: \"${selectedText} ${workspaceFolder}\"}\ncontext: {file: x, lines: 1}", 0, ""},
		{"an answer to nothing", "answer: ⟦x⟧", textdoc.Warning, "no longer open"},
		{"an answer", "answer: \"17\"\nwith: {project: ⟦gamma⟧}", textdoc.Error, "alpha"},
		{"not YAML", "call: a.b\nwith: [⟦⟧", textdoc.Error, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, span := bracketed(test.text)
			problems := Parse(text).Check(newFake())
			if test.severity == 0 {
				if len(problems) > 0 {
					t.Errorf("got %+v", problems)
				}
				return
			}
			if len(problems) != 1 || problems[0].Severity != test.severity || !strings.Contains(problems[0].Message, test.want) || span.Start < span.End && problems[0].Span != span {
				t.Errorf("got %+v, want %q at %v", problems, test.want, span)
			}
		})
	}
}

// However much is wrong, a client gets a list that it can show, and the document says so.
func TestCheckMany(t *testing.T) {
	var arguments strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&arguments, "  x%d: 1\n", i)
	}
	for text, most := range map[string]int{
		strings.Repeat("call: a.b\n---\n", 3000):                          maxChecked,
		"prompt: tracker.review\nwith:\n  code: x\n" + arguments.String(): maxProblems,
	} {
		problems := Parse(text).Check(newFake())
		if len(problems) != most+1 || problems[most].Severity != textdoc.Info {
			t.Errorf("there are %d, the last one is %+v", len(problems), problems[len(problems)-1])
		}
	}
}

// No text and no place in it make it fail, and no completion leaves its line.
func FuzzLanguage(f *testing.F) {
	f.Add(example, 0)
	f.Add("call: tracker.create_issue\nwith:\n  title: ${\n  kind: \n", 45)
	f.Add("{\"call\": \"tracker.create_issue\", \"with\": {\"kind\": ", 49)
	f.Add("resource: tracker\nuri: file://a/src/\r\n---\n{answer: 17, with: {project: ", 37)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at < 0 || at > len(text) {
			return
		}
		d, c := Parse(text), newFake()
		for _, p := range append(d.Check(c), d.problems...) {
			if p.Start < 0 || p.Start > p.End || p.End > len(text) || p.Severity == 0 {
				t.Fatalf("%+v is not in %q", p, text)
			}
		}
		for _, one := range d.Complete(t.Context(), at, c) {
			if s := one.Insert.Span; s.Start < 0 || s.Start > at || s.End < at || s.End > len(text) || strings.ContainsAny(one.Insert.Text, "\r\n") {
				t.Fatalf("%+v at %d of %q", one, at, text)
			}
		}
		if h, ok := d.Hover(at, c); ok && (h.Start > at || h.End < at) {
			t.Fatalf("%+v at %d of %q", h, at, text)
		}
		for _, s := range d.Symbols() {
			if s.Start > s.Select.Start || s.Select.End > s.End || s.Start > s.End {
				t.Fatalf("%+v in %q", s, text)
			}
		}
		for _, call := range d.Calls() {
			call.WithResult(Result{Text: "x\n"})
			call.Params(nil, func(string) (string, bool) { return "", false })
			call.Resolve([]string{"tracker"})
		}
	})
}
