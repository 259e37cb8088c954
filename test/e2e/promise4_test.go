//go:build linux || darwin

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Promise 4: whatever the file of a folder is full of, the editor that opens the folder stays
// attached, and the user's own servers work.
func TestPromise4FileOfAFolderThatIsFull(t *testing.T) {
	t.Parallel()
	full := func(server func(i int) string, servers int) string {
		var b strings.Builder
		for i := range servers {
			fmt.Fprintf(&b, "%q: %s,", fmt.Sprint("s", i), server(i))
		}
		return `{"mcpServers": {` + b.String() + `}}`
	}
	env := func() string {
		var b strings.Builder
		for i := range 35_000 {
			fmt.Fprintf(&b, `"LD_%d":"",`, i)
		}
		return b.String()
	}()
	for name, text := range map[string]string{
		"servers": full(func(int) string { return `{"command": "c"}` }, 9_000),
		"variables": full(func(int) string {
			return `{"command": "c", "args": ["` + strings.Repeat(`$\u007binput:x}`, 60_000) + `"]}`
		}, 1),
		"arguments":       full(func(int) string { return `{"command": "c", "args": [` + strings.Repeat(`"",`, 150_000) + `]}` }, 1),
		"escapes":         full(func(int) string { return `{"command": "c", "args": ["` + strings.Repeat("\x7f", 5_000) + `"]}` }, 100),
		"the environment": full(func(int) string { return `{"command": "c", "env": {` + env + `}}` }, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"good": w.fakeServer("good", fakeserver.Script{})}.String())
			folder := w.folder("project")
			w.write(folder+"/.mcp.json", text)
			u := &untrusted{world: w}
			o, answers := u.asker(allCapabilities, "editord/approve")
			o.Folders = uris(folder)
			e := w.attach(o)
			awaitReady(e, "good")
			if name != "variables" {
				question(e, 1)
				answers <- object{"decision": "later"}
			}
			served(e, "good")
			if n := len(status(e).Editors); n != 1 {
				t.Errorf("%d editors are attached", n)
			}
		})
	}
}
