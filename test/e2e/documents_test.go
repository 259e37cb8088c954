//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// documents are what an editor has open. It changes them as the daemon asks.
type documents struct {
	*fakeeditor.Editor
	w *world

	mu    sync.Mutex // guards the fields that follow
	texts map[string]*openText
	shown []string      // URIs, by window/showDocument
	moved chan struct{} // closed and replaced when a text or shown changes
}

type openText struct {
	text    textdoc.Text
	version int
}

// plainCapabilities is an editor that knows nothing but LSP.
const plainCapabilities = `{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true},"executeCommand":{"dynamicRegistration":true}},
	"window":{"workDoneProgress":true,"showDocument":{"support":true}},
	"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":[]}}},"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}}`

// edits attaches an editor that has documents.
func (w *world) edits(o fakeeditor.Options) *documents {
	d := &documents{w: w, texts: map[string]*openText{}, moved: make(chan struct{})}
	answers := map[string]fakeeditor.Answer{
		"workspace/applyEdit":            d.applyEdit,
		"window/showDocument":            d.showDocument,
		"window/workDoneProgress/create": func(json.RawMessage) (any, error) { return nil, nil },
		"client/registerCapability":      func(json.RawMessage) (any, error) { return nil, nil },
		"client/unregisterCapability":    func(json.RawMessage) (any, error) { return nil, nil },
		"workspace/codeLens/refresh":     func(json.RawMessage) (any, error) { return nil, nil },
		"window/showMessageRequest": func(question json.RawMessage) (any, error) {
			if strings.Contains(string(question), "destructive") { // before a call runs
				return map[string]string{"title": "Run"}, nil
			}
			return nil, nil
		},
	}
	for method, answer := range o.Answers {
		answers[method] = answer
	}
	o.Answers = answers
	d.Editor = w.attach(o)
	return d
}

// open writes a file and opens it, and returns its URI.
func (d *documents) open(path, text string) string {
	d.w.t.Helper()
	d.w.write(path, text)
	return d.openAs(path, text)
}

// openAs opens a file with a text that may not be saved.
func (d *documents) openAs(path, text string) string {
	uri := fileuri.FromPath(path)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts[uri] = &openText{textdoc.New(text), 1}
	language := strings.TrimPrefix(filepath.Ext(path), ".")
	d.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": language, "version": 1, "text": text}})
	return uri
}

// text returns the text of a document.
func (d *documents) text(uri string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.texts[uri].text.String()
}

// change types text in the place of the first old.
func (d *documents) change(uri, old, text string) {
	d.w.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.texts[uri]
	at := strings.Index(o.text.String(), old)
	if at < 0 {
		d.w.t.Fatalf("%q is not in %q", old, o.text.String())
	}
	d.edit(uri, o.text.Position(at), o.text.Position(at+len(old)), text)
}

// edit changes a document and tells the daemon. mu is held.
func (d *documents) edit(uri string, start, end textdoc.Position, text string) {
	o := d.texts[uri]
	after, _, err := o.text.Apply(textdoc.Change{Start: start, End: end, Text: text})
	if err != nil {
		d.w.t.Errorf("changing %s: %v", uri, err)
		return
	}
	o.text = after
	o.version++
	d.announce()
	at := func(p textdoc.Position) map[string]int {
		return map[string]int{"line": p.Line, "character": p.Character}
	}
	d.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": o.version},
		"contentChanges": []any{map[string]any{"range": map[string]any{"start": at(start), "end": at(end)}, "text": text}},
	})
}

// applyEdit answers workspace/applyEdit. An edit of another version of the document is refused.
func (d *documents) applyEdit(params json.RawMessage) (any, error) {
	var p struct {
		Edit struct {
			DocumentChanges []struct {
				TextDocument struct {
					URI     string
					Version int
				}
				Edits []struct {
					Range struct {
						Start, End textdoc.Position
					}
					NewText string
				}
			}
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, change := range p.Edit.DocumentChanges {
		o := d.texts[change.TextDocument.URI]
		if o == nil || o.version != change.TextDocument.Version {
			return map[string]any{"applied": false, "failureReason": "the document has changed"}, nil
		}
		for _, e := range change.Edits {
			d.edit(change.TextDocument.URI, e.Range.Start, e.Range.End, e.NewText)
		}
	}
	return map[string]any{"applied": true}, nil
}

func (d *documents) showDocument(params json.RawMessage) (any, error) {
	var p struct{ URI string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shown = append(d.shown, p.URI)
	d.announce()
	return map[string]any{"success": true}, nil
}

// announce wakes those who wait. mu is held.
func (d *documents) announce() {
	close(d.moved)
	d.moved = make(chan struct{})
}

// until waits until the text of a document meets a condition.
func (d *documents) until(uri, what string, met func(text string) bool) string {
	d.w.t.Helper()
	d.await(what, func() bool { return met(d.texts[uri].text.String()) })
	return d.text(uri)
}

// await waits until a condition is met that depends on the texts and on what was shown. mu is held meanwhile.
func (d *documents) await(what string, met func() bool) {
	d.w.t.Helper()
	limit := time.After(patience)
	for {
		d.mu.Lock()
		ok, moved := met(), d.moved
		d.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-moved:
		case <-limit:
			d.Fatalf("%s did not come within %v", what, patience)
		}
	}
}

// awaitShown waits until the editor was asked to show a document of this kind, and returns its path.
func (d *documents) awaitShown(extension string) (path string) {
	d.w.t.Helper()
	d.await("a document "+extension, func() bool {
		i := slices.IndexFunc(d.shown, func(uri string) bool { return strings.HasSuffix(uri, extension) })
		if i >= 0 {
			path, _ = fileuri.ToPath(d.shown[i])
		}
		return i >= 0
	})
	return path
}

// at returns the params of a request about the place where |, or else the end of, before stands in a document.
func (d *documents) at(uri, before string) map[string]any {
	d.w.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	text := d.texts[uri].text
	i := strings.Index(text.String(), before)
	if i < 0 {
		d.w.t.Fatalf("%q is not in %q", before, text.String())
	}
	p := text.Position(i + len(before))
	at := map[string]int{"line": p.Line, "character": p.Character}
	return map[string]any{
		"textDocument": map[string]any{"uri": uri}, "position": at, "range": map[string]any{"start": at, "end": at},
		"context": map[string]any{"diagnostics": []any{}},
	}
}

// ask sends a request about a place and returns its result.
func (d *documents) ask(method string, params any) json.RawMessage {
	d.w.t.Helper()
	result, rpc := d.Request(method, params)
	if rpc != nil {
		d.w.t.Fatalf("%s failed: %v", method, rpc)
	}
	return result
}

// A offeredAction is what an editor knows of an action or a lens.
type offeredAction struct {
	Title   string
	Command struct {
		Command   string
		Arguments []json.RawMessage
	}
	Edit json.RawMessage
}

// do runs the action at a place whose title begins like this.
func (d *documents) do(uri, before, title string) {
	d.w.t.Helper()
	var actions []offeredAction
	unmarshal(d.w.t, d.ask("textDocument/codeAction", d.at(uri, before)), &actions)
	d.run(actions, title)
}

// run runs the action or lens whose title begins like this.
func (d *documents) run(actions []offeredAction, title string) {
	d.w.t.Helper()
	for _, a := range actions {
		if strings.HasPrefix(a.Title, title) {
			if result := d.ask("workspace/executeCommand", map[string]any{"command": a.Command.Command, "arguments": a.Command.Arguments}); string(result) != "null" {
				d.w.t.Errorf("%s returned %s", a.Title, result)
			}
			return
		}
	}
	d.w.t.Fatalf("there is no action %q among %s", title, marshal(actions))
}

// labels returns the labels of the completions at a place.
func (d *documents) labels(uri, before string) (labels []string) {
	d.w.t.Helper()
	var list struct{ Items []struct{ Label string } }
	unmarshal(d.w.t, d.ask("textDocument/completion", d.at(uri, before)), &list)
	for _, item := range list.Items {
		labels = append(labels, item.Label)
	}
	return labels
}

// awaitProblem waits for the last diagnostics of a document to have, or not to have, one with this in its message.
func (d *documents) awaitProblem(t *testing.T, uri, part string, there bool) {
	t.Helper()
	d.Expect(fmt.Sprintf("a problem %q of %s: %v", part, uri, there), func(conversation []fakeeditor.Message) (bool, string) {
		last := ""
		for _, m := range conversation {
			var p struct {
				URI         string
				Diagnostics json.RawMessage
			}
			if m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == uri {
				last = string(p.Diagnostics)
			}
		}
		return strings.Contains(last, part) == there && last != "", ""
	})
}
