package editorapi

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// offer is a ready server with these tools.
func offer(server string, tools ...string) listing {
	c := listing{Server: Server{Name: server, State: "ready"}}
	for _, name := range tools {
		c.Tools = append(c.Tools, encodeOwn(map[string]string{"name": name}))
	}
	return c
}

// Fault name-clash: ids are stable from one version to the next, safe, and each reaches one tool.
func TestCommandIDs(t *testing.T) {
	long := strings.Repeat("n", 200)
	suffix := func(server, name string) string { return "-" + commandKey{calldoc.Tool, server, name}.hash() }
	hexadecimal := "0123456789abcdef"
	for _, test := range []struct{ name, server, tool, want string }{
		{"plain", "fs", "read_file", "mcp.tool.fs.read_file"},
		{"all characters that can stand in an id", "A-z_0", "-C9_", "mcp.tool.A-z_0.-C9_"},
		{"the longest", "s", long[:128], "mcp.tool.s." + long[:128]},
		{"too long", "s", long, "mcp.tool.s." + long[:128] + suffix("s", long)},
		{"a server that is too long", long, "t", "mcp.tool." + long[:128] + ".t" + suffix(long, "t")},
		{"a dot in the tool", "a", "b.c", "mcp.tool.a.b.c" + suffix("a", "b.c")},
		{"a dot in the server", "a.b", "c", "mcp.tool.a.b.c" + suffix("a.b", "c")},
		{"characters that are changed", "s s", "do it!", "mcp.tool.s_s.do_it_" + suffix("s s", "do it!")},
		{"a hash that stays what it is", "s", "a b", "mcp.tool.s.a_b-20692e417d92c24a"},
		{"control characters", "s", "\x1b[1m", "mcp.tool.s.__1m" + suffix("s", "\x1b[1m")},
		{"another script", "s", "ж", "mcp.tool.s._" + suffix("s", "ж")},
		{"an end that looks like a hash", "s", "a-" + hexadecimal, "mcp.tool.s.a-" + hexadecimal + suffix("s", "a-"+hexadecimal)},
		{"an end that is too short for a hash", "s", "a-" + hexadecimal[1:], "mcp.tool.s.a-" + hexadecimal[1:]},
		{"an end that is too long for a hash", "s", "a-0" + hexadecimal, "mcp.tool.s.a-0" + hexadecimal},
		{"a server whose end looks like a hash", "s-" + hexadecimal, "t", "mcp.tool.s-" + hexadecimal + ".t"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := (commandKey{calldoc.Tool, test.server, test.tool}).id(); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// Promise 8: whatever servers call their tools, no two have one id. The names are made of
// what ids are made of, and then of the ids themselves.
func TestPromise8CommandIDsAreInjective(t *testing.T) {
	parts := []string{"a", "b", ".", "-", "_", " ", "\x00", "tool", "mcp.tool.", "0123456789abcdef", "-0123456789abcdef", strings.Repeat("l", 130), "ж"}
	var names []string
	for _, a := range parts {
		for _, b := range append(parts, "") {
			names = append(names, a+b)
		}
	}
	safe := regexp.MustCompile(`^mcp\.(tool|prompt)\.[A-Za-z0-9_.-]+$`)
	owners := map[string]commandKey{}
	var keys []commandKey
	take := func(key commandKey) {
		id := key.id()
		if other, ok := owners[id]; ok && other != key {
			t.Errorf("%q is the id of %q and of %q", id, other, key)
		}
		if owners[id] == (commandKey{}) {
			keys = append(keys, key)
		}
		owners[id] = key
		if !safe.MatchString(id) {
			t.Errorf("the id %q of %q is not safe", id, key)
		}
	}
	for _, server := range names {
		for _, name := range names {
			take(commandKey{calldoc.Tool, server, name})
		}
		take(commandKey{calldoc.Prompt, server, "a"})
	}
	for _, key := range keys[:len(keys):len(keys)] {
		if rand.IntN(50) > 0 {
			continue
		}
		rest := strings.TrimPrefix(key.id(), "mcp."+key.kind.Noun()+".")
		for i, c := range rest { // what else could be read from the id
			if c == '.' && i > 0 && i < len(rest)-1 {
				take(commandKey{key.kind, rest[:i], rest[i+1:]})
			}
		}
	}
}

// Of two tools of a server with one name, a call reaches the first. One without a name is not there.
func TestOfferOfDoubles(t *testing.T) {
	doubles := offer("s", "x", "x", "").offer()
	if len(doubles.tools) != 2 || !slices.Equal(doubles.ids, []string{"mcp.tool.s.x"}) || doubles.byID["mcp.tool.s.x"] != doubles.tools[0] {
		t.Errorf("there are %d tools, with %q", len(doubles.tools), doubles.ids)
	}
}

// offering is an Attachment to servers that offer this.
type offering struct {
	Attachment
	offers []*Offer
	asked  []string // of which servers
}

func (o *offering) Offers(server string) (offers []*Offer) {
	o.asked = append(o.asked, server)
	for _, of := range o.offers {
		if server == "" || server == of.server {
			offers = append(offers, of)
		}
	}
	return offers
}

// Looking up a command looks at no other server, unless the id does not say which server has it.
func TestCommandIsLookedUpInItsServer(t *testing.T) {
	a := &offering{offers: []*Offer{offer("a", "t", "t.t").offer(), offer("b", "t").offer(), offer("a.b", "t").offer()}}
	s := &session{attachment: a}
	for _, test := range []struct {
		key   commandKey
		asked string
	}{
		{commandKey{calldoc.Tool, "a", "t"}, "a"},
		{commandKey{calldoc.Tool, "b", "t"}, "b"},
		{commandKey{calldoc.Tool, "a", "t.t"}, ""},
		{commandKey{calldoc.Tool, "a.b", "t"}, ""},
	} {
		a.asked = nil
		if c := s.command(test.key.id()); c == nil || c.commandKey != test.key {
			t.Errorf("%s is %+v", test.key.id(), c)
		}
		if !slices.Equal(a.asked, []string{test.asked}) {
			t.Errorf("for %s, asked was about %q", test.key.id(), a.asked)
		}
	}
	if c := s.command("mcp.prompt.a.t"); c != nil {
		t.Errorf("a prompt that is not there is %+v", c)
	}
}

// Fault name-clash: the call reaches the right server and tool, whatever the id looks like. An id that two of them could have
// is none's.
func TestCommandReachesItsTool(t *testing.T) {
	b := newFakeBackend()
	b.setCatalogs(offer("a.b", "c"), offer("a", "b.c", "Ünïcode \"tool\""), offer("z", "same"), offer("y", "same"))
	e := open(t, b, fakeeditor.Options{Capabilities: mcpEditor})
	result := requested(t, e, "editord/catalog", nil)
	called := 0
	for server := range rawjson.Elements(rawjson.Get(result, "servers")) {
		for tool := range rawjson.Elements(rawjson.Get(server, "tools")) {
			execute(t, e, map[string]string{"command": rawjson.String(tool, "command")})
			c := b.lastCall(t)
			if c.Server != rawjson.String(rawjson.Get(server, "server"), "name") || rawjson.String(c.Params, "name") != rawjson.String(rawjson.Get(tool, "tool"), "name") {
				t.Errorf("%s called %s of %s", tool, c.Params, c.Server)
			}
			if c.Cause.Command != rawjson.String(tool, "command") {
				t.Errorf("the cause is %+v", c.Cause)
			}
			called++
		}
	}
	if called != 5 {
		t.Errorf("%d tools were called", called)
	}
	_, err := e.Request("workspace/executeCommand", map[string]string{"command": "mcp.tool.a.b.c"})
	wantError(t, err, -32602, KindInvalidParams, "command")
}

func TestExecuteCommand(t *testing.T) {
	const tool = `{"name":"t","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"},"deep":{"type":["boolean","null"]},"list":{"type":"array"},"bad":{"type":"integer"}}}}`
	for _, test := range []struct{ name, command, arguments, want string }{
		{"no arguments", "mcp.tool.s.t", `[]`, `{"name":"t","arguments":{"deep":true,"n":7,"path":"/w","list":["a"],"x y":"free"}}`},
		{"null", "mcp.tool.s.t", `[null,null]`, `{"name":"t","arguments":{"deep":true,"n":7,"path":"/w","list":["a"],"x y":"free"}}`},
		{"an empty Lua table", "mcp.tool.s.t", `[[]]`, `{"name":"t","arguments":{"deep":true,"n":7,"path":"/w","list":["a"],"x y":"free"}}`},
		{"what is given stays", "mcp.tool.s.t", `[{"path":null,"n":1.0,"deep":false,"list":[9007199254740993],"x y":"<>"}]`,
			`{"name":"t","arguments":{"path":null,"n":1.0,"deep":false,"list":[9007199254740993],"x y":"<>"}}`},
		{"prompt", "mcp.prompt.s.p", `[{"a":"x","n":1.50,"b":true,"gone":null}]`, `{"name":"p","arguments":{"a":"x","n":"1.50","b":"true"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.bound = map[string]Bound{"path": {Text: "/w"}, "n": {Text: "7"}, "deep": {Text: "true"}, "list": {Text: `["a"]`}, "bad": {Text: "seven"}, "x y": {Text: "free"}}
			b.catalogs = []listing{{Server: Server{Name: "s", State: "ready"}, Tools: raw(tool), Prompts: raw(`{"name":"p"}`)}}
			e := open(t, b, fakeeditor.Options{Capabilities: mcpEditor})
			execute(t, e, map[string]any{"command": test.command, "arguments": json.RawMessage(test.arguments)})
			got := b.lastCall(t).Params
			if !sameJSON(got, []byte(test.want)) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if bound := b.lastCall(t).Bound; (len(bound) > 0) != strings.Contains(test.want, "free") || len(bound) > 0 && strings.Join(bound, ",") != "deep,list,n,path,x y" {
				t.Errorf("bound are %q", bound)
			}
			if b.used != 1 {
				t.Errorf("the editor was used %d times", b.used)
			}
		})
	}
}

// sameJSON compares two values, the order of members aside.
func sameJSON(a, b json.RawMessage) bool {
	return string(sorted(a)) == string(sorted(b))
}

func sorted(raw json.RawMessage) json.RawMessage {
	if !rawjson.IsObject(raw) {
		return raw
	}
	members := map[string]json.RawMessage{}
	for name, value := range rawjson.Members(raw) {
		members[name] = sorted(value)
	}
	return encodeOwn(members)
}

// The commands of a server that is not ready are known, but cannot be run.
func TestCommandOfServerThatIsNotReady(t *testing.T) {
	b := newFakeBackend()
	signIn := &ServerError{Kind: ServerSignInNeeded, Message: "a.test wants you to sign in"}
	b.servers = []Server{{Name: "s", State: "starting"}, {Name: "in", State: ServerNeedsSignIn, Error: signIn}}
	e := open(t, b, fakeeditor.Options{})
	_, err := e.Request("workspace/executeCommand", map[string]string{"command": "mcp.tool.s.t"})
	wantError(t, err, -32803, KindServerNotReady, "starting")
	_, err = e.Request("workspace/executeCommand", map[string]string{"command": "mcp.prompt.in.p"})
	wantError(t, err, -32803, KindSignInNeeded, "")
}

func TestDaemonCommands(t *testing.T) {
	for _, test := range []struct{ command, arguments, result, text string }{
		{"editord.restartServer", `[{"server":"s"}]`, `{"name":"s","state":"ready","scope":"","transport":"","source":"","restarts":0}`, `Server "s" is ready.`},
		{"editord.showStatus", `[]`, `{"version":"1.2.3","pid":0,"socket":"","config":"","logFile":"","uptime":0,"editors":[],"servers":[],"counters":{}}`, `mcp-editord 1.2.3: s ready, e\u{1b}vil failed, in needsSignIn.`},
		{"editord.showServerLog", `[{"server":"s"}]`, `{"lines":[],"cursor":""}`, "The log is empty."},
		{"editord.restartServer", `[]`, `{"name":"e\u001bvil","state":"ready","scope":"","transport":"","source":"","restarts":0}`, `Server "e\x1bvil" is ready.`}, // the one that failed
		{"editord.signIn", `[]`, `{"name":"in","state":"ready","scope":"","transport":"","source":"","restarts":0}`, `Server "in" is ready.`},                      // the one that needs it
	} {
		for _, capabilities := range []json.RawMessage{nil, mcpEditor} {
			b := newFakeBackend()
			b.servers = []Server{{Name: "s", State: "ready"}, {Name: "e\x1bvil", State: "failed"}, {Name: "in", State: "needsSignIn"}}
			e := open(t, b, fakeeditor.Options{Capabilities: capabilities})
			result := execute(t, e, map[string]any{"command": test.command, "arguments": json.RawMessage(test.arguments)})
			want, shown := test.result, 0
			if capabilities == nil {
				shown = 1
				if message := said(e); message != test.text {
					t.Errorf("shown was %q, want %q", message, test.text)
				}
				if strings.HasSuffix(test.text, "is ready.") { // it may take long: nobody waits
					want = "null"
				}
			}
			wantJSON(t, result, want)
			if n := count(e, "window/showMessage"); n != shown {
				t.Errorf("%d messages were shown, want %d", n, shown)
			}
		}
	}
}
