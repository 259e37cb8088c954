package editorapi

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// What is destructive, as its server says, is asked about before it goes, with what is sent.
func TestConfirmWhatIsDestructive(t *testing.T) {
	const uri = "file:///w/a.mcp"
	for name, test := range map[string]struct {
		annotations string
		box         fakeeditor.Answer
		asks, sends bool
	}{
		"nothing is said":     {`{}`, chooses("Cancel"), false, true},
		"it says so":          {`{"destructiveHint":true}`, chooses("Run"), true, true},
		"cancelled":           {`{"destructiveHint":true}`, chooses("Cancel"), true, false},
		"closed":              {`{"destructiveHint":true}`, always(nil), true, false},
		"read-only":           {`{"readOnlyHint":true,"destructiveHint":true}`, chooses("Cancel"), false, true},
		"it destroys nothing": {`{"destructiveHint":false}`, chooses("Cancel"), false, true},
		"nobody can be asked": {`{"destructiveHint":true}`, nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			called := make(chan json.RawMessage, 1)
			b := withTool(func(_ context.Context, c Call) (json.RawMessage, error) {
				called <- c.Params
				return json.RawMessage(`{"content":[]}`), nil
			})
			b.catalogs[0].Tools[0] = json.RawMessage(`{"name":"t","annotations":` + test.annotations + `}`)
			answers := map[string]fakeeditor.Answer{}
			if test.box != nil {
				answers["window/showMessageRequest"] = test.box
			}
			e := open(t, b, fakeeditor.Options{Answers: answers})
			openDocument(e, uri, "call: s.t\nwith: {path: \"/tmp/x\\ndry: true\", n: 1}\n")
			run := func() {
				runCall(t, e, uri)
			}
			lens := func() string {
				lenses := requested(t, e, "textDocument/codeLens", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"}}`))
				for one := range rawjson.Elements(lenses) {
					return rawjson.String(rawjson.Get(one, "command"), "title")
				}
				return ""
			}
			run()
			if test.asks {
				box := e.AwaitMethod("window/showMessageRequest").Params
				if message := rawjson.String(box, "message"); message != "Run s.t? Its server says that it is destructive.\npath: /tmp/x\\ndry: true\nn: 1" {
					t.Errorf("the box says %q", message)
				}
				if first := rawjson.String(json.RawMessage(strings.TrimPrefix(string(rawjson.Get(box, "actions")), "[")), "title"); first != "Cancel" {
					t.Errorf("the first action is %q", first)
				}
			}
			if test.box == nil {
				e.AwaitMethod("window/showMessage")
				if got := lens(); got != "Run, destructive: again to confirm" {
					t.Errorf("the lens is %q", got)
				}
				run()
				test.sends = true
			}
			if test.sends {
				if params := <-called; !strings.Contains(string(params), "/tmp/x") {
					t.Errorf("it was called with %s", params)
				}
				return
			}
			e.Await("the end of the call", func(fakeeditor.Message) bool { return strings.HasPrefix(lens(), "Run, may change") })
			if len(called) > 0 {
				t.Error("it was sent")
			}
		})
	}
}

// Only the very same text is confirmed by a second run.
func TestConfirmOnlyTheSameText(t *testing.T) {
	const uri = "file:///w/a.mcp"
	b := withTool(func(context.Context, Call) (json.RawMessage, error) {
		t.Error("it was sent")
		return nil, nil
	})
	b.catalogs[0].Tools[0] = json.RawMessage(`{"name":"t","annotations":{"destructiveHint":true}}`)
	e := open(t, b, fakeeditor.Options{})
	for n, text := range []string{"call: s.t\nwith: {n: 1}\n", "call: s.t\nwith: {n: 2}\n"} {
		openDocument(e, uri, text)
		runCall(t, e, uri)
		e.Await("what to do", func(fakeeditor.Message) bool { return count(e, "window/showMessage") == n+1 })
	}
}
