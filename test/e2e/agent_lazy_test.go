//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// With --lazy, an agent finds a tool, has it described, and calls it with the tool that says what the call may do.
func TestAgentLazy(t *testing.T) {
	tool := json.RawMessage(`{"name":"look","description":"Looks at the weather","inputSchema":{"type":"object","properties":{"n":{"const":1.0e+2}}},"annotations":{"readOnlyHint":true},"x-theirs":1.50}`)
	w := newWorldWith(t, scripts{"fake": {OnlyTools: true, Tools: []json.RawMessage{tool}}})
	for _, form := range []struct {
		version, name string
		args          []string
	}{{fidelityVersion, "fake__look", nil}, {modernVersion, "fake__look", nil}, {fidelityVersion, "look", []string{"--server", "fake"}}} {
		a := openLines(w, form.version, agentCannot, w.folder("project"), append(form.args, "--lazy")...)
		if got := a.call("find_tools", `{"query":"weather"}`).text(); !strings.Contains(got, `"name":"`+form.name+`"`) || !strings.Contains(got, `"callWith":"call_read_only_tool"`) {
			t.Fatalf("it finds %s", got)
		}
		if got := a.call("describe_tools", `{"names":["`+form.name+`"]}`).text(); !strings.Contains(got, `{"n":{"const":1.0e+2}}`) || !strings.Contains(got, `"x-theirs":1.50`) {
			t.Errorf("it is described as %s", got)
		}
		got := a.call("call_read_only_tool", `{"name":"`+form.name+`","arguments":{"n":1.0e+2}}`)
		if !strings.Contains(string(got.StructuredContent.Params), `"name":"look","arguments":{"n":1.0e+2}`) {
			t.Errorf("the server got %s", got.StructuredContent.Params)
		}
		a.Close()
	}
}

// A result over the limit is in a file of this user's alone, and the agent gets where it is and what it looks like.
func TestAgentLargeResultInAFile(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {Plain: true}})
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
	small := openLines(w, modernVersion, agentCannot, folder, "--result-limit", "2000")
	if got := small.call("fake__big", `{"bytes":1000}`).text(); len(got) != 1000 {
		t.Errorf("a result below the limit is %.200s", got)
	}
	json := `{"rows":[` + strings.Repeat(`{"id":1,"name":"n"},`, 300) + `{"id":2,"name":"é"}]}`
	text, content := inFile(small, "fake__raw", rawResult(`{"content":[{"type":"text","text":`+marshal(json)+`}],"structuredContent":`+json+`}`))
	if content != json || !strings.Contains(text, "shape") || len(text) > 2000 {
		t.Errorf("the file has %d bytes, of which the agent is told %s", len(content), text)
	}
	usual := openLines(w, fidelityVersion, agentCannot, folder)
	if text, content := inFile(usual, "fake__big", `{"bytes":1000000}`); content != strings.Repeat("x", 1000000) || !strings.Contains(text, "1000000 bytes") {
		t.Errorf("the file has %d bytes, of which the agent is told %s", len(content), text)
	}
}
