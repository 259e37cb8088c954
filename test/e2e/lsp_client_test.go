//go:build linux || darwin

package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Microsoft's LSP packages on plain Node are an editor like any other, however its bytes arrive.
func TestMicrosoftLSPClient(t *testing.T) {
	t.Parallel()
	for i, way := range []string{"plainly", "inPieces", "withContentType", "together"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := newWorldOfLSP(t)
			w.runLSPClient("lsp.mjs", object{"way": way, "seed": i, "folder": w.folder("project"), "record": w.recordFile("fake")})
		})
	}
}

// A plain client is answered at once, and sees what came of a call when it is there.
func TestMicrosoftPlainClient(t *testing.T) {
	t.Parallel()
	w := newWorldOfLSP(t)
	w.runLSPClient("plain.mjs", object{"way": "plainly", "seed": 1, "folder": w.folder("project"), "record": w.recordFile("fake")})
}

// Results stand below their calls, and change nothing else, whatever is typed meanwhile.
// Fault call-moved.
func TestCallDocumentOfMicrosoftsClient(t *testing.T) {
	t.Parallel()
	for i, way := range []string{"plainly", "inPieces", "together"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := newWorldOfLSP(t)
			w.runLSPClient("calls.mjs", object{"way": way, "seed": i, "folder": w.folder("project"), "rounds": 10})
		})
	}
}

// newWorldOfLSP returns a world with a server "fake", and one "slow" that reports progress of each call.
func newWorldOfLSP(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.config(servers{
		"fake": w.fakeServer("fake", fakeserver.Script{Plain: true}),
		"slow": w.fakeServer("slow", fakeserver.Script{Steps: steps("tools/call", object{"do": "progress", "n": 1})}),
	}.String())
	return w
}

// What Microsoft's TextDocument takes for the text of a document is what the daemon takes for it, whatever is typed.
func TestTextOfMicrosoftsDocuments(t *testing.T) {
	t.Parallel()
	for i, way := range []string{"plainly", "inPieces", "together"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{}.String())
			w.runLSPClient("documents.mjs", object{"way": way, "seed": i, "folder": w.folder("project"), "rounds": 10})
		})
	}
}

// runLSPClient runs a program of clients/ with Microsoft's LSP packages on `mcp-editord attach`.
func (w *world) runLSPClient(program string, options object) {
	w.t.Helper()
	modules := filepath.Dir(filepath.Dir(installed(w.t, "Microsoft's LSP client", "vscode-languageserver-protocol", "package.json")))
	program, err := filepath.Abs(filepath.Join("clients", program))
	if err != nil {
		w.t.Fatal(err)
	}
	options["modules"] = modules
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", program, marshal(options), daemonBinary, "attach")
	cmd.Env, cmd.Dir = w.env(), w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}
