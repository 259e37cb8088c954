package editorapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// opened returns the session of an editor that has a document open.
func opened(t *testing.T, b *fakeBackend, uri, text string) (*fakeeditor.Editor, *session) {
	t.Helper()
	e := open(t, b, fakeeditor.Options{})
	s := b.session()
	openDocument(e, uri, text)
	await(t, e, func() bool { return s.document(uri) != nil })
	return e, s
}

// openDocument has an editor open a document.
func openDocument(e *fakeeditor.Editor, uri, text string) {
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": text}})
}

// await waits until the daemon has read what the editor has sent, and fails if met is false then.
func await(t *testing.T, e *fakeeditor.Editor, met func() bool) {
	t.Helper()
	e.Call("editord/servers", nil, nil)
	if !met() {
		t.Fatal("the daemon has something else than the editor")
	}
}

func TestDocumentFollowsItsChanges(t *testing.T) {
	const uri = "file:///w/a.go"
	e, s := opened(t, newFakeBackend(), uri, "one\r\n𝒙two\n")
	e.Notify("textDocument/didChange", json.RawMessage(`{"textDocument":{"uri":"`+uri+`","version":2},"contentChanges":[
		{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":5}},"text":"2"},
		{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"zero\n"}]}`))
	await(t, e, func() bool { return s.document(uri).text.String() == "zero\none\r\n𝒙2\n" })
	e.Notify("textDocument/didChange", json.RawMessage(`{"textDocument":{"uri":"`+uri+`","version":3},"contentChanges":[{"text":"all"}]}`))
	await(t, e, func() bool { return s.document(uri).text.String() == "all" && s.document(uri).version == 3 })
	e.Notify("textDocument/didClose", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"}}`))
	await(t, e, func() bool { return s.document(uri) == nil })
}

// Of a document whose text the daemon would get wrong, it says so until it is saved or opened again.
// Fault document-too-large.
func TestDocumentThatDoesNotFit(t *testing.T) {
	const uri = "file:///w/a.go"
	e, s := opened(t, newFakeBackend(), uri, "one")
	e.Notify("textDocument/didChange", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"},"contentChanges":[{"range":{"start":{"line":7,"character":0},"end":{"line":8,"character":0}},"text":""}]}`))
	await(t, e, func() bool { return s.document(uri).doubt && s.document(uri).text.String() == "one" })
	openDocument(e, uri, strings.Repeat("x", maxDocument+1))
	await(t, e, func() bool { return s.document(uri) == nil })
	openDocument(e, uri, "two")
	await(t, e, func() bool { return s.document(uri).text.String() == "two" })
}

// The problems of a document that is not followed any more go, and those on the disk count again.
func TestProblemsOfADocumentThatIsNotFollowed(t *testing.T) {
	const uri = "file:///w/a.mcp"
	for name, stop := range map[string]func(e *fakeeditor.Editor){
		"closed": func(e *fakeeditor.Editor) {
			e.Notify("textDocument/didClose", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"}}`))
		},
		"too large": func(e *fakeeditor.Editor) {
			e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri}, "contentChanges": []any{map[string]any{"text": strings.Repeat("x", maxDocument+1)}}})
		},
		"opened again, too large": func(e *fakeeditor.Editor) { openDocument(e, uri, strings.Repeat("x", maxDocument+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			e, s := opened(t, newFakeBackend(), uri, "cal: s.t")
			e.AwaitMethod("textDocument/publishDiagnostics")
			stop(e)
			awaitText(e, "textDocument/publishDiagnostics", `"diagnostics":[]`)
			s.Diagnostics(uri, []Diagnostic{{Line: 1, Message: "on the disk"}})
			awaitText(e, "textDocument/publishDiagnostics", "on the disk")
		})
	}
}

func TestDocumentsCountInTheMemoryOfTheEditor(t *testing.T) {
	b := newFakeBackend()
	b.memory = budget.New(3 << 20)
	e, s := opened(t, b, "file:///a", strings.Repeat("x", 1<<20))
	before := b.memory.Used()
	openDocument(e, "file:///a", strings.Repeat("x", 1<<20))
	await(t, e, func() bool { return b.memory.Used() < before+1<<10 }) // requests count too
	openDocument(e, "file:///b", strings.Repeat("x", 5<<19))
	await(t, e, func() bool { return s.document("file:///b") == nil && s.document("file:///a") != nil })
	e.Notify("textDocument/didClose", json.RawMessage(`{"textDocument":{"uri":"file:///a"}}`))
	await(t, e, func() bool { return b.memory.Used() < 1<<10 })
}

func TestAnchor(t *testing.T) {
	const uri = "file:///w/a.go"
	e, s := opened(t, newFakeBackend(), uri, "one two three")
	this, err := s.startRun(s.document(uri), &calldoc.Call{TargetSpan: textdoc.Span{Start: 4, End: 7}}, nil)
	if err != nil {
		t.Fatal("there is no anchor")
	}
	defer s.endRun(this)
	change := func(from, to int, text string) {
		e.Notify("textDocument/didChange", json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q},"contentChanges":[{"range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}},"text":%q}]}`, uri, from, to, text)))
	}
	at := func() int {
		d, at := s.locate(&this.anchor)
		if d == nil {
			return -1
		}
		return at
	}
	change(0, 3, "four")
	await(t, e, func() bool { return at() == 5 })
	change(9, 14, "")
	await(t, e, func() bool { return at() == 5 })
	change(4, 8, "")
	await(t, e, func() bool { return at() == -1 })
}

// Where the user is comes from what is asked and typed, in documents that are not ours.
func TestLastContext(t *testing.T) {
	const uri = "file:///w/a.go"
	e, s := opened(t, newFakeBackend(), uri, "one\ntwo\n")
	openDocument(e, "file:///w/calls.mcp", "call: a.b\n")
	openDocument(e, "file:///w/.mcp.json", "{}")
	e.Call("textDocument/codeAction", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"},"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":2}},"context":{"diagnostics":[]}}`), nil)
	got := s.lastContext()
	if got == nil || got.TextDocument.URI != uri || *got.SelectedText != "one\ntw" || got.LanguageID != "go" || got.Range.End != (Position{1, 2}) {
		t.Errorf("the user is at %+v", got)
	}
}

// What came while an editor showed a question may not be on its screen, so it is told again.
func TestDiagnosticsAfterAQuestion(t *testing.T) {
	e, s := opened(t, newFakeBackend(), "file:///w/a.mcp", "call: nothing\n")
	problems := func(number int) {
		t.Helper()
		e.Await("problems", func(fakeeditor.Message) bool { return count(e, "textDocument/publishDiagnostics") == number })
	}
	problems(1)
	if _, err := s.box(t.Context(), "Shall it be so?", "No", "Yes"); err == nil {
		t.Error("an editor that knows no questions answered one")
	}
	problems(2)
}

// While a document is open its problems come from its text, and those on the disk are told when it is closed. It is one
// file however the editor escapes its name.
func TestDiagnosticsOfOneFileWithTwoURIs(t *testing.T) {
	const theirs, ours = "file:///w/c%2B%2B/.mcp.json", "file:///w/c++/.mcp.json"
	e, s := opened(t, newFakeBackend(), theirs, "{}")
	s.diagnostics.fromText(s, s.document(theirs), []textdoc.Problem{{Severity: textdoc.Error, Message: "in the text"}}, false)
	s.Diagnostics(ours, []Diagnostic{{Line: 1, Column: 1, Severity: SeverityError, Message: "on the disk"}})
	e.Notify("textDocument/didClose", json.RawMessage(`{"textDocument":{"uri":"`+theirs+`"}}`))
	last := e.Await("the problems on the disk", func(m fakeeditor.Message) bool { return strings.Contains(string(m.Params), "on the disk") })
	if n := count(e, "textDocument/publishDiagnostics"); n != 2 || !strings.Contains(string(last.Params), theirs) {
		t.Errorf("of %d messages, the last is %s", n, last.Params)
	}
}
