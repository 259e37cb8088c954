package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestInitialize(t *testing.T) {
	for requested, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25",
	} {
		t.Run(requested, func(t *testing.T) {
			d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
			a := open(t, d, Options{Version: "1.2.3", Dir: "/w/project", Environment: map[string]string{"A": "b"}, Umask: "0077"})
			a.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + requested + `","capabilities":{"sampling":{"tools":{}}},"clientInfo":{"name":"cli","title":"An\u0007 Agent","version":"7"}}}`)
			result := rawjson.Get(a.next(), "result")
			if rawjson.String(result, "protocolVersion") != want || string(rawjson.Get(result, "serverInfo")) != `{"name":"mcp-editord","version":"1.2.3"}` || rawjson.Get(result, "capabilities") == nil {
				t.Errorf("got %s", result)
			}
			p := d.params[0]
			if p.ClientName != "cli" || p.ClientVersion != "7" || p.Agent == nil || p.Agent.Name != "An Agent" || p.Agent.Within != "/w/project" ||
				uris(p.Folders) != "file:///w/project" || string(p.Capabilities.Sampling) != `{"tools":{}}` || p.Capabilities.Elicitation != nil ||
				p.Environment["A"] != "b" || p.Umask == nil || *p.Umask != 0o077 || !p.AutoStart {
				t.Errorf("it attached with %+v %+v", p, p.Agent)
			}
		})
	}
}

// The life cycle of the legacy era, and what is not a message.
func TestLifeCycle(t *testing.T) {
	a := open(t, &fakeDaemon{}, Options{})
	a.ask(legacy(`1`, "ping", ``), `{}`)
	a.refused(legacy(`2`, "tools/list", ``), -32602)
	a.refused(legacy(`3`, "initialize", `{}`), -32602)
	for line, want := range map[string]int64{
		`nonsense`: -32700, `{"jsonrpc":"2.0","id":4,"method":7}`: -32600, `{"jsonrpc":"2.0","id":{"x":1},"method":"ping"}`: -32600, `[]`: -32600,
		`{"jsonrpc":"2.0","id":4,`: -32700, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\xff\"}": -32700,
		strings.Repeat("x", wire.MaxFrame+1): -32600,
	} {
		a.send(line)
		if got := a.next(); !strings.Contains(string(got), `"error":{"code":`+strconv.FormatInt(want, 10)) {
			t.Errorf("%.100q is refused with %s", line, got)
		}
	}
	a.send(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`) // answers nothing
	a.send(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	a.hello(`{}`)
	a.refused(legacy(`5`, "initialize", `{"protocolVersion":"2025-11-25"}`), -32600)
	a.refused(legacy(`6`, "tools/list", `[]`), -32602)
	a.refused(legacy(`7`, "server/discover", ``), -32601)
	a.refused(legacy(`8`, "tools/list", `{"cursor":""}`), -32602)
	a.send(`[{"jsonrpc":"2.0","id":9,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]`)
	a.want(`{"jsonrpc":"2.0","id":9,"result":{}}`)
	a.silent()
}

func TestDiscover(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	a := open(t, d, Options{Version: "1.2.3"})
	a.send(modern(`1`, "server/discover", `{}`, ``))
	result := rawjson.Get(a.next(), "result")
	for name, want := range map[string]string{
		"resultType": `"complete"`, "supportedVersions": `["2026-07-28"]`, "ttlMs": `0`, "cacheScope": `"private"`,
		"_meta": `{"io.modelcontextprotocol/serverInfo":{"name":"mcp-editord","version":"1.2.3"}}`,
	} {
		if got := string(rawjson.Get(result, name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	a.ask(modern(`2`, "tools/list", `{}`, ``), `{"tools":[{"name":"s__x","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-editord","version":"1.2.3"}}}`)
	for _, method := range []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/list"} {
		a.refused(modern(`3`, method, `{}`, ``), -32601)
	}
	// A client that has probed may go on in the other era.
	a.hello(`{}`)
	a.ask(legacy(`4`, "tools/list", ``), `{"tools":[{"name":"s__x","inputSchema":{"type":"object"}}]}`)
}

func TestStampRefused(t *testing.T) {
	a := open(t, &fakeDaemon{}, Options{})
	for _, tt := range []struct {
		name, meta string
		code       int64
	}{
		{"another version", `{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}}`, -32022},
		{"a version of the legacy era", `{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}`, -32022},
		{"no capabilities", `{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`, -32602},
		{"no version", `{"io.modelcontextprotocol/clientCapabilities":{}}`, -32602},
		{"a version that is no text", `{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}`, -32602},
		{"a level that is none", `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}`, -32602},
	} {
		line := a.refused(legacy(`1`, "tools/list", `{"_meta":`+tt.meta+`}`), tt.code)
		if tt.code == -32022 && string(rawjson.Path(line, "error", "data", "supported")) != `["2026-07-28"]` {
			t.Errorf("%s: got %s", tt.name, line)
		}
	}
}

// What the agent says reaches the server byte for byte, but for the name; and the other way round.
func TestCallPassesThrough(t *testing.T) {
	const result = `{"content":[],"structuredContent":{"n":1.00},"x-unknown":[12345678901234567890]}`
	d := &fakeDaemon{servers: []offered{running("s", tool("x")), {Server: editorapi.Server{Name: "p", State: editorapi.ServerReady}, tried: true,
		prompts: []string{`{"name":"x"}`}, resources: []string{`{"uri":"a://b","name":"b"}`}, templates: []string{`{"uriTemplate":"c://{d}","name":"d"}`}}}}
	d.call = func(context.Context, editorapi.Call) (json.RawMessage, error) { return json.RawMessage(result), nil }
	for _, tt := range []struct{ name, method, params, want string }{
		{"a tool", "tools/call", `"name":"s__x","arguments":{"n":1.00,"u":"\u00e9"},"y":1`, `tools/call s {"name":"x","arguments":{"n":1.00,"u":"\u00e9"},"y":1`},
		{"a prompt", "prompts/get", `"name":"p__x","arguments":{"a":"b"}`, `prompts/get p {"name":"x","arguments":{"a":"b"}`},
		{"a resource", "resources/read", `"uri":"a://b"`, `resources/read p {"uri":"a://b"`},
		{"a resource of a template", "resources/read", `"uri":"c://x"`, `resources/read p {"uri":"c://x"`},
		{"a prompt's argument", "completion/complete", `"ref":{"type":"ref/prompt","name":"p__x"},"argument":{"name":"a","value":""}`, `completion/complete p {"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}`},
		{"a template's argument", "completion/complete", `"ref":{"type":"ref/resource","uri":"c://{d}"},"argument":{"name":"d","value":""}`, `completion/complete p {"ref":{"type":"ref/resource","uri":"c://{d}"},"argument":{"name":"d","value":""}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d.calls = nil
			a := open(t, d, Options{})
			a.hello(`{}`)
			a.ask(legacy(`1`, tt.method, `{`+tt.params+`,"_meta":{"traceparent":"00"}}`), result)
			if got, want := d.called()[0], tt.want+`,"_meta":{"traceparent":"00"}}`; got != want {
				t.Errorf("the server got  %s\nwant %s", got, want)
			}
			// What is tied to the agent's connection stays there.
			d.calls = nil
			a.send(strings.Replace(modern(`2`, tt.method, `{}`, tt.params), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info","traceparent":"00",`, 1))
			got := string(rawjson.Get(a.next(), "result"))
			rest := `,"resultType":"complete"}`
			if tt.method == "resources/read" {
				rest = `,"ttlMs":0,"cacheScope":"private","resultType":"complete"}`
			}
			if want := strings.TrimSuffix(result, "}") + rest; got != want {
				t.Errorf("the agent got %s, want %s", got, want)
			}
			if got, want := d.called()[0], tt.want+`,"_meta":{"io.modelcontextprotocol/logLevel":"info","traceparent":"00"}}`; got != want {
				t.Errorf("the server got  %s\nwant %s", got, want)
			}
		})
	}
}

// With one server, its own names and all methods.
func TestSingleServer(t *testing.T) {
	info := json.RawMessage(`{"name":"its own","version":"9"}`)
	d := &fakeDaemon{servers: []offered{running("other", tool("y")), running("s", tool("x"))}}
	d.servers[1].ServerInfo, d.servers[1].Capabilities = info, json.RawMessage(`{"tools":{},"tasks":{}}`)
	a := open(t, d, Options{Servers: []string{"s"}})
	a.send(legacy(`1`, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"cli","version":"7"}}`))
	result := rawjson.Get(a.next(), "result")
	if string(rawjson.Get(result, "serverInfo")) != string(info) || rawjson.Path(result, "capabilities", "tasks") == nil {
		t.Errorf("got %s", result)
	}
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	a.ask(legacy(`2`, "tools/list", ``), `{"tools":[`+tool("x")+`]}`)
	a.ask(legacy(`3`, "tools/call", `{"name":"x"}`), `{}`)
	a.ask(legacy(`4`, "tools/call", `{"name":"unlisted"}`), `{}`)
	a.ask(legacy(`5`, "tasks/get", `{"taskId":"1"}`), `{}`)
	a.send(`{"jsonrpc":"2.0","method":"notifications/x/y","params":{"a":1.0}}`)
	d.await(t, "the server was told", func() bool { return len(d.notified) == 1 })
	if d.notified[0] != `notifications/x/y s {"a":1.0}` {
		t.Errorf("the server was told %v", d.notified)
	}
	_ = d.theEditor().Relay(&editorapi.Notification{Server: "s", Method: "notifications/tasks/status", Params: json.RawMessage(`{"b":2.0}`)}, nil)
	_ = d.theEditor().Relay(&editorapi.Notification{Server: "other", Method: "notifications/tasks/status"}, nil)
	a.want(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"b":2.0}}`)
	// A list that has changed, and changed back.
	_ = d.theEditor().Relay(&editorapi.Notification{Server: "other", Method: "notifications/prompts/list_changed"}, nil)
	_ = d.theEditor().Relay(&editorapi.Notification{Server: "s", Method: "notifications/tools/list_changed"}, nil)
	a.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	a.silent()
	got := strings.Join(d.called(), "\n")
	if want := "tools/call s {\"name\":\"x\"}\ntools/call s {\"name\":\"unlisted\"}\ntasks/get s {\"taskId\":\"1\"}"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestErrors(t *testing.T) {
	theirs := &editorapi.RPCError{Code: -32042, Message: "visit it", Data: json.RawMessage(`{"elicitations":[1.0]}`)}
	own := &editorapi.Error{Kind: editorapi.KindNotAllowed, Server: "s", Detail: "never", Message: "agents may not"}
	invalid := &editorapi.Error{Kind: editorapi.KindServerNotFound, Server: "s", Message: "no such server"}
	d := &fakeDaemon{servers: []offered{running("s", tool("x")), {Server: editorapi.Server{Name: "p", State: editorapi.ServerReady}, tried: true, prompts: []string{`{"name":"x"}`}}}}
	for _, tt := range []struct {
		name, request string
		err           error
		want          string
	}{
		{"a server's", legacy(`1`, "tools/call", `{"name":"s__x"}`), theirs, `"error":{"code":-32042,"message":"visit it","data":{"elicitations":[1.0]}}`},
		{"the daemon's, of a tool", legacy(`1`, "tools/call", `{"name":"s__x"}`), own, `"result":{"content":[{"type":"text","text":"agents may not"}],"isError":true}`},
		{"the daemon's, of a prompt", legacy(`1`, "prompts/get", `{"name":"p__x"}`), own, `"error":{"code":-32603,"message":"agents may not","data":{"kind":"notAllowed","server":"s","detail":"never"}}`},
		{"the daemon's, of params", legacy(`1`, "prompts/get", `{"name":"p__x"}`), invalid, `"error":{"code":-32602,"message":"no such server","data":{"kind":"serverNotFound","server":"s"}}`},
		{"an unknown tool", legacy(`1`, "tools/call", `{"name":"x"}`), nil, `"error":{"code":-32602,"message":"Unknown tool: \"x\""}`},
		{"a tool without a name", legacy(`1`, "tools/call", `{"name":7}`), nil, `"error":{"code":-32602,"message":"the member name is missing, or not a string"}`},
		{"an unknown prompt", legacy(`1`, "prompts/get", `{"name":"x"}`), nil, `"error":{"code":-32602,"message":"Unknown prompt: \"x\""}`},
		{"a resource that nobody has", legacy(`1`, "resources/read", `{"uri":"a://b"}`), nil, `"error":{"code":-32002,"message":"no server has the resource \"a://b\"","data":{"uri":"a://b"}}`},
		{"the same in the modern era", modern(`1`, "resources/read", `{}`, `"uri":"a://b"`), nil, `"error":{"code":-32602,"message":"no server has the resource \"a://b\"","data":{"uri":"a://b"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d.call = func(context.Context, editorapi.Call) (json.RawMessage, error) { return nil, tt.err }
			a := open(t, d, Options{})
			a.hello(`{}`)
			a.send(tt.request)
			a.want(`{"jsonrpc":"2.0","id":1,` + tt.want + `}`)
		})
	}
}

// What is not known is not unknown while a server that could have it is starting. The agent hears what it waits for.
func TestCallsWaitForServersThatStart(t *testing.T) {
	starting := func(name string) offered {
		return offered{Server: editorapi.Server{Name: name, State: editorapi.ServerStarting}}
	}
	ready := running("slow", tool("x"))
	ready.prompts = []string{`{"name":"p"}`}
	failed := &editorapi.Error{Kind: editorapi.KindServerNotReady, Server: "slow", Message: "it did not start"}
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1e-6,"message":"it is starting","progressToken":"tok"}}`
	for _, tt := range []struct {
		name, request string
		err           error
		progress      bool
		want          string
	}{
		{"a tool", `"tools/call","params":{"name":"slow__x","_meta":{"progressToken":"tok"}}`, nil, true, `"result":{"called":"x"}`},
		{"a tool, without progress", `"tools/call","params":{"name":"slow__x"}`, nil, false, `"result":{"called":"x"}`},
		{"a prompt", `"prompts/get","params":{"name":"slow__p","_meta":{"progressToken":"tok"}}`, nil, true, `"result":{"called":"p"}`},
		{"a tool that it has not", `"tools/call","params":{"name":"slow__y"}`, nil, false, `"error":{"code":-32602,"message":"Unknown tool: \"slow__y\""}`},
		{"a tool that no server has that starts", `"tools/call","params":{"name":"slower__x"}`, nil, false, `"error":{"code":-32602,"message":"Unknown tool: \"slower__x\""}`},
		{"a server that fails", `"prompts/get","params":{"name":"slow__p"}`, failed, false, `"error":{"code":-32603,"message":"it did not start","data":{"kind":"serverNotReady","server":"slow"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &fakeDaemon{servers: []offered{starting("slow"), starting("other")}}
			d.call = func(_ context.Context, c editorapi.Call) (json.RawMessage, error) {
				if c.Server != "slow" {
					t.Errorf("%s of %s", c.Method, c.Server)
				}
				switch c.Method {
				case "tools/list", "prompts/list":
					if c.Progress != nil {
						c.Progress(json.RawMessage(`{"progress":1e-6,"message":"it is starting"}`))
					}
					if tt.err == nil {
						d.set(ready, starting("other"))
					}
					return json.RawMessage("{}"), tt.err
				}
				return rawjson.Set(nil, "called", rawjson.Get(c.Params, "name")), nil
			}
			a := open(t, d, Options{})
			a.hello(`{}`)
			a.send(`{"jsonrpc":"2.0","id":1,"method":` + tt.request + `}`)
			line := string(a.next())
			if tt.progress {
				if line != progress {
					t.Errorf("got  %s\nwant %s", line, progress)
				}
				line = string(a.next())
			}
			for strings.Contains(line, "list_changed") {
				line = string(a.next())
			}
			if want := `{"jsonrpc":"2.0","id":1,` + tt.want + `}`; line != want {
				t.Errorf("got  %s\nwant %s", line, want)
			}
		})
	}
}

// Nothing comes before the answer to initialize, though an agent may not wait for it.
func TestHasty(t *testing.T) {
	a := open(t, &fakeDaemon{servers: []offered{running("s", tool("x"))}}, Options{})
	a.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"cli","version":"7"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if got := a.next(); string(rawjson.Get(got, "id")) != "1" || rawjson.Get(got, "result") == nil {
		t.Errorf("got %s", got)
	}
	if got := a.next(); rawjson.String(got, "method") != "roots/list" {
		t.Errorf("got %s", got)
	}
}

// With --lazy, the tools that find and describe answer at once, and the one that calls reaches the server.
func TestLazy(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	a := open(t, d, Options{Lazy: true})
	a.hello(`{}`)
	a.send(legacy(`1`, "tools/list", ``))
	if list := string(a.next()); !strings.Contains(list, callDestructive) || strings.Contains(list, "s__x") {
		t.Errorf("the tools are %s", list)
	}
	a.refused(legacy(`2`, "tools/call", `{"name":"s__x"}`), -32602)
	a.ask(legacy(`3`, "tools/call", `{"name":"`+callDestructive+`","arguments":{"name":"s__x","arguments":{"n":1.0}},"_meta":{"traceparent":"00"}}`), `{}`)
	if calls := d.called(); len(calls) != 1 || calls[0] != `tools/call s {"name":"x","_meta":{"traceparent":"00"},"arguments":{"n":1.0}}` {
		t.Errorf("the server got %v", calls)
	}
}

// A large result goes into files, and comes whole where that fails.
func TestLargeResult(t *testing.T) {
	large := `{"content":[{"type":"text","text":"` + strings.Repeat("x", 2000) + `"}]}`
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	d.call = func(context.Context, editorapi.Call) (json.RawMessage, error) { return json.RawMessage(large), nil }
	dir := t.TempDir()
	for into, whole := range map[string]bool{"results": false, "a\x00b": true} {
		t.Run(into, func(t *testing.T) {
			a := open(t, d, Options{ResultLimit: 1000, ResultDir: filepath.Join(dir, into)})
			a.hello(`{}`)
			a.send(legacy(`1`, "tools/call", `{"name":"s__x"}`))
			if got := string(a.next()); strings.Contains(got, large) != whole {
				t.Errorf("got %s", got)
			}
		})
	}
}

// Progress comes under the agent's token, as it is, and before the result.
func TestProgress(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	d.call = func(_ context.Context, c editorapi.Call) (json.RawMessage, error) {
		for i := range 100 {
			c.Progress(fmt.Appendf(nil, `{"progressToken":0,"progress":%d.50,"total":2.0,"message":"m","x":[1.0]}`, i))
		}
		return json.RawMessage(`{}`), nil
	}
	a := open(t, d, Options{})
	a.hello(`{}`)
	for _, token := range []string{`"mine"`, `7`} {
		a.send(legacy(`1`, "tools/call", `{"name":"s__x","_meta":{"progressToken":`+token+`}}`))
		for i := range 100 {
			p := rawjson.Get(a.next(), "params")
			for name, want := range map[string]string{"progressToken": token, "progress": fmt.Sprint(i, ".50"), "total": "2.0", "message": `"m"`, "x": "[1.0]"} {
				if got := string(rawjson.Get(p, name)); got != want {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
		}
		a.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	}
}

// A call that the agent cancels ends, and has no answer.
func TestCancel(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	for era, request := range map[string]string{
		"legacy": legacy(`1`, "tools/call", `{"name":"s__x"}`),
		"modern": modern(`1`, "tools/call", `{}`, `"name":"s__x"`),
	} {
		t.Run(era, func(t *testing.T) {
			began, over := make(chan struct{}), make(chan struct{})
			d.call = func(ctx context.Context, _ editorapi.Call) (json.RawMessage, error) {
				close(began)
				<-ctx.Done()
				close(over)
				return nil, ctx.Err()
			}
			a := open(t, d, Options{})
			a.hello(`{}`)
			a.send(request)
			<-began
			a.refused(request, -32600) // it is under way
			a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r"}}`)
			<-over
			a.silent()
			a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`) // nothing to cancel
			a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
			a.silent()
		})
	}
}

// The end of the input ends everything, whatever hangs.
func TestEndOfInput(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	d.call = func(ctx context.Context, _ editorapi.Call) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	a := open(t, d, Options{})
	a.hello(`{"sampling":{}}`)
	a.send(legacy(`1`, "tools/call", `{"name":"s__x"}`))
	a.send(modern(`2`, "subscriptions/listen", `{}`, `"notifications":{"toolsListChanged":true}`))
	a.next()
	d.await(t, "the call has begun", func() bool { return len(d.calls) > 0 })
	a.in.Close()
	a.want(`{"jsonrpc":"2.0","id":2,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"resultType":"complete"}}`)
}
