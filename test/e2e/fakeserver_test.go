//go:build linux || darwin

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// scripts are fake servers by their names.
type scripts map[string]fakeserver.Script

// fakeServer returns the definition of a fake server that follows s and keeps a
// record under its name.
func (w *world) fakeServer(name string, s fakeserver.Script) map[string]any {
	s.Record = w.recordFile(name)
	return map[string]any{"command": fakeserverBinary, "env": map[string]string{fakeserver.Env: marshal(s)}}
}

func (w *world) recordFile(name string) string { return filepath.Join(w.dir, name+".record") }

// A recordedMessage is a message that a fake server has got.
type recordedMessage struct {
	ID     json.RawMessage
	Method string // "" for answers
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// recorded returns the messages of a method that the fake servers of a name have
// got, in all their lives.
func (w *world) recorded(name, method string) []recordedMessage {
	w.t.Helper()
	b, err := os.ReadFile(w.recordFile(name))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	var found []recordedMessage
	for line := range bytes.Lines(b) {
		var m recordedMessage
		if json.Unmarshal(line, &m) == nil && m.Method == method { // the last line may be half written
			found = append(found, m)
		}
	}
	return found
}
