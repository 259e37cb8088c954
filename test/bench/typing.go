package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// The figures of a large call document, with the servers of the catalog.
const (
	typingAnswer = "300 calls in a document: a character typed to its completion"
	lensesAnswer = "300 calls in a document: code lenses"
	typingCalls  = 300
)

// typing writes the name of a tool in the middle of a call document, and asks for completion after each character.
func typing(place *place, e *editor, n int, d *Data) error {
	document := []byte(`{"uri":"` + fileuri.FromPath(place.folder) + `/calls.mcp"`)
	var text strings.Builder
	line := 0 // on which is typed
	for i := range typingCalls {
		if i == typingCalls/2 {
			line = strings.Count(text.String(), "\n")
			text.WriteString("call: \n---\n")
			continue
		}
		fmt.Fprintf(&text, "call: bare%d.tool_%d\nwith:\n  path: src/file_%d.c\n  pattern: |\n    %s\nresult: |\n  %s\n---\n",
			i%catalogServers, 2+i%(toolsPerServer-2), i, strings.Repeat("x", 80), strings.Repeat("a line ", 20))
	}
	whole, err := json.Marshal(text.String())
	if err != nil {
		return err
	}
	if err := e.stream.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":`, string(document),
		`,"languageId":"mcp-call","version":1,"text":`, string(whole), `}}}`); err != nil {
		return err
	}
	const name = "bare7.tool_30"
	var typed, lenses []float64
	for i := range n * len(name) {
		column := len("call: ") + i%len(name)
		end := column // of what the character replaces: the whole name when it begins again
		if i > 0 && i%len(name) == 0 {
			end += len(name)
		}
		begin := time.Now()
		if err := e.stream.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":%s,"version":%d},"contentChanges":[{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"text":%q}]}}`,
			document, i+2, line, column, line, end, name[i%len(name):i%len(name)+1])); err != nil {
			return err
		}
		if err := e.about("textDocument/completion", fmt.Sprintf(`%s},"position":{"line":%d,"character":%d}`, document, line, column+1), `"label":"bare`); err != nil {
			return err
		}
		typed = append(typed, millis(time.Since(begin)))
	}
	for range n {
		begin := time.Now()
		if err := e.about("textDocument/codeLens", string(document)+"}", `"mcp.run"`); err != nil {
			return err
		}
		lenses = append(lenses, millis(time.Since(begin)))
	}
	d.add(typingAnswer, "ms", typed...)
	d.add(lensesAnswer, "ms", lenses...)
	return nil
}

// about sends a request about a document and checks that its answer has a text.
func (e *editor) about(method, document, text string) error {
	answer, err := e.ask(method, `{"textDocument":`+document+`}`)
	if err == nil && !strings.Contains(string(answer), text) {
		err = fmt.Errorf("the answer to %s lacks %s: %.500s", method, text, answer)
	}
	return err
}
