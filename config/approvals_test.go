package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

func openApprovals(t *testing.T, path string) *Approvals {
	t.Helper()
	a, err := OpenApprovals(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func decide(t *testing.T, a *Approvals, d Definition, decision Decision) {
	t.Helper()
	if err := a.Decide(d, decision); err != nil {
		t.Fatal(err)
	}
}

// decided returns what a says about d: "", allow or deny.
func decided(a *Approvals, d Definition) Decision {
	record, _ := a.Records().Lookup(d.Digest)
	return record.Decision
}

// workspaceServer returns a definition from a workspace file.
func workspaceServer(t *testing.T, argument string) Definition {
	t.Helper()
	file := ParseFile([]byte(`{"servers": {"a": {"command": "c", "args": ["`+argument+`"], "env": {"TOKEN": "${env:SECRET}"}}}}`), folderSource)
	if len(file.Problems) > 0 {
		t.Fatalf("problems %+v", file.Problems)
	}
	return file.Servers[0]
}

func TestApprovals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "approvals.json")
	a := openApprovals(t, path)
	one, two := workspaceServer(t, "1"), workspaceServer(t, "2")
	if got := decided(a, one); got != "" {
		t.Errorf("at first %q", got)
	}
	if _, ok := a.Records().Previous(Definition{Source: folderSource, Name: "a"}); ok {
		t.Error("a previous one at first")
	}
	decide(t, a, one, Allow)
	// Fault definition-changed: one more argument makes another definition.
	if got, other := decided(a, one), decided(a, two); got != Allow || other != "" {
		t.Errorf("got %q and %q", got, other)
	}
	previous, ok := a.Records().Previous(Definition{Source: folderSource, Name: "a"})
	if !ok || previous.Digest != one.Digest || previous.Decision != Allow || previous.At.IsZero() || !slices.Equal(previous.Definition.Args, []string{"1"}) {
		t.Errorf("previous %+v", previous)
	}
	for _, other := range [][2]string{{folderSource.URI, "b"}, {userSource.URI, "a"}} {
		if _, ok := a.Records().Previous(Definition{Source: Source{URI: other[0]}, Name: other[1]}); ok {
			t.Errorf("a previous one of %v", other)
		}
	}
	decide(t, a, two, Deny)
	if previous, _ := a.Records().Previous(Definition{Source: folderSource, Name: "a"}); previous.Digest != two.Digest {
		t.Errorf("previous %+v", previous)
	}
	decide(t, a, one, Deny) // a change of mind
	list := a.Records().All()
	if len(list) != 2 || list[0].Digest != two.Digest || list[1].Digest != one.Digest || list[1].Decision != Deny {
		t.Errorf("list %+v", list)
	}

	if again := openApprovals(t, path).Records().All(); !reflect.DeepEqual(again, list) {
		t.Errorf("read again: %+v", again)
	}
	// Values in the file are kept, to show what has changed. Values of variables never are.
	if content, err := os.ReadFile(path); err != nil || !strings.Contains(string(content), `"TOKEN": "${env:SECRET}"`) {
		t.Errorf("the file has\n%s, %v", content, err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := a.Revoke(one.Digest); err != nil {
		t.Error(err)
	}
	if got := decided(a, one); got != "" {
		t.Errorf("after revoking %q", got)
	}
	if err := a.Revoke(one.Digest); !errors.Is(err, ErrNotFound) {
		t.Errorf("revoking again: %v", err)
	}
	if problems := a.Records().Problems(); len(problems) > 0 {
		t.Errorf("problems %+v", problems)
	}
}

func TestApprovalsAreShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.json")
	daemon, terminal := openApprovals(t, path), openApprovals(t, path)
	d := workspaceServer(t, "1")
	for _, decision := range []Decision{Allow, Deny, Allow} {
		decide(t, terminal, d, decision)
		if got := decided(daemon, d); got != decision {
			t.Errorf("got %q, want %q", got, decision)
		}
	}
	if err := terminal.Revoke(d.Digest); err != nil {
		t.Fatal(err)
	}
	if got := decided(daemon, d); got != "" {
		t.Errorf("after revoking %q", got)
	}
	decide(t, daemon, d, Allow)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := decided(daemon, d); got != "" {
		t.Errorf("after the file was removed %q", got)
	}
}

func TestApprovalsAtTheSameTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.json")
	const callers, each = 4, 5
	var group sync.WaitGroup
	a := openApprovals(t, path)
	for p := range callers {
		group.Go(func() {
			for i := range each {
				if err := a.Decide(Definition{Name: "a", Asks: fmt.Sprint(p, ".", i)}, Allow); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := len(openApprovals(t, path).Records().All()); got != callers*each {
		t.Errorf("%d decisions are left", got)
	}
}

func TestDamagedApprovals(t *testing.T) {
	d := workspaceServer(t, "1")
	record := fmt.Sprintf(`{"server": "a", "digest": %q, "decision": "allow"}`, d.Digest)
	for _, test := range []struct{ name, content string }{
		{"empty", ""},
		{"half-written", `{"version": 1, "approvals": [` + record},
		{"no JSON", "allow everything"},
		{"another version", `{"version": 2, "approvals": [` + record + `]}`},
		{"unknown decision", `{"version": 1, "approvals": [` + strings.Replace(record, "allow", "always", 1) + `]}`},
		{"no digest", `{"version": 1, "approvals": [{"decision": "allow"}]}`},
		{"two decisions", `{"version": 1, "approvals": [` + record + `, ` + strings.Replace(record, "allow", "deny", 1) + `]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "approvals.json")
			a := openApprovals(t, path)
			decide(t, a, d, Allow)
			write(t, path, test.content)
			if got := decided(a, d); got != "" {
				t.Errorf("decided: %q", got)
			}
			aside, err := os.ReadFile(path + ".damaged")
			if err != nil || string(aside) != test.content {
				t.Errorf("moved aside: %q, %v", aside, err)
			}
			if problems := a.Records().Problems(); len(problems) != 1 || problems[0].Severity != "error" || !strings.Contains(problems[0].Message, path+".damaged") {
				t.Errorf("problems %+v", problems)
			}
			decide(t, a, d, Allow)
			write(t, path, test.content)
			if got := decided(openApprovals(t, path), d); got != "" {
				t.Errorf("the next daemon decided: %q", got)
			}
			decide(t, a, d, Allow)
			if got := decided(openApprovals(t, path), d); got != Allow {
				t.Errorf("decided afterwards: %q", got)
			}
		})
	}
}

// Fault disk-full: a decision that cannot be written changes nothing.
func TestApprovalsThatCannotBeWritten(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(state, "approvals.json")
	a := openApprovals(t, path)
	d := workspaceServer(t, "1")
	decide(t, a, d, Deny)
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(state, state+" away")
	if err := a.Decide(d, Allow); err == nil {
		t.Error("Decide says it worked")
	}
	move(state+" away", state)
	if got, stored := decided(a, d), decided(openApprovals(t, path), d); got != Deny || stored != Deny {
		t.Errorf("decided %q, stored %q", got, stored)
	}
}

func TestUnreadableApprovals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.json")
	a := openApprovals(t, path)
	d := workspaceServer(t, "1")
	decide(t, a, d, Allow)
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil { // no file, even for root
		t.Fatal(err)
	}
	if got := decided(a, d); got != "" {
		t.Errorf("decided: %q", got)
	}
	if problems := a.Records().Problems(); len(problems) != 1 || !strings.Contains(problems[0].Message, "nothing is approved") {
		t.Errorf("problems %+v", problems)
	}
	if _, err := OpenApprovals(path); err == nil {
		t.Error("OpenApprovals says it worked")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if problems := a.Records().Problems(); len(problems) > 0 {
		t.Errorf("problems afterwards %+v", problems)
	}
}

// The oldest decisions go when there are too many. A definition that is too large to keep can still be decided on;
// later it is shown without its details.
func TestApprovalsAreBounded(t *testing.T) {
	small := Shown{Source: "s", Folder: "/w", Transport: "stdio", Command: "c"}
	tooLarge := small
	tooLarge.Args = []string{strings.Repeat("x", maxKept)}
	if got := small.kept(); !reflect.DeepEqual(got, small) {
		t.Errorf("the small one keeps %+v", got)
	}
	if got, want := tooLarge.kept(), (Shown{Source: "s", Folder: "/w", Transport: "stdio", TooLarge: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("the large one keeps %+v", got)
	}
	path := filepath.Join(t.TempDir(), "approvals.json")
	records := make([]string, maxRecords)
	for i := range records {
		records[i] = fmt.Sprintf(`{"digest": "%d", "decision": "allow"}`, i)
	}
	write(t, path, `{"version": 1, "approvals": [`+strings.Join(records, ",")+`]}`)
	a := openApprovals(t, path)
	decide(t, a, workspaceServer(t, "1"), Allow)
	if kept := openApprovals(t, path).Records().All(); len(kept) != maxRecords || kept[0].Digest != "1" {
		t.Errorf("kept %d", len(kept))
	}
}

// Fault unapproved-server: the user sees exactly what the file has, with its values.
func TestShown(t *testing.T) {
	for _, test := range []struct {
		name, text string
		source     Source
		want       Shown // without source and folder
	}{
		{
			"stdio", `{"servers": {"a": {"command": "c", "args": ["x y", ""], "env": {"B": "s", "A": "${env:Y}"}, "envFile": "e", "cwd": "${workspaceFolder}"}}}`, userSource,
			Shown{
				Transport: "stdio", Command: "c", Args: []string{"x y", ""}, EnvFile: "e", Cwd: "${workspaceFolder}",
				Env: []string{"A", "B"}, Environment: map[string]string{"A": "${env:Y}", "B": "s"}, Takes: []string{"Y"},
				Warnings: []string{"Your decision does not cover the content of the environment file: it can change without a question, and set any variable."},
			},
		},
		{
			"where it runs", `{"servers": {"a": {"command": "./c"}}}`, folderSource,
			Shown{Transport: "stdio", Command: "./c", Cwd: folderSource.Folder},
		},
		{
			"http", `{"servers": {"a": {"url": "http://h/${env:X}", "headers": {"B": "${env:X}", "A": "${env:W}"}}}}`, userSource,
			Shown{
				Transport: "http", URL: "http://h/${env:X}", Takes: []string{"W", "X"},
				Headers: []string{"A", "B"}, HeaderValues: map[string]string{"A": "${env:W}", "B": "${env:X}"},
			},
		},
		{
			"everything else that is decided on",
			`{"inputs": [{"id": "i", "default": "d"}, {"id": "j"}], "servers": {"a": {"url": "http://h", "scope": "session", "protocol": "2025-06-18",
				"roots": "none", "sampling": "deny", "samplingLimit": "1/s", "elicitationLimit": "2/h", "oauth": {"clientId": "${input:i}", "scopes": ["s"]},
				"tools": {"t": {"bind": {"p": "${env:B}"}}, "u": {"hidden": true}}}}}`, folderSource,
			Shown{
				Transport: "http", URL: "http://h", Takes: []string{"B"},
				Scope: "session", Protocol: "2025-06-18", Roots: []string{}, Sampling: "deny", SamplingLimit: "1/s", ElicitationLimit: "2/h",
				OAuth: &OAuth{ClientID: "${input:i}", Scopes: []string{"s"}}, Bind: map[string]map[string]string{"t": {"p": "${env:B}"}},
				Inputs: []ShownInput{{ID: "i", Type: "promptString", Default: "d"}},
			},
		},
		{
			"signing in",
			`{"servers": {"a": {"url": "http://h", "oauth": {"clientId": "c", "issuer": "https://i", "redirectPort": 8080, "privateKeyFile": "k.pem", "keyId": "k",
				"enterprise": {"issuer": "https://e", "clientId": "d", "clientSecret": "s"}}}}}`, folderSource,
			Shown{Transport: "http", URL: "http://h", OAuth: &OAuth{
				ClientID: "c", Issuer: "https://i", RedirectPort: 8080, PrivateKeyFile: filepath.FromSlash("/w/k.pem"), KeyID: "k",
				Enterprise: &Enterprise{Issuer: "https://e", ClientID: "d", ClientSecret: "s"},
			}},
		},
		{
			"signing in as the client", `{"servers": {"a": {"url": "http://h", "oauth": {"clientId": "c", "clientSecret": "s", "grant": "client_credentials", "scopes": "r"}}}}`, folderSource,
			Shown{Transport: "http", URL: "http://h", OAuth: &OAuth{ClientID: "c", ClientSecret: "s", Grant: "client_credentials", Scopes: []string{"r"}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := ParseFile([]byte(test.text), test.source)
			if len(file.Servers) != 1 {
				t.Fatalf("problems %+v", file.Problems)
			}
			test.want.Source, test.want.Folder = test.source.URI, test.source.Folder
			if got := file.Servers[0].Shown(); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	for _, name := range []string{
		"PATH", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "PYTHONPATH", "GIT_SSH_COMMAND",
		"BASH_ENV", "ENV", "RUBYOPT", "PERL5LIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "npm_config_registry", "NPM_CONFIG_PREFIX", "PIP_INDEX_URL",
		"UV_INDEX", "GOFLAGS", "DOTNET_STARTUP_HOOKS", "LUA_INIT", "HOME", "XDG_CONFIG_HOME", "http_proxy", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "TMPDIR",
	} {
		d := Definition{Env: map[string]string{name: "x", "LOG": "y"}}
		if got := d.Warnings(); len(got) != 1 || !strings.HasPrefix(got[0], `"`+name+`" `) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, name := range []string{"LOG", "TOKEN", "GITHUB_TOKEN", "PATHS", "MYPATH", "ENVIRONMENT", "NODENAME", "GOOGLE_API_KEY"} {
		if why := dangerous(name); why != "" {
			t.Errorf("%s %s", name, why)
		}
	}
}
