//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// docs/mcp.md, row 8: what a tool says of itself, and every kind of content.
func seeTools(s *stand) {
	e := s.withSDK(nil)
	list := mcp(e, sdk, "tools/list", `{}`)
	wantAll(s.t, "the list", list, `"title":"The tool echo"`, `"annotations":{`, `"readOnlyHint":true`, `"icons":[{`, `"outputSchema":{`, `"inputSchema":{`)
	for tool, want := range map[string][]string{
		"text":              {`"type":"text"`, `"text":"a text"`, `"annotations":{`, `"priority":0.5`},
		"image":             {`"type":"image"`, `"mimeType":"image/png"`, `"data":"iVBOR`},
		"audio":             {`"type":"audio"`, `"mimeType":"audio/wav"`, `"data":"UklGR`},
		"resource_link":     {`"type":"resource_link"`, `"uri":"test://text"`},
		"embedded_resource": {`"type":"resource"`, `"text":"embedded"`},
		"structured":        {`"structuredContent":{"temperature":22.5,"conditions":"sunny"}`},
		"error":             {`"isError":true`, `this tool always fails`},
	} {
		wantAll(s.t, "the result of "+tool, mcp(e, sdk, "tools/call", `{"name":"`+tool+`"}`), want...)
	}
	var result toolResult
	request(e, "workspace/executeCommand", object{"command": "mcp.tool.sdk.echo", "arguments": []object{{"message": "by command"}}}, &result)
	if result.text() != "by command" {
		s.t.Errorf("the command answers %+v", result)
	}
	own := s.withFake(fakeserver.Script{}, nil, nil)
	wantAll(s.t, "a result with a content that nobody knows", mcp(own, fake, "tools/call", `{"name":"echo"}`), `{"type":"x-grease","value":1}`, `"x-grease":{"n":12345678901234567890,"x":null}`)
}

// docs/mcp.md, row 8, modern over HTTP.
func seeForbiddenHeaders(s *stand) {
	tool := func(name, header string) json.RawMessage {
		return json.RawMessage(`{"name":"` + name + `","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"` + header + `"}}}}`)
	}
	e := s.withFake(fakeserver.Script{Tools: []json.RawMessage{tool("good", "A"), tool("bad", "a b"), tool("empty", "")}}, nil, nil)
	names := toolNames(e, fake)
	if !slices.Contains(names, "good") || slices.Contains(names, "bad") || slices.Contains(names, "empty") {
		s.t.Errorf("the tools are %v", names)
	}
	wantAll(s.t, "the log", serverLines(e, fake), `"bad" is left out`, `"empty" is left out`)
}

// docs/mcp.md, row 9.
func seePrompts(s *stand) {
	e := s.withSDK(nil)
	wantAll(s.t, "the list", mcp(e, sdk, "prompts/list", `{}`), `"name":"simple"`, `"title":"A simple prompt"`, `"arguments":[{"name":"country","required":true}`)
	const arguments = `{"country":"Italy","city":"Pisa"}`
	want := []string{`"role":"user"`, `"type":"text"`, `"text":"Greet Pisa."`}
	wantAll(s.t, "the prompt", mcp(e, sdk, "prompts/get", `{"name":"greet","arguments":`+arguments+`}`), want...)
	var raw json.RawMessage
	request(e, "workspace/executeCommand", object{"command": "mcp.prompt.sdk.greet", "arguments": []json.RawMessage{json.RawMessage(arguments)}}, &raw)
	wantAll(s.t, "what the command of the prompt answers", string(raw), want...)
}

// docs/mcp.md, row 10: lists and readings.
func seeResources(s *stand) {
	e := s.withSDK(nil)
	wantAll(s.t, "the list", mcp(e, sdk, "resources/list", `{}`), `"uri":"test://text"`, `"uri":"test://binary"`, `"size":4`)
	wantAll(s.t, "the list of templates", mcp(e, sdk, "resources/templates/list", `{}`), `"uriTemplate":"test://item/{id}"`)
	wantAll(s.t, "a text", mcp(e, sdk, "resources/read", `{"uri":"test://text"}`), `"text":"the text of test://text"`)
	wantAll(s.t, "bytes", mcp(e, sdk, "resources/read", `{"uri":"test://binary"}`), `"blob":"AAH+/w=="`)
	wantAll(s.t, "one of a template", mcp(e, sdk, "resources/read", `{"uri":"test://item/7"}`), `"text":"the text of test://item/7"`)
}

// docs/mcp.md, row 10: of two editors on one connection the one that subscribed hears of it. Each has a
// resource of its own: at 2026-07-28 on stdio the SDK's server may take the end of an earlier
// subscription to a resource for that of a later one.
func seeSubscriptions(s *stand) {
	const updated = "notifications/resources/updated"
	e, other := s.withSDK(nil), s.withSDK(nil)
	mine, theirs := "test://item/mine", "test://item/theirs"
	mcp(e, sdk, "resources/subscribe", `{"uri":"`+mine+`"}`)
	call(other, sdk, "update_resource", object{"uri": mine})
	notified(e, sdk, updated, `"uri":"`+mine+`"`)
	mcp(e, sdk, "resources/unsubscribe", `{"uri":"`+mine+`"}`)
	mcp(other, sdk, "resources/subscribe", `{"uri":"`+theirs+`"}`)
	call(e, sdk, "update_resource", object{"uri": mine})
	call(e, sdk, "update_resource", object{"uri": theirs})
	notified(other, sdk, updated, `"uri":"`+theirs+`"`)
	for i, editor := range []*fakeeditor.Editor{e, other} {
		status(editor) // what was sent to it before has come
		if n := received(editor, "mcp/"+updated); n != 1 {
			s.t.Errorf("editor %d has heard of %d updates, want the one of what it had subscribed to", i+1, n)
		}
	}
}

// docs/mcp.md, row 10: a server that was restarted is asked again.
func seeRenewedSubscriptions(s *stand) {
	const uri = "test://renewed"
	e := s.withFake(fakeserver.Script{}, nil, nil)
	mcp(e, fake, "resources/subscribe", `{"uri":"`+uri+`"}`)
	method := "resources/subscribe"
	if s.modern() {
		method = "subscriptions/listen"
	}
	asked := func() (n int) {
		for _, m := range s.got(fake, method) {
			n += strings.Count(string(m.Params), `"`+uri+`"`)
		}
		return n
	}
	before := asked()
	request(e, "editord/restartServer", object{"server": fake}, nil)
	await(s.t, "the server is asked again", func() bool { return before == 1 && asked() == 2 })
	call(e, fake, "notify", object{"method": "notifications/resources/updated", "params": object{"uri": uri}})
	notified(e, fake, "notifications/resources/updated", uri)
}

// docs/mcp.md, row 11.
func seeCompletion(s *stand) {
	e := s.withSDK(nil)
	for params, want := range map[string]string{
		`{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"country","value":"F"}}`:                                           `"values":["France","Finland"]`,
		`{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"city","value":"P"},"context":{"arguments":{"country":"France"}}}`: `"values":["Paris","Pau"]`,
		`{"ref":{"type":"ref/resource","uri":"test://item/{id}"},"argument":{"name":"id","value":"1"}}`:                                    `"values":["1","10"]`,
		`{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"country","value":"X"}}`:                                           `"values":[]`,
	} {
		wantAll(s.t, "the completion", mcp(e, sdk, "completion/complete", params), want)
	}
}

// docs/mcp.md, row 12, and fault endless-list.
func seePages(s *stand) {
	e := s.withSDK(nil)
	list := mcp(e, sdk, "tools/list", `{}`)
	if names := toolNames(e, sdk); len(names) < 25 || !slices.Contains(names, "ask_all") || !slices.Contains(names, "url_required") || strings.Contains(list, "nextCursor") {
		s.t.Errorf("of 25 tools in pages of ten the list has %d: %v", len(names), names)
	}
	if err := refused(e, sdk, "tools/list", `{"cursor":"10"}`); err.Kind() != "invalidParams" {
		s.t.Errorf("a cursor of the editor's: %v", err)
	}
	own := s.withFake(fakeserver.Script{LoopCursor: true}, nil, nil)
	if err := refused(own, fake, "tools/list", `{}`); err.Kind() != "invalidResult" || !strings.Contains(err.Message, "twice") {
		s.t.Errorf("the list that never ends: %v", err)
	}
	served(own, fake)
}

// docs/mcp.md, row 13: an editor hears of each change, and has the list at once. The server is the
// editor's own: at 2026-07-28 on stdio the SDK's server forgets all that a session listens for
// when one of its subscriptions ends, as those of row 10 do.
func seeChanges(s *stand) {
	const own = "own"
	e := s.editor(nil, servers{own: s.ofSDK()})
	awaitReady(e, own)
	for _, kind := range []string{"tools", "prompts", "resources"} {
		seen := len(e.Messages())
		want := `"name":"` + call(e, own, "change_"+kind, object{}).text() + `"`
		// The first listing may be told of meanwhile, with the change in it or without.
		for told := false; !told; {
			e.Expect("the change of the "+kind, func(conversation []fakeeditor.Message) (met bool, never string) {
				at := slices.IndexFunc(conversation[seen:], func(m fakeeditor.Message) bool {
					return m.Method == "editord/catalogChanged" && strings.Contains(string(m.Params), `"`+kind+`"`) && strings.Contains(string(m.Params), `"`+own+`"`)
				})
				seen += at + 1
				return at >= 0, ""
			})
			told = strings.Contains(string(catalogOf(e, own)), want)
		}
		wantAll(s.t, "the list", mcp(e, own, kind+"/list", `{}`), want)
	}
}

func catalogOf(e *fakeeditor.Editor, name string) (raw json.RawMessage) {
	request(e, "editord/catalog", object{"server": name}, &raw)
	return raw
}

// docs/mcp.md, row 13, and fault list-flood: a list is read once, and under a flood of changes four times a second.
func seeFloodOfChanges(s *stand) {
	e := s.withFake(fakeserver.Script{TTLMs: 3_600_000}, nil, nil)
	read := func() int { return len(s.got(fake, "tools/list")) }
	for range 3 {
		toolNames(e, fake)
	}
	if n := read(); n != 1 {
		s.t.Errorf("a list that nothing has changed was read %d times", n)
	}
	begin := time.Now()
	call(e, fake, "change", object{"kind": "tools", "add": []object{{"name": "first", "inputSchema": object{"type": "object"}}}, "n": 200})
	call(e, fake, "change", object{"kind": "tools", "add": []object{{"name": "last", "inputSchema": object{"type": "object"}}}, "n": 200})
	await(s.t, "the list is the last one", func() bool { return slices.Contains(toolNames(e, fake), "last") })
	if most := 3 + int(4*time.Since(begin).Seconds()); read() > most {
		s.t.Errorf("after 400 changes the list was read %d times, want at most %d", read(), most)
	}
}

// docs/mcp.md, row 13, modern: a list is good for as long as the server says.
func seeTimeToLive(s *stand) {
	const capabilities = `{"tools":{}}` // without listChanged: nothing but the time makes it stale
	long := s.faked("long", fakeserver.Script{Capabilities: json.RawMessage(capabilities), TTLMs: 3_600_000})
	short := s.faked("short", fakeserver.Script{Capabilities: json.RawMessage(capabilities), TTLMs: 1})
	e := s.editor(nil, servers{"long": long, "short": short})
	for _, name := range []string{"long", "short"} {
		awaitReady(e, name)
		call(e, name, "change", object{"kind": "tools", "add": []object{{"name": "later", "inputSchema": object{"type": "object"}}}})
	}
	await(s.t, "the list whose time is over is read again", func() bool { return slices.Contains(toolNames(e, "short"), "later") })
	if slices.Contains(toolNames(e, "long"), "later") || len(s.got("long", "tools/list")) != 1 {
		s.t.Errorf("the list whose time is not over was read %d times", len(s.got("long", "tools/list")))
	}
}

// docs/mcp.md, row 14: roots are the folders, now.
func seeRoots(s *stand) {
	e := s.withSDK(nil)
	var told struct {
		Roots struct{ Roots []struct{ URI string } }
	}
	structured(e, sdk, "ask_roots", object{}, &told)
	if len(told.Roots.Roots) != 1 || told.Roots.Roots[0].URI != uris(s.folder)[0] {
		s.t.Errorf("the server was told the roots %+v", told)
	}
	if got := rootsOf(e, sdk); !slices.Equal(got, uris(s.folder)) {
		s.t.Errorf("mcp/roots/list says %v", got)
	}

	own := s.withFake(fakeserver.Script{}, nil, nil)
	second := s.world.folder(s.check)
	changeFolders(own, []string{second}, nil)
	awaitServer(own, fake, "ready", func(v editorapi.Server) bool { return v.State == "ready" })
	want := uris(s.folder, second)
	if !s.modern() {
		await(s.t, "the server is told that the roots changed", func() bool { return len(s.got(fake, "notifications/roots/list_changed")) > 0 })
	}
	await(s.t, "the server is told both folders", func() bool {
		tool, arguments := "ask_roots", object{}
		if s.modern() {
			tool, arguments = "ask_inputs", object{"inputs": object{"r": object{"method": "roots/list"}}}
		}
		got := mcp(own, fake, "tools/call", marshal(object{"name": tool, "arguments": arguments}))
		return strings.Contains(got, want[0]) && strings.Contains(got, want[1])
	})
	if got := rootsOf(own, fake); !slices.Equal(got, want) {
		s.t.Errorf("with another folder mcp/roots/list says %v, want %v", got, want)
	}
	if s.modern() && len(s.got(fake, "notifications/roots/list_changed")) > 0 {
		s.t.Error("a server of 2026-07-28 was sent notifications/roots/list_changed, which is gone")
	}
}

// docs/mcp.md, row 26: a person signs in, a token that has expired is renewed without the person, and
// after the sign-out there is none.
func seeAuthorization(s *stand) {
	const name = "guarded"
	w := guard(s.world, authserver.New(s.t, authserver.Options{Versions: []string{s.version}}))
	o := w.person(authserver.Browser{})
	o.InitializationOptions = []byte(marshal(object{"servers": servers{name: object{"url": w.auth.URL(), "protocol": s.version}}}))
	e := s.connect(o)
	awaitState(e, name, "needsSignIn")
	signIn(e, name)
	if page := (<-w.visits).Page; !strings.Contains(page, "You are signed in") {
		s.t.Errorf("the browser ends on a page without the good news: %s", page)
	}
	for _, text := range []string{"first", "renewed"} {
		if got := call(e, name, "echo", object{"text": text}); got.IsError || got.text() != text {
			s.t.Errorf("the protected tool answers %+v, want %q", got, text)
		}
		w.auth.Expire("access")
	}
	request(e, "editord/signOut", object{"server": name}, nil)
	awaitNow(e, name, "needsSignIn")
}
