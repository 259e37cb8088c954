//go:build linux || darwin

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault subscription-lost: a subscription that the server does not take up again has ended. Each editor that had it is told,
// and the next one to subscribe has the server asked again.
func TestSubscriptionEnds(t *testing.T) {
	restart := func(e *fakeeditor.Editor) { request(e, "editord/restartServer", object{"server": fake}, nil) }
	for _, tt := range []struct {
		name, version string
		again         func(e *fakeeditor.Editor) // has the server asked again
		reason        string
	}{
		{"a restart at 2025-11-25", "2025-11-25", restart, "no such resource"},
		{"a restart at 2026-07-28", "2026-07-28", restart, "no longer tells of its changes"},
		{"a stream that has ended", "2026-07-28", func(e *fakeeditor.Editor) { call(e, fake, "end_listen", nil) }, "no longer tells of its changes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			unwatched := filepath.Join(w.dir, "unwatched")
			w.config(servers{fake: w.fakeServer(fake, fakeserver.Script{ProtocolVersions: []string{tt.version}, Unwatched: unwatched})}.String())
			folder := w.folder("project")
			first, second := w.attach(in(mcpCapabilities, folder)), w.attach(in(mcpCapabilities, folder))
			const gone, still = "test://gone", "test://still"
			for _, e := range []*fakeeditor.Editor{first, second} {
				awaitReady(e, fake)
				mcp(e, fake, "resources/subscribe", `{"uri":"`+gone+`"}`)
			}
			mcp(first, fake, "resources/subscribe", `{"uri":"`+still+`"}`)

			w.write(unwatched, gone)
			tt.again(first)
			for _, e := range []*fakeeditor.Editor{first, second} {
				told := notice(e, "editord/subscriptionEnded", "")
				wantAll(t, "the end", told, `"server":"`+fake+`"`, `"uri":"`+gone+`"`, tt.reason)
			}
			if _, err := second.Request("mcp/resources/subscribe", object{"server": fake, "params": object{"uri": gone}}); err == nil {
				t.Error("an editor can subscribe to what the server does not watch")
			}
			w.write(unwatched, "")
			mcp(second, fake, "resources/subscribe", `{"uri":"`+gone+`"}`)

			// Each hears of what it has subscribed to.
			for _, uri := range []string{gone, still} {
				call(second, fake, "notify", object{"method": "notifications/resources/updated", "params": object{"uri": uri}})
			}
			notified(second, fake, "notifications/resources/updated", `"subscribed":["`+gone+`"]`)
			notified(first, fake, "notifications/resources/updated", `"subscribed":["`+still+`"]`)
			for _, m := range first.Messages() {
				if m.Method == "mcp/notifications/resources/updated" && strings.Contains(string(m.Params), gone) {
					t.Errorf("an editor whose subscription has ended heard of %s", m.Params)
				}
			}
		})
	}
}

// notice returns the params of the first notification of a method that contain text.
func notice(e *fakeeditor.Editor, method, text string) string {
	return string(e.Await(method+" with "+text, func(m fakeeditor.Message) bool {
		return m.Method == method && strings.Contains(string(m.Params), text)
	}).Params)
}
