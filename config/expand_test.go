package config

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

var testVars = Vars{
	Folder: "/home/u/my work",
	Home:   "/home/u",
	Env:    map[string]string{"X": "value", "EMPTY": "", "REL": "sub", "LOOP": "${env:X}", "NL": "a\r\nb", "NUL": "a\x00b", "$(x)": "odd"},
	Inputs: map[string]string{"id": "answer"},
}

// Fault hostile-variable.
func TestExpandVariables(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", "text $X $(cmd) `cmd` {x} $", "text $X $(cmd) `cmd` {x} $"},
		{"folder", "${workspaceFolder}/x", "/home/u/my work/x"},
		{"base name", "<${workspaceFolderBasename}>", "<my work>"},
		{"home", "${userHome}", "/home/u"},
		{"env", "${env:X}${env:X}", "valuevalue"},
		{"empty env", "<${env:EMPTY}>", "<>"},
		{"input", "Bearer ${input:id}", "Bearer answer"},
		{"no recursion", "${env:LOOP}", "${env:X}"},
		{"in another one", "a ${${env:X}} b", "a ${value} b"},
		{"no end", "${env:X", "${env:X"},
		{"no end, then one", "${ ${env:X}", "${ value"},
		{"name like a command", "${env:$(x)}", "odd"},
		{"line break in an argument", "${env:NL}", "a\r\nb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := Definition{Name: "s", Transport: Stdio, Command: "c", Args: []string{test.text}, Env: map[string]string{"E": test.text}}
			got, err := d.Expand(testVars)
			if err != nil {
				t.Fatal(err)
			}
			if got.Args[0] != test.want || got.Env["E"] != test.want {
				t.Errorf("got %q and %q", got.Args[0], got.Env["E"])
			}
			if d.Args[0] != test.text || d.Env["E"] != test.text {
				t.Error("the definition itself was changed")
			}
		})
	}
}

// Fault hostile-variable: the error names every variable without a value.
func TestExpandNamesWhatIsMissing(t *testing.T) {
	d := Definition{
		Name: "s", Transport: Stdio, Command: "${env:NO}", Args: []string{"${input:no}", "${env:X}", "${env:NO}"},
		Env: map[string]string{"B": "${file}", "A": "${HOME}", "C": "${a\x1b[2J}"}, Roots: Roots{Entries: []string{"${}"}},
	}
	_, err := d.Expand(testVars)
	if want := `server "s" needs a value for ${env:NO}, ${input:no}, ${HOME}, ${file}, ${a\x1b[2J}, ${};`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	_, err = Definition{Transport: Stdio, Command: "${workspaceFolder}${workspaceFolderBasename}${userHome}"}.Expand(Vars{})
	if want := "${workspaceFolder}, ${workspaceFolderBasename}, ${userHome};"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

func TestExpandEverywhereButBind(t *testing.T) {
	const text, want = "${env:X}", "value"
	of := func(x string) Definition {
		return Definition{
			Command: x, Args: []string{x}, Env: map[string]string{text: x}, EnvFile: x, Cwd: x, // names stay
			URL: x, Headers: map[string]string{text: x}, Roots: Roots{Entries: []string{x}},
			OAuth: &OAuth{
				ClientID: x, ClientSecret: x, ClientMetadataURL: x, Issuer: x, Scopes: []string{x}, PrivateKeyFile: x, KeyID: x,
				Enterprise: &Enterprise{Issuer: x, ClientID: x, ClientSecret: x},
			},
			Tools: map[string]ToolRule{"t": {Bind: map[string]string{"a": text}}},
		}
	}
	before := of(text)
	each := func(s string) string { return expandText(s, func(string) string { return want }) }
	if got := before.with(each); !reflect.DeepEqual(got, of(want)) {
		t.Errorf("got %+v with %+v", got, got.OAuth)
	}
	if !reflect.DeepEqual(before, of(text)) {
		t.Error("the definition itself was changed")
	}
}

// Promise 1: the file of a folder is about that folder.
func TestPromise1WhereAFileOfAFolderRuns(t *testing.T) {
	of := Source{URI: "file:///b/.vscode/mcp.json", Folder: "/b"}
	for _, test := range []struct{ name, command, cwd, wantCommand, wantCwd string }{
		{"no cwd", "c", "", "c", "/b"},
		{"relative cwd", "./c", "sub", "/b/sub/c", "/b/sub"},
		{"relative command", "./bin/c", "", "/b/bin/c", "/b"},
		{"variables", "${workspaceFolder}/c", "${workspaceFolder}/d", "/b/c", "/b/d"},
		{"its name", "${workspaceFolderBasename}", "/a", "b", "/a"},
		{"out of it", "../c", "..", "/c", "/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := Definition{Name: "s", Source: of, Transport: Stdio, Command: test.command, Cwd: test.cwd}
			v := testVars
			v.Folder = "/first"
			got, err := d.Expand(v)
			if err != nil || got.Command != test.wantCommand || got.Cwd != test.wantCwd {
				t.Errorf("got %q in %q, %v", got.Command, got.Cwd, err)
			}
			if dir, command := d.Where(); dir != test.wantCwd || command != test.wantCommand {
				t.Errorf("shown is %q in %q", command, dir)
			}
		})
	}
	for _, test := range []struct{ name, command, cwd, wantCommand, wantCwd string }{
		{"a variable in front", "${env:X}/c", "${env:X}", "${env:X}/c", "${env:X}"},
		{"a variable inside", "./a/${env:X}/../c", "d/${env:X}", "/b/d/${env:X}/./a/${env:X}/../c", "/b/d/${env:X}"},
	} {
		if dir, command := (Definition{Source: of, Transport: Stdio, Command: test.command, Cwd: test.cwd}).Where(); dir != test.wantCwd || command != test.wantCommand {
			t.Errorf("%s: shown is %q in %q", test.name, command, dir)
		}
	}
}

// Promise 1: which servers of the user's need a question in a folder, and what binds the decision.
func TestPromise1ServersThatEnterTheFolder(t *testing.T) {
	user := Source{URI: "file:///home/u/mcp.json", Trusted: true}
	in := func(d Definition, real string) Definition {
		d.Name, d.Source, d.Transport = "s", user, Stdio
		set := &Set{Servers: []Definition{d}}
		set.In("/w", real)
		return set.Servers[0]
	}
	base := Definition{Command: "c", Cwd: "${workspaceFolder}"}
	for name, d := range map[string]Definition{
		"cwd": base, "relative cwd": {Command: "c", Cwd: "sub"}, "command": {Command: "${workspaceFolder}/c"}, "relative command": {Command: "./c"},
		"envFile": {Command: "c", EnvFile: "${workspaceFolder}/.env"}, "PATH": {Command: "c", Env: map[string]string{"PATH": "${workspaceFolder}/bin:${env:PATH}"}},
		"name of the folder": {Command: "${workspaceFolderBasename}"}, "PWD": {Command: "c", Cwd: "${env:PWD}"},
	} {
		if got := in(d, "/w"); got.Asks == "" || got.Enters != "/w" {
			t.Errorf("%s: there is no question about it", name)
		}
	}
	for name, d := range map[string]Definition{
		"nothing": {Command: "c"}, "arguments": {Command: "npx", Args: []string{"${workspaceFolder}"}}, "a variable for itself": {Command: "c", Env: map[string]string{"ROOT": "${workspaceFolder}"}},
		"absolute": {Command: "/opt/c", Cwd: "/opt", EnvFile: "/opt/.env"}, "relative command elsewhere": {Command: "./c", Cwd: "/opt"}, "its own envFile": {Command: "c", EnvFile: ".env"},
		"home": {Command: "${userHome}/c", Cwd: "${userHome}"},
	} {
		if got := in(d, "/w"); got.Asks != "" || got.Enters != "" {
			t.Errorf("%s: there is a question about it", name)
		}
	}
	want := in(base, "/w").Asks
	same, other := base, base
	same.CallTimeout, same.Args, same.Env = time.Second, []string{"a"}, map[string]string{"A": "b"}
	other.Env = map[string]string{"PATH": "${workspaceFolder}"}
	if in(same, "/w").Asks != want {
		t.Error("there is another question when something else has changed")
	}
	if in(base, "/elsewhere").Asks == want || in(other, "/w").Asks == want {
		t.Error("there is no new question in another folder, or when it enters in another way")
	}
	if shown := in(other, "/w").Shown(); shown.Folder != "/w" || shown.Cwd != "/w" || len(shown.Environment) != 1 {
		t.Errorf("shown is %+v", shown)
	}
}

func TestExpandPaths(t *testing.T) {
	for _, test := range []struct {
		name, command, cwd, folder string
		wantCommand, wantCwd       string
		err                        string
	}{
		{"no cwd", "c", "", "/w", "c", "", ""},
		{"relative cwd", "c", "sub", "/w", "c", "/w/sub", ""},
		{"absolute cwd", "c", "/other", "/w", "c", "/other", ""},
		{"nothing to go by", "c", "", "", "c", "", ""},
		{"relative command", "./bin/c", "", "/w", "/w/bin/c", "", ""},
		{"relative command against cwd", "../c", "/a/b", "/w", "/a/c", "/a/b", ""},
		{"absolute command", "/bin/c", "", "/w", "/bin/c", "", ""},
		{"a variable that is relative after all", "c", "${env:REL}", "/w", "", "", "cwd is relative"},
		{"a command that is", "${env:REL}/c", "", "/w", "", "", "command is relative"},
		{"relative cwd without folder", "c", "sub", "", "", "", "cwd is relative"},
		{"relative command without folder", "./c", "", "", "", "", "command is relative"},
		{"empty command", "${env:EMPTY}", "", "/w", "", "", "command is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := testVars
			v.Folder = test.folder
			got, err := Definition{Name: "s", Transport: Stdio, Command: test.command, Cwd: test.cwd}.Expand(v)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(err.Error(), `"s"`) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || got.Command != filepath.FromSlash(test.wantCommand) || got.Cwd != filepath.FromSlash(test.wantCwd) {
				t.Errorf("got %q in %q, %v", got.Command, got.Cwd, err)
			}
		})
	}
}

// Fault hostile-variable: Expand refuses what cannot be handed on, and does not show its value.
func TestExpandRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		d    Definition
	}{
		{"line break in a header", Definition{Transport: HTTP, URL: "http://h", Headers: map[string]string{"H": "${env:NL}"}}},
		{"NUL in a header", Definition{Transport: HTTP, URL: "http://h", Headers: map[string]string{"H": "${env:NUL}"}}},
		{"NUL in an argument", Definition{Transport: Stdio, Command: "c", Args: []string{"${env:NUL}"}}},
		{"NUL in the environment", Definition{Transport: Stdio, Command: "c", Env: map[string]string{"H": "${env:NUL}"}}},
		{"NUL in cwd", Definition{Transport: Stdio, Command: "c", Cwd: "/${env:NUL}"}},
		{"URL without a host", Definition{Transport: HTTP, URL: "http://:80/"}},
		{"line break in the URL", Definition{Transport: HTTP, URL: "http://h/${env:NL}"}},
		{"no URL", Definition{Transport: SSE, URL: "${env:X}"}},
		{"issuer that is no URL", Definition{Transport: HTTP, URL: "http://h", OAuth: &OAuth{ClientID: "c", Issuer: "${env:X}"}}},
		{"metadata that is no URL", Definition{Transport: HTTP, URL: "http://h", OAuth: &OAuth{ClientMetadataURL: "https://h${env:EMPTY}"}}},
		{"secret without client", Definition{Transport: HTTP, URL: "http://h", OAuth: &OAuth{ClientID: "${env:EMPTY}", ClientSecret: "s"}}},
		{"enterprise without client", Definition{Transport: HTTP, URL: "http://h", OAuth: &OAuth{Enterprise: &Enterprise{Issuer: "https://h", ClientID: "${env:EMPTY}"}}}},
		{"enterprise that is no URL", Definition{Transport: HTTP, URL: "http://h", OAuth: &OAuth{Enterprise: &Enterprise{Issuer: "${env:NL}", ClientID: "c"}}}},
		{"NUL in the path of a key", Definition{Transport: HTTP, URL: "http://h", OAuth: &OAuth{ClientID: "c", PrivateKeyFile: "/${env:NUL}"}}},
		{"key beside no file", Definition{Transport: HTTP, URL: "http://h", Source: editorSource, OAuth: &OAuth{ClientID: "c", PrivateKeyFile: "key.pem"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.d.Expand(testVars)
			if err == nil || strings.Contains(err.Error(), "needs a value") || strings.Contains(err.Error(), "a\r\nb") || strings.Contains(err.Error(), "a\x00b") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestExpandEnvFile(t *testing.T) {
	home, folder := t.TempDir(), t.TempDir()
	write(t, filepath.Join(home, "x.env"), "A=file\nB=file\n")
	write(t, filepath.Join(folder, "x.env"), "A=folder\n")
	write(t, filepath.Join(folder, "bad.env"), "A=1\ns3cret\n")
	user := Source{URI: fileuri.FromPath(filepath.Join(home, "mcp.json")), Trusted: true}
	for _, test := range []struct {
		name    string
		source  Source
		envFile string
		want    map[string]string
		err     string
	}{
		{"beside its file", user, "x.env", map[string]string{"A": "file", "B": "env"}, ""},
		{"of the editor", editorSource, "x.env", map[string]string{"A": "folder", "B": "env"}, ""},
		{"absolute", user, "${workspaceFolder}/x.env", map[string]string{"A": "folder", "B": "env"}, ""},
		{"missing", user, "no.env", nil, "no.env"},
		{"a folder", user, home, nil, "not a regular file"},
		{"bad line", editorSource, "bad.env", nil, "line 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := Definition{Name: "s", Source: test.source, Transport: Stdio, Command: "c", EnvFile: test.envFile, Env: map[string]string{"B": "env"}}
			got, err := d.Expand(Vars{Folder: folder})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || !maps.Equal(got.Env, test.want) {
				t.Errorf("got %v, %v", got.Env, err)
			}
		})
	}
}

func TestEnvLine(t *testing.T) {
	for _, test := range []struct {
		line, key, value string
		ok               bool
	}{
		{"A=b", "A", "b", true},
		{"A=", "A", "", true},
		{"A = b c ", "A", "b c", true},
		{"export A=b", "A", "b", true},
		{"export\tA=b", "A", "b", true},
		{"exported=b", "exported", "b", true},
		{"export=b", "export", "b", true},
		{"A=b # comment", "A", "b", true},
		{"A=# comment", "A", "", true},
		{"A=b#c", "A", "b#c", true},
		{"A=${env:X}$(y)", "A", "${env:X}$(y)", true},
		{`A="b # c" # d`, "A", "b # c", true},
		{`A="a\n\"b\"\\\t\x"`, "A", "a\n\"b\"\\\t\\x", true},
		{`A='a\n"b"'`, "A", `a\n"b"`, true},
		{`A=a=b`, "A", "a=b", true},
		{`A="b`, "", "", false},
		{`A='b`, "", "", false},
		{`A="b" c`, "", "", false},
		{`A='b' c`, "", "", false},
		{`A`, "", "", false},
		{`=b`, "", "", false},
		{`A B=c`, "", "", false},
	} {
		t.Run(test.line, func(t *testing.T) {
			key, value, ok := envLine(strings.TrimSpace(test.line))
			if ok != test.ok || ok && (key != test.key || value != test.value) {
				t.Errorf("got %q, %q, %v", key, value, ok)
			}
		})
	}
}

func TestExpandBind(t *testing.T) {
	context := map[string]string{"file": "/w/a.go", "selectedText": "${env:X}", "lineNumber": "3"}
	for _, test := range []struct {
		text, want string
		ok         bool
	}{
		{"${file}:${lineNumber}", "/w/a.go:3", true},
		{"${selectedText}", "${env:X}", true},
		{"${workspaceFolder}/${env:X}/${input:id}", "/home/u/my work/value/answer", true},
		{"text", "text", true},
		{"${languageId}", "", false},
		{"${file} ${env:NO}", "", false},
	} {
		if got, ok := ExpandBind(test.text, testVars, context); got != test.want || ok != test.ok {
			t.Errorf("%s: got %q, %v", test.text, got, ok)
		}
	}
}

func TestInputIDs(t *testing.T) {
	d := Definition{
		Command: "${input:c}", Args: []string{"${input:a}${input:c}", "${env:input:x}"},
		Env: map[string]string{"B": "${input:b2}", "A": "${input:b1}"}, Cwd: "${input:d}",
		OAuth: &OAuth{ClientSecret: "${input:o}", Enterprise: &Enterprise{ClientSecret: "${input:e}"}}, Roots: Roots{Entries: []string{"${input:r}"}},
		Tools: map[string]ToolRule{"t": {Bind: map[string]string{"p": "${input:t}"}}},
	}
	if got, want := d.InputIDs(), []string{"c", "a", "b1", "b2", "d", "o", "e", "r", "t"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestUsesFolder(t *testing.T) {
	const folder, base = "${workspaceFolder}/x", "${workspaceFolderBasename}"
	for _, test := range []struct {
		name string
		d    Definition
		want bool
	}{
		{"nothing", Definition{Command: "c", Args: []string{"${env:workspaceFolder}"}}, false},
		{"command", Definition{Command: folder}, true},
		{"args", Definition{Args: []string{"a", base}}, true},
		{"oauth", Definition{OAuth: &OAuth{PrivateKeyFile: folder}}, true},
		{"roots do not count", Definition{Roots: Roots{Entries: []string{folder}}}, false},
		{"bind does not count", Definition{Tools: map[string]ToolRule{"t": {Bind: map[string]string{"p": folder}}}}, false},
	} {
		if got := test.d.FollowsFolder(); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func FuzzExpandBind(f *testing.F) {
	for _, seed := range []string{"", "${file}", "${${file}}", "${", "}${file}${", "${env:X}$(x)${}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		same := expandText(text, func(name string) string {
			if strings.ContainsAny(name, "{}") {
				t.Errorf("variable %q", name)
			}
			return "${" + name + "}"
		})
		if same != text {
			t.Errorf("of %q is left %q", text, same)
		}
	})
}

// write writes content to the file at path, in place.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
