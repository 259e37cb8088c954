//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// The capabilities of editors that know nothing of MCP.
const (
	plainOpens = `{"window":{"showDocument":{"support":true},"showMessage":{"messageActionItem":{"additionalPropertiesSupport":false}}}}`
	plainShows = `{"window":{"showMessage":{}}}`
)

// A plain editor shows the whole address before it opens anything, and opens it only when its user agrees.
func TestSignInOfAPlainEditor(t *testing.T) {
	t.Parallel()
	visited := func(open, success bool) func(w *guarded, o *fakeeditor.Options) {
		return func(w *guarded, o *fakeeditor.Options) {
			o.Answers["window/showMessageRequest"] = func(json.RawMessage) (any, error) {
				if open {
					return object{"title": "Open"}, nil
				}
				return object{"title": "Cancel"}, nil
			}
			o.Answers["window/showDocument"] = func(params json.RawMessage) (any, error) {
				if success {
					go func() { _, _ = authserver.Browser{}.Visit(w.t.Context(), rawjson.String(params, "uri")) }() // the sign-in shows what came of it
				}
				return object{"success": success}, nil
			}
		}
	}
	for name, test := range map[string]struct {
		capabilities  string
		answers       func(w *guarded, o *fakeeditor.Options)
		asked, opened int
		shows         bool   // the address, in a message
		kind          string // of the error; "": somebody signs in
	}{
		"opens":   {plainOpens, visited(true, true), 1, 1, false, ""},
		"cancels": {plainOpens, visited(false, true), 1, 0, false, "cancelled"},
		"closes the question": {plainOpens, func(_ *guarded, o *fakeeditor.Options) {
			o.Answers["window/showMessageRequest"] = func(json.RawMessage) (any, error) { return nil, nil }
		}, 1, 0, false, "cancelled"},
		"cannot open it":      {plainOpens, visited(true, false), 1, 1, true, ""},
		"cannot ask":          {plainOpens, func(*guarded, *fakeeditor.Options) {}, 1, 0, true, ""},
		"has no showDocument": {plainShows, visited(true, true), 0, 0, true, ""},
		"has no capabilities": {messageBoxes, visited(true, true), 0, 0, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGuarded(t, authserver.Options{})
			o := in(test.capabilities, w.project)
			o.Answers = map[string]fakeeditor.Answer{}
			test.answers(w, &o)
			e := w.attach(o)
			awaitNow(e, "remote", "needsSignIn")
			p := e.Start("editord/signIn", object{"server": "remote"})
			if test.shows {
				text := e.Await("the address", func(m fakeeditor.Message) bool {
					return m.Method == "window/showMessage" && strings.Contains(rawjson.String(m.Params, "message"), "/authorize?")
				}, p)
				message := rawjson.String(text.Params, "message")
				if !strings.Contains(message, "mcp-editord signin remote") || !strings.Contains(message, " at 127.0.0.1") {
					t.Errorf("the message is %q", message)
				}
				address, _, _ := strings.Cut(message[strings.LastIndex(message, "http://"):], "; ")
				w.visit(authserver.Browser{}, address)
			}
			_, err := p.Wait()
			if test.kind == "" && err != nil || test.kind != "" && (err == nil || err.Kind() != test.kind) {
				t.Errorf("the sign-in ends with %v, want %q", err, test.kind)
			}
			if n := received(e, "window/showMessageRequest"); n != test.asked {
				t.Errorf("the user was asked %d times, want %d", n, test.asked)
			}
			if n := received(e, "window/showDocument"); n != test.opened {
				t.Errorf("%d pages were opened, want %d", n, test.opened)
			}
			if got := w.auth.Counts().Requests["authorize"]; test.kind != "" && got != 0 {
				t.Errorf("the page was asked for %d times", got)
			}
			if test.asked == 1 {
				asked := e.AwaitMethod("window/showMessageRequest")
				if message := rawjson.String(asked.Params, "message"); !strings.Contains(message, w.auth.Issuer()+"/authorize?") || !strings.Contains(message, `"remote"`) {
					t.Errorf("the question is %q", message)
				}
				for i, m := range e.Messages() {
					if m.Method == "window/showDocument" && !answeredBefore(e.Messages()[:i], asked) {
						t.Error("the page was opened before the user agreed")
					}
				}
			}
			if test.kind == "" {
				w.works(e, "echo", "one")
			} else if v := server(e, "remote"); v.State != editorapi.ServerNeedsSignIn || v.SignIn != nil {
				t.Errorf("the server is %s", marshal(v))
			}
		})
	}
}

// answeredBefore tells whether a conversation has the editor's answer to a request of the daemon.
func answeredBefore(conversation []fakeeditor.Message, request fakeeditor.Message) bool {
	for _, m := range conversation {
		if m.Sent && m.Method == "" && string(m.ID) == string(request.ID) {
			return true
		}
	}
	return false
}
