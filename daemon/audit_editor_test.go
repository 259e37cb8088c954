//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// When an editor has its answer, the audit has what it did.
func TestAuditOfAnEditor(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	e, s := attachEditor(t, d, folder)
	defer e.Close()
	s.await(t, "ready")
	call := func(server, method, params string) {
		_, _ = e.Call(t.Context(), editorapi.Call{Server: server, Method: method, Params: json.RawMessage(params)}) // the audit has the outcome
	}
	call("fake", "tools/call", `{"name":"echo"}`)
	call("fake", "tools/list", `{}`)
	call("nobody", "resources/read", `{"uri":"x:/y?z"}`)
	for _, do := range []func() (editorapi.Server, error){
		func() (editorapi.Server, error) { return e.StopServer("fake")(t.Context()) },
		func() (editorapi.Server, error) { return e.StartServer("fake")(t.Context()) },
		func() (editorapi.Server, error) { return e.RestartServer("fake")(t.Context()) },
	} {
		if _, err := do(); err != nil {
			t.Fatal(err)
		}
	}
	d.audit.settle()
	lines, err := ReadAudit(d.opts.Paths, 100, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range lines {
		got = append(got, line.Event+" "+line.Server+" "+line.What+" "+line.Outcome)
	}
	want := []string{
		"tools/call fake echo ok", "resources/read nobody x:/y serverNotFound", "stop fake  ok", "start fake  ok", "restart fake  ok",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
