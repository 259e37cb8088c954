//go:build linux || darwin

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Promise 1: a server that is allowed where it is defined starts, and nothing else does. What was offered for one
// definition allows no other that is on the disk by then.
// Fault changed-behind.
func TestPromise1AllowedInTheConfiguration(t *testing.T) {
	w := newWorldWith(t, scripts{"good": {}})
	folder, program, marker := w.folder("project"), filepath.Join(w.dir, "tool"), filepath.Join(w.dir, "marker")
	w.executable(program, `echo "$1" >>`+marker+"\nexport "+fakeserver.Env+"='"+marshal(fakeserver.Script{})+"'\nexec "+fakeserverBinary)
	starts := func() string { return strings.Join(lines(t, marker), " ") }
	definition := func(name string) string {
		return fmt.Sprintf("    %q: {\n      \"command\": %q,\n      \"args\": [%q]\n    }", name, program, name)
	}
	text := "{\n  \"servers\": {\n" + definition("a") + ",\n" + definition("b") + "\n  }\n}\n"
	file := filepath.Join(folder, ".mcp.json")
	w.write(file, text)
	e := w.attach(in(showsDocuments, folder))
	uri := w.openDocument(e, file, text)
	e.Await("the server that waits", func(m fakeeditor.Message) bool {
		return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), `"needsApproval"`)
	})
	allow := offered(e, uri, 3, `Allow "a" to Run`)
	if len(allow) != 1 {
		t.Fatalf("it is offered %s", allow)
	}
	before := server(e, "a").Digest
	w.write(file, strings.Replace(text, `["a"]`, `["evil"]`, 1))
	await(t, "the daemon has read the other definition", func() bool { return server(e, "a").Digest != before })
	if _, err := e.Request("workspace/executeCommand", allow[0]); err == nil || err.Detail() != "digest" {
		t.Errorf("allowing what was there before: %v", err)
	}
	if list := offered(e, uri, 3, "Allow"); len(list) > 0 {
		t.Errorf("of the text that is no longer on the disk it is offered %s", list)
	}
	if got := string(server(e, "a").State); got != "needsApproval" || starts() != "" {
		t.Errorf("it is %s, and has run: %s", got, starts())
	}

	w.write(file, text)
	await(t, "the daemon has read the first definition", func() bool { return server(e, "a").Digest == before })
	request(e, "workspace/executeCommand", allow[0], nil)
	awaitNow(e, "a", "ready")
	if v := server(e, "b"); v.State != "needsApproval" || starts() != "a" {
		t.Errorf("the other one is %s, and there were the starts %s", v.State, starts())
	}
}
