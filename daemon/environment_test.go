//go:build linux || darwin

package daemon

import (
	"maps"
	"testing"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// The environment is that of the first editor, but agents pass on so little that PATH and HOME come from
// the richest environment of the workspace.
func TestEnvironment(t *testing.T) {
	agent := &editorapi.Agent{Name: "Codex"}
	at := func(e *editor, folders ...string) *editor {
		e.named, e.real = folders, folders
		return e
	}
	starved := at(&editor{agent: agent, env: map[string]string{"PATH": "/bin", "HOME": "/h"}}, "/a")
	poor := at(&editor{env: map[string]string{"PATH": "/usr/bin", "A": "1"}}, "/a")
	rich := at(&editor{env: map[string]string{"PATH": "/opt/bin:/bin", "HOME": "/home/me", "B": "2", "C": "3"}, umask: 0o077}, "/a")
	wide := at(&editor{env: map[string]string{"PATH": "/w", "D": "1", "E": "2", "F": "3"}}, "/c", "/d")
	inC := at(&editor{env: map[string]string{"PATH": "/c", "HOME": "/hc"}}, "/c")
	elsewhere := at(&editor{env: map[string]string{"PATH": "/e", "1": "", "2": "", "3": "", "4": ""}}, "/e")
	stuffed := at(&editor{agent: agent, env: map[string]string{"PATH": "/evil", "HOME": "/evil", "1": "", "2": "", "3": "", "4": "", "5": ""}}, "/a", "/d")
	d := &Daemon{editors: []*editor{stuffed, starved, poor, rich, wide, inC, elsewhere}}
	takes := func(name string) config.Definition {
		return config.Definition{Scope: config.ScopeWorkspace, Args: []string{"${env:" + name + "}"}}
	}
	workspace, user := config.Definition{Scope: config.ScopeWorkspace}, config.Definition{Scope: config.ScopeUser}
	for _, tt := range []struct {
		name    string
		def     config.Definition
		members []*editor
		want    map[string]string
		of      *editor
	}{
		{"an editor before an agent", workspace, []*editor{starved, rich, poor}, rich.env, rich},
		{"the first editor, with PATH and HOME of the richest", workspace, []*editor{starved, poor, rich}, map[string]string{"PATH": "/opt/bin:/bin", "HOME": "/home/me", "A": "1"}, poor},
		{"an agent alone, beside an editor that is on another connection", workspace, []*editor{starved}, map[string]string{"PATH": "/opt/bin:/bin", "HOME": "/home/me"}, starved},
		{"the richest has no HOME and a folder more", workspace, []*editor{inC}, map[string]string{"PATH": "/w", "HOME": "/hc"}, inC},
		{"an agent is never richer than an editor", workspace, []*editor{stuffed, poor}, map[string]string{"PATH": "/opt/bin:/bin", "HOME": "/home/me", "A": "1"}, poor},
		{"what the definition takes", takes("PATH"), []*editor{starved}, map[string]string{"PATH": "/bin", "HOME": "/home/me"}, starved},
		{"user scope: those on the connection", user, []*editor{inC, elsewhere}, map[string]string{"PATH": "/e", "HOME": "/hc"}, inC},
		{"user scope: not those beside it", user, []*editor{inC}, inC.env, inC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := maps.Clone(tt.of.env)
			got, of := d.environment(tt.def, tt.members)
			if of != tt.of || !maps.Equal(got, tt.want) {
				t.Errorf("it is %v of %v, want %v", got, of.env, tt.want)
			}
			if !maps.Equal(tt.of.env, before) {
				t.Errorf("the editor's own became %v", tt.of.env)
			}
		})
	}
}

// Fault mixed-environments: what a definition takes from the environment is part of the key, and nothing else of
// it is. What editors can answer is not either.
func TestKeyHasWhatIsTaken(t *testing.T) {
	taking := config.Definition{Name: "s", Scope: config.ScopeWorkspace, Env: map[string]string{"T": "${env:TOKEN}"}}
	secret := config.Definition{Name: "s", Scope: config.ScopeUser, Transport: config.HTTP, URL: "https://h/", OAuth: &config.OAuth{ClientSecret: "${env:TOKEN}"}}
	with := func(env map[string]string) *editor { return &editor{env: env} }
	one := with(map[string]string{"TOKEN": "one", "A": "1"})
	for _, tt := range []struct {
		name string
		def  config.Definition
		e    *editor
		same bool
	}{
		{"another value", taking, with(map[string]string{"TOKEN": "two", "A": "1"}), false},
		{"another value, for signing in", secret, with(map[string]string{"TOKEN": "two", "A": "1"}), false},
		{"no value", taking, with(map[string]string{"A": "1"}), false},
		{"what it does not take", taking, with(map[string]string{"TOKEN": "one", "B": "2"}), true},
		{"nothing is taken", config.Definition{Name: "s", Scope: config.ScopeWorkspace}, with(nil), true},
		{"abilities", taking, &editor{env: one.env, caps: declared(`{}`, `{}`)}, true},
	} {
		if same := key(tt.def, tt.e) == key(tt.def, one); same != tt.same {
			t.Errorf("%s: the same connection: %v", tt.name, same)
		}
	}
	if key(taking, with(nil)) == key(taking, with(map[string]string{"TOKEN": ""})) {
		t.Error("a variable that is absent is like an empty one")
	}
}

// Editors whose environments differ in how they sign in have an account each.
func TestAccountsOfEnvironments(t *testing.T) {
	def := remote(nil)
	def.OAuth = &config.OAuth{ClientID: "id", ClientSecret: "${env:SECRET}"}
	identity := func(tenant, secret string) string {
		expanded, err := def.Expand(config.Vars{Env: map[string]string{"TENANT": tenant, "SECRET": secret}})
		if err != nil {
			t.Fatal(err)
		}
		_, whole := accountNames(expanded, "h", oauthConfig(expanded.OAuth))
		return whole
	}
	if first, again := identity("t", "s"), identity("t", "s"); first != again {
		t.Error("the same environment has two accounts")
	}
	if identity("t", "s") == identity("t", "other") || identity("t", "s") == identity("other", "s") {
		t.Error("two environments share an account")
	}
}
