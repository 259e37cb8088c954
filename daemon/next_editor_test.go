//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// An editor that declared the ability may say of one question that it cannot answer it. Then the next one is asked,
// and the first has not refused anything.
func TestAsksTheNextOneThatCan(t *testing.T) {
	can := editorapi.Capabilities{Elicitation: json.RawMessage("{}")}
	var asked []int
	with := func(id int, answer json.RawMessage, err error) *editor {
		s := newScreen()
		s.answer = func(_ context.Context, _ string, q editorapi.Question) (json.RawMessage, error) {
			asked = append(asked, id)
			if q.Key != "word" {
				t.Errorf("%d is asked for %q", id, q.Key)
			}
			return answer, err
		}
		return &editor{id: id, api: s, caps: can, used: int64(10 - id), initialized: true}
	}
	unable := &editorapi.RPCError{Code: editorapi.CodeMethodNotFound, Message: "not this one"}
	d, _ := newTestDaemon(t, 0)
	first, second := with(1, nil, unable), with(2, json.RawMessage(`{"action":"accept"}`), nil)
	first.d, second.d = d, d
	c := &connection{d: d, name: "fs", log: zap.NewNop(), members: []*editor{first, second}}
	able := func(caps editorapi.Capabilities) bool { return caps.Elicitation != nil }
	answer, err := c.putToSomebody(t.Context(), mcpclient.Ask{Method: wire.MethodElicit, Key: "word"}, json.RawMessage("{}"), able)
	if err != nil || string(answer) != `{"action":"accept"}` || !slices.Equal(asked, []int{1, 2}) {
		t.Errorf("%s, %v; asked were %v", answer, err, asked)
	}
	if c.asked.refused != 0 {
		t.Errorf("%d questions count as refused", c.asked.refused)
	}
	c.members = []*editor{first}
	if _, err := c.putToSomebody(t.Context(), mcpclient.Ask{Method: wire.MethodElicit, Key: "word"}, json.RawMessage("{}"), able); err != errNobody {
		t.Errorf("with nobody else: %v", err)
	}
}
