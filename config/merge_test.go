package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMerge(t *testing.T) {
	other := Source{URI: "file:///w2/.mcp.json", Folder: "/w2"}
	parse := func(text string, source Source) *File {
		if text == "" {
			return nil
		}
		return ParseFile([]byte(text), source)
	}
	for _, test := range []struct {
		name                         string
		user, editor, folder, second string
		allowed                      string // names of the servers of folders that are allowed
		servers, shadowed            string // name=command@source
	}{
		{name: "nothing configured", servers: "workspace=/x@builtin"},
		{name: "files without servers", user: `{"servers": {}}`, folder: `{}`, servers: "workspace=/x@builtin"},
		{name: "only a disabled server", user: `{"servers": {"a": {"command": "c", "enabled": false}}}`, servers: "a=c@file:///home/u/mcp.json"},
		{
			// Fault server-redefined.
			name:   "the user's wins",
			user:   `{"servers": {"a": {"command": "u"}}}`,
			editor: `{"servers": {"a": {"command": "e"}, "b": {"command": "e"}}}`,
			folder: `{"servers": {"b": {"command": "f"}, "c": {"command": "f"}}}`,
			second: `{"servers": {"a": {"command": "g"}, "c": {"command": "g"}, "d": {"command": "g"}}}`,
			servers: "a=u@file:///home/u/mcp.json b=e@editor c=f@file:///w/.mcp.json" +
				" d=g@file:///w2/.mcp.json",
			shadowed: "a=e@editor b=f@file:///w/.mcp.json a=g@file:///w2/.mcp.json c=g@file:///w2/.mcp.json",
		},
		{
			name:    "the built-in one beside another",
			user:    `{"servers": {"a": {"command": "c"}, "workspace": {"enabled": true}}}`,
			servers: "a=c@file:///home/u/mcp.json workspace=/x@file:///home/u/mcp.json",
		},
		{
			name:    "a folder's, which nobody has allowed",
			folder:  `{"servers": {"a": {"command": "c"}}}`,
			second:  `{"servers": {"b": {"command": "c"}}}`,
			servers: "workspace=/x@builtin a=c@file:///w/.mcp.json b=c@file:///w2/.mcp.json",
		},
		{
			name:    "a folder's, one of which is allowed",
			folder:  `{"servers": {"a": {"command": "c"}}}`,
			second:  `{"servers": {"b": {"command": "c"}}}`,
			allowed: "b",
			servers: "a=c@file:///w/.mcp.json b=c@file:///w2/.mcp.json",
		},
		{
			name:    "the built-in one in a folder's file",
			folder:  `{"servers": {"a": {"command": "c"}, "workspace": {}}}`,
			allowed: "a",
			servers: "a=c@file:///w/.mcp.json workspace=/x@file:///w/.mcp.json",
		},
		{
			name:    "another one of its name in a folder's file, which nobody has allowed",
			folder:  `{"servers": {"workspace": {"command": "theirs"}}}`,
			servers: "workspace=theirs@file:///w/.mcp.json",
		},
		{
			name:    "the editor's",
			editor:  `{"servers": {"a": {"command": "c", "enabled": false}}}`,
			folder:  `{"servers": {"b": {"command": "c"}}}`,
			servers: "a=c@editor b=c@file:///w/.mcp.json",
		},
		{
			name:    "another one of its name",
			user:    `{"servers": {"workspace": {"command": "mine"}}}`,
			servers: "workspace=mine@file:///home/u/mcp.json",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := Merge("/x", parse(test.user, userSource), parse(test.editor, editorSource),
				[]*File{parse(test.folder, folderSource), nil, parse(test.second, other)})
			set.KeepBuiltin(func(d Definition) bool { return d.Name == test.allowed })
			source := func(d Definition) string { return d.Source.URI }
			if got := described(set.Servers, source); got != test.servers {
				t.Errorf("servers\n got %s\nwant %s", got, test.servers)
			}
			if got := described(set.Shadowed, source); got != test.shadowed {
				t.Errorf("shadowed\n got %s\nwant %s", got, test.shadowed)
			}
			for _, d := range set.Servers {
				if d.Source.Trusted != (d.Source.Folder == "") {
					t.Errorf("%s: trusted %v from %s", d.Name, d.Source.Trusted, d.Source.URI)
				}
			}
		})
	}
}

// described returns name=command@of of definitions.
func described(definitions []Definition, of func(Definition) string) string {
	var all []string
	for _, d := range definitions {
		all = append(all, d.Name+"="+d.Command+"@"+of(d))
	}
	return strings.Join(all, " ")
}

// A definition that another client runs hides none that the daemon runs, wherever it is.
func TestMergeRunBy(t *testing.T) {
	first := ParseFile([]byte(`{"servers": {"a": {"command": "theirs"}, "b": {"command": "theirs"}, "c": {"command": "theirs"}}}`), folderSource)
	user := ParseFile([]byte(`{"servers": {"a": {"command": "ours"}}}`), userSource)
	second := ParseFile([]byte(`{"servers": {"b": {"command": "ours"}, "d": {"command": "ours"}}}`), Source{URI: "file:///w2/.mcp.json", Folder: "/w2"})
	set := Merge("/x", user, nil, []*File{first.RunBy("Other"), second})
	set.KeepBuiltin(func(Definition) bool { return true })
	runBy := func(d Definition) string { return d.RunBy }
	if got, want := described(set.Servers, runBy), "a=ours@ b=ours@ c=theirs@Other d=ours@"; got != want {
		t.Errorf("servers\n got %s\nwant %s", got, want)
	}
	if got, want := described(set.Shadowed, runBy), "a=theirs@Other b=theirs@Other"; got != want {
		t.Errorf("shadowed\n got %s\nwant %s", got, want)
	}
	set = Merge("/x", nil, nil, []*File{first.RunBy("Other")})
	set.KeepBuiltin(func(Definition) bool { return true })
	if len(set.Servers) != 4 || set.Servers[0].Source.URI != SourceBuiltin {
		t.Errorf("what another client runs has replaced the built-in server: %+v", set.Servers)
	}
	if first.Servers[0].RunBy != "" {
		t.Error("the file has changed for everybody")
	}
}

// Servers that another client runs take no room from those that the daemon runs.
func TestMergeRunByTakesNoRoom(t *testing.T) {
	var files []*File
	for i := range 4 {
		file := ParseFile([]byte(many(fmt.Sprintf("s%d-", i), 100, 0)), folderSource)
		if i < 3 {
			file = file.RunBy("Other")
		}
		files = append(files, file)
	}
	set := Merge("/x", nil, nil, files)
	if len(set.Servers) != 400 || len(set.Problems) != 0 {
		t.Errorf("%d servers, problems %v", len(set.Servers), set.Problems)
	}
	set = Merge("/x", nil, nil, append(files, files[0].RunBy("Other"))) // one file too many
	if len(set.Servers)+len(set.Shadowed) != 400 || len(set.Problems) != 1 {
		t.Errorf("%d servers, %d shadowed, problems %v", len(set.Servers), len(set.Shadowed), set.Problems)
	}
}

func TestSourcePath(t *testing.T) {
	for _, test := range []struct{ uri, folder, want string }{
		{"file:///w/.vscode/mcp.json", "/w", ".vscode/mcp.json"},
		{"file:///w%20x/.mcp.json", "/w x", ".mcp.json"},
		{"file:///.mcp.json", "/", ".mcp.json"},
		{"file:///home/u/mcp.json", "", ""},
		{SourceEditor, "", ""},
	} {
		if got := (Source{URI: test.uri, Folder: test.folder}).Path(); got != test.want {
			t.Errorf("%s in %q: got %q, want %q", test.uri, test.folder, got, test.want)
		}
	}
}

// A workspace file must not slip settings under the trusted server.
func TestBuiltinOfWorkspaceFileIsNotTrusted(t *testing.T) {
	file := ParseFile([]byte(`{"servers": {"workspace": {"env": {"LD_PRELOAD": "x"}, "args": ["-v"]}}}`), folderSource)
	set := Merge("/x", nil, nil, []*File{file})
	d := set.Servers[0]
	if d.Source.Trusted || d.Source.URI != folderSource.URI {
		t.Errorf("source %+v", d.Source)
	}
	if !slices.Equal(d.Args, []string{"workspace-server", "-v"}) || d.Env["LD_PRELOAD"] != "x" {
		t.Errorf("got %+v", d)
	}
	if trusted := set.builtin; d.Digest == trusted.Digest || !trusted.Enabled || trusted.Scope != ScopeWorkspace || !slices.Equal(trusted.Args, []string{"workspace-server"}) {
		t.Error("it has the digest of the trusted one")
	}
}

func TestDefaults(t *testing.T) {
	user := ParseFile([]byte(`{
		"defaults": {"scope": "session", "protocol": "2025-06-18", "roots": "none", "startTimeout": "1m", "callTimeout": "2m", "sampling": "deny", "samplingLimit": "1/s", "elicitationLimit": "2/s"},
		"servers": {"says": {"command": "c", "scope": "user", "protocol": "auto", "roots": "workspace", "startTimeout": "1s", "callTimeout": "2s", "sampling": "ask", "samplingLimit": "9/h", "elicitationLimit": "8/h"}}
	}`), userSource)
	folder := ParseFile([]byte(`{"servers": {"silent": {"command": "c"}}}`), folderSource)
	set := Merge("/x", user, nil, []*File{folder})
	type preferences struct {
		Scope       Scope
		Protocol    string
		Roots       Roots
		Start, Call time.Duration
		Sampling    SamplingPolicy
		Limit, Asks Rate
	}
	want := []preferences{
		{ScopeUser, "auto", Roots{}, time.Second, 2 * time.Second, SamplingAsk, Rate{9, time.Hour}, Rate{8, time.Hour}},
		{ScopeSession, "2025-06-18", Roots{None: true}, time.Minute, 2 * time.Minute, SamplingDeny, Rate{1, time.Second}, Rate{2, time.Second}},
	}
	for i, d := range set.Servers {
		got := preferences{d.Scope, d.Protocol, d.Roots, d.StartTimeout, d.CallTimeout, d.Sampling, d.SamplingLimit, d.ElicitationLimit}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%s: got %+v", d.Name, got)
		}
	}
	if set.Servers[0].Digest != user.Servers[0].Digest {
		t.Error("defaults changed the digest of a server that says everything itself")
	}
	if set.Servers[1].Digest == folder.Servers[0].Digest {
		t.Error("defaults changed what is run and not the digest")
	}
}

func TestDigest(t *testing.T) {
	const base = `{"servers": {"a": {"command": "c", "args": ["x", "y"], "env": {"A": "1", "B": "2"}, "tools": {"t": {"bind": {"p": "v"}}}}}}`
	digestOf := func(text string, source Source) string {
		file := ParseFile([]byte(text), source)
		if len(file.Servers) != 1 {
			t.Fatalf("%s: problems %+v", text, file.Problems)
		}
		return file.Servers[0].Digest
	}
	want := digestOf(base, folderSource)
	linked := folderSource
	linked.Resolved = "/elsewhere/mcp.json"
	const remote = `{"inputs": [{"id": "i", "default": "d"}, {"id": "j"}], "servers": {"a": {"url": "http://h/${input:i}", "headers": {"H": "1"}}}}`
	signed := strings.Replace(remote, `"url"`, `"oauth": {"clientId": "x", "issuer": "https://i", "redirectPort": 8080, "scopes": ["a", "b"], "privateKeyFile": "k.pem", "keyId": "kid"}, "url"`, 1)
	enterprise := strings.Replace(remote, `"url"`, `"oauth": {"enterprise": {"issuer": "https://e", "clientId": "ec"}}, "url"`, 1)

	for _, test := range []struct {
		name, from, text string
		source           Source
		same             bool
	}{
		{"white space, comments, order", base, "// hello\n" + `{"mcpServers": {"a": {"args": ["x",  "y",], "env": {"B": "2", "A": "1"}, "command": "\u0063", "tools": {"t": {"bind": {"p": "v"}}}}}}`, folderSource, true},
		{"another server beside it", base, strings.Replace(base, `{"a":`, `{"bad": 1, "a":`, 1), folderSource, true},
		{"enabled", base, strings.Replace(base, `"c"`, `"c", "enabled": false`, 1), folderSource, true},
		{"timeouts", base, strings.Replace(base, `"c"`, `"c", "startTimeout": "9s", "callTimeout": "9s"`, 1), folderSource, true},
		{"rules for agents", base, strings.Replace(base, `"command"`, `"agents": {"t": "allow"}, "command"`, 1), folderSource, false},
		{"hidden", base, strings.Replace(base, `"t": {`, `"t": {"hidden": true, `, 1), folderSource, true},
		{"said as it is by itself", base, strings.Replace(base, `"c"`, `"c", "scope": "workspace", "samplingLimit": "10/m"`, 1), folderSource, true},
		{"command", base, strings.Replace(base, `"c"`, `"d"`, 1), folderSource, false},
		// Fault definition-changed.
		{"argument", base, strings.Replace(base, `"x"`, `"z"`, 1), folderSource, false},
		{"order of arguments", base, strings.Replace(base, `"x", "y"`, `"y", "x"`, 1), folderSource, false},
		{"arguments joined", base, strings.Replace(base, `"x", "y"`, `"x y"`, 1), folderSource, false},
		{"value of env", base, strings.Replace(base, `"2"`, `"3"`, 1), folderSource, false},
		{"name of env", base, strings.Replace(base, `"B"`, `"C"`, 1), folderSource, false},
		{"envFile", base, strings.Replace(base, `"c"`, `"c", "envFile": ".env"`, 1), folderSource, false},
		{"elsewhere in a folder of another path", base, base, Source{URI: folderSource.URI, Folder: "/w3"}, false},
		{"cwd", base, strings.Replace(base, `"c"`, `"c", "cwd": "/"`, 1), folderSource, false},
		{"roots", base, strings.Replace(base, `"c"`, `"c", "roots": ["/"]`, 1), folderSource, false},
		{"scope", base, strings.Replace(base, `"c"`, `"c", "scope": "user"`, 1), folderSource, false},
		{"protocol", base, strings.Replace(base, `"c"`, `"c", "protocol": "2025-11-25"`, 1), folderSource, false},
		{"sampling", base, strings.Replace(base, `"c"`, `"c", "sampling": "deny"`, 1), folderSource, false},
		{"samplingLimit", base, strings.Replace(base, `"c"`, `"c", "samplingLimit": "11/m"`, 1), folderSource, false},
		{"elicitationLimit", base, strings.Replace(base, `"c"`, `"c", "elicitationLimit": "31/m"`, 1), folderSource, false},
		{"bind", base, strings.Replace(base, `"v"`, `"w"`, 1), folderSource, false},
		{"name", base, strings.Replace(base, `"a"`, `"b"`, 1), folderSource, false},
		{"file", base, base, Source{URI: "file:///w2/.mcp.json", Folder: "/w2"}, false},
		// Fault config-moved.
		{"symbolic link re-pointed", base, base, linked, false},
		{"remote as it is", remote, remote, folderSource, true},
		{"an input it does not use", remote, strings.Replace(remote, `"j"`, `"k"`, 1), folderSource, true},
		{"default of an input it uses", remote, strings.Replace(remote, `"d"`, `"e"`, 1), folderSource, false},
		{"url", remote, strings.Replace(remote, `http:`, `https:`, 1), folderSource, false},
		{"transport", remote, strings.Replace(remote, `"url"`, `"type": "sse", "url"`, 1), folderSource, false},
		{"header", remote, strings.Replace(remote, `"1"`, `"2"`, 1), folderSource, false},
		{"oauth", remote, strings.Replace(remote, `"url"`, `"oauth": {"clientId": "x"}, "url"`, 1), folderSource, false},
		{"oauth in another spelling", signed, strings.NewReplacer(`"redirectPort"`, `"callbackPort"`, `["a", "b"]`, `"a b"`, `"k.pem"`, `"k.pem", "grant": "authorization_code"`).Replace(signed), folderSource, true},
		{"issuer", signed, strings.Replace(signed, `https://i`, `https://j`, 1), folderSource, false},
		{"redirectPort", signed, strings.Replace(signed, `8080`, `8081`, 1), folderSource, false},
		{"privateKeyFile", signed, strings.Replace(signed, `k.pem`, `l.pem`, 1), folderSource, false},
		{"keyId", signed, strings.Replace(signed, `"kid"`, `"kie"`, 1), folderSource, false},
		{"grant", signed, strings.Replace(signed, `"redirectPort": 8080`, `"grant": "client_credentials"`, 1), folderSource, false},
		{"scopes", signed, strings.Replace(signed, `["a", "b"]`, `["a"]`, 1), folderSource, false},
		{"enterprise", enterprise, remote, folderSource, false},
		{"issuer of the enterprise", enterprise, strings.Replace(enterprise, `https://e`, `https://f`, 1), folderSource, false},
		{"client of the enterprise", enterprise, strings.Replace(enterprise, `"ec"`, `"ed"`, 1), folderSource, false},
		{"secret of the enterprise", enterprise, strings.Replace(enterprise, `"ec"`, `"ec", "clientSecret": "s"`, 1), folderSource, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			from := want
			if test.from != base {
				from = digestOf(test.from, folderSource)
			}
			if test.text == test.from && test.source == folderSource && test.name != "remote as it is" {
				t.Fatal("the test changes nothing")
			}
			if same := digestOf(test.text, test.source) == from; same != test.same {
				t.Errorf("same digest: %v", same)
			}
		})
	}
}

func TestRule(t *testing.T) {
	d := one(t, `{"servers": {"a": {"command": "c", "tools": {
		"*": {"hidden": true, "bind": {"all": "star", "path": "star"}},
		"read_*": {"hidden": false, "bind": {"path": "read"}},
		"read_file": {"bind": {"path": "exact"}},
		"read_secret*": {"hidden": true},
		"?": {"hidden": false},
		"ns/*": {"hidden": false},
		"a*c*e": {"bind": {"p": "ace"}}
	}}}}`)
	for _, test := range []struct {
		tool   string
		hidden bool
		bind   map[string]string
	}{
		{"write", true, map[string]string{"all": "star", "path": "star"}},
		{"read_file", false, map[string]string{"all": "star", "path": "exact"}},
		{"read_dir", false, map[string]string{"all": "star", "path": "read"}},
		{"read_secrets", true, map[string]string{"all": "star", "path": "read"}},
		{"é", false, map[string]string{"all": "star", "path": "star"}},
		{"ns/tool/x", false, map[string]string{"all": "star", "path": "star"}},
		{"abcde", true, map[string]string{"all": "star", "path": "star", "p": "ace"}},
		{"abcd", true, map[string]string{"all": "star", "path": "star"}},
	} {
		t.Run(test.tool, func(t *testing.T) {
			if rule := d.Rule(test.tool); rule.Hidden != test.hidden || !reflect.DeepEqual(rule.Bind, test.bind) {
				t.Errorf("got %+v", rule)
			}
		})
	}
	if rule := (Definition{}).Rule("x"); rule.Hidden || len(rule.Bind) > 0 {
		t.Errorf("without rules: %+v", rule)
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"**", "abc", true}, {"?", "", false},
		{"a?c", "abc", true}, {"a?c", "ac", false}, {"*b*b", "abab", true}, {"*b*b", "ab", false},
		{"[a]", "a", false}, {"[a]", "[a]", true}, {`\*`, "*", false}, {`\*`, `\x`, true}, {"a*d", "a/b/c/d", true}, {"a?b", "a/b", true},
		{strings.Repeat("*a", 50) + "b", strings.Repeat("a", 500), false},
	} {
		if got := matches(test.pattern, test.name); got != test.want {
			t.Errorf("matches(%q, %q) = %v", test.pattern, test.name, got)
		}
	}
}

// Your own rules for agents take effect without a restart; nobody has seen those of a workspace file.
func TestDigestCoversRulesForAgentsOfWorkspaceFiles(t *testing.T) {
	for source, same := range map[Source]bool{userSource: true, folderSource: false} {
		digest := func(text string) string { return ParseFile([]byte(text), source).Servers[0].Digest }
		if got := digest(`{"servers": {"a": {"command": "c", "agents": {"t": "never"}}}}`) == digest(`{"servers": {"a": {"command": "c", "agents": {"t": "ask"}}}}`); got != same {
			t.Errorf("%s: same digest: %v", source.URI, got)
		}
	}
}

// The most specific pattern says what agents may do, as with the rules for tools.
func TestAgentRule(t *testing.T) {
	d := one(t, `{"servers": {"a": {"command": "c", "agents": {"*": "ask", "delete_*": "never", "delete_draft": "allow", "get_?": "allow"}}}}`)
	for tool, want := range map[string]AgentRule{
		"other": AgentAsk, "delete_all": AgentNever, "delete_draft": AgentAllow, "delete_drafts": AgentNever, "get_a": AgentAllow, "get_ab": AgentAsk, "Delete_draft": AgentAsk,
	} {
		if got := d.AgentRule(tool); got != want {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
	if got := (Definition{}).AgentRule("x"); got != AgentAllow {
		t.Errorf("without rules: %s", got)
	}
}

// What a broken file defined before holds, and says why it may be outdated.
func TestOutdated(t *testing.T) {
	broken := ParseFile([]byte("{\n  \"servers\": {"), folderSource)
	broken.Servers = ParseFile([]byte(`{"servers": {"a": {"command": "c"}}}`), folderSource).Servers // as a Store keeps them
	user := ParseFile([]byte(`{"servers": {"b": {"command": "c"}, "wrong": 1}}`), userSource)
	set := Merge("/x", user, nil, []*File{broken})
	got := map[string][]string{}
	for _, d := range set.Servers {
		got[d.Name] = set.Outdated(d)
	}
	if len(got) != 2 || got["b"] != nil || len(got["a"]) != 1 || !strings.HasPrefix(got["a"][0], "it is as its file was before that broke; mend /w/.mcp.json: line 2: ") {
		t.Errorf("got %q", got)
	}
}
