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

// Questions of the fake server, as arguments of its tools.
const (
	askWord  = `{"params":{"message":"Which word?","requestedSchema":{"type":"object","properties":{"word":{"type":"string"}}}}}`
	askModel = `{"params":{"messages":[{"role":"user","content":{"type":"text","text":"Say it"}}],"maxTokens":10}}`
)

// Answers of a person, and of a model.
const (
	wordPlum  = `{"action":"accept","content":{"word":"plum"}}`
	modelPear = `{"role":"assistant","model":"m","content":{"type":"text","text":"pear"}}`
)

// answering returns an editor whose person gives these answers, by the method of the question.
func answering(folder string, given map[string]string) fakeeditor.Options {
	o := in(allCapabilities, folder)
	o.Answers = answers{}
	for method, answer := range given {
		o.Answers[method] = always(answer)
	}
	return o
}

// A question that an agent cannot answer appears in the editor of the same folder, which is told whose call it was.
func TestAgentsQuestionInTheEditor(t *testing.T) {
	t.Parallel()
	for _, version := range []string{fidelityVersion, modernVersion} {
		t.Run(version, func(t *testing.T) {
			w := newWorldWith(t, scripts{"fake": {}})
			folder := w.folder("project")
			e := w.attach(answering(folder, map[string]string{elicitation: wordPlum, sampling: modelPear}))
			other := w.attach(answering(w.folder("other"), map[string]string{elicitation: `{"action":"decline"}`}))
			awaitReady(e, "fake")
			a := openLines(w, version, agentCannot, folder)
			if got := string(a.call("fake__ask_elicitation", askWord).StructuredContent.Answer.Result); !strings.Contains(got, "plum") {
				t.Errorf("the server got %s", got)
			}
			if got := string(a.call("fake__ask_sampling", askModel).StructuredContent.Answer.Result); !strings.Contains(got, "pear") {
				t.Errorf("the server got %s", got)
			}
			for method, tool := range map[string]string{elicitation: "ask_elicitation", sampling: "ask_sampling"} {
				var asked struct {
					Server string
					Caller struct{ Name, Tool string }
				}
				unmarshal(t, e.AwaitMethod(method).Params, &asked)
				if asked.Server != "fake" || asked.Caller.Name != "lines" || asked.Caller.Tool != tool {
					t.Errorf("the editor is asked %+v", asked)
				}
				if received(other, method) > 0 {
					t.Errorf("the editor of another folder is asked %s", method)
				}
			}
		})
	}
}

// An agent that can answer is asked itself, and the editor beside it is not.
func TestAgentAnswersItself(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {}, "new": {ProtocolVersions: []string{modernVersion}}})
	folder := w.folder("project")
	e := w.attach(answering(folder, map[string]string{elicitation: wordPlum, sampling: modelPear}), "fake")
	a := openLines(w, fidelityVersion, agentAnswers, folder)
	// Two at once, answered the other way round.
	word := a.start("tools/call", `{"name":"fake__ask_elicitation","arguments":`+askWord+`}`)
	model := a.start("tools/call", `{"name":"fake__ask_sampling","arguments":`+askModel+`}`)
	elicit, sample := a.awaitMethod("elicitation/create"), a.awaitMethod("sampling/createMessage")
	if want := `"requestedSchema":{"type":"object","properties":{"word":{"type":"string"}}}`; !strings.Contains(string(elicit.Params), want) {
		t.Errorf("the agent is asked %s", elicit.raw)
	}
	a.write(`{"jsonrpc":"2.0","id":` + string(sample.ID) + `,"result":{"role":"assistant","model":"mine","content":{"type":"text","text":"apple"},"x-mine":1.50}}`)
	if got := string(a.answer(model).Result); !strings.Contains(got, `"x-mine":1.50`) {
		t.Errorf("the sampling ended with %s", got)
	}
	if a.answered(word) {
		t.Error("a call was answered before its question was")
	}
	a.write(`{"jsonrpc":"2.0","id":` + string(elicit.ID) + `,"result":{"action":"accept","content":{"word":"fig"}}}`)
	if got := string(a.answer(word).Result); !strings.Contains(got, `fig`) {
		t.Errorf("the elicitation ended with %s", got)
	}
	// A question that is part of a call is withdrawn with it.
	inputs := `{"inputs":{"w":{"method":"elicitation/create",` + askWord[1:] + `},"rounds":1}`
	word = a.start("tools/call", `{"name":"new__ask_inputs","arguments":`+inputs+`}`)
	asked := a.await("the next question", func(l line) bool { return l.Method == "elicitation/create" && string(l.ID) != string(elicit.ID) })
	a.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + word + `}}`)
	withdrawn := a.awaitMethod("notifications/cancelled")
	if !strings.Contains(string(withdrawn.Params), `"requestId":`+string(asked.ID)) {
		t.Errorf("%s is withdrawn with %s", asked.raw, withdrawn.raw)
	}
	if received(e, elicitation) > 0 || received(e, sampling) > 0 {
		t.Error("the editor was asked")
	}
}

// inputRequired is MCP's InputRequiredResult.
type inputRequired struct {
	ResultType    string
	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	RequestState string
}

// retry returns the params of a call that is sent again.
func (r inputRequired) retry(call, answers string) string {
	return strings.TrimSuffix(call, "}") + `,"requestState":` + marshal(r.RequestState) + `,"inputResponses":` + answers + `}`
}

// At 2026-07-28 a call with questions goes back and forth until all are answered.
func TestModernAgentIsAsked(t *testing.T) {
	w := newWorldWith(t, scripts{"old": {}, "new": {ProtocolVersions: []string{modernVersion}}})
	folder := w.folder("project")
	a := openLines(w, modernVersion, agentAnswers, folder)
	required := func(params string) (r inputRequired) {
		t.Helper()
		raw := a.result("tools/call", params)
		if unmarshal(t, raw, &r); r.ResultType != "input_required" || r.RequestState == "" {
			t.Fatalf("the call is answered with %s", raw)
		}
		return r
	}

	// A server of the new era asks two things at once, in three rounds, under its own keys.
	inputs := `{"w":{"method":"elicitation/create",` + askWord[1:] + `,"m":{"method":"sampling/createMessage",` + askModel[1:] + `}`
	call := `{"name":"new__ask_inputs","arguments":{"inputs":` + inputs + `,"rounds":3,"state":"s"}}`
	r := required(call)
	for round := 1; ; round++ {
		if len(r.InputRequests) != 2 || r.InputRequests["w"].Method != "elicitation/create" || r.InputRequests["m"].Method != "sampling/createMessage" {
			t.Fatalf("round %d: the agent is asked %+v", round, r)
		}
		params := r.retry(call, fmt.Sprintf(`{"w":{"action":"accept","content":{"word":"w%d"}},"m":%s}`, round, modelPear))
		if round < 3 {
			r = required(params)
			continue
		}
		var result lineResult
		unmarshal(t, a.result("tools/call", params), &result)
		if got := marshal(result.StructuredContent.Rounds); len(result.StructuredContent.Rounds) != 3 || !strings.Contains(got, `"w1"`) || !strings.Contains(got, `"w3"`) || strings.Count(got, "pear") != 3 {
			t.Errorf("the server got %s", got)
		}
		break
	}

	// One that the agent never sends again ends when the agent goes: the question, the call, or both.
	required(`{"name":"old__ask_elicitation","arguments":` + askWord + `}`)
	a.stdin.Close()
	<-a.exited
	await(t, "the server knows that nobody will answer", func() bool {
		withdrawn := len(w.recorded("old", "notifications/cancelled")) > 0
		return withdrawn || slices.ContainsFunc(w.answersOf("old"), func(m recordedMessage) bool {
			return strings.Contains(string(m.Result), `"action":"cancel"`)
		})
	})
}
