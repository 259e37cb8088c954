//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Updates of a resource come from the server that the agent subscribed at, and end with the subscription.
func TestAgentSubscriptions(t *testing.T) {
	resources := []json.RawMessage{json.RawMessage(`{"uri":"x://both","name":"b"}`)}
	w := newWorldWith(t, scripts{
		"one": {Plain: true, Resources: append(resources, json.RawMessage(`{"uri":"x://one","name":"o"}`))},
		"two": {Plain: true, Resources: resources},
	})
	folder := w.folder("project")
	a := openLines(w, fidelityVersion, agentCannot, folder)
	modern := openLines(w, modernVersion, agentCannot, folder)
	a.result("tools/list", `{}`)
	update := func(server, uri string, n int) {
		t.Helper()
		a.call(server+"__notify", fmt.Sprintf(`{"method":"notifications/resources/updated","params":{"uri":"%s","n":%d.0,"_meta":{"x/y":1}}}`, uri, n))
	}
	if refused := a.ask("resources/subscribe", `{"uri":"x://both"}`); refused.Error == nil || !strings.Contains(refused.Error.Message, `"one", "two"`) {
		t.Errorf("subscribing to a resource of both: %s", refused.raw)
	}
	a.result("resources/subscribe", `{"uri":"x://both","_meta":{"mcp-editord/server":"two"}}`)
	a.result("resources/subscribe", `{"uri":"x://one"}`)
	listen := modern.start("subscriptions/listen", `{"notifications":{"resourceSubscriptions":["x://one","x://nobody"],"toolsListChanged":true}}`)
	if got := string(modern.awaitMethod("notifications/subscriptions/acknowledged").Params); !strings.Contains(got, `"resourceSubscriptions":["x://one"]`) || !strings.Contains(got, `"toolsListChanged":true`) {
		t.Errorf("what is honored: %s", got)
	}
	update("one", "x://both", 1) // nobody wants that of one
	update("two", "x://both", 2)
	update("one", "x://one", 3)
	a.await("the update of one", func(l line) bool { return strings.Contains(string(l.Params), `"n":3.0`) })
	modern.await("the update of one", func(l line) bool { return strings.Contains(string(l.Params), `"n":3.0`) })
	a.result("resources/unsubscribe", `{"uri":"x://one"}`)
	update("one", "x://one", 4)
	modern.await("the next update of one", func(l line) bool { return strings.Contains(string(l.Params), `"n":4.0`) })
	modern.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + listen + `}}`)
	await(t, "nobody is subscribed to the resource any more", func() bool { return len(w.recorded("one", "resources/unsubscribe")) == 1 })
	update("one", "x://one", 5)
	update("two", "x://both", 6)
	a.await("the update of two", func(l line) bool { return strings.Contains(string(l.Params), `"n":6.0`) })
	want := map[*lineAgent][]string{
		a: {
			`{"uri":"x://both","n":2.0,"_meta":{"x/y":1}}`, `{"uri":"x://one","n":3.0,"_meta":{"x/y":1}}`, `{"uri":"x://both","n":6.0,"_meta":{"x/y":1}}`,
		},
		modern: {
			`{"uri":"x://one","n":3.0,"_meta":{"x/y":1,"io.modelcontextprotocol/subscriptionId":` + listen + `}}`,
			`{"uri":"x://one","n":4.0,"_meta":{"x/y":1,"io.modelcontextprotocol/subscriptionId":` + listen + `}}`,
		},
	}
	for agent, params := range want {
		var got []string
		for _, l := range agent.all("notifications/resources/updated") {
			got = append(got, string(l.Params))
		}
		if marshal(got) != marshal(params) {
			t.Errorf("the updates are %q, want %q", got, params)
		}
	}
}
