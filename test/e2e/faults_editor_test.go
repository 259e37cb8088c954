//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// answersOf returns the answers that a fake server has got to its requests.
func (w *world) answersOf(name string) (answers []recordedMessage) {
	for _, m := range w.recorded(name, "") {
		if m.Result != nil || m.Error != nil {
			answers = append(answers, m)
		}
	}
	return answers
}

// Fault editor-killed: the editor is killed while its person is asked. The other editor, which
// shares the server, is not asked instead and not disturbed.
func TestEditorKilledWhileItIsAsked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, method string
		cancelled    func(recordedMessage) bool
	}{
		{"ask_elicitation", "mcp/elicitation/create", func(m recordedMessage) bool {
			return strings.Contains(string(m.Result), `"cancel"`)
		}},
		{"ask_sampling", "mcp/sampling/createMessage", func(m recordedMessage) bool {
			return strings.Contains(string(m.Error), `-1`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
			o := in(allCapabilities, w.folder("project"))
			o.Answers = map[string]fakeeditor.Answer{tt.method: func(json.RawMessage) (any, error) {
				<-t.Context().Done()
				return nil, errors.New("nobody is there")
			}}
			stays := w.attach(o)
			shim := w.spawn("attach")
			goes := w.open(shim, o)
			if a, b := awaitReady(stays, "fake"), awaitReady(goes, "fake"); a.PID != b.PID {
				t.Fatal("they do not share the server")
			}
			goes.AwaitMethod(tt.method, goes.Start("mcp/tools/call", toolCall("fake", tt.tool, object{})))
			w.kill(shim.pid)
			await(t, "the server has an answer", func() bool { return len(w.answersOf("fake")) == 1 })
			if m := w.answersOf("fake")[0]; !tt.cancelled(m) {
				t.Errorf("the server got the result %s, the error %s", m.Result, m.Error)
			}
			served(stays, "fake")
			for _, m := range stays.Messages() {
				if m.Method == tt.method {
					t.Errorf("the other editor was asked: %s", m)
				}
			}
			await(t, "the daemon has one editor", func() bool { return len(status(stays).Editors) == 1 })
		})
	}
}
