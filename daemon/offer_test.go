//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// commandsIn returns how many tools and prompts an offer has.
func commandsIn(o *editorapi.Offer) int {
	offer := reflect.ValueOf(o).Elem()
	return offer.FieldByName("tools").Len() + offer.FieldByName("prompts").Len()
}

// attachRules attaches an editor with these servers, which have these rules for tools, and waits until
// they are ready.
func attachRules(t *testing.T, d *Daemon, folder string, rules any, servers ...string) (*editor, *screen) {
	t.Helper()
	s := newScreen()
	a := attachWith(t, d, s, editorapi.AttachParams{
		Folders: opened(folder), Servers: fakeDefinitions(t, plainScript, rules, servers...), AutoStart: true, DynamicCommands: true,
	})
	for _, server := range servers {
		s.awaitNews(t, server+" ready")
	}
	return a.(*editor), s
}

// addTool has a server offer one tool more, and waits until s, the screen of e, has been told of that.
func addTool(t *testing.T, e *editor, s *screen, server, tool string) {
	t.Helper()
	params := fmt.Sprintf(`{"name":"change","arguments":{"kind":"tools","n":1,"add":[{"name":%q,"inputSchema":{}}]}}`, tool)
	if _, err := e.Call(t.Context(), editorapi.Call{Server: server, Method: "tools/call", Params: json.RawMessage(params)}); err != nil {
		t.Fatal(err)
	}
	lists := func() *mcpclient.Lists { return e.connection(server).client.Lists() }
	s.until(t, "a change of "+server, func() bool {
		has := func(definition json.RawMessage) bool { return rawjson.String(definition, "name") == tool }
		return slices.ContainsFunc(lists().Of(wire.ListTools), has)
	})
}

// The offer of a server is made once for all editors, and only anew when that server's lists change.
func TestOffersAreShared(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	first, s := attachRules(t, d, folder, nil, "one", "two")
	second, _ := attachRules(t, d, folder, nil, "one", "two")
	before := first.Offers("")
	if len(before) != 2 || !slices.Equal(second.Offers(""), before) {
		t.Fatalf("%d offers are not the same for two editors", len(before))
	}
	catalogs, err := second.Catalog(t.Context(), editorapi.CatalogParams{Server: "two"})
	if err != nil || len(catalogs) != 1 || catalogs[0].Offer != before[1] {
		t.Errorf("the catalog has another offer: %v, %v", catalogs, err)
	}
	addTool(t, first, s, "one", "new")
	after := second.Offers("")
	if after[0] == before[0] || after[1] != before[1] {
		t.Errorf("made anew were the first: %v, the second: %v; want the first", after[0] != before[0], after[1] != before[1])
	}
	if !slices.Equal(first.Offers(""), after) {
		t.Error("after the change the editors have different offers")
	}
	if offers := first.Offers("nobody"); len(offers) != 0 {
		t.Errorf("nobody offers %v", offers)
	}
}

// Editors whose rules hide different tools share a server but no offer, and the newest offers are
// kept.
func TestOffersFollowTheRules(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	plain, _ := attachRules(t, d, folder, nil, "one")
	hiding := func(tool string) *editor {
		e, _ := attachRules(t, d, folder, map[string]any{tool: map[string]bool{"hidden": true}}, "one")
		return e
	}
	all := plain.Offers("one")[0]
	for _, tool := range []string{"echo", "big", "exit", "hang", "delay"} {
		e := hiding(tool)
		offer := e.Offers("one")[0]
		if offer == all || commandsIn(offer) >= commandsIn(all) {
			t.Errorf("%s is not hidden", tool)
		}
		if e.Offers("one")[0] != offer || e.connection("one") != plain.connection("one") {
			t.Error("an editor has its own server, or an offer for each time that it asks")
		}
	}
	c := plain.connection("one")
	d.mu.Lock()
	n := len(c.offerings)
	d.mu.Unlock()
	if n != maxOfferings {
		t.Errorf("%d offerings are kept, want %d", n, maxOfferings)
	}
}
