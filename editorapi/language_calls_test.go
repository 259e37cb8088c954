package editorapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// To ask for all servers is to wait until the editor has been told of them. A document with many calls does so once for all
// of its lenses, and not for each call.
func TestLensesOfManyCalls(t *testing.T) {
	const uri, calls = "file:///w/a.mcp", 100
	b := newFakeBackend()
	b.setCatalogs(listing{Server: Server{Name: "s", State: ServerReady}, Tools: elementsOf(anyTools)})
	e := open(t, b, fakeeditor.Options{})
	openDocument(e, uri, strings.Repeat("call: s.search\n---\n", calls))
	result := requested(t, e, "textDocument/codeLens", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"}}`))
	if n := strings.Count(string(result), `"mcp.run"`); n != calls {
		t.Errorf("%d lenses run something, want %d: %.500s", n, calls, result)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listed >= calls/2 { // the check of the document and its timer ask too
		t.Errorf("all servers were asked for %d times", b.listed)
	}
}
