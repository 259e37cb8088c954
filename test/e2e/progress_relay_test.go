//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Progress comes as the server said it, under the token of who called, before the result, and none after it.
func TestProgressAsTheServerSaidIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	var told []string // written before the call returns
	c := w.client(w.folder("project"), editorapi.ClientOptions{Name: "agent", Agent: &editorapi.Agent{Name: "Agent"}, Notification: func(method string, params json.RawMessage) {
		if method == "mcp/notifications/progress" {
			told = append(told, string(params))
		}
	}})
	const steps, late = 50, 2
	result, err := c.Call(t.Context(), "tools/call", editorapi.MCPRequest{
		Server: "fake", ProgressToken: json.RawMessage(`"mine"`),
		Params: json.RawMessage(fmt.Sprintf(`{"name":"progress","arguments":{"n":%d,"late":%d},"_meta":{"progressToken":"theirs"}}`, steps, late)),
	})
	if err != nil || rawjson.Get(result, "content") == nil {
		t.Fatalf("the call came to %s, %v", result, err)
	}
	before := slices.Clone(told)
	if _, err := c.Servers(t.Context()); err != nil { // late progress would be there by then
		t.Fatal(err)
	}
	if len(before) != steps || len(told) != steps {
		t.Fatalf("%d were there before the result, and %d after it; want %d", len(before), len(told), steps)
	}
	for i, params := range before {
		said := rawjson.Get([]byte(params), "params")
		var p struct {
			ProgressToken string
			Progress      int
			Grease        *int `json:"x-grease"`
		}
		if err := json.Unmarshal(said, &p); err != nil || rawjson.String([]byte(params), "server") != "fake" ||
			p.ProgressToken != "mine" || p.Progress != i+1 || p.Grease == nil {
			t.Errorf("progress %d is %s", i, params)
		}
	}
}
