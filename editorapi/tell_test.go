package editorapi

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// A plain client is sent no notification that it does not know, unless it asked for it: lsp-mode opens a
// window for each.
func TestPlainClientIsNotNotified(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{})
	editor := b.theEditor()
	editor.ServerChanged(Server{Name: "s"})
	editor.ServerRemoved("s")
	editor.CatalogChanged("s", []string{"tools"})
	for _, subscribed := range [][]string{nil, {"x:/"}} {
		n := &Notification{Server: "s", Method: "notifications/resources/updated", Params: json.RawMessage(`{"uri":"x:/"}`)}
		if err := editor.Relay(n, subscribed); err != nil {
			t.Fatal(err)
		}
	}
	editor.ShowMessage(SeverityInfo, "the end")
	e.AwaitMethod("window/showMessage")
	var got []string
	for _, m := range e.Messages() {
		if !m.Sent && m.Method != "" {
			got = append(got, m.Method)
		}
	}
	if want := []string{"mcp/notifications/resources/updated", "window/showMessage"}; !slices.Equal(got, want) {
		t.Errorf("it was sent %q, want %q", got, want)
	}
}
