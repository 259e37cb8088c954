//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// leave ends the open question of an editor, and then the editor.
func (a *asker) leave(err error) {
	a.goes <- err
	a.editor.Close()
}

// Fault editor-reloads: a question of a server waits for a window that reloads, and for nobody else. It does not where the
// window was killed, or where the question is about its own call, which has ended.
func TestQuestionOfAServerWaitsForAWindowThatReloads(t *testing.T) {
	for _, tt := range []struct {
		name  string
		gone  error
		limit time.Duration
		own   bool // the call that needs the answer is the editor's
		back  bool
		want  string
	}{
		{"it comes back", editorapi.ErrEditorLeft, time.Hour, false, true, `{"action":"accept","content":{"value":"typed"}}`},
		{"it does not come back", editorapi.ErrEditorLeft, time.Millisecond, false, false, `{"action":"cancel"}`},
		{"it was killed", editorapi.ErrEditorGone, time.Hour, false, false, `{"action":"cancel"}`},
		{"its own call", editorapi.ErrEditorLeft, time.Hour, true, false, `{"action":"cancel"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, folder := newTestDaemon(t, time.Hour)
			d.returns = tt.limit
			d.own(t)
			other := attachAsker(t, d, folder, false)
			window := attachAsker(t, d, folder, false)
			c := window.connection("fake")
			ask := asks(c, wire.MethodElicit, json.RawMessage(aForm))
			if tt.own {
				ask.Owners = []mcpclient.Owner{{User: window.id, Request: "1"}}
			}
			answered := make(chan string, 1)
			go func() {
				answer, err := c.Request(t.Context(), ask)
				if err != nil {
					t.Error(err)
				}
				answered <- string(answer)
			}()
			window.expect(t, "fake")
			window.leave(tt.gone)
			if tt.back {
				again := attachAsker(t, d, folder, false)
				again.expect(t, "fake")
				again.answers <- "typed"
			}
			if got := <-answered; got != tt.want {
				t.Errorf("the server gets %s", got)
			}
			if len(other.asked) != 0 {
				t.Errorf("the other editor is asked by %q", <-other.asked)
			}
			if tt.gone == editorapi.ErrEditorLeft && c.asked.refused != 0 {
				t.Errorf("%d questions count as refused", c.asked.refused)
			}
		})
	}
}

// Fault editor-reloads: an input is asked for again in the window, whoever's start needs it.
func TestInputWaitsForAWindowThatReloads(t *testing.T) {
	for _, tt := range []struct {
		name string
		own  bool // the start is the window's
	}{{"its own start", true}, {"the start of another one", false}} {
		t.Run(tt.name, func(t *testing.T) {
			d, folder := newTestDaemon(t, time.Hour)
			d.returns = time.Hour
			needInput(t, d, `{"id":"token","type":"promptString"}`, "fake")
			window := attachAsker(t, d, folder, tt.own)
			var started <-chan error
			if !tt.own {
				starter := attachWith(t, d, newScreen(), editorapi.AttachParams{Folders: opened(folder)})
				started = begins(t.Context(), starter.StartServer("fake"))
			}
			window.expect(t, "fake")
			window.leave(editorapi.ErrEditorGone)
			again := attachAsker(t, d, folder, tt.own)
			again.expect(t, "fake")
			again.answers <- "typed"
			again.awaitNews(t, "fake ready")
			if !tt.own {
				if err := <-started; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Fault editor-reloads: an agent's call goes on waiting for the only person, whose window reloads. Without one, it fails.
func TestAgentsCallWaitsForAWindowThatReloads(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	d.returns = time.Hour
	agent, _ := attachAgent(t, d, folder, map[string]string{"*": "ask"})
	p, window := attachPerson(t, d, folder)
	_, done := begin(agent, "echo")
	p.expect("fake")
	p.goes <- editorapi.ErrEditorLeft
	window.Close()
	p, window = attachPerson(t, d, folder)
	p.expect("fake")
	p.answers <- editorapi.DecisionAllow
	if err := (<-done).err; err != nil {
		t.Error(err)
	}

	d.returns = time.Millisecond
	_, done = begin(agent, "echo")
	p.expect("fake")
	p.goes <- editorapi.ErrEditorGone
	window.Close()
	if err := (<-done).err; err == nil || !strings.Contains(err.Error(), "no editor is there") {
		t.Errorf("with nobody left: %v", err)
	}
}

// Fault editor-reloads: the question whether a server may run comes back with the window, though it was put off.
func TestApprovalComesBackWithAWindowThatReloads(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	define(t, folder+"/.mcp.json", "a")
	for _, last := range []bool{false, true} {
		s := newScreen()
		p := newPerson(t, s)
		a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
		p.expect("a")
		if last {
			p.answers <- editorapi.DecisionLater
			p.nothing(a)
		}
		a.Close()
	}
}
