package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

var (
	userSource   = Source{URI: "file:///home/u/mcp.json", Trusted: true}
	folderSource = Source{URI: "file:///w/.mcp.json", Folder: "/w"}
	editorSource = Source{URI: SourceEditor, Trusted: true}
)

// names returns the names of definitions.
func names(definitions []Definition) []string {
	var names []string
	for _, d := range definitions {
		names = append(names, d.Name)
	}
	return names
}

// one parses text as a file of the user with one server and no problems.
func one(t *testing.T, text string) Definition {
	t.Helper()
	file := ParseFile([]byte(text), userSource)
	if len(file.Problems) > 0 || len(file.Servers) != 1 {
		t.Fatalf("got servers %v and problems %+v", names(file.Servers), file.Problems)
	}
	return file.Servers[0]
}

// hasProblem checks that file has these servers, and one problem: where, how bad, and what it says. It never shows s3cret.
func hasProblem(t *testing.T, file *File, servers []string, at, severity, message string) {
	t.Helper()
	if !slices.Equal(names(file.Servers), servers) || len(file.Problems) != 1 {
		t.Fatalf("servers %v, problems %+v", names(file.Servers), file.Problems)
	}
	p := file.Problems[0]
	if got := fmt.Sprintf("%d:%d", p.Line, p.Column); got != at || p.URI != file.Source.URI || p.Severity != severity || !strings.Contains(p.Message, message) {
		t.Errorf("got %s %+v, want %s", got, p, at)
	}
	if strings.Contains(p.Message, "s3cret") {
		t.Errorf("the message shows a value: %s", p.Message)
	}
}

func TestParseFileReadsEveryKey(t *testing.T) {
	file := ParseFile([]byte(`// my servers
{
  "$schema": "https://example.com/schema.json",
  "servers": {
    "filesystem": {
      "command": "npx", "args": ["-y", "server"],
      "env": { "LOG": "${env:LOG}" }, "envFile": ".env", "cwd": "${workspaceFolder}",
      "scope": "session", "protocol": "2025-11-25", "roots": ["${workspaceFolder}", "packages/*"],
      "enabled": true, "startTimeout": "500ms", "callTimeout": "2m",
      "sampling": "deny", "samplingLimit": "3/h", "elicitationLimit": "5/s",
      "tools": { "write_*": { "hidden": true }, "search": { "bind": { "path": "${file}" } } },
      "agents": { "delete_*": "ask", "admin_*": "never", "*": "allow", "x": null }, /* trailing comma */
    },
    "remote": { "type": "http", "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer ${input:token}" } },
    "signed": { "url": "https://example.com/mcp", "scope": null, "oauth": { "clientId": "i", "redirectPort": /* fixed */ 8123 } },
  },
  "inputs": [ { "id": "token", "type": "promptString", "description": "API token", "password": true },
              { "id": "kind", "type": "pickString", "options": ["a", "b"], "default": "a" } ],
  "credentials": "file",
} // the end, without a line break`), userSource)
	if file.Broken || len(file.Problems) > 0 {
		t.Fatalf("broken %v, problems %+v", file.Broken, file.Problems)
	}
	want := []Definition{
		{
			Name: "filesystem", Source: userSource, Transport: Stdio,
			Command: "npx", Args: []string{"-y", "server"}, Env: map[string]string{"LOG": "${env:LOG}"},
			EnvFile: ".env", Cwd: "${workspaceFolder}", Scope: ScopeSession, Protocol: "2025-11-25",
			Roots: Roots{Entries: []string{"${workspaceFolder}", "packages/*"}}, Enabled: true,
			StartTimeout: 500 * time.Millisecond, CallTimeout: 2 * time.Minute,
			Sampling: SamplingDeny, SamplingLimit: Rate{3, time.Hour}, ElicitationLimit: Rate{5, time.Second},
			Tools:  map[string]ToolRule{"write_*": {Hidden: true}, "search": {Bind: map[string]string{"path": "${file}"}}},
			Agents: map[string]AgentRule{"delete_*": AgentAsk, "admin_*": AgentNever, "*": AgentAllow},
		},
		{
			Name: "remote", Source: userSource, Transport: HTTP, URL: "https://example.com/mcp",
			Headers: map[string]string{"Authorization": "Bearer ${input:token}"},
			Scope:   ScopeUser, Protocol: "auto", Enabled: true, Sampling: SamplingAsk, SamplingLimit: Rate{10, time.Minute}, ElicitationLimit: Rate{30, time.Minute},
		},
		{
			Name: "signed", Source: userSource, Transport: HTTP, URL: "https://example.com/mcp", OAuth: &OAuth{ClientID: "i", RedirectPort: 8123},
			Scope: ScopeUser, Protocol: "auto", Enabled: true, Sampling: SamplingAsk, SamplingLimit: Rate{10, time.Minute}, ElicitationLimit: Rate{30, time.Minute},
		},
	}
	if len(file.Servers) != len(want) {
		t.Fatalf("got servers %v", names(file.Servers))
	}
	for i, got := range file.Servers {
		if len(got.Digest) != 64 {
			t.Errorf("%s: digest %q", got.Name, got.Digest)
		}
		got.Digest, got.own, got.inputs, got.used, got.size = "", settings{}, nil, nil, 0
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("got  %+v\nwant %+v", got, want[i])
		}
	}
	wantInputs := []Input{
		{ID: "token", Type: "promptString", Description: "API token", Password: true, Source: userSource},
		{ID: "kind", Type: "pickString", Default: "a", Options: []string{"a", "b"}, Source: userSource},
	}
	if !reflect.DeepEqual(file.Inputs, wantInputs) {
		t.Errorf("got inputs %+v", file.Inputs)
	}
	if file.Credentials != secrets.File {
		t.Errorf("got credentials %q", file.Credentials)
	}
}

func TestSpellings(t *testing.T) {
	for _, test := range []struct {
		name, entry string
		transport   Transport
		enabled     bool
	}{
		{"command", `{"command": "c"}`, Stdio, true},
		{"url", `{"url": "http://h/"}`, HTTP, true},
		{"stdio", `{"type": "stdio", "command": "c"}`, Stdio, true},
		{"streamable-http", `{"type": "streamable-http", "url": "http://h/"}`, HTTP, true},
		{"streamableHttp", `{"type": "streamableHttp", "url": "http://h/"}`, HTTP, true},
		{"sse", `{"type": "sse", "url": "http://h/"}`, SSE, true},
		{"not enabled", `{"command": "c", "enabled": false}`, Stdio, false},
		{"disabled", `{"command": "c", "disabled": true}`, Stdio, false},
		{"not disabled", `{"command": "c", "disabled": false}`, Stdio, true},
		{"url with variable", `{"url": "${env:URL}"}`, HTTP, true},
		{"null is absent", `{"command": "c", "url": null, "env": null, "enabled": null, "tools": {"x": null}}`, Stdio, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := one(t, `{"mcpServers": {"s": `+test.entry+`}}`)
			if d.Transport != test.transport || d.Enabled != test.enabled {
				t.Errorf("got %s, enabled %v", d.Transport, d.Enabled)
			}
		})
	}
}

// Every version may be pinned on every transport, and a file that somebody has just made is no error.
func TestParseFileFindsNothingWrong(t *testing.T) {
	for _, launch := range []string{`"command": "c"`, `"type": "http", "url": "http://h/"`, `"type": "sse", "url": "http://h/"`} {
		for _, version := range []string{"auto", "2024-10-07", "2026-07-28"} {
			if got := one(t, `{"servers": {"s": {`+launch+`, "protocol": "`+version+`"}}}`).Protocol; got != version {
				t.Errorf("%s: the protocol is %q, want %q", launch, got, version)
			}
		}
	}
	for _, text := range []string{"", " \n "} {
		file := ParseFile([]byte(text), userSource)
		if len(file.Servers) > 0 || len(file.Problems) != 1 || file.Problems[0].Severity != "warning" || !strings.Contains(file.Problems[0].Message, "it has no servers yet") {
			t.Errorf("%q: got %+v", text, file)
		}
	}
}

// Fault config-broken: nothing in such a file counts, and the problem gives the place.
func TestBrokenFiles(t *testing.T) {
	for _, test := range []struct {
		name, text, at, message string
	}{
		{"only a comment", "// nothing\n", "2:1", "not valid JSON"},
		{"half-written", "{\n  \"servers\": {\"a\": {\"comm", "2:26", "not valid JSON: it ends too early"},
		{"half-written after a line break", "{\n  \"servers\": {\n", "3:1", "not valid JSON"},
		{"wrong character", "{\n  \"servers\" = {}\n}", "2:13", "'='"},
		{"no object", "\n[]", "2:1", "not a JSON object"},
		{"two values", "{} {}", "1:4", "after top-level value"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "0:0", "UTF-16"},
		{"not UTF-8", "{\n\"a\xff\": 1}", "2:3", "UTF-8"},
		{"50 MB", strings.Repeat(" ", 50<<20), "0:0", "larger than 1 MiB"},
		{"deep", strings.Repeat("[", 20000), "0:0", "brackets"},
		{"a bad literal is not shown", `{"servers": {"a": {"env": {"T": "s3cret\q"}}}}`, "1:33", "not a JSON value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := ParseFile([]byte(test.text), userSource)
			if !file.Broken {
				t.Error("it is not broken")
			}
			hasProblem(t, file, nil, test.at, "error", test.message)
		})
	}
}

// A problem with one entry: what happens to the entry, and what the user sees.
func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name, text string
		servers    []string
		at         string // line:column
		severity   string
		message    string
	}{
		{"unknown key", "{\"servers\": {\"a\": {\"command\": \"c\",\n \"comand\": 1}}}", []string{"a"}, "2:2", "warning", `did you mean "command"?`},
		{"unknown key unlike any", `{"servers": {"a": {"command": "c", "gallery": true}}}`, []string{"a"}, "1:36", "warning", `unknown key "gallery" in server "a" is ignored`},
		{"agents is not an object", `{"servers": {"a": {"command": "c", "agents": "ask"}}}`, nil, "1:46", "error", "must be an object"},
		{"unknown rule for agents", `{"servers": {"a": {"command": "c",
			"agents": {"t": "Ask"}}}}`, nil, "2:20", "error", `must be "allow", "ask" or "never"`},
		{"rule for agents that is no text", `{"servers": {"a": {"command": "c", "agents": {"t": true}}}}`, nil, "1:52", "error", "must be a string"},
		{"unknown key in tools", `{"servers": {"a": {"command": "c", "tools": {"t": {"hiden": true}}}}}`, []string{"a"}, "1:52", "warning", `"hidden"`},
		{"unknown key of the file", `{"server": {}}`, nil, "1:2", "warning", `did you mean "servers"?`},
		{"no command", `{"servers": {"bad": {}, "a": {"command": "c"}}}`, []string{"a"}, "1:21", "error", `a "command" or a "url"`},
		{"command and url", `{"servers": {"bad": {"command": "c", "url": "http://h"}}}`, nil, "1:21", "error", "choose one with"},
		{"stdio without command", `{"servers": {"bad": {"type": "stdio"}}}`, nil, "1:21", "error", `must have a "command"`},
		{"http without url", `{"servers": {"workspace": {"type": "http"}}}`, nil, "1:27", "error", `must have a "url"`},
		{"unknown type", `{"servers": {"bad": {"type": "ws", "url": "ws://h"}}}`, nil, "1:30", "error", `"sse"`},
		{"url of a file", `{"servers": {"bad": {"url": "file:///etc/passwd"}}}`, nil, "1:29", "error", "http: or https:"},
		{"no object", `{"servers": {"bad": "c", "a": {"command": "c"}}}`, []string{"a"}, "1:21", "error", "must be an object"},
		{"args no list", `{"servers": {"bad": {"command": "c", "args": "-v"}}}`, nil, "1:46", "error", "list of strings"},
		{"arg no string", `{"servers": {"bad": {"command": "c", "args": [1]}}}`, nil, "1:47", "error", "must be a string"},
		{"NUL", `{"servers": {"bad": {"command": "c\u0000"}}}`, nil, "1:33", "error", "NUL"},
		// Promise 1: a program that does not fit in a question.
		{"command over PATH_MAX", `{"servers": {"bad": {"command": "` + strings.Repeat("c", 4097) + `"}}}`, nil, "1:21", "error", "longer than 4096 bytes"},
		{"url of the same length", `{"servers": {"bad": {"url": "http://h/` + strings.Repeat("c", 4097) + `"}}}`, nil, "1:21", "error", "longer than 4096 bytes"},
		{"name of env", `{"servers": {"bad": {"command": "c", "env": {"A=B": "s3cret"}}}}`, nil, "1:53", "error", "not the name of a variable"},
		{"value of env", `{"servers": {"bad": {"command": "c", "env": {"PORT": 80}}}}`, nil, "1:54", "error", `"PORT"`},
		{"name of header", `{"servers": {"bad": {"url": "http://h", "headers": {"A B": "s3cret"}}}}`, nil, "1:60", "error", "not the name of a header"},
		{"value of header", `{"servers": {"bad": {"url": "http://h", "headers": {"A": "s3cret\r\nB: c"}}}}`, nil, "1:58", "error", "line break"},
		{"header twice", `{"servers": {"bad": {"url": "http://h", "headers": {"A": "1", "a": "2"}}}}`, nil, "1:68", "error", "twice"},
		{"duration as a number", `{"servers": {"bad": {"command": "c", "startTimeout": 30}}}`, nil, "1:54", "error", `"30s"`},
		{"duration without unit", `{"servers": {"bad": {"command": "c", "startTimeout": "30"}}}`, nil, "1:54", "error", `"30s"`},
		{"negative duration", `{"servers": {"bad": {"command": "c", "callTimeout": "-1s"}}}`, nil, "1:53", "error", `"30s"`},
		{"rate", `{"servers": {"bad": {"command": "c", "samplingLimit": "10/d"}}}`, nil, "1:55", "error", `"10/m"`},
		{"rate of none", `{"servers": {"bad": {"command": "c", "samplingLimit": "0/m"}}}`, nil, "1:55", "error", `"10/m"`},
		{"scope", `{"servers": {"bad": {"command": "c", "scope": "global"}}}`, nil, "1:47", "error", `"session" or "workspace" or "user"`},
		{"protocol", `{"servers": {"bad": {"command": "c", "protocol": "latest"}}}`, nil, "1:50", "error", `"2025-11-25"`},
		{"roots", `{"servers": {"bad": {"command": "c", "roots": "all"}}}`, nil, "1:47", "error", `"none"`},
		{"control character in name", `{"servers": {"a\nb": {"command": "c"}}}`, nil, "1:14", "error", "control characters"},
		{"env of http", `{"servers": {"a": {"url": "http://h", "env": {}}}}`, []string{"a"}, "1:39", "warning", "has no effect"},
		{"enabled and disabled", `{"servers": {"a": {"command": "c", "enabled": true, "disabled": true}}}`, []string{"a"}, "1:53", "warning", "contradict"},
		{"the same key twice", `{"servers": {"a": {"command": "no"}, "a": {"command": "d"}}}`, []string{"a"}, "1:38", "warning", "the last one counts"},
		{"in both maps", `{"mcpServers": {"a": {"command": "no"}}, "servers": {"a": {"command": "c"}}}`, []string{"a"}, "1:17", "warning", `it is in "servers" too`},
		{"servers no object", `{"servers": []}`, nil, "1:13", "error", "must be an object"},
		{"input without id", `{"inputs": [{"type": "promptString"}]}`, nil, "1:13", "error", `"id"`},
		{"input of a command", `{"inputs": [{"id": "i", "type": "command"}]}`, nil, "1:33", "error", `"promptString"`},
		{"pick without options", `{"inputs": [{"id": "i", "type": "pickString"}]}`, nil, "1:13", "error", `"options"`},
		{"input twice", `{"inputs": [{"id": "i"}, {"id": "i"}]}`, nil, "1:26", "warning", "the first one counts"},
		{"inputs no list", `{"inputs": {}}`, nil, "1:12", "error", "must be a list"},
		{"input that is not there", `{"servers": {"a": {"command": "${input:i}"}}}`, []string{"a"}, "1:14", "warning", "${input:i}"},
		{"an approval in one's own file", `{"servers": {"a": {"command": "c", "autoApprove": []}}}`, []string{"a"}, "1:36", "warning", `unknown key "autoApprove"`},
		{"env in defaults", `{"defaults": {"env": {"A": "s3cret"}}}`, nil, "1:15", "warning", `unknown key "env"`},
		{"credentials", `{"credentials": "disk", "servers": {"a": {"command": "c"}}}`, []string{"a"}, "1:17", "error", `"keyring" or "file" or "memory"`},
		{"wrong default", `{"defaults": {"scope": "x"}, "servers": {"a": {"command": "c"}}}`, []string{"a"}, "1:24", "error", `"scope" of "defaults"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := ParseFile([]byte(test.text), userSource)
			if file.Broken || len(file.Servers) > 0 && file.Servers[0].Command == "no" {
				t.Errorf("it is broken, or the wrong one of two counts: %+v", file)
			}
			hasProblem(t, file, test.servers, test.at, test.severity, test.message)
		})
	}
}

// Fault self-approval.
func TestWorkspaceFileCannotApprove(t *testing.T) {
	for _, key := range []string{"approved", "trust", "trusted", "autoApprove", "alwaysAllow", "autoapprove"} {
		for _, place := range []string{
			`{"servers": {"a": {"command": "c", "%s": true}}}`,
			`{"servers": {"a": {"command": "c", "tools": {"t": {"%s": ["*"]}}}}}`,
			`{"%s": true, "servers": {"a": {"command": "c"}}}`,
		} {
			text := fmt.Sprintf(place, key)
			// The caller cannot make a workspace file Trusted.
			source := folderSource
			source.Trusted = true
			file := ParseFile([]byte(text), source)
			if len(file.Servers) != 1 || file.Servers[0].Source.Trusted || file.Source.Trusted {
				t.Errorf("%s: got %+v", text, file.Servers)
			}
			if len(file.Problems) != 1 || file.Problems[0].Severity != "error" || !strings.Contains(file.Problems[0].Message, "cannot approve") {
				t.Errorf("%s: got problems %+v", text, file.Problems)
			}
		}
	}
}

func TestWorkspaceFileHasNoDefaults(t *testing.T) {
	file := ParseFile([]byte(`{"defaults": {"scope": "user"}, "credentials": "file", "servers": {"a": {"command": "c"}}}`), folderSource)
	if len(file.Problems) != 2 || file.Servers[0].Scope != ScopeWorkspace || file.Credentials != "" {
		t.Errorf("got scope %s, credentials %q, problems %+v", file.Servers[0].Scope, file.Credentials, file.Problems)
	}
	for _, p := range file.Problems {
		if p.Severity != "warning" || !strings.Contains(p.Message, "has no effect here; it belongs in your own mcp.json") {
			t.Errorf("got %+v", p)
		}
	}
}

func TestParseServers(t *testing.T) {
	for _, test := range []struct {
		name, raw string
		servers   []string
		broken    bool
		problems  int
	}{
		{"absent", ``, nil, false, 0},
		{"null", ` null `, nil, false, 0},
		{"servers", `{"a": {"command": "c"}, "servers": {"command": "d"}}`, []string{"a", "servers"}, false, 0},
		{"one bad", `{"a": {"command": "c"}, "b": 1}`, []string{"a"}, false, 1},
		{"no object", `[]`, nil, true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := ParseServers(json.RawMessage(test.raw), editorSource)
			if !slices.Equal(names(file.Servers), test.servers) || file.Broken != test.broken || len(file.Problems) != test.problems {
				t.Errorf("got servers %v, broken %v, problems %+v", names(file.Servers), file.Broken, file.Problems)
			}
		})
	}
}

func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `// x`, "\ufeff{}", "\xff\xfe{\x00", `[[[[`, `{"servers": {"a": {"command": "c", "args": ["${input:x}"]}},}`,
		`{"mcpServers": {"a": {"url": "http://h", "headers": {"A": "b"}, "oauth": {"scopes": "a b", "enterprise": {"issuer": "https://i"}}}, "b": {"url": "http://h", "auth": {"CLIENT_ID": "c"}}}, "inputs": [{"id": "x"}]}`,
		`{"defaults": {"roots": [], "startTimeout": "1s"}, "servers": {"a": {"tools": {"*": {"bind": {"p": "${${file}}"}}}}}}`,
		`{"servers": {"a": {"command": "\ud800", "trust": 1, "trust": 2}}}`,
		"\ufeff{\"servers\": {\"x\": {\"command\": 1, \"scope\": \"a\\\"\" /* c */}, \"y\": {\"command\": \"c\"}}}\r\n//",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := ParseFile(data, folderSource)
		if file.Broken && (len(file.Servers) > 0 || len(file.Problems) == 0) {
			t.Errorf("broken, with servers %v and problems %v", names(file.Servers), file.Problems)
		}
		inside := func(s textdoc.Span) bool { return 0 <= s.Start && s.Start <= s.End && s.End <= len(data) }
		for _, p := range file.Problems {
			if p.Line < 0 || p.Line > 0 && p.Column < 1 || p.Message == "" || !inside(p.Span) {
				t.Errorf("problem %+v", p)
			}
		}
		for _, p := range file.Places {
			if !inside(p.Entry) || !inside(p.Key) || p.Key.Start != p.Entry.Start || p.Key.End > p.Entry.End {
				t.Errorf("%+v is not in the text", p)
			}
		}
		if len(file.Places) != len(file.Servers) || !file.Is(string(data)) {
			t.Errorf("%d places of %d servers, or the file is not its own text", len(file.Places), len(file.Servers))
		}
		seen := map[string]bool{}
		for _, d := range file.Servers {
			if seen[d.Name] || d.Source.Trusted || d.Digest == "" {
				t.Errorf("server %+v", d)
			}
			seen[d.Name] = true
			_ = d.FollowsFolder()
			_ = d.Rule("tool")
			if again := d.complete(file.defaults); again.Digest != d.Digest {
				t.Error("the digest is not stable")
			}
		}
		Merge("/bin/x", nil, nil, []*File{file})
	})
}
