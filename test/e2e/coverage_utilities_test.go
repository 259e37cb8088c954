//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// docs/mcp.md, row 18: in order, before the result.
func seeProgress(s *stand) {
	const steps = 20
	e := s.withSDK(nil)
	params := toolCall(sdk, "progress", object{"steps": steps})
	params["workDoneToken"] = "the token"
	pending := e.Start("mcp/tools/call", params)
	pending.Result()
	var got, want []string
	for _, m := range e.Messages() {
		switch {
		case m.Method == "$/progress" && !m.Sent:
			var p struct {
				Token string
				Value struct{ Kind, Message string }
			}
			unmarshal(s.t, m.Params, &p)
			got = append(got, p.Token+" "+p.Value.Kind+" "+p.Value.Message)
		case !m.Sent && m.Method == "" && string(m.ID) == string(pending.ID):
			got = append(got, "result")
		}
	}
	for i := range steps {
		want = append(want, fmt.Sprintf("the token report step %d", i+1))
	}
	if len(got) != steps+3 || !strings.HasPrefix(got[0], "the token begin ") || !slices.Equal(got[1:1+steps], want) ||
		!strings.HasPrefix(got[steps+1], "the token end") || got[steps+2] != "result" {
		s.t.Errorf("progress and result came as\n%s", strings.Join(got, "\n"))
	}
}

// docs/mcp.md, row 18: a call that takes longer than its limit, and says so in between. The limit is that of
// many signs: a busy machine is late with some of them.
func seeSignsOfLife(s *stand) {
	const limit, rest = 3 * time.Second, 100 * time.Millisecond
	signs := slices.Repeat([]object{{"do": "progress", "n": 1}, {"do": "delay", "ms": rest.Milliseconds()}}, int(limit/rest)+1)
	e := s.withFake(fakeserver.Script{Steps: steps("tools/call", signs...)}, nil, object{"callTimeout": limit.String()})
	served(e, fake)
}

// cancelledCalls is how many calls of its tool slow the server of the SDK has seen the end of.
func cancelledCalls(e *fakeeditor.Editor) string {
	return mcp(e, sdk, "resources/read", `{"uri":"test://cancelled"}`)
}

// docs/mcp.md, row 19: an editor that gives up.
func seeCancellation(s *stand) {
	e := s.withSDK(nil)
	before := cancelledCalls(e)
	params := toolCall(sdk, "slow", object{})
	params["workDoneToken"] = "the token"
	pending := e.Start("mcp/tools/call", params)
	e.Await("the call has begun", func(m fakeeditor.Message) bool {
		return m.Method == "$/progress" && strings.Contains(string(m.Params), `"begun"`)
	}, pending)
	pending.Cancel()
	fails(e, "the call", pending, "cancelled", -32800)
	await(s.t, "the server has ended the call", func() bool { return cancelledCalls(e) != before })

	own := s.withFake(fakeserver.Script{}, nil, nil)
	pending = own.Start("mcp/tools/call", toolCall(fake, "hang", object{}))
	await(s.t, "the server has the call", func() bool { return len(s.got(fake, "tools/call")) == 1 })
	pending.Cancel()
	fails(own, "the call of the fake server", pending, "cancelled", -32800)
	s.awaitTold(fake, s.first(fake, "tools/call").ID)
	served(own, fake)
}

// docs/mcp.md, row 19: a server that gives up a question, and an editor that gives up the call that led
// to one.
func seeWithdrawnQuestion(s *stand) {
	over := make(chan struct{})
	defer close(over)
	e := s.withFake(fakeserver.Script{}, answers{sampling: func(json.RawMessage) (any, error) {
		<-over
		return nil, nil
	}}, nil)
	pending := s.ask(e, "sampling/createMessage", object{"messages": []any{}, "maxTokens": 1})
	id := e.AwaitMethod(sampling, pending).ID
	if s.modern() {
		pending.Cancel() // the question is part of the call, and the server has no other way
	} else {
		call(e, fake, "notify", object{"method": "notifications/cancelled", "params": object{"requestId": "asked"}})
	}
	e.Await("the question is withdrawn", func(m fakeeditor.Message) bool {
		return m.Method == "$/cancelRequest" && strings.Contains(string(m.Params), string(id))
	})
	if !s.modern() {
		pending.Cancel() // a question that was withdrawn has no answer
	}
	fails(e, "the call", pending, "cancelled", -32800)
	served(e, fake)
}

// docs/mcp.md, row 20.
func seePing(s *stand) {
	if got := mcp(s.withSDK(nil), sdk, "ping", `{}`); got != "{}" {
		s.t.Errorf("mcp/ping is answered by %s", got)
	}
	e := s.withFake(fakeserver.Script{Plain: true}, nil, nil)
	method := "ping"
	if s.modern() {
		method = "server/discover"
	}
	before := len(s.got(fake, method))
	mcp(e, fake, "ping", `{}`)
	if n := len(s.got(fake, method)) - before; n != 1 {
		s.t.Errorf("mcp/ping has asked with %s %d times", method, n)
	}
	if s.modern() {
		return // a server asks nothing
	}
	var got struct{ Answer json.RawMessage }
	structured(e, fake, "ask", object{"method": "ping", "id": "p"}, &got)
	wantAll(s.t, "the answer to the server's ping", string(got.Answer), `"id":"p"`, `"result":{}`)
}

// docs/mcp.md, row 21.
func seeLogging(s *stand) {
	e := s.withSDK(nil)
	log := func(level, message string) {
		if got := call(e, sdk, "log", object{"level": level, "message": message}); got.text() != "logged" {
			s.t.Errorf("the tool log answers %+v", got)
		}
	}
	mcp(e, sdk, "logging/setLevel", `{"level":"warning"}`)
	log("info", "below the level of "+s.check)
	log("error", "above the level of "+s.check)
	notified(e, sdk, "notifications/message", `"above the level of `+s.check+`"`)
	await(s.t, "the message is in the server's log", func() bool {
		return strings.Contains(serverLines(e, sdk), "[error] sdkserver: above the level of "+s.check)
	})
	mcp(e, sdk, "logging/setLevel", `{"level":"debug"}`)
	log("debug", "with the level debug")
	notified(e, sdk, "notifications/message", `"with the level debug"`)
	if slices.ContainsFunc(e.Messages(), func(m fakeeditor.Message) bool {
		return m.Method == "mcp/notifications/message" && strings.Contains(string(m.Params), "below the level")
	}) {
		s.t.Error("a message below the level that was set has come")
	}
}

// docs/mcp.md, row 23: a server's error is the server's, byte for byte.
func seeErrors(s *stand) {
	e := s.withFake(fakeserver.Script{}, nil, nil)
	const data = `{"n":9007199254740993,"kind":7}`
	for _, code := range []int{-32002, -32602, -32601, -32603, 1, 4711} {
		err := refused(e, fake, "tools/call", fmt.Sprintf(`{"name":"refuse","arguments":{"code":%d,"message":"no <b>","data":%s}}`, code, data))
		if err.Code != int64(code) || err.Message != "no <b>" || string(err.Data) != data {
			s.t.Errorf("the error %d is %v", code, err)
		}
	}
	own := s.withSDK(nil)
	for method, params := range map[string]string{
		"resources/read": `{"uri":"test://nothing"}`, "tools/call": `{"name":"nothing"}`, "prompts/get": `{"name":"nothing"}`,
	} {
		// -32002 or -32602: versions differ, and nothing depends on it.
		if err := refused(own, sdk, method, params); err.Code != -32002 && err.Code != -32602 || err.Kind() != "" || !strings.Contains(err.Message+string(err.Data), "nothing") {
			s.t.Errorf("%s of what there is not: %v", method, err)
		}
	}
}

// docs/mcp.md, row 24: what nobody knows passes, both ways.
func seeExtensions(s *stand) {
	const result, params = `{"task":{"taskId":"1","ttl":9007199254740993},"x":[1.0]}`, `{"taskId":"1","n":9007199254740993}`
	e := s.withFake(fakeserver.Script{Steps: steps("tasks/get", object{"do": "raw", "lines": []string{`{"jsonrpc":"2.0","id":$ID,"result":` + result + `}`}})}, nil, nil)
	if got := mcp(e, fake, "tasks/get", params); got != result {
		s.t.Errorf("the result is %s, want %s", got, result)
	}
	if got := string(s.first(fake, "tasks/get").Params); !strings.HasPrefix(got, strings.TrimSuffix(params, "}")) {
		s.t.Errorf("the server got %s, want %s and _meta", got, params)
	}
	e.Notify("mcp/notifications/vendor/said", object{"server": fake, "params": json.RawMessage(params)})
	await(s.t, "the server has the notification", func() bool { return len(s.got(fake, "notifications/vendor/said")) == 1 })
	if got := string(s.first(fake, "notifications/vendor/said").Params); !strings.HasPrefix(got, strings.TrimSuffix(params, "}")) {
		s.t.Errorf("the server got the notification with %s, want %s", got, params)
	}
	call(e, fake, "notify", object{"method": "notifications/tasks/status", "params": json.RawMessage(params)})
	m := e.AwaitMethod("mcp/notifications/tasks/status")
	wantAll(s.t, "the notification", string(m.Params), `"server":"fake"`, `"params":`+params)
	if err := refused(e, fake, "vendor/none", `{}`); err.Code != -32601 || !strings.Contains(err.Message, "vendor/none") {
		s.t.Errorf("a method that the server does not know: %v", err)
	}
}

// docs/mcp.md, row 25: who did what is written down.
func seeAudit(s *stand) {
	const secret = "an argument that is nobody's business"
	e := s.withSDK(nil)
	call(e, sdk, "echo", object{"message": secret})
	mcp(e, sdk, "resources/read", `{"uri":"test://text"}`)
	refused(e, sdk, "prompts/get", `{"name":"of `+s.check+`"}`)
	await(s.t, "the audit has the last call", func() bool { return strings.Contains(s.auditOf(sdk), `"what":"of `+s.check+`"`) })
	audit := s.auditOf(sdk)
	wantAll(s.t, "the audit", audit, `"event":"tools/call","server":"sdk","what":"echo","editor":{"name":"fakeeditor"`, `"outcome":"ok"`,
		`"event":"resources/read","server":"sdk","what":"test://text"`, `"what":"of `+s.check+`"`, `"outcome":"rpc:-`)
	if strings.Contains(audit, secret) {
		s.t.Error("the audit has an argument")
	}
}

// docs/mcp.md, row 25: an address that is no web page does not reach the editor.
func seeBadURL(s *stand) {
	e := s.withFake(fakeserver.Script{}, answers{elicitation: always(`{"action":"accept"}`)}, nil)
	for _, url := range []string{"javascript:alert(1)", "file:///etc/passwd", `https://example.com/\"$(id)`} {
		result, err := s.ask(e, "elicitation/create", object{"mode": "url", "message": "m", "elicitationId": "1", "url": url}).Wait()
		if got := fmt.Sprint(string(result), err); !strings.Contains(got, "-32602") {
			s.t.Errorf("with %s the server gets %s", url, got)
		}
	}
	if received(e, elicitation) > 0 {
		s.t.Error("the editor was asked")
	}
	served(e, fake)
}

// docs/mcp.md, row 22: what takes too long is given up.
func seeTimeLimits(s *stand) {
	e := s.withFake(fakeserver.Script{}, nil, object{"callTimeout": "300ms"})
	fails(e, "a call without an answer", e.Start("mcp/tools/call", toolCall(fake, "hang", object{})), "timeout", -32803)
	s.awaitTold(fake, s.first(fake, "tools/call").ID)
	if n := len(s.got(fake, "tools/call")); n != 1 {
		s.t.Errorf("the call was sent %d times", n)
	}

	begin := "initialize"
	if s.modern() {
		begin = "server/discover"
	}
	silent := s.faked("silent", fakeserver.Script{Steps: steps(begin, object{"do": "hang"})})
	silent["startTimeout"] = "300ms"
	hangs := s.faked("hangs", fakeserver.Script{Steps: steps("resources/read", object{"do": "hang"})})
	own := s.editor(nil, servers{"silent": silent, "hangs": hangs})
	awaitReady(own, "hangs")
	fails(own, "a reading without an answer", own.Start("mcp/resources/read", object{"server": "hangs", "timeout": 300, "params": object{"uri": "test://hang"}}), "timeout", -32803)
	s.awaitTold("hangs", s.first("hangs", "resources/read").ID)
	served(own, "hangs")
	if v := awaitServer(own, "silent", "given up", func(v editorapi.Server) bool { return v.Error != nil }); v.Error.Kind != "startTimeout" {
		s.t.Errorf("a server that does not begin is %s: %+v", v.State, v.Error)
	}
}

// first waits for the first message of a method that a fake server gets. On a busy
// machine a call may be given up before its request is there.
func (s *stand) first(name, method string) recordedMessage {
	s.t.Helper()
	await(s.t, name+" gets "+method, func() bool { return len(s.got(name, method)) > 0 })
	return s.got(name, method)[0]
}

// awaitTold waits until a fake server has been told that a request is withdrawn: at
// 2026-07-28 over HTTP by letting go of it.
func (s *stand) awaitTold(name string, id json.RawMessage) {
	s.t.Helper()
	method := "notifications/cancelled"
	if s.modern() && s.transport == "http" {
		method = "closed"
	}
	want := fmt.Sprintf(`"requestId":%s`, id)
	await(s.t, "the server is told with "+method+" that "+want+" is withdrawn", func() bool {
		return slices.ContainsFunc(s.got(name, method), func(m recordedMessage) bool { return strings.Contains(string(m.Params), want) })
	})
}
