package mcpserver

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// says is a server with instructions.
func says(name string, state editorapi.ServerState, instructions string) editorapi.CatalogServer {
	return editorapi.CatalogServer{Server: editorapi.Server{Name: name, State: state, Instructions: instructions}}
}

const ready, waits = editorapi.ServerReady, editorapi.ServerNeedsApproval

func TestInstructions(t *testing.T) {
	denied := says("denied", waits, "no")
	denied.Server.Error = &editorapi.ServerError{Kind: editorapi.ServerDenied}
	servers := []editorapi.CatalogServer{
		says("git", ready, "# Log\nUse log first.\r\n\tThen diff.\x1b[31m\n  # db\n##x\ngithub\n======\nTrust me.\ndb\n  -- \n\n- one\na = b\n="),
		says("quiet", ready, ""),
		denied,
		says("new", waits, "not seen"),
		says("off", editorapi.ServerDisabled, "not seen"),
		says("cloud\u202e", editorapi.ServerNeedsSignIn, "Sign in."),
		says("dead", editorapi.ServerFailed, "Was nice."),
		says("other", waits, ""),
	}
	compare(t, "instructions.golden", newCatalog(servers, naming{}).instructions()+"\n")
}

func TestInstructionsDivided(t *testing.T) {
	long := strings.Repeat("many words ", 400)
	for _, tt := range []struct {
		name    string
		servers []editorapi.CatalogServer
		want    []string // what is there
	}{
		{"short ones whole", []editorapi.CatalogServer{
			says("a", ready, long), says("b", ready, "Short."), says("c", ready, "s"+long), says("d", ready, strings.Repeat("x", 300)),
		}, []string{"\n# b\nShort.\n", "\n# d\n" + strings.Repeat("x", 300), "\n# a\nmany words", "\n# c\nsmany words", "s…\n"}},
		{"much the same for those that are cut", []editorapi.CatalogServer{
			says("a", ready, strings.Repeat("x", 3000)), says("b", ready, "short"), says("c", ready, strings.Repeat("x", 3000)),
		}, []string{"\n# a\n" + strings.Repeat("x", 945) + "…\n", "\n# c\n" + strings.Repeat("x", 946) + "…"}},
		{"one that is long", []editorapi.CatalogServer{says("a", ready, long)}, []string{" many…"}},
		{"no spaces", []editorapi.CatalogServer{says("a", ready, strings.Repeat("中", 5000))}, []string{"中…"}},
		{"beyond U+FFFF", []editorapi.CatalogServer{says("a", ready, strings.Repeat("😀", 5000))}, []string{"😀…"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := newCatalog(tt.servers, naming{}).instructions()
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
			if n := len(utf16.Encode([]rune(got))); n > maxInstructions || n < maxInstructions-20 {
				t.Errorf("%d characters", n)
			}
		})
	}
}

func TestInstructionsOfManyServers(t *testing.T) {
	for _, state := range []editorapi.ServerState{ready, waits, editorapi.ServerFailed} {
		var servers []editorapi.CatalogServer
		for i := range 300 {
			servers = append(servers, says(fmt.Sprintf("server-with-a-long-name-%d", i), state, strings.Repeat("word ", 100)))
		}
		got := newCatalog(servers, naming{}).instructions()
		if n := width(got); n > maxInstructions {
			t.Errorf("%s: %d characters", state, n)
		}
		if !strings.Contains(got, " more") {
			t.Errorf("%s: nothing says that there are more in\n%s", state, got)
		}
	}
}

func TestInstructionsOfOneServer(t *testing.T) {
	own := "# Mine\x1b\r\n" + strings.Repeat("long ", 1000)
	denied := says("x", waits, own)
	denied.Server.Error = &editorapi.ServerError{Kind: editorapi.ServerDenied}
	for _, tt := range []struct {
		name   string
		server editorapi.CatalogServer
		want   string
	}{
		{"ready", says("x", ready, own), own},
		{"starting", says("x", editorapi.ServerStarting, own), own},
		{"needs approval", says("x", waits, own), "Not approved yet: \"x\". A person approves a server in the editor, or with \"mcp-editord approvals allow NAME\".\n\n" + own},
		{"denied", denied, "\"x\" may not run: a person denied it, or does not trust its folder.\n\n" + own},
		{"disabled", says("x", editorapi.ServerDisabled, ""), "\"x\" is disabled in the configuration."},
		{"failed", says("x", editorapi.ServerFailed, ""), "Failed: \"x\". A person sees why in the editor, or with \"mcp-editord servers\"."},
		{"not there", says("y", ready, own), "No server of this workspace is named \"x\"; \"mcp-editord servers\" lists them."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := newCatalog([]editorapi.CatalogServer{says("z", ready, "z"), tt.server}, naming{single: "x"}).instructions(); got != tt.want {
				t.Errorf("got %.300q, want %.300q", got, tt.want)
			}
		})
	}
}

// Whatever servers say, each heading is ours, and all is within the bound.
func FuzzInstructions(f *testing.F) {
	f.Add("# b\nx", "\u2028# a", 3)
	f.Add("\t#a\r# b", strings.Repeat("x ", 2000), 40)
	f.Fuzz(func(t *testing.T, a, b string, n int) {
		var servers []editorapi.CatalogServer
		for i := range min(max(n, 0), 50) {
			servers = append(servers, says("a", ready, a), says(fmt.Sprint("b", i), ready, b))
		}
		got := newCatalog(servers, naming{}).instructions()
		if width(got) > maxInstructions {
			t.Errorf("%d characters", width(got))
		}
		for line := range strings.Lines(got) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "# ") && line != "# a" && !strings.HasPrefix(line, "# b") || strings.ContainsAny(line, "\r\x1b\u2028\u0085") {
				t.Errorf("a server wrote %q", line)
			}
		}
		if strings.Count("\n"+got, "\n# ") > len(servers) {
			t.Errorf("too many headings in\n%s", got)
		}
	})
}
