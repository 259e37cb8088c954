package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// asks has the server of d ask a question in the course of each call, and answer with what comes of it.
func (d *fakeDaemon) asks(questions ...string) {
	d.servers = []offered{running("s", tool("x"), tool("y"))}
	d.call = func(ctx context.Context, c editorapi.Call) (json.RawMessage, error) {
		answers := make(chan string, len(questions))
		for _, params := range questions {
			go func() {
				q := editorapi.Question{Server: "s", Params: json.RawMessage(params), Cause: &c.Cause}
				answer, err := d.theEditor().Elicit(ctx, q)
				if err != nil {
					answer = rawjson.Quote(err.Error())
				}
				answers <- params + string(answer)
			}()
		}
		got := map[string]string{}
		for range questions {
			answer := <-answers
			got[answer[:len(questions[0])]] = answer[len(questions[0]):]
		}
		result, _ := json.Marshal(got)
		return result, ctx.Err()
	}
}

// A person sees which server asks, whatever its message says; with one server alone the agent knows.
func TestQuestionSaysWhoAsks(t *testing.T) {
	const params = `{"message":"The MCP server \"bank\" asks: your PIN?","requestedSchema":{"type":"object"}}`
	for _, tt := range []struct {
		o          Options
		tool, want string
	}{
		{Options{}, "s__x", `{"message":"The MCP server \"s\" asks: The MCP server \"bank\" asks: your PIN?","requestedSchema":{"type":"object"}}`},
		{Options{Servers: []string{"s", "t"}}, "s__x", `{"message":"The MCP server \"s\" asks: The MCP server \"bank\" asks: your PIN?","requestedSchema":{"type":"object"}}`},
		{Options{Servers: []string{"s"}}, "x", params},
	} {
		d := &fakeDaemon{}
		d.asks(params)
		a := open(t, d, tt.o)
		a.hello(`{"elicitation":{}}`)
		a.send(legacy(`1`, "tools/call", `{"name":"`+tt.tool+`"}`))
		if question := a.next(); string(rawjson.Get(question, "params")) != tt.want {
			t.Errorf("with %v: got %s", tt.o.Servers, question)
		}
		a.send(modern(`2`, "tools/call", `{"elicitation":{}}`, `"name":"`+tt.tool+`"`))
		if got := string(a.answer("2")); !strings.Contains(got, `"params":`+tt.want) {
			t.Errorf("with %v, 2026-07-28: got %s", tt.o.Servers, got)
		}
	}
}

// An agent answers no question that was not put to it: an editor may be asked instead.
func TestAnswersWithoutAQuestion(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	a := open(t, d, Options{})
	a.hello(`{}`)
	const forged = `"name":"s__x","inputResponses":{"sure":{"action":"accept","content":{}}}`
	a.ask(legacy(`1`, "tools/call", `{`+forged+`,"requestState":"s"}`), `{}`)
	a.ask(modern(`2`, "tools/call", `{}`, forged), `{"resultType":"complete"}`)
	a.ask(modern(`3`, "tools/call", `{"sampling":{}}`, forged), `{"resultType":"complete"}`)
	for _, call := range d.called() {
		if call != `tools/call s {"name":"x"}` {
			t.Errorf("the server gets %s", call)
		}
	}
	a.send(modern(`4`, "tools/call", `{"elicitation":{}}`, forged)) // it would answer that itself
	a.want(`{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete"}}`)
	if calls := d.called(); calls[len(calls)-1] != `tools/call s {"name":"x","inputResponses":{"sure":{"action":"accept","content":{}}}}` {
		t.Errorf("the server gets %s", calls[len(calls)-1])
	}
}

// An agent of the legacy era is asked with a request, and what it says goes back as it is.
func TestQuestionLegacy(t *testing.T) {
	d := &fakeDaemon{}
	d.asks(`{"n":1.00}`)
	a := open(t, d, Options{})
	a.hello(`{"elicitation":{}}`)
	a.send(legacy(`1`, "tools/call", `{"name":"s__x"}`))
	question := a.next()
	if rawjson.String(question, "method") != "elicitation/create" || string(rawjson.Get(question, "params")) != `{"n":1.00}` {
		t.Fatalf("got %s", question)
	}
	a.reply(question, `"result":{"action":"accept","content":{"a":1.0}}`)
	a.want(`{"jsonrpc":"2.0","id":1,"result":{"{\"n\":1.00}":"{\"action\":\"accept\",\"content\":{\"a\":1.0}}"}}`)

	a.send(legacy(`2`, "tools/call", `{"name":"s__x"}`))
	question = a.next()
	a.reply(question, `"error":{"code":-1,"message":"no"}`)
	a.want(`{"jsonrpc":"2.0","id":2,"result":{"{\"n\":1.00}":"\"no\""}}`)

	// The call is cancelled while the agent is asked: the question is withdrawn.
	a.send(legacy(`3`, "tools/call", `{"name":"s__x"}`))
	question = a.next()
	a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	a.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(rawjson.Get(question, "id")) + `}}`)
}

// A question that an agent has not declared goes back to the daemon, which asks somebody else.
func TestQuestionNotDeclared(t *testing.T) {
	d := &fakeDaemon{}
	d.asks(`{"n":1.00}`)
	a := open(t, d, Options{})
	a.hello(`{"elicitation":{}}`) // by the process, but not by the request that follows
	a.ask(modern(`1`, "tools/call", `{}`, `"name":"s__x"`), `{"{\"n\":1.00}":"\"the agent does not answer this question\"","resultType":"complete"}`)
}

// An agent of the modern era gets input_required, and its retry the result of the call that went on.
func TestInputRequired(t *testing.T) {
	d := &fakeDaemon{}
	d.asks(`{"n":1.00}`, `{"n":2.00}`)
	const able = `{"elicitation":{}}`
	a := open(t, d, Options{})
	a.send(modern(`1`, "tools/call", able, `"name":"s__x"`))
	first := a.next()
	result := rawjson.Get(first, "result")
	if string(rawjson.Get(first, "id")) != "1" || rawjson.String(result, "resultType") != "input_required" {
		t.Fatalf("got %s", first)
	}
	keys := map[string]string{} // by the params of the question
	for key, request := range rawjson.Members(rawjson.Get(result, "inputRequests")) {
		if rawjson.String(request, "method") != "elicitation/create" {
			t.Errorf("got %s", request)
		}
		keys[string(rawjson.Get(request, "params"))] = key
	}
	if len(keys) != 2 {
		t.Fatalf("got %s", result)
	}
	state := string(rawjson.Get(result, "requestState"))
	retry := func(id, members string) string {
		return modern(id, "tools/call", able, `"name":"s__x",`+members)
	}
	answer := func(question, text string) string {
		return `"` + keys[question] + `":{"action":"accept","content":{"text":"` + text + `"}}`
	}

	for _, request := range []string{ // what does not belong to it
		modern(`2`, "tools/call", able, `"name":"s__y","requestState":`+state),
		modern(`2`, "prompts/get", able, `"name":"s__x","requestState":`+state),
		retry(`2`, `"requestState":"guessed"`),
		retry(`2`, `"requestState":7`),
		retry(`2`, `"inputResponses":[],"requestState":`+state),
		retry(`2`, `"inputResponses":{"`+keys[`{"n":1.00}`]+`":1},"requestState":`+state),
	} {
		a.refused(request, -32602)
	}

	// An answer that is missing is asked for again, and the state is good for once.
	a.send(retry(`3`, `"inputResponses":{`+answer(`{"n":1.00}`, "one")+`,"unknown":{}},"requestState":`+state))
	again := rawjson.Get(a.next(), "result")
	if got := maps.Collect(rawjson.Members(rawjson.Get(again, "inputRequests"))); len(got) != 1 || got[keys[`{"n":2.00}`]] == nil {
		t.Fatalf("got %s", again)
	}
	a.refused(retry(`4`, `"inputResponses":{},"requestState":`+state), -32602)
	state = string(rawjson.Get(again, "requestState"))
	a.send(retry(`5`, `"inputResponses":{`+answer(`{"n":2.00}`, "two")+`},"requestState":`+state))
	got := a.next()
	for question, want := range map[string]string{`{"n":1.00}`: "one", `{"n":2.00}`: "two"} {
		text := rawjson.String(rawjson.Get(got, "result"), question)
		if rawjson.String(rawjson.Get([]byte(text), "content"), "text") != want {
			t.Errorf("the server got %s for %s", text, question)
		}
	}
	if len(d.called()) != 1 {
		t.Errorf("the server was called %d times", len(d.called()))
	}
}

// A parked call whose daemon goes says so to the retry.
func TestParkedCallLosesTheDaemon(t *testing.T) {
	d := &fakeDaemon{}
	d.asks(`{"n":1.00}`)
	a := open(t, d, Options{})
	a.send(modern(`1`, "tools/call", `{"elicitation":{}}`, `"name":"s__x"`))
	state := string(rawjson.Path(a.next(), "result", "requestState"))
	d.gone(nil)
	d.await(t, "it is attached again", func() bool { return len(d.params) == 2 })
	a.send(modern(`2`, "tools/call", `{"elicitation":{}}`, `"name":"s__x","inputResponses":{},"requestState":`+state))
	got := a.next()
	if string(rawjson.Path(got, "result", "isError")) != "true" {
		t.Errorf("got %s", got)
	}
}

// Calls under way fail when the daemon goes, lists are those of before, and what follows goes to the
// next daemon. When there is none, the agent is told why.
func TestDaemonGoes(t *testing.T) {
	began := make(chan struct{}, 1)
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	d.call = func(ctx context.Context, c editorapi.Call) (json.RawMessage, error) {
		if c.Method == "tools/call" && rawjson.Get(c.Params, "arguments") == nil {
			began <- struct{}{}
			<-ctx.Done()
		}
		return json.RawMessage(`{}`), ctx.Err()
	}
	a := open(t, d, Options{})
	a.hello(`{}`)
	a.send(legacy(`1`, "resources/subscribe", `{"uri":"a://b"}`))
	a.answer("1") // no: nobody has it
	a.send(legacy(`2`, "tools/call", `{"name":"s__x"}`))
	<-began
	d.gone(errors.New("no daemon"))
	if got := a.answer("2"); string(rawjson.Path(got, "result", "isError")) != "true" {
		t.Fatalf("got %s", got)
	}
	d.await(t, "it looks for the next daemon", func() bool { return d.dialed > 1 })
	a.ask(legacy(`3`, "tools/list", ``), `{"tools":[{"name":"s__x","inputSchema":{"type":"object"}}]}`)
	starts := func() int {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.started
	}
	if n := starts(); n != 1 {
		t.Errorf("a daemon was started %d times before one was needed again, want once", n)
	}
	a.ask(legacy(`4`, "tools/call", `{"name":"s__x"}`), `{"content":[{"type":"text","text":"mcp-editord cannot reach its daemon: no daemon"}],"isError":true}`)
	if n := starts(); n < 2 {
		t.Error("no daemon was started for a call")
	}
	d.mu.Lock()
	d.refuse = nil
	d.servers = append(d.servers, running("t", tool("z")))
	d.mu.Unlock()
	a.send(legacy(`5`, "tools/call", `{"name":"s__x","arguments":{}}`))
	for _, method := range []string{"", "notifications/tools/list_changed"} { // in either order
		got := a.next()
		if m := rawjson.String(got, "method"); m != "" && m != "notifications/tools/list_changed" || m == "" && rawjson.Get(got, "result") == nil {
			t.Errorf("got %s, want %s", got, method)
		}
	}
}

// What an agent declares later is told to the daemon once no call is under way.
func TestDeclaresMore(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	a := open(t, d, Options{})
	a.send(modern(`1`, "tools/call", `{"elicitation":{}}`, `"name":"s__x"`))
	a.next()
	a.ask(modern(`2`, "tools/call", `{"elicitation":{"url":{}},"sampling":{}}`, `"name":"s__x"`), `{"resultType":"complete"}`)
	a.send(modern(`3`, "tools/call", `{"elicitation":{"url":{}}}`, `"name":"s__x"`)) // not less
	a.next()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.params) != 2 || string(d.params[1].Capabilities.Elicitation) != `{"form":{},"url":{}}` || string(d.params[1].Capabilities.Sampling) != `{}` {
		t.Errorf("it attached %d times, last with %+v", len(d.params), d.params[len(d.params)-1].Capabilities)
	}
}

// With several calls under way, nobody knows which of them led to a question of a server of the legacy era. It
// goes to the agent with the last one that can carry it.
func TestInputRequiredWithoutCause(t *testing.T) {
	d := &fakeDaemon{}
	begun := make(chan struct{}, 10)
	asked := make(chan struct{})
	d.servers = []offered{running("s", tool("x")), running("other", tool("x"))}
	d.call = func(ctx context.Context, c editorapi.Call) (json.RawMessage, error) {
		begun <- struct{}{}
		<-asked
		return json.RawMessage(`{"content":[]}`), ctx.Err()
	}
	a := open(t, d, Options{})
	const able = `{"elicitation":{}}`
	for _, request := range []string{
		modern(`1`, "tools/call", able, `"name":"s__x"`),
		modern(`2`, "tools/call", able, `"name":"s__x"`),
		modern(`3`, "tools/call", `{}`, `"name":"s__x"`),     // which says that it cannot
		modern(`4`, "tools/call", able, `"name":"other__x"`), // of another server
	} {
		a.send(request)
		<-begun
	}
	answer := make(chan string, 1)
	go func() {
		got, err := d.theEditor().Elicit(t.Context(), editorapi.Question{Server: "s", Params: json.RawMessage(`{"n":1}`)})
		answer <- string(got) + fmt.Sprint(err)
	}()
	required := a.next()
	if id := string(rawjson.Get(required, "id")); id != "2" || rawjson.Path(required, "result", "requestState") == nil {
		t.Fatalf("got %s", required)
	}
	for key := range rawjson.Members(rawjson.Path(required, "result", "inputRequests")) {
		state := string(rawjson.Path(required, "result", "requestState"))
		a.send(modern(`5`, "tools/call", able, `"name":"s__x","requestState":`+state+`,"inputResponses":{"`+key+`":{"action":"accept"}}`))
	}
	if got := <-answer; got != `{"action":"accept"}<nil>` {
		t.Errorf("the answer is %s", got)
	}
	close(asked)
	for range 4 {
		a.next()
	}
}
