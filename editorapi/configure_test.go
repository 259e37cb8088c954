package editorapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// An editor without a plugin is asked what somebody has, in a document, and then about what would be added, in a box.
func TestAddServerInAPlainClient(t *testing.T) {
	b := newFakeBackend()
	asked, added := make(chan ProposeServersParams, 1), make(chan AddServerParams, 2)
	b.propose = func(p ProposeServersParams) []ProposedServer {
		asked <- p
		return []ProposedServer{
			{Name: "there", State: ProposalSame, File: "file:///c/mcp.json"},
			{Name: "new", Runs: "npx -y x", From: "npm", State: ProposalNew, File: "file:///c/mcp.json"},
		}
	}
	b.add = func(p AddServerParams) AddServerResult {
		added <- p
		return AddServerResult{Server: Server{Name: p.Server.Name, State: ServerReady}, Place: &ConfigPlace{URI: "file:///c/mcp.json"}}
	}
	answers := map[string]fakeeditor.Answer{"window/showDocument": success, "window/showMessageRequest": chooses("Yes")}
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: answers})
	execute(t, e, json.RawMessage(`{"command":"editord.addServer","arguments":[{}]}`))
	path, _ := fileuri.ToPath(rawjson.String(e.AwaitMethod("window/showDocument").Params, "uri"))
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "# mcp-editord asks:\n#\n# What do you have of the server?\n") {
		t.Errorf("the document is %v\n%s", err, text)
	}
	give(t, b.session(), strings.TrimSuffix(filepath.Base(path), ".mcp"), "accept", json.RawMessage(`{"what":"npm:x"}`))
	if p := <-asked; len(p.Words) != 1 || p.Words[0] != "npm:x" {
		t.Errorf("proposed was %+v", p)
	}
	box := rawjson.String(e.AwaitMethod("window/showMessageRequest").Params, "message")
	if want := "mcp-editord asks:\nAdd server \"new\"?\nIt runs: npx -y x\nIt is from: npm"; box != want {
		t.Errorf("the box says %q", box)
	}
	if p := <-added; p.Server.Name != "new" || p.Trusted {
		t.Errorf("added was %+v", p)
	}
	awaitText(e, "window/showMessage", `was added to /c/mcp.json.`)
}
