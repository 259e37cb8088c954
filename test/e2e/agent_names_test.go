//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// namedTool is a tool of the fake server that answers with what it got.
func namedTool(name string) json.RawMessage {
	return json.RawMessage(`{"name":` + marshal(name) + `,"inputSchema":{"type":"object"}}`)
}

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
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("long_", 25) + "end" // 128 characters
	tools := map[string][]string{
		"a":      {"b__c", "c", "x.y", "x/y", "werkzeug-ü", "道具", long, long[:127] + "D", "with space", strings.Repeat("-", 128)},
		"a__b":   {"c", "__c"},
		"ü.1":    {"c"},
		"_":      {"_", "__"},
		"many":   nil,
		"a-0123": {"c-0123456789abc"},
	}
	for i := range 2000 {
		tools["many"] = append(tools["many"], fmt.Sprintf("tool_%d", i))
	}
	all := servers{}
	count := 0
	for server, own := range tools {
		s := fakeserver.Script{OnlyTools: true, PageSize: 300, Plain: true}
		for _, name := range own {
			s.Tools = append(s.Tools, namedTool(name))
			count++
		}
		s.Prompts = []json.RawMessage{json.RawMessage(`{"name":"greet"}`)}
		all[server] = w.fakeServer("named", s)
	}
	w.config(all.String())
	a := openLines(w, fidelityVersion, agentCannot, w.folder("project"))
	names := named(t, a.result("tools/list", `{}`), "tools")
	if len(names) != count {
		t.Errorf("there are %d tools, want %d", len(names), count)
	}
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,48}$`)
	seen := map[string]bool{}
	reached := map[string]int{}
	for i, name := range names {
		if !valid.MatchString(name) || seen[name] {
			t.Errorf("the name %q is not valid, or there twice", name)
		}
		seen[name] = true
		if strings.HasPrefix(name, "many__") && i%97 != 0 {
			continue
		}
		var params struct{ Name string }
		unmarshal(t, a.call(name, `{}`).StructuredContent.Params, &params)
		reached[params.Name]++
	}
	if !seen["a__c"] || !seen["a__b__c"] || !seen["many__tool_1999"] {
		t.Errorf("simple names are not as they should be: %v", names[:20])
	}
	for server, own := range tools {
		for _, name := range own {
			if server != "many" && reached[name] == 0 {
				t.Errorf("no call reached %q of %q", name, server)
			}
		}
	}
	if reached["c"] != 3 {
		t.Errorf("%d calls reached a tool c, want 3", reached["c"])
	}
	// The same names at 2026-07-28, and a second time.
	again := named(t, openLines(w, modernVersion, agentCannot, w.folder("project")).result("tools/list", `{}`), "tools")
	for _, name := range names {
		if !slices.Contains(again, name) {
			t.Errorf("another agent does not get %q", name)
		}
	}
	prompts := named(t, a.result("prompts/list", `{}`), "prompts")
	slices.Sort(prompts)
	if len(slices.Compact(slices.Clone(prompts))) != len(tools) || !slices.Contains(prompts, "a__greet") {
		t.Errorf("the prompts are %q", prompts)
	}
	for _, prompt := range prompts {
		if !strings.Contains(string(a.result("prompts/get", `{"name":"`+prompt+`"}`)), `\"name\":\"greet\"`) {
			t.Errorf("prompts/get of %q reached no greet", prompt)
		}
	}
}

// Resources keep their URIs. One that two servers have says whose it is, and is read from whom the agent names.
func TestAgentResourcesOfTwoServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resource := func(uri string) json.RawMessage {
		return json.RawMessage(`{"uri":"` + uri + `","name":"n","x-theirs":1.50}`)
	}
	template := func(uri string) json.RawMessage { return json.RawMessage(`{"uriTemplate":"` + uri + `","name":"t"}`) }
	w.config(servers{
		"one": w.fakeServer("one", fakeserver.Script{Plain: true, Resources: []json.RawMessage{resource("x://both"), resource("x://one")}, ResourceTemplates: []json.RawMessage{template("x://t/{id}")}}),
		"two": w.fakeServer("two", fakeserver.Script{Plain: true, Resources: []json.RawMessage{resource("x://both")}, ResourceTemplates: []json.RawMessage{template("x://t/long/{id}")}}),
	}.String())
	for _, version := range []string{fidelityVersion, modernVersion} {
		t.Run(version, func(t *testing.T) {
			a := openLines(w, version, agentCannot, w.folder("project"))
			defer a.Close()
			list := string(a.result("resources/list", `{}`))
			for _, want := range []string{
				`{"uri":"x://one","name":"n","x-theirs":1.50}`,
				`{"uri":"x://both","name":"n","x-theirs":1.50,"_meta":{"mcp-editord/server":"one"}}`,
				`{"uri":"x://both","name":"n","x-theirs":1.50,"_meta":{"mcp-editord/server":"two"}}`,
			} {
				if !strings.Contains(list, want) {
					t.Errorf("%s is not in %s", want, list)
				}
			}
			readBy := func(params string) string {
				t.Helper()
				before := map[string]int{"one": len(w.recorded("one", "resources/read")), "two": len(w.recorded("two", "resources/read"))}
				a.result("resources/read", params)
				for name, n := range before {
					if len(w.recorded(name, "resources/read")) > n {
						return name
					}
				}
				return ""
			}
			if refused := a.ask("resources/read", `{"uri":"x://both"}`); refused.Error == nil || refused.Error.Code != -32602 ||
				!strings.Contains(refused.Error.Message, `"one", "two"`) || !strings.Contains(refused.Error.Message, "mcp-editord/server") {
				t.Errorf("a resource of both: %s", refused.raw)
			}
			for params, want := range map[string]string{
				`{"uri":"x://one"}`: "one",
				`{"uri":"x://both","_meta":{"mcp-editord/server":"one"}}`: "one",
				`{"uri":"x://both","_meta":{"mcp-editord/server":"two"}}`: "two",
				`{"uri":"x://t/7"}`:      "one",
				`{"uri":"x://t/long/7"}`: "two",
			} {
				if got := readBy(params); got != want {
					t.Errorf("%s was read from %q, want %q", params, got, want)
				}
			}
			if refused := a.ask("resources/read", `{"uri":"x://both","_meta":{"mcp-editord/server":"three"}}`); refused.Error == nil || !strings.Contains(refused.Error.Message, "three") {
				t.Errorf("a server that is not there: %s", refused.raw)
			}
			code := map[string]int{fidelityVersion: -32002, modernVersion: -32602}[version]
			if refused := a.ask("resources/read", `{"uri":"y://nobody"}`); refused.Error == nil || refused.Error.Code != code || !strings.Contains(string(refused.Error.Data), "y://nobody") {
				t.Errorf("a resource of nobody: %s", refused.raw)
			}
		})
	}
}

// With --server, what an agent gets is what the server itself says, but for what can change.
func TestAgentDropIn(t *testing.T) {
	t.Parallel()
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
	raw := a.result("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"lines","version":"1"}}`)
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
	a.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
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
	t.Parallel()
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
