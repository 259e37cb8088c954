package editorapi

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// Progress that is wanted as MCP's own comes as the server wrote it, but for the token, before the result.
func TestProgressIsRelayed(t *testing.T) {
	for _, test := range []struct{ name, token, said, want string }{
		{"as it is", `"tok"`, `{ "progress" : 1.50,  "progressToken":7,"x-unknown":[1e400, null],"message":"\u00e9\n\u001b[31m"}`,
			`{ "progress" : 1.50,  "progressToken":"tok","x-unknown":[1e400, null],"message":"\u00e9\n\u001b[31m"}`},
		{"a number", `-12`, `{"progressToken":7,"progress":1,"total":3}`, `{"progressToken":-12,"progress":1,"total":3}`},
		{"an empty string", `""`, `{"progressToken":7,"progress":"nonsense"}`, `{"progressToken":"","progress":"nonsense"}`},
		{"escapes", `"\u0061\"\\"`, `{"progressToken":7}`, `{"progressToken":"\u0061\"\\"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.call = func(_ context.Context, c Call) (json.RawMessage, error) {
				for range 2 {
					said := []byte(test.said)
					c.Progress(said)
					clear(said) // it was only lent
				}
				return json.RawMessage("{}"), nil
			}
			e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(`{"window":{"workDoneProgress":true}}`)})
			e.Call("mcp/tools/call", json.RawMessage(`{"server":"s","params":{"name":"t"},"progressToken":`+test.token+`}`), nil)
			progress := `{"jsonrpc":"2.0","method":"mcp/notifications/progress","params":{"server":"s","params":` + test.want + `}}`
			var got []string
			for _, m := range e.Messages() {
				if !m.Sent {
					got = append(got, string(m.Raw))
				}
			}
			if got := got[1:]; len(got) != 3 || got[0] != progress || got[1] != progress || !strings.Contains(got[2], `"result"`) {
				t.Errorf("received\n%s\nwant twice\n%s\nand the result", strings.Join(got, "\n"), progress)
			}
		})
	}
}
