//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

const samplingTool = "trigger-sampling-request"

// A server decides by what it is told what it offers. It is told what anybody in the folder can answer.
func TestEverythingOffersSamplingWhereSomebodyCan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"everything": npmServer(t, "server-everything")}.String())
	able := w.attach(in(allCapabilities, w.folder("project")))
	beside := w.attach(in(mcpCapabilities, w.folder("project")))
	alone := w.attach(in(mcpCapabilities, w.folder("elsewhere")))
	for _, e := range []*fakeeditor.Editor{able, beside, alone} {
		awaitReady(e, "everything")
		// Offered to every client with roots, by the same function as the one in question.
		await(t, "the tools that depend on the client are there", func() bool {
			return slices.Contains(toolNames(e, "everything"), "get-roots-list")
		})
	}
	for _, e := range []*fakeeditor.Editor{able, beside} {
		if !slices.Contains(toolNames(e, "everything"), samplingTool) {
			t.Error("an editor of the folder is not offered the tool that samples")
		}
	}
	if slices.Contains(toolNames(alone, "everything"), samplingTool) {
		t.Error("the tool that samples is offered where nobody can sample")
	}
}

func TestEverythingGetsTheEditorsAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, arguments, question, answer, want string
	}{
		{
			name: "sampling", tool: samplingTool, arguments: `{"prompt":"Say hello"}`,
			question: "mcp/sampling/createMessage",
			answer:   `{"role":"assistant","content":{"type":"text","text":"hello from the editor"},"model":"a model"}`,
			want:     "hello from the editor",
		},
		{
			name: "elicitation accepted", tool: "trigger-elicitation-request", arguments: `{}`,
			question: "mcp/elicitation/create",
			answer:   `{"action":"accept","content":{"name":"Ada"}}`,
			want:     "- Name: Ada",
		},
		{
			name: "elicitation declined", tool: "trigger-elicitation-request", arguments: `{}`,
			question: "mcp/elicitation/create",
			answer:   `{"action":"decline"}`,
			want:     "declined",
		},
	}
	w := newWorld(t)
	w.config(servers{"everything": npmServer(t, "server-everything")}.String())
	answer := make(chan string, 1) // the one to give next
	give := func(json.RawMessage) (any, error) { return json.RawMessage(<-answer), nil }
	o := in(allCapabilities, w.folder("project"))
	o.Answers = map[string]fakeeditor.Answer{"mcp/sampling/createMessage": give, "mcp/elicitation/create": give}
	e := w.attach(o)
	awaitReady(e, "everything")

	for _, tt := range tests { // one after another: they share the editor
		await(t, tt.tool+" is offered", func() bool { return slices.Contains(toolNames(e, "everything"), tt.tool) })
		answer <- tt.answer
		pending := e.Start("mcp/tools/call", toolCall("everything", tt.tool, json.RawMessage(tt.arguments)))
		raw, err := pending.Wait()
		if err != nil {
			e.Fatalf("%s: %v", tt.name, err)
		}
		var got toolResult
		unmarshal(t, raw, &got)
		if got.IsError || !strings.Contains(got.text(), tt.want) {
			t.Errorf("%s: the result is %s, without %q", tt.name, raw, tt.want)
		}
		// The question named its server and the request that led to it.
		want := fmt.Sprintf(`"id":%s`, pending.ID)
		e.Await(tt.name+" with its cause", func(m fakeeditor.Message) bool {
			return m.Method == tt.question && strings.Contains(string(m.Params), `"server":"everything"`) &&
				strings.Contains(strings.ReplaceAll(string(m.Params), " ", ""), want)
		})
	}
}

func TestEverythingsProgressIsInOrderBeforeTheResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"everything": npmServer(t, "server-everything")}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "everything")

	params := toolCall("everything", "trigger-long-running-operation", map[string]any{"duration": 0.2, "steps": 50})
	params["workDoneToken"] = "the token"
	pending := e.Start("mcp/tools/call", params)
	if _, err := pending.Wait(); err != nil {
		e.Fatalf("the call: %v", err)
	}
	var got []string
	for _, m := range e.Messages() {
		if m.Sent {
			continue
		}
		if m.Method == "" && string(m.ID) == string(pending.ID) {
			got = append(got, "result")
		}
		if m.Method == "$/progress" {
			var p struct {
				Token string
				Value struct {
					Kind       string
					Percentage *int
				}
			}
			unmarshal(t, m.Params, &p)
			if p.Token != "the token" {
				t.Errorf("progress with a token that nobody gave: %s", m.Params)
			}
			step := p.Value.Kind
			if step == "report" && p.Value.Percentage != nil {
				step = fmt.Sprint(*p.Value.Percentage)
			}
			got = append(got, step)
		}
	}
	want := []string{"begin"}
	for i := range 50 {
		want = append(want, fmt.Sprint(2*(i+1)))
	}
	want = append(want, "end", "result")
	if !slices.Equal(got, want) {
		t.Errorf("progress and result came as\n%v, want\n%v", got, want)
	}
}

// Fault call-unanswered with a server that works on after it was told, as many do.
func TestCancellingEverythingFreesTheEditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"everything": npmServer(t, "server-everything")}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "everything")

	params := toolCall("everything", "trigger-long-running-operation", map[string]any{"duration": 600, "steps": 60000})
	params["workDoneToken"] = "the token"
	pending := e.Start("mcp/tools/call", params)
	e.Await("the first step", func(m fakeeditor.Message) bool {
		return m.Method == "$/progress" && strings.Contains(string(m.Params), `"report"`)
	}, pending)
	pending.Cancel()
	if _, err := pending.Wait(); err == nil || err.Code != -32800 || err.Kind() != "cancelled" {
		e.Fatalf("the cancelled call: %v", err)
	}
	if got := call(e, "everything", "echo", map[string]any{"message": "still here"}); !strings.Contains(got.text(), "still here") {
		t.Errorf("the next call on that server: %+v", got)
	}
}
