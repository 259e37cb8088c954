//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// docs/mcp.md, row 1: what is valid arrives, whatever comes before it.
func seeMessages(s *stand) {
	e := s.withFake(fakeserver.Script{}, nil, nil)
	slow := e.Start("mcp/tools/call", toolCall(fake, "delay", object{"ms": 100}))
	const result = `{"n":9007199254740993,"x-later":[1.0]}`
	got := mcp(e, fake, "tools/call", `{"name":"raw","arguments":{"lines":`+marshal([]string{
		`{"jsonrpc":"2.0","id":4711,"result":{}}`,
		`{"jsonrpc":"1.0","id":$ID,"result":{"of":"another version"}}`,
		`no JSON`,
		`{"jsonrpc":"2.0","id":"$ID","result":{"of":"an id of another type"}}`,
		`{"jsonrpc":"2.0","method":"notifications/vendor/thing","params":{"between":true}}`,
		`{"jsonrpc":"2.0","id":$ID,"result":` + result + `}`,
		`{"jsonrpc":"2.0","id":$ID,"result":{"of":"a second answer"}}`,
	})+`}}`)
	if got != result {
		s.t.Errorf("the result is %s, want %s", got, result)
	}
	notified(e, fake, "notifications/vendor/thing", `{"between":true}`)
	slow.Result()
	if c := status(e).Counters; c["noiseLines"] < 2 || c["lateResponses"] < 2 {
		s.t.Errorf("the counters are %v, want two lines of noise and two answers to nothing", c)
	}
	await(s.t, "what was skipped is in the log", func() bool { return strings.Contains(serverLines(e, fake), "no JSON") })
	served(e, fake)
	if s.modern() {
		return // there are no requests of servers
	}
	for _, id := range []string{`4711`, `"a text"`} {
		var got struct{ Answer json.RawMessage }
		structured(e, fake, "ask", object{"method": "roots/list", "id": json.RawMessage(id)}, &got)
		wantAll(s.t, "the answer", string(got.Answer), `"id":`+id, `"result":`)
	}
}

// docs/mcp.md, row 2.
func seeBatches(s *stand) {
	e := s.withFake(fakeserver.Script{}, nil, nil)
	pending := e.Start("mcp/tools/call", toolCall(fake, "batch", object{}))
	pending.Result()
	notified(e, fake, "notifications/message", "in a batch")
	served(e, fake)
}

// docs/mcp.md, row 3: the version of the lane is spoken, also when it is found out, and no other.
func seeVersion(s *stand) {
	theirs, script := "1999-01-01", fakeserver.Script{AnswerVersion: "1999-01-01"}
	if s.modern() {
		theirs, script = "2099-01-01", fakeserver.Script{ProtocolVersions: []string{"2099-01-01"}}
	}
	auto, strange := s.faked("auto", fakeserver.Script{}), s.faked("strange", script)
	auto["protocol"] = "auto"
	e := s.editor(nil, servers{"auto": auto, "strange": strange})
	for _, name := range []string{sdk, "auto"} {
		if got := awaitReady(e, name); got.ProtocolVersion != s.version || string(got.Transport) != s.transport {
			s.t.Errorf("%s speaks %s over %s", name, got.ProtocolVersion, got.Transport)
		}
	}
	served(e, "auto")
	failed := awaitState(e, "strange", "failed")
	if failed.Error == nil || failed.Error.Kind != "protocol" {
		s.t.Fatalf("the server of another version is %+v", failed)
	}
	wantAll(s.t, "the error", failed.Error.Message, theirs, s.version)
}

// docs/mcp.md, row 4: a server hears what the editor can answer, an editor what the server offers;
// what it does not offer is not sent.
func seeCapabilities(s *stand) {
	shown := awaitReady(s.withSDK(nil), sdk)
	if shown.Instructions != "A server for tests. Call any tool." {
		s.t.Errorf("the instructions are %q", shown.Instructions)
	}
	wantAll(s.t, "serverInfo", string(shown.ServerInfo), `"title":"The server of the SDK"`, `"icons":[{`, `"src":"data:image/png`)
	wantAll(s.t, "capabilities", string(shown.Capabilities), `"completions":{}`, `"subscribe":true`)

	o := in(`{"experimental":{"mcp":{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"extensions":{"io.example/x":{"n":9007199254740993}}}}}`, s.folder)
	only := s.faked("only", fakeserver.Script{Capabilities: json.RawMessage(`{"tools":{},"extensions":{"io.example/x":{}}}`)})
	o.InitializationOptions = json.RawMessage(marshal(object{"autoStart": false, "servers": servers{"only": only}}))
	e := s.connect(o)
	request(e, "editord/startServer", object{"server": "only"}, nil)
	var told json.RawMessage
	if s.modern() {
		var params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		unmarshal(s.t, s.got("only", "server/discover")[0].Params, &params)
		told = params.Meta["io.modelcontextprotocol/clientCapabilities"]
		wantAll(s.t, "clientInfo", string(params.Meta["io.modelcontextprotocol/clientInfo"]), `"name":"mcp-editord"`)
	} else {
		var params struct{ Capabilities, ClientInfo json.RawMessage }
		unmarshal(s.t, s.got("only", "initialize")[0].Params, &params)
		told = params.Capabilities
		wantAll(s.t, "clientInfo", string(params.ClientInfo), `"name":"mcp-editord"`)
		wantAll(s.t, "what the server is told", string(told), `"roots":{"listChanged":true}`)
	}
	wantAll(s.t, "what the server is told", string(told), `"roots":{`, `"sampling":{"tools":{}}`, `"elicitation":{"form":{},"url":{}}`,
		`"extensions":{"io.example/x":{"n":9007199254740993}}`)
	for method, params := range map[string]string{
		"prompts/list": `{}`, "resources/list": `{}`, "resources/templates/list": `{}`, "prompts/get": `{"name":"p"}`,
		"resources/read": `{"uri":"test://u"}`, "resources/subscribe": `{"uri":"test://u"}`,
	} {
		fails(e, method, e.Start("mcp/"+method, object{"server": "only", "params": json.RawMessage(params)}), "capabilityNotSupported", -32803)
		if sent := s.got("only", method); len(sent) > 0 {
			s.t.Errorf("%s was sent", method)
		}
	}
	served(e, "only")
}

// docs/mcp.md, row 5: begin, end, and begin again.
func seeLifeCycle(s *stand) {
	e := s.withFake(fakeserver.Script{}, nil, nil)
	if s.modern() {
		if len(s.got(fake, "server/discover")) == 0 || len(s.got(fake, "initialize")) > 0 || len(s.got(fake, "notifications/initialized")) > 0 {
			s.t.Error("the server was not only asked for what it is")
		}
	} else if a, b := len(s.got(fake, "initialize")), len(s.got(fake, "notifications/initialized")); a != 1 || b != 1 {
		s.t.Errorf("there were %d initialize and %d initialized", a, b)
	}
	// A call under way is waited for, and none is taken any more.
	slow := e.Start("mcp/tools/call", toolCall(fake, "delay", object{"ms": 300}))
	await(s.t, "the server has the call", func() bool { return len(s.got(fake, "tools/call")) == 1 })
	stop(e, fake)
	slow.Result()
	fails(e, "a call of a server that was stopped", e.Start("mcp/tools/call", toolCall(fake, "echo", object{})), "serverNotReady", -32803)
	if s.transport == "http" && !s.modern() && len(s.got(fake, "DELETE")) != 1 {
		s.t.Errorf("the session was ended %d times", len(s.got(fake, "DELETE")))
	}
	request(e, "editord/startServer", object{"server": fake}, nil)
	served(e, fake)
	if s.transport != "stdio" {
		return // the process is not ours to start
	}
	pid := server(e, fake).PID
	fails(e, "the call that ends the server", e.Start("mcp/tools/call", toolCall(fake, "exit", object{"code": 3})), "serverGone", -32803)
	awaitServer(e, fake, "ready again", func(v editorapi.Server) bool { return v.State == "ready" && v.PID != pid && v.Restarts == 1 })
	served(e, fake)
}

// docs/mcp.md, row 6.
func seeStdio(s *stand) {
	e := s.withFake(fakeserver.Script{}, nil, nil)
	call(e, fake, "stdout", object{"text": "a line that is no message\n"})
	call(e, fake, "stderr", object{"text": "a line of standard error\n"})
	await(s.t, "both lines are in the log", func() bool {
		lines := serverLines(e, fake)
		return strings.Contains(lines, "a line that is no message") && strings.Contains(lines, "a line of standard error")
	})
	served(e, fake)
	pid := server(e, fake).PID
	stop(e, fake)
	if alive(pid) {
		s.t.Errorf("process %d runs after the server was stopped", pid)
	}
}

// gets returns the GETs that a fake server has got.
func (s *stand) gets() (list []openedStream) {
	for _, m := range s.got(fake, "GET") {
		var g openedStream
		unmarshal(s.t, m.Params, &g)
		list = append(list, g)
	}
	return list
}

// An openedStream is a GET, and what it has named.
type openedStream struct{ Session, LastEventID string }

// headersOf calls the tool of the fake server that answers with the headers of the call.
func headersOf(e *fakeeditor.Editor) map[string][]string {
	var sent struct{ Headers map[string][]string }
	structured(e, fake, "headers", object{}, &sent)
	return sent.Headers
}

// docs/mcp.md, row 7, legacy: a session, its headers and its standalone stream.
func seeSessions(s *stand) {
	e := s.withFake(fakeserver.Script{HTTP: fakeserver.HTTPScript{RequireHeaders: true}}, nil, nil)
	sent := headersOf(e)
	session := strings.Join(sent["Mcp-Session-Id"], ",")
	if version := sent["Mcp-Protocol-Version"]; session == "" || !slices.Equal(version, []string{s.version}) {
		s.t.Errorf("a call has the headers %v", sent)
	}
	if !slices.Contains(s.gets(), openedStream{Session: session}) {
		s.t.Errorf("there is no standalone stream: %v", s.gets())
	}
	call(e, fake, "notify", object{"method": "notifications/resources/list_changed"})
	notified(e, fake, "notifications/resources/list_changed", "")
}

// docs/mcp.md, row 7, legacy: the call that is refused for its session is sent once more, in another one.
// Nothing else says before the call that the session is lost: there is no standalone stream
// that ends, and no change of roots to tell of.
func seeLostSession(s *stand) {
	e := s.withFake(fakeserver.Script{HTTP: fakeserver.HTTPScript{NoStream: true}}, nil, object{"roots": "none"})
	before := strings.Join(headersOf(e)["Mcp-Session-Id"], ",")
	call(e, fake, "forget", object{})
	if after := strings.Join(headersOf(e)["Mcp-Session-Id"], ","); after == before || after == "" {
		s.t.Errorf("after session %s was forgotten the session is %q", before, after)
	}
	if shaken, sent := len(s.got(fake, "initialize")), len(s.got(fake, "tools/call")); shaken != 2 || sent != 4 {
		s.t.Errorf("there were %d handshakes and %d calls, want 2 and 4", shaken, sent)
	}
}

// docs/mcp.md, row 7, legacy: the stream of each answer ends before it holds one.
func seeResumption(s *stand) {
	e := s.withFake(fakeserver.Script{HTTP: fakeserver.HTTPScript{EventIDs: true, RetryMs: 10, Drop: "afterPriming"}}, nil, nil)
	served(e, fake)
	if !slices.ContainsFunc(s.gets(), func(g openedStream) bool { return g.LastEventID != "" }) {
		s.t.Errorf("no stream was resumed: %v", s.gets())
	}
}

// docs/mcp.md, row 7, modern: the headers; the fake server refuses what lacks one.
func seeHeaders(s *stand) {
	const schema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"at":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}`
	e := s.withFake(fakeserver.Script{
		HTTP:  fakeserver.HTTPScript{RequireHeaders: true},
		Tools: []json.RawMessage{json.RawMessage(`{"name":"where","inputSchema":` + schema + `}`)},
	}, nil, nil)
	call(e, fake, "where", object{"region": "Zürich ", "at": object{"n": 7}})
	mcp(e, fake, "resources/read", `{"uri":"test://ä"}`)
	mcp(e, fake, "prompts/get", `{"name":"p"}`)
	sent := headersOf(e)
	for name, want := range map[string]string{"Mcp-Protocol-Version": s.version, "Mcp-Method": "tools/call", "Mcp-Name": "headers", "Mcp-Session-Id": ""} {
		if got := strings.Join(sent[name], ","); got != want {
			s.t.Errorf("the header %s is %q, want %q", name, got, want)
		}
	}
	// The SDK's server compares them too.
	if got := call(s.withSDK(nil), sdk, "header", object{"region": "eu", "at": object{"n": 7}}); got.IsError || !strings.Contains(got.text(), `"eu"`) {
		s.t.Errorf("the tool with headers answers %+v", got)
	}
}

// docs/mcp.md, row 7, HTTP+SSE: it is found behind `http` too.
func seeSSE(s *stand) {
	definition := s.faked(fake, fakeserver.Script{})
	definition["type"] = "http"
	e := s.editor(nil, servers{fake: definition})
	if v := awaitReady(e, fake); v.ProtocolVersion != s.version || v.PID != 0 {
		s.t.Errorf("the server is %+v", v)
	}
	served(e, fake)
	if n := len(s.got(fake, "GET")); n != 1 {
		s.t.Errorf("%d streams were opened, want one", n)
	}
	// The stream breaks: what was under way fails, and there is another one.
	fails(e, "the call whose stream breaks", e.Start("mcp/tools/call", toolCall(fake, "disconnect", object{})), "serverGone", -32803)
	e.Expect("the server is ready again", func([]fakeeditor.Message) (met bool, never string) { return seenStates(e, fake, "ready") >= 2, "" })
	served(e, fake)
}
