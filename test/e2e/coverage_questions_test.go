//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

const (
	sampling    = "mcp/sampling/createMessage"
	elicitation = "mcp/elicitation/create"
)

// sampled is an answer to a sampling request.
const sampled = `{"role":"assistant","content":{"type":"text","text":"hello from the editor"},"model":"a model","stopReason":"endTurn"}`

// ask makes the fake server ask: with a request of its own, or at 2026-07-28 with input that
// the result of the call wants.
func (s *stand) ask(e *fakeeditor.Editor, method string, params object) *fakeeditor.Pending {
	s.t.Helper()
	if s.modern() {
		return e.Start("mcp/tools/call", toolCall(fake, "ask_inputs", object{"inputs": object{"it": object{"method": method, "params": params}}}))
	}
	return e.Start("mcp/tools/call", toolCall(fake, "ask", object{"method": method, "params": params, "id": "asked"}))
}

// docs/mcp.md, row 15: the editor whose call led to it is asked, and nobody else.
func seeSampling(s *stand) {
	e := s.withSDK(answers{sampling: always(sampled)})
	other := s.withSDK(nil)
	pending := e.Start("mcp/tools/call", toolCall(sdk, "ask_sampling", object{}))
	wantAll(s.t, "the result", string(pending.Result()), "hello from the editor")
	m := e.AwaitMethod(sampling)
	wantAll(s.t, "the question", string(m.Params), `"server":"sdk"`, fmt.Sprintf(`"id":%s`, pending.ID),
		`"systemPrompt":"Be brief."`, `"maxTokens":100`, `"speedPriority":1`, `"hints":[{"name":"small"}]`, "Say hello.")
	status(other)
	if received(other, sampling) > 0 {
		s.t.Error("the editor that called nothing was asked")
	}
	await(s.t, "the audit has the question", func() bool { return strings.Contains(s.auditOf(sdk), `"event":"sampling/createMessage"`) })

	own := s.withFake(fakeserver.Script{}, answers{sampling: always(sampled)}, object{"samplingLimit": "1/h"})
	s.ask(own, "sampling/createMessage", object{"messages": []any{}, "maxTokens": 1}).Result()
	result, err := s.ask(own, "sampling/createMessage", object{"messages": []any{}, "maxTokens": 1}).Wait()
	if got := fmt.Sprint(string(result), err); !strings.Contains(got, "samplingLimit") {
		s.t.Errorf("the question over the limit: %s", got)
	}
}

// docs/mcp.md, row 15, with tools.
func seeSamplingWithTools(s *stand) {
	const use = `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"weather","input":{"city":"Pisa"}}],"model":"a model","stopReason":"toolUse"}`
	e := s.withSDK(answers{sampling: always(use)})
	result := call(e, sdk, "ask_sampling_tools", object{})
	wantAll(s.t, "the result", result.text(), `"tool_use"`, `"Pisa"`, `"toolUse"`)
	wantAll(s.t, "the question", string(asked(e, sampling)), `"tools":[{`, `"name":"weather"`, `"toolChoice":{"mode":"auto"}`)
}

// docs/mcp.md, row 16: a form with every kind of value; what the person leaves out has its default.
func seeForm(s *stand) {
	e := s.withSDK(answers{elicitation: always(`{"action":"accept","content":{"name":"Grace","member":false}}`)})
	var told struct {
		Form struct {
			Action  string
			Content map[string]any
		}
	}
	structured(e, sdk, "ask_form", object{}, &told)
	want := map[string]any{"name": "Grace", "member": false, "age": 36.0, "score": 95.5, "colour": "green", "size": "l", "tags": []any{"x"}}
	if told.Form.Action != "accept" || marshal(told.Form.Content) != marshal(want) {
		s.t.Errorf("the server was told %+v, want %v", told.Form, want)
	}
	var form struct {
		Message         string
		RequestedSchema struct{ Properties map[string]json.RawMessage }
	}
	unmarshal(s.t, asked(e, elicitation), &form)
	for name, texts := range map[string][]string{
		"name": {`"minLength":1`, `"maxLength":50`, `"default":"Ada"`}, "email": {`"format":"email"`}, "age": {`"integer"`, `"maximum":150`},
		"score": {`"number"`}, "member": {`"boolean"`}, "colour": {`"enum":["red","green"]`}, "size": {`"oneOf":[`, `"title":"Small"`},
		"old": {`"enumNames":[`}, "tags": {`"array"`, `"maxItems":2`}, "titled": {`"anyOf":[`, `"title":"One"`},
	} {
		wantAll(s.t, "the property "+name, string(form.RequestedSchema.Properties[name]), texts...)
	}
	for _, action := range []string{"decline", "cancel"} {
		no := s.withSDK(answers{elicitation: always(`{"action":"` + action + `"}`)})
		told.Form.Content = nil
		structured(no, sdk, "ask_form", object{}, &told)
		if told.Form.Action != action || told.Form.Content != nil {
			s.t.Errorf("after %s the server was told %+v", action, told.Form)
		}
	}
}

// docs/mcp.md, row 16, by URL.
func seeURL(s *stand) {
	e := s.withSDK(answers{elicitation: always(`{"action":"accept"}`)})
	wantAll(s.t, "the result", call(e, sdk, "ask_url", object{}).text(), `"action":"accept"`)
	wantAll(s.t, "the question", string(asked(e, elicitation)), `"mode":"url"`, `"url":"https://example.com/login?next=%2F"`, `"message":"Sign in."`)
}

// docs/mcp.md, row 16, by -32042: the person is led to the address, and the call is sent again when
// they are done there.
func seeURLRequired(s *stand) {
	led := make(chan bool, 1)
	e := s.withSDK(answers{elicitation: func(json.RawMessage) (any, error) {
		led <- true
		return json.RawMessage(`{"action":"accept"}`), nil
	}})
	pending := e.Start("mcp/tools/call", toolCall(sdk, "url_required", object{}))
	e.AwaitMethod(elicitation, pending)
	<-led
	call(e, sdk, "text", object{}) // a second try would have been before it
	if pending.Answered() {
		s.t.Error("the call was answered before the person was done")
	}
	call(e, sdk, "complete_url", object{})
	wantAll(s.t, "the result", string(pending.Result()), "signed in")
	wantAll(s.t, "the question", string(asked(e, elicitation)), `"elicitationId":"login"`, `"url":"https://example.com/login?next=%2F"`)

	// One who does not go there leaves the call with the error.
	no := s.withSDK(answers{elicitation: always(`{"action":"decline"}`)})
	if err := refused(no, sdk, "tools/call", `{"name":"url_required"}`); err.Code != -32042 || !strings.Contains(string(err.Data), `"elicitationId":"login"`) {
		s.t.Errorf("the error is %v", err)
	}
}

// docs/mcp.md, row 17: several questions at once and one after the other; the state comes back as it was.
func seeInputs(s *stand) {
	waiting := make(chan string, 2)
	both := make(chan struct{})
	together := func(method, answer string) fakeeditor.Answer {
		return func(json.RawMessage) (any, error) {
			waiting <- method
			<-both // each is answered when both were asked
			return json.RawMessage(answer), nil
		}
	}
	e := s.withSDK(answers{
		sampling:    together(sampling, sampled),
		elicitation: together(elicitation, `{"action":"accept","content":{"name":"Ada","colour":"red"}}`),
	})
	all := e.Start("mcp/tools/call", toolCall(sdk, "ask_all", object{}))
	e.AwaitMethod(sampling, all)
	e.AwaitMethod(elicitation, all)
	<-waiting
	<-waiting
	close(both)
	wantAll(s.t, "the result", string(all.Result()), "hello from the editor", `\"name\":\"Ada\"`, uris(s.folder)[0])

	rounds := s.withSDK(answers{elicitation: always(`{"action":"accept","content":{"name":"Ada","colour":"red"}}`)})
	if got := call(rounds, sdk, "ask_twice", object{}).text(); got != "Ada likes red" {
		s.t.Errorf("after two rounds the answer is %q", got)
	}

	own := s.withFake(fakeserver.Script{}, answers{elicitation: always(`{"action":"accept","content":{"x":"1"}}`)}, nil)
	input := object{"q": object{"method": "elicitation/create", "params": object{"message": "?", "requestedSchema": object{"type": "object", "properties": object{"x": object{"type": "string"}}}}}}
	type round struct {
		InputResponses map[string]json.RawMessage
		RequestState   *string
	}
	var got, alone struct{ Rounds []round }
	structured(own, fake, "ask_inputs", object{"inputs": input, "state": `"é\`, "rounds": 3}, &got)
	if len(got.Rounds) != 3 || got.Rounds[2].RequestState == nil || !strings.HasPrefix(*got.Rounds[2].RequestState, `"é\`) {
		s.t.Errorf("the rounds were %+v", got.Rounds)
	}
	structured(own, fake, "ask_inputs", object{"state": "alone", "rounds": 2}, &alone)
	if len(alone.Rounds) != 2 || alone.Rounds[0].InputResponses != nil {
		s.t.Errorf("the rounds without questions were %+v", alone.Rounds)
	}
	for what, arguments := range map[string]string{
		"eleven rounds":                  `{"state":"s","rounds":11}`,
		"a resultType that nobody knows": `{"inputs":{},"resultType":"later"}`,
	} {
		if err := refused(own, fake, "tools/call", `{"name":"ask_inputs","arguments":`+arguments+`}`); err.Kind() != "invalidResult" {
			s.t.Errorf("%s: %v", what, err)
		}
	}
}
