//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// named returns the names of definitions, in their order.
func named(t *testing.T, result json.RawMessage, list string) (names []string) {
	t.Helper()
	var lists map[string]json.RawMessage
	unmarshal(t, result, &lists)
	var definitions []struct{ Name string }
	unmarshal(t, lists[list], &definitions)
	for _, d := range definitions {
		names = append(names, d.Name)
	}
	return names
}

// Whatever servers and tools are called, an agent gets names that models take, each once, and a call by
// such a name reaches the tool that is meant.
func TestAgentNames(t *testing.T) {
	w := newWorld(t)
	all := servers{}
	var want []string // servers and their own names
	for server, own := range map[string][]string{
		"a":    {"b__c", "c", "x.y", "x/y", "道具", strings.Repeat("long_", 25), "with space"},
		"a__b": {"c", "__c"},
		"ü.1":  {"c"},
	} {
		s := fakeserver.Script{OnlyTools: true, Plain: true, Prompts: []json.RawMessage{json.RawMessage(`{"name":"greet"}`)}}
		for _, name := range own {
			s.Tools = append(s.Tools, json.RawMessage(`{"name":`+marshal(name)+`,"inputSchema":{"type":"object"}}`))
			want = append(want, name)
		}
		all[server] = w.fakeServer(server, s)
	}
	w.config(all.String())
	a := openLines(w, fidelityVersion, agentCannot, w.folder("project"))
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,48}$`)
	var reached []string
	names := named(t, a.result("tools/list", `{}`), "tools")
	for _, name := range names {
		var params struct{ Name string }
		unmarshal(t, a.call(name, `{}`).StructuredContent.Params, &params)
		if reached = append(reached, params.Name); !valid.MatchString(name) {
			t.Errorf("the name %q is not valid", name)
		}
	}
	slices.Sort(want)
	slices.Sort(reached)
	if !slices.Equal(reached, want) || !slices.Contains(names, "a__c") || !slices.Contains(names, "a__b__c") {
		t.Errorf("calls of %q reached %q, want %q", names, reached, want)
	}
	for _, prompt := range named(t, a.result("prompts/list", `{}`), "prompts") {
		if !strings.Contains(string(a.result("prompts/get", `{"name":"`+prompt+`"}`)), `\"name\":\"greet\"`) {
			t.Errorf("prompts/get of %q reached no greet", prompt)
		}
	}
}

// With --server, what an agent gets is what the server itself says, but for what can change.
func TestAgentDropIn(t *testing.T) {
	w := newWorld(t)
	tool := `{"inputSchema":{"type":"object","properties":{"n":{"const":1.0e+2}}},"name":"un.usual name","title":"T","outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"x":null},"icons":[{"src":"data:,"}],"_meta":{"a/b":[1,2.50]},"x-theirs":12345678901234567890}`
	script := fakeserver.Script{
		OnlyTools: true, Tools: []json.RawMessage{json.RawMessage(tool)},
		Prompts:           []json.RawMessage{json.RawMessage(`{"x-theirs":[1e2],"name":"p q"}`)},
		Resources:         []json.RawMessage{json.RawMessage(`{"uri":"x://1","name":"one","size":1.0}`)},
		ResourceTemplates: []json.RawMessage{json.RawMessage(`{"uriTemplate":"x://{a}","name":"t","y":"é"}`)},
		ServerInfo:        json.RawMessage(`{"name":"theirs","version":"7","title":"Theirs","x-theirs":1.50,"icons":[{"src":"data:,"}]}`),
		Instructions:      "Say \"please\".\n\nÜ " + strings.Repeat("long ", 1000),
		Capabilities:      json.RawMessage(`{"tools":{"x":1},"prompts":{},"resources":{"subscribe":true},"experimental":{"y":{"z":1.0}},"completions":{}}`),
	}
	w.config(servers{"theirs": w.fakeServer("theirs", script)}.String())
	folder := w.folder("project")
	openLines(w, fidelityVersion, agentCannot, folder, "--server", "theirs").result("tools/list", `{}`) // from now on it is known
	a := startLines(w, folder, "--server", "theirs")
	raw := a.hello("2025-06-18", agentCannot)
	var result struct {
		ProtocolVersion, Instructions string
		Capabilities, ServerInfo      json.RawMessage
	}
	unmarshal(t, raw, &result)
	if result.ProtocolVersion != "2025-06-18" || result.Instructions != script.Instructions || string(result.ServerInfo) != string(script.ServerInfo) {
		t.Errorf("initialize answers %s", raw)
	}
	const capabilities = `{"tools":{"x":1,"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"experimental":{"y":{"z":1.0}},"completions":{}}`
	if string(result.Capabilities) != capabilities {
		t.Errorf("the capabilities are %s", result.Capabilities)
	}
	for method, want := range map[string]string{
		"tools/list":               `{"tools":[` + tool + `]}`,
		"prompts/list":             `{"prompts":[` + string(script.Prompts[0]) + `]}`,
		"resources/list":           `{"resources":[` + string(script.Resources[0]) + `]}`,
		"resources/templates/list": `{"resourceTemplates":[` + string(script.ResourceTemplates[0]) + `]}`,
	} {
		if got := string(a.result(method, `{}`)); got != want {
			t.Errorf("%s answers %s, want %s", method, got, want)
		}
	}
	if got := string(a.call("un.usual name", `{"n":1.0e+2}`).StructuredContent.Params); !strings.Contains(got, `"name":"un.usual name"`) || !strings.Contains(got, `1.0e+2`) {
		t.Errorf("the server got %s", got)
	}
}

// A server of --server that is not there may come: until then the agent is told what to do.
func TestAgentOfAServerThatIsNotThere(t *testing.T) {
	w := newWorld(t)
	w.config(servers{}.String())
	a := openLines(w, fidelityVersion, agentCannot, w.folder("project"), "--server", "later")
	if got := named(t, a.result("tools/list", `{}`), "tools"); len(got) != 0 {
		t.Errorf("the tools are %q", got)
	}
	if got := a.call("echo", `{}`); !got.IsError || !strings.Contains(got.text(), `"later"`) || !strings.Contains(got.text(), "mcp-editord servers") {
		t.Errorf("a call says %q", got.text())
	}
	w.config(servers{"later": w.fakeServer("later", fakeserver.Script{})}.String())
	a.awaitMethod("notifications/tools/list_changed")
	if got := named(t, a.result("tools/list", `{}`), "tools"); !slices.Contains(got, "echo") {
		t.Errorf("the tools are %q", got)
	}
	if got := a.call("echo", `{}`); got.IsError {
		t.Errorf("a call says %q", got.text())
	}
	for _, args := range [][]string{{"--server", ""}, {"--folder", "/nowhere"}, {"--name-limit", "-1"}, {"--result-limit", "-1"}} {
		if _, said, code := w.run(append([]string{"mcp"}, args...)...); code == 0 || !strings.Contains(said, strings.TrimSuffix(args[0], "-limit")) {
			t.Errorf("%q ends with %d and %q", args, code, said)
		}
	}
}
