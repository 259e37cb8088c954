//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// hinted is a tool with hints.
func hinted(name, description, hints string) json.RawMessage {
	return json.RawMessage(`{"name":"` + name + `","description":"` + description + `","inputSchema":{"type":"object","properties":{"n":{"const":1.0e+2}}},"annotations":` + hints + `,"x-theirs":1.50}`)
}

// With --lazy, an agent finds a tool, has it described, and calls it with the one of three tools that says
// what the call may do.
func TestAgentLazy(t *testing.T) {
	t.Parallel()
	classes := map[string]string{ // the tool that calls it, by its name
		"weather_look": "call_read_only_tool", "weather_note": "call_tool",
		"weather_drop": "call_destructive_tool", "weather_any": "call_destructive_tool",
	}
	tools := []json.RawMessage{
		hinted("weather_look", "Looks at the weather", `{"readOnlyHint":true}`),
		hinted("weather_note", "Notes the weather", `{"destructiveHint":false}`),
		hinted("weather_drop", "Drops the weather", `{"destructiveHint":true}`),
		hinted("weather_any", "Whatever weather", `{}`),
	}
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{OnlyTools: true, Tools: tools})}.String())
	for _, form := range []struct {
		version, prefix string
		args            []string
	}{{fidelityVersion, "fake__", nil}, {modernVersion, "fake__", nil}, {fidelityVersion, "", []string{"--server", "fake"}}} {
		a := openLines(w, form.version, agentCannot, w.folder("project"), append(form.args, "--lazy")...)
		names := named(t, a.result("tools/list", `{}`), "tools")
		if !slices.Equal(names, []string{"find_tools", "describe_tools", "call_read_only_tool", "call_tool", "call_destructive_tool"}) {
			t.Fatalf("the tools are %q", names)
		}
		var found struct {
			Tools []struct{ Name, Server, Description, CallWith string }
			Total int
		}
		unmarshal(t, []byte(a.call("find_tools", `{"query":"weather"}`).text()), &found)
		if found.Total != len(tools) || len(found.Tools) != len(tools) {
			t.Errorf("it finds %+v", found)
		}
		for _, tool := range found.Tools {
			own := strings.TrimPrefix(tool.Name, form.prefix)
			if tool.CallWith != classes[own] || tool.Server != "fake" || !strings.Contains(tool.Description, "eather") {
				t.Errorf("it finds %+v", tool)
			}
			described := a.call("describe_tools", `{"names":["`+tool.Name+`"]}`).text()
			if !strings.Contains(described, `"callWith":"`+tool.CallWith+`"`) || !strings.Contains(described, `{"n":{"const":1.0e+2}}`) || !strings.Contains(described, `"x-theirs":1.50`) {
				t.Errorf("%s is described as %s", tool.Name, described)
			}
			before := len(w.recorded("fake", "tools/call"))
			for _, caller := range []string{"call_read_only_tool", "call_tool", "call_destructive_tool"} {
				got := a.call(caller, `{"name":"`+tool.Name+`","arguments":{"n":1.0e+2}}`)
				right := caller == tool.CallWith
				if got.IsError == right || !right && !strings.Contains(got.text(), tool.CallWith) {
					t.Errorf("%s of %s: %s", caller, tool.Name, got.text())
				}
				if right && !strings.Contains(string(got.StructuredContent.Params), `"name":"`+own+`","arguments":{"n":1.0e+2}`) {
					t.Errorf("the server got %s", got.StructuredContent.Params)
				}
			}
			if n := len(w.recorded("fake", "tools/call")) - before; n != 1 {
				t.Errorf("%s was called %d times", tool.Name, n)
			}
		}
		if refused := a.ask("tools/call", `{"name":"`+form.prefix+`weather_look","arguments":{}}`); refused.Error == nil || refused.Error.Code != -32602 {
			t.Errorf("a tool by its own name: %s", refused.raw)
		}
		a.Close()
	}
}

// A result over the limit is in a file of this user's alone, and the agent gets where it is and what it looks like.
func TestAgentLargeResultInAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{Plain: true})}.String())
	folder := w.folder("project")
	inFile := func(a *lineAgent, tool, arguments string) (text, content string) {
		t.Helper()
		result := a.call(tool, arguments)
		text = result.text()
		path := regexp.MustCompile(`(?m)^/.*/results/result-.*$`).FindString(text)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatalf("the result names no file: %s", text)
		}
		dir, err := os.Stat(filepath.Dir(path))
		if err != nil || info.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 || !strings.HasPrefix(path, w.state("results")) {
			t.Errorf("%s is %v, in a folder that is %v", path, info.Mode(), dir.Mode())
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text, string(b)
	}
	for _, version := range []string{fidelityVersion, modernVersion} {
		small := openLines(w, version, agentCannot, folder, "--result-limit", "2000")
		if got := small.call("fake__big", `{"bytes":1000}`).text(); len(got) != 1000 {
			t.Errorf("a result below the limit is %.200s", got)
		}
		text, content := inFile(small, "fake__big", `{"bytes":5000}`)
		if content != strings.Repeat("x", 5000) || !strings.Contains(text, "5000 bytes") {
			t.Errorf("the file has %d bytes, of which the agent is told %s", len(content), text)
		}
		json := `{"rows":[` + strings.Repeat(`{"id":1,"name":"n"},`, 300) + `{"id":2,"name":"é"}]}`
		text, content = inFile(small, "fake__raw", rawResult(`{"content":[{"type":"text","text":`+marshal(json)+`}],"structuredContent":`+json+`}`))
		if content != json || !strings.Contains(text, "shape") || len(text) > 2000 {
			t.Errorf("the file has %d bytes, of which the agent is told %s", len(content), text)
		}
		usual := openLines(w, version, agentCannot, folder)
		if _, content := inFile(usual, "fake__big", `{"bytes":1000000}`); len(content) != 1000000 {
			t.Errorf("the file has %d bytes", len(content))
		}
		unlimited := openLines(w, version, agentCannot, folder, "--result-limit", "0")
		if got := unlimited.call("fake__big", `{"bytes":1000000}`).text(); len(got) != 1000000 {
			t.Errorf("without a limit the result has %d bytes", len(got))
		}
	}
}
