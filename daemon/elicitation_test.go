//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// newAsking returns a connection with one editor that always gives the same answer, and a function
// that returns the last question.
func newAsking(t *testing.T, caps editorapi.Capabilities, answer string) (c *connection, asked func() string) {
	t.Helper()
	d, _ := newTestDaemon(t, time.Hour)
	s := newScreen()
	last := "" // Request asks on the goroutine of the test
	s.answer = func(_ context.Context, method string, q editorapi.Question) (json.RawMessage, error) {
		last = method + " " + string(q.Params)
		return json.RawMessage(answer), nil
	}
	e := &editor{d: d, api: s, caps: caps}
	d.mu.Lock()
	c = d.newConnection("k", config.Definition{Name: "srv", Scope: config.ScopeUser}, e)
	c.join(e)
	d.mu.Unlock()
	t.Cleanup(c.end)
	return c, func() string { return last }
}

// asks returns a request of the server of c, which has been told what those on c can do.
func asks(c *connection, method string, params json.RawMessage) mcpclient.Ask {
	return mcpclient.Ask{Method: method, Params: params, Told: clientCapabilities(c.def, c.members)}
}

// declared returns what an editor declared; "" means nothing.
func declared(elicitation, sampling string) editorapi.Capabilities {
	caps := editorapi.Capabilities{MCP: true}
	if elicitation != "" {
		caps.Elicitation = json.RawMessage(elicitation)
	}
	if sampling != "" {
		caps.Sampling = json.RawMessage(sampling)
	}
	return caps
}

// codeOf returns the code that a server gets for err, 0 for no error.
func codeOf(err error) int64 {
	if e := wire.AsRPC(err); e != nil {
		return e.Code
	}
	return 0
}

// An editor gets no question that it did not declare.
func TestQuestionsThatWereNotDeclared(t *testing.T) {
	const (
		form  = `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`
		url   = `{"mode":"url","message":"m","elicitationId":"1","url":"https://example.com/"}`
		plain = `{"messages":[],"maxTokens":1}`
		tools = `{"messages":[],"maxTokens":1,"tools":[]}`
		tool  = `{"messages":[],"maxTokens":1,"toolChoice":{"mode":"none"}}`
	)
	for _, tt := range []struct {
		name   string
		caps   editorapi.Capabilities
		method string
		params string
		code   int64 // 0: it is asked
	}{
		{"form, both declared", declared(`{"form":{},"url":{}}`, ""), wire.MethodElicit, form, 0},
		{"form, nothing said", declared(`{}`, ""), wire.MethodElicit, form, 0},
		{"form, which is the mode of a question without one", declared(`{"form":{}}`, ""), wire.MethodElicit, aForm, 0},
		{"a mode that is null", declared(`{"form":{}}`, ""), wire.MethodElicit, `{"mode":null,"message":"m"}`, 0},
		{"form, URL alone declared", declared(`{"url":{}}`, ""), wire.MethodElicit, form, -32602},
		{"no mode, URL alone declared", declared(`{"url":{}}`, ""), wire.MethodElicit, aForm, -32602},
		{"URL declared", declared(`{"url":{}}`, ""), wire.MethodElicit, url, 0},
		{"URL, nothing said", declared(`{}`, ""), wire.MethodElicit, url, -32602},
		{"URL, form alone declared", declared(`{"form":{}}`, ""), wire.MethodElicit, url, -32602},
		{"a mode that nobody knows", declared(`{"form":{},"url":{}}`, ""), wire.MethodElicit, `{"mode":"voice","message":"m"}`, -32602},
		{"a mode that is no text", declared(`{"form":{},"url":{}}`, ""), wire.MethodElicit, `{"mode":1,"message":"m"}`, -32602},
		{"sampling", declared("", `{}`), wire.MethodSample, plain, 0},
		{"sampling with tools", declared("", `{"tools":{}}`), wire.MethodSample, tools, 0},
		{"sampling with tools that were not declared", declared("", `{}`), wire.MethodSample, tools, -32602},
		{"sampling with a choice of tools that were not declared", declared("", `{"context":{}}`), wire.MethodSample, tool, -32602},
		{"sampling without tools", declared("", `{}`), wire.MethodSample, `{"messages":[],"maxTokens":1,"tools":null}`, 0},
		{"sampling, nothing declared", declared("", ""), wire.MethodSample, plain, codeRejected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, asked := newAsking(t, tt.caps, `{}`)
			_, err := c.Request(t.Context(), asks(c, tt.method, json.RawMessage(tt.params)))
			if got := codeOf(err); got != tt.code || tt.code == 0 && err != nil {
				t.Errorf("the server gets %v, want code %d", err, tt.code)
			}
			want := tt.method + " " + tt.params
			if tt.code != 0 {
				want = ""
			}
			if got := asked(); got != want {
				t.Errorf("the editor was asked %q, want %q", got, want)
			}
		})
	}
	t.Run("elicitation, nothing declared", func(t *testing.T) {
		c, asked := newAsking(t, declared("", ""), `{}`)
		result, err := c.Request(t.Context(), asks(c, wire.MethodElicit, json.RawMessage(url)))
		if err != nil || string(result) != `{"action":"cancel"}` || asked() != "" {
			t.Errorf("the server gets %s, %v; the editor was asked %q", result, err, asked())
		}
	})
}

// An editor that has left does not come back: its server gets the answer that nobody gave.
func TestQuestionGivenUp(t *testing.T) {
	c, _ := newAsking(t, declared(`{}`, `{}`), "")
	c.d.returns = time.Millisecond
	c.members[0].api.(*screen).answer = func(context.Context, string, editorapi.Question) (json.RawMessage, error) {
		return nil, editorapi.ErrEditorLeft
	}
	if result, err := c.Request(t.Context(), asks(c, wire.MethodElicit, json.RawMessage(aForm))); err != nil || string(result) != `{"action":"cancel"}` {
		t.Errorf("an elicitation ends with %s, %v", result, err)
	}
	if result, err := c.Request(t.Context(), asks(c, wire.MethodSample, json.RawMessage(`{"messages":[],"maxTokens":1}`))); codeOf(err) != codeRejected {
		t.Errorf("a sampling ends with %s, %v", result, err)
	}
}

// What an editor leaves out of a form that it accepts gets the default of the schema.
func TestElicitationDefaults(t *testing.T) {
	schema := func(properties string) string {
		return `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{` + properties + `}}}`
	}
	const one = `"n":{"type":"integer","default":5}`
	for _, tt := range []struct {
		name, params, answer, want string
	}{
		{"all kinds", schema(`"s":{"type":"string","default":"a\"b"},"n":{"type":"number","default":1.50},"i":{"type":"integer","default":12345678901234567890},` +
			`"b":{"type":"boolean","default":false},"e":{"type":"string","enum":["x","y"],"default":"y"},"o":{"type":"string","oneOf":[{"const":"1","title":"One"}],"default":"1"},` +
			`"m":{"type":"array","items":{"type":"string","enum":["x","y"]},"default":["x","y"]},"t":{"type":"array","items":{"anyOf":[{"const":"1","title":"One"}]},"default":[]},"none":{"type":"string"}`),
			`{"action":"accept","content":{}}`,
			`{"action":"accept","content":{"s":"a\"b","n":1.50,"i":12345678901234567890,"b":false,"e":"y","o":"1","m":["x","y"],"t":[]}}`},
		{"what was said stays", schema(one + `,"x":{"type":"string","default":"d"}`), `{"x":1,"action":"accept","content":{"x": "","other":1.0}}`,
			`{"x":1,"action":"accept","content":{"x":"","other":1.0,"n":5}}`},
		{"null was said", schema(one), `{"action":"accept","content":{"n":null}}`, `{"action":"accept","content":{"n":null}}`},
		{"no content", schema(one), `{"action":"accept"}`, `{"action":"accept","content":{"n":5}}`},
		{"no content and no default", schema(`"n":{"type":"integer"}`), `{"action":"accept"}`, `{"action":"accept","content":{}}`},
		{"content that is null", schema(one), `{"action":"accept","content":null}`, `{"action":"accept","content":{"n":5}}`},
		{"content that is no object", schema(one), `{"action":"accept","content":[1]}`, `{"action":"accept","content":[1]}`},
		{"defaults that no content has", schema(`"a":{"default":{"x":1}},"b":{"default":null}`), `{"action":"accept","content":{}}`, `{"action":"accept","content":{}}`},
		{"no schema", `{"message":"m"}`, `{"action":"accept","content":{"n":1}}`, `{"action":"accept","content":{"n":1}}`},
		{"decline", schema(one), `{"action":"decline"}`, `{"action":"decline"}`},
		{"cancel", schema(one), `{"action":"cancel","content":{}}`, `{"action":"cancel","content":{}}`},
		{"URL", `{"mode":"url","message":"m","elicitationId":"1","url":"https://example.com/"}`, `{"action":"accept"}`, `{"action":"accept"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := newAsking(t, declared(`{"form":{},"url":{}}`, ""), tt.answer)
			got, err := c.Request(t.Context(), asks(c, wire.MethodElicit, json.RawMessage(tt.params)))
			if err != nil || string(got) != tt.want {
				t.Errorf("the server gets %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// Faults hostile-url and sensitive-question: which URLs reach an editor, and with which warning.
func TestElicitationURL(t *testing.T) {
	const (
		letters  = "the name of the host has letters that may be taken for others"
		userinfo = "the text before the @ is not the host"
		readable = "what is sent there is not encrypted (http)"
	)
	for _, tt := range []struct {
		name, url     string
		host, warning string // "" for none
		refused       bool
	}{
		{name: "https", url: "https://example.com:8443/a?b=c&d=%22;e'(f)$#g"},
		{name: "http", url: "http://localhost/"},
		{name: "an address", url: "http://[::1]:80/"},
		{name: "not encrypted", url: "HTTP://example.com/", host: "example.com", warning: readable},
		{name: "not encrypted, in the next room", url: "http://192.168.1.2:8080/", host: "192.168.1.2", warning: readable},
		{name: "letters beside the host", url: "https://example.com/ä?xn--a"},
		{name: "xn-- within a name", url: "https://a-xn--b.example/"},
		{name: "Punycode", url: "https://xn--80ak6aa92e.com/", host: "аррӏе.com (xn--80ak6aa92e.com)", warning: letters},
		{name: "Punycode in capitals", url: "https://www.XN--80AK6AA92E.com/", host: "www.аррӏе.com (www.xn--80ak6aa92e.com)", warning: letters},
		{name: "other letters", url: "https://bücher.example/", host: "bücher.example (xn--bcher-kva.example)", warning: letters},
		{name: "other letters, percent-encoded", url: "https://b%C3%BCcher.example/", host: "bücher.example (xn--bcher-kva.example)", warning: letters},
		{name: "letters that mean ASCII", url: "https://ｅxample.com/", host: "example.com", warning: letters},
		{name: "userinfo", url: "https://accounts.example@evil.example/", host: "evil.example", warning: userinfo},
		{name: "both", url: "https://accounts.example:x@xn--bcher-kva.example/", host: "bücher.example (xn--bcher-kva.example)", warning: letters + ", and " + userinfo},
		{name: "javascript", url: "javascript:alert(1)", refused: true},
		{name: "javascript with a host", url: "javascript://example.com/%0Aalert(1)", refused: true},
		{name: "an editor's own", url: "vscode://x/y", refused: true},
		{name: "relative", url: "//example.com/", refused: true},
		{name: "no host", url: "https:///a", refused: true},
		{name: "a port alone", url: "https://:443/", refused: true},
		{name: "a backslash", url: `https://example.com\\@evil.example/`, refused: true},
		{name: "a space", url: "https://example.com/ --flag", refused: true},
		{name: "a quote", url: `https://example.com/\"`, refused: true},
		{name: "a line break", url: `https://example.com/\n`, refused: true},
		{name: "text that changes direction", url: `https://example.com/\u202egnp`, refused: true},
		{name: "text that is not seen", url: `https://example\u200b.com/`, refused: true},
		{name: "no Punycode", url: "https://xn--a.example/", refused: true},
		{name: "a bad escape", url: "https://example.com/%zz", refused: true},
		{name: "none", refused: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, asked := newAsking(t, declared(`{"url":{}}`, ""), `{"action":"accept"}`)
			params := `{"mode":"url","message":"m","elicitationId":"1","url":"` + tt.url + `"}`
			_, err := c.Request(t.Context(), asks(c, wire.MethodElicit, json.RawMessage(params)))
			if tt.refused {
				if codeOf(err) != -32602 || asked() != "" {
					t.Errorf("the server gets %v, the editor was asked %q", err, asked())
				}
				return
			}
			want := wire.MethodElicit + " " + params
			if tt.warning != "" {
				want = want[:len(want)-1] + `,"_meta":{"mcp-editord/url":{"host":"` + tt.host + `","warning":"` + tt.warning + `"}}}`
			}
			if err != nil || asked() != want {
				t.Errorf("the editor was asked\n%s, want\n%s (%v)", asked(), want, err)
			}
		})
	}
}

// A host of any length is refused in time, although converting one takes quadratic time.
func TestElicitationURLIsBounded(t *testing.T) {
	long := make([]rune, 1<<20)
	for i := range long {
		long[i] = rune(0x4e00 + i%20000)
	}
	params := rawjson.Set(json.RawMessage(`{"mode":"url"}`), "url", rawjson.Quote("https://"+string(long)+"/"))
	c, asked := newAsking(t, declared(`{"url":{}}`, ""), `{"action":"accept"}`)
	if _, err := c.Request(t.Context(), asks(c, wire.MethodElicit, params)); codeOf(err) != -32602 || asked() != "" {
		t.Errorf("the server gets %v", err)
	}
}

// No server can forge the daemon's own members of _meta.
func TestElicitationMetaIsOurs(t *testing.T) {
	c, asked := newAsking(t, declared(`{"form":{},"url":{}}`, ""), `{"action":"cancel"}`)
	for _, tt := range []struct{ name, params, want string }{
		{"in a form", `{"_meta":{"mcp-editord/input":{"id":"x"},"theirs":1,"mcp-editord/url":{}},"message":"m"}`, `{"_meta":{"theirs":1},"message":"m"}`},
		{"with a URL", `{"mode":"url","url":"https://example.com/","_meta":{"mcp-editord/url":{"host":"good"}}}`, `{"mode":"url","url":"https://example.com/","_meta":{}}`},
		{"theirs alone", `{"_meta":{ "theirs": 1 },"message":"m"}`, `{"_meta":{ "theirs": 1 },"message":"m"}`},
		{"no object", `{"_meta":"mcp-editord/url","message":"m"}`, `{"_meta":"mcp-editord/url","message":"m"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := c.Request(t.Context(), asks(c, wire.MethodElicit, json.RawMessage(tt.params))); err != nil {
				t.Fatal(err)
			}
			if got := asked(); got != wire.MethodElicit+" "+tt.want {
				t.Errorf("the editor was asked %s, want %s", got, tt.want)
			}
		})
	}
}
