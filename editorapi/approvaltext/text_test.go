package approvaltext

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name string, text editorapi.ApprovalText) {
	t.Helper()
	got := text.Title + "\n--- short, complete: " + map[bool]string{true: "yes", false: "no"}[text.Complete] + "\n" + text.Short + "\n--- whole\n" + text.Whole + "\n"
	if text.Before != "" {
		got += "--- before\n" + text.Before + "\n"
	}
	file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func stdioQuestion(change func(*editorapi.ApproveParams)) editorapi.ApproveParams {
	p := editorapi.ApproveParams{
		Kind: editorapi.ApproveServer, Server: "files", Reason: "new",
		Definition: editorapi.ApprovalDefinition{
			Source: "file:///home/u/project/.mcp.json", Folder: "/home/u/project", Transport: "stdio",
			Command: "npx", Program: "/usr/bin/npx", Args: []string{"-y", "server-files", "${workspaceFolder}"}, Cwd: "/home/u/project",
		},
	}
	change(&p)
	return p
}

func remoteQuestion(d editorapi.ApprovalDefinition) editorapi.ApproveParams {
	d.Source, d.Folder, d.Transport, d.URL = "file:///w/.vscode/mcp.json", "/w", "http", "https://example.com/mcp"
	return editorapi.ApproveParams{Kind: editorapi.ApproveServer, Server: "remote", Reason: "new", Definition: d}
}

// Promise 1: the user sees exactly what would run. Title, short form, whole form.
func TestPromise1ApprovalText(t *testing.T) {
	for _, test := range []struct {
		name   string
		params editorapi.ApproveParams
	}{
		{"command", stdioQuestion(func(*editorapi.ApproveParams) {})},
		{"environment", stdioQuestion(func(p *editorapi.ApproveParams) {
			d := &p.Definition
			d.Command, d.Program, d.Args = "git", "/home/u/project/bin/git", []string{"", "a b", "\"", "tail   of    spaces"}
			d.Env, d.Environment = []string{"LOG", "PATH"}, map[string]string{"LOG": "1", "PATH": "${workspaceFolder}/bin:${env:PATH}"}
			d.EnvFile, d.Takes = ".env", []string{"PATH"}
			d.Warnings = []string{"PATH decides which programs are found and run."}
		})},
		{"address", remoteQuestion(editorapi.ApprovalDefinition{
			Headers: []string{"X-Home"}, HeaderValues: map[string]string{"X-Home": "${env:AWS_SECRET_ACCESS_KEY}"},
			Takes:    []string{"AWS_SECRET_ACCESS_KEY"},
			Warnings: []string{"The value of AWS_SECRET_ACCESS_KEY in your environment is sent to example.com."},
		})},
		{"signing in", remoteQuestion(editorapi.ApprovalDefinition{
			OAuth: &editorapi.ApprovalOAuth{
				ClientID: "c", PrivateKeyFile: "/w/.vscode/key.pem", KeyID: "k", Issuer: "https://login.example.com", RedirectPort: 8080,
				Enterprise: &editorapi.ApprovalEnterprise{Issuer: "https://idp.example.com", ClientID: "e", ClientSecret: "${input:s}"},
			},
		})},
		{"signing in as the client", remoteQuestion(editorapi.ApprovalDefinition{
			OAuth: &editorapi.ApprovalOAuth{ClientID: "c", ClientSecret: "${env:S}", Grant: "client_credentials"},
		})},
		{"signing in by itself", remoteQuestion(editorapi.ApprovalDefinition{OAuth: &editorapi.ApprovalOAuth{}})},
		{"everything", stdioQuestion(func(p *editorapi.ApproveParams) {
			d := &p.Definition
			d.Scope, d.Protocol, d.Sampling, d.SamplingLimit, d.ElicitationLimit = "session", "2025-06-18", "deny", "1/s", "2/h"
			d.Roots = []string{"packages/*", "/"}
			d.OAuth = &editorapi.ApprovalOAuth{ClientID: "c", ClientSecret: "s", ClientMetadataURL: "https://example.com/c", Scopes: []string{"read"}}
			d.Bind = map[string]map[string]string{"read_*": {"path": "${file}"}}
			d.Agents = map[string]string{"delete_*": "ask", "a b": "never"}
			d.Inputs = []editorapi.ApprovalInput{{ID: "kind", Type: "pickString", Default: "a", Options: []string{"a", "b"}}}
		})},
		{"none of the roots", stdioQuestion(func(p *editorapi.ApproveParams) { p.Definition.Roots = []string{} })},
		{"changed", stdioQuestion(func(p *editorapi.ApproveParams) {
			before := p.Definition
			before.Args, before.Env = []string{"-y", "server-files"}, []string{"OLD"} // its value was not kept
			p.Reason, p.Previous = "changed", &before
		})},
		{"changed from what was not kept", stdioQuestion(func(p *editorapi.ApproveParams) {
			p.Reason, p.Previous = "changed", &editorapi.ApprovalDefinition{TooLarge: true}
		})},
		{"folder", stdioQuestion(func(p *editorapi.ApproveParams) {
			p.Kind, p.Definition.Source = editorapi.ApproveFolder, "file:///home/u/.config/mcp-editord/mcp.json"
		})},
		{"what wants to look like something else", stdioQuestion(func(p *editorapi.ApproveParams) {
			p.Server = "s\"\nProgram: ls"
			d := &p.Definition
			d.Command, d.Program = "rm\x1b[8m", ""
			d.Args = []string{"-rf\u202e", "\nProgram: ls", "\u3164", strings.Repeat(" ", 200) + "; evil", "日本語" + strings.Repeat("漢", 60)}
		})},
		{"a long program", stdioQuestion(func(p *editorapi.ApproveParams) {
			p.Definition.Command, p.Definition.Program = "/opt/"+strings.Repeat("d/", 100)+"server", ""
		})},
		{"a long name", stdioQuestion(func(p *editorapi.ApproveParams) { p.Server = strings.Repeat("n", 128) })},
		{"many", stdioQuestion(func(p *editorapi.ApproveParams) {
			for range 30 {
				p.Definition.Args = append(p.Definition.Args, "--verbose-and-long")
			}
			p.Definition.Warnings = []string{"PATH decides which programs are found and run."}
		})},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := Of(test.params)
			golden(t, "approval/"+test.name, text)
			checkText(t, test.params, text)
		})
	}
}

// checkText checks a text for what is promised of every text.
func checkText(t *testing.T, p editorapi.ApproveParams, text editorapi.ApprovalText) {
	t.Helper()
	program := strings.Join(programOf(p.Definition).lines(), "\n")
	for name, form := range map[string]string{"short": text.Short, "whole": text.Whole} {
		long := strings.Contains(form, "\nThere is more than fits here: look at all of it.\n") || strings.Count(form, "\n")+1 > screenLines
		if !strings.HasPrefix(form, program) || long != strings.HasSuffix(form, "\n"+program) {
			t.Errorf("the program is not first, and last where it may be out of sight, in %s:\n%s", name, form)
		}
	}
	checkLines(t, text)
	if !text.Complete {
		return
	}
	if n := strings.Count(text.Short, "\n") + 1; n > shortLines {
		t.Errorf("short is complete with %d lines", n)
	}
	for _, i := range detailsOf(p.Definition) {
		if !strings.Contains(unwrapped(text.Short), i.value) {
			t.Errorf("short is complete without %q", i.value)
		}
	}
}

// checkLines checks that a text is safe to show, on lines that are neither long nor empty.
func checkLines(t *testing.T, text editorapi.ApprovalText) {
	t.Helper()
	for line := range strings.SplitSeq(text.Title+"\n"+text.Short+"\n"+text.Whole, "\n") {
		if safetext.Columns(line) > textColumns && line != text.Title || strings.TrimSpace(line) == "" {
			t.Errorf("a line has %d columns: %q", safetext.Columns(line), line)
		}
	}
	for _, r := range text.Title + text.Short + text.Whole + text.Before {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("the text has %U", r)
		}
	}
}

// checkLabels checks that each line of a text begins with one of our labels, or goes on the one before.
func checkLabels(t *testing.T, text string, labels ...string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		label, _, ok := strings.Cut(line, ": ")
		if !strings.HasPrefix(line, hanging) && !(ok && slices.Contains(labels, label)) {
			t.Errorf("the line %q is not ours", line)
		}
	}
}

func unwrapped(s string) string { return strings.ReplaceAll(s, "\n"+hanging, "") }

// Whatever a file says, it is in the whole text, no line begins with what it says, and the
// text stays within the size that the definition gives it.
func FuzzApprovalText(f *testing.F) {
	f.Add("c", "a b", "N", "v", true)
	f.Add("\n", "\u202e\x1b[0m", "", strings.Repeat(" ", 100), false)
	f.Add("日本", "\xff", "A", "\\\"", false)
	f.Fuzz(func(t *testing.T, command, argument, name, value string, remote bool) {
		p := stdioQuestion(func(p *editorapi.ApproveParams) {
			d := &p.Definition
			p.Server, d.Command, d.Program, d.Args = name, command, "", []string{argument}
			d.Env, d.Environment = []string{name}, map[string]string{name: value}
			d.Warnings = []string{name + " is odd."}
			if remote {
				d.URL = "http://h/" + command
			}
		})
		text := Of(p)
		checkText(t, p, text)
		all := unwrapped(text.Whole)
		for _, part := range []string{quoted(argument), quoted(value), word(name)} {
			if !strings.Contains(all, part) {
				t.Errorf("%q is not in\n%s", part, text.Whole)
			}
		}
		checkLabels(t, text.Whole, "Program", "Address", "Argument", "Warning", "Runs in", "Sets", "Defined in")
		if most := 16*(len(command)*2+len(argument)+len(name)*3+len(value)) + 2000; len(text.Whole) > most {
			t.Errorf("%d bytes became %d", most, len(text.Whole))
		}
	})
}

// Promise 4: however a file is written, what an editor gets of it stays in proportion to its size.
func TestPromise4ApprovalTextIsInProportion(t *testing.T) {
	const n = 20_000
	long := strings.Repeat("n", n)
	for name, test := range map[string]struct {
		d    editorapi.ApprovalDefinition
		size int
	}{
		"empty arguments":                {editorapi.ApprovalDefinition{Args: make([]string, n)}, 3 * n},
		"characters that become escapes": {editorapi.ApprovalDefinition{Args: []string{strings.Repeat("\x7f", n)}}, n},
		"spaces":                         {editorapi.ApprovalDefinition{Args: []string{strings.Repeat(" ", n)}}, n},
		"arguments of a tool with a long name": {editorapi.ApprovalDefinition{Bind: map[string]map[string]string{long: func() map[string]string {
			bind := map[string]string{}
			for i := range n / 10 {
				bind[strings.Repeat("a", i%7)+string(rune('b'+i%20))+strings.Repeat("c", i%11)] = ""
			}
			return bind
		}()}}, 2 * n},
	} {
		text := Of(editorapi.ApproveParams{Definition: test.d})
		if len(text.Whole) > 8*test.size {
			t.Errorf("%s: %d bytes became %d", name, test.size, len(text.Whole))
		}
	}
}
