//go:build linux || darwin

package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
)

// Microsoft's LSP packages on plain Node are an editor like any other, however its bytes arrive.
func TestMicrosoftLSPClient(t *testing.T) {
	t.Parallel()
	runLSPClient(t, "lsp.mjs", "plainly", "inPieces", "withContentType", "together")
}

// A plain client is answered at once, and sees what came of a call when it is there.
func TestMicrosoftPlainClient(t *testing.T) {
	t.Parallel()
	runLSPClient(t, "plain.mjs", "plainly")
}

// Results stand below their calls, and change nothing else, whatever is typed meanwhile.
// Fault call-moved.
func TestCallDocumentOfMicrosoftsClient(t *testing.T) {
	t.Parallel()
	runLSPClient(t, "calls.mjs", "plainly", "inPieces", "together")
}

// What Microsoft's TextDocument takes for the text of a document is what the daemon takes for it, whatever is typed.
func TestTextOfMicrosoftsDocuments(t *testing.T) {
	t.Parallel()
	runLSPClient(t, "documents.mjs", "plainly", "inPieces", "together")
}

// runLSPClient runs a program of clients/ with Microsoft's LSP packages on `mcp-editord attach`, for each way in which
// bytes may arrive. It has a server "fake", and one "slow" that reports progress of each call.
func runLSPClient(t *testing.T, program string, ways ...string) {
	t.Helper()
	program, err := filepath.Abs(filepath.Join("clients", program))
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Dir(filepath.Dir(installed(t, "Microsoft's LSP client", "vscode-languageserver-protocol", "package.json")))
	for i, way := range ways {
		t.Run(way, func(t *testing.T) {
			w := newWorldWith(t, scripts{"fake": {Plain: true}, "slow": {Steps: steps("tools/call", object{"do": "progress", "n": 1})}})
			options := object{"way": way, "seed": i, "rounds": 10, "modules": modules, "folder": w.folder("project"), "record": w.recordFile("fake")}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, "node", program, marshal(options), daemonBinary, "attach")
			cmd.Env, cmd.Dir = w.env(), w.dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
