package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var manDir = flag.String("man", "", "write the man pages into this folder, for a release")

// The man pages are those of the commands that the help shows. They are made here, for who packages the program: cobra's
// generator costs three modules.
func TestMan(t *testing.T) {
	dir := *manDir
	if dir == "" {
		dir = t.TempDir()
	}
	writeMan(t, newApp(nil).command(), dir)
	for name, want := range map[string]string{
		"mcp-editord.1":                 `\&mcp\-editord \- `,
		"mcp-editord-call.1":            `\&mcp\-editord call SERVER TOOL `,
		"mcp-editord-approvals-allow.1": `\&mcp\-editord\-approvals(1)`,
	} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(page), "\n"+want) {
			t.Errorf("%s has no line %q (%v):\n%s", name, want, err, page)
		}
	}
	if pages, _ := filepath.Glob(filepath.Join(dir, "*__complete*")); len(pages) > 0 {
		t.Errorf("hidden commands have pages: %v", pages)
	}
}

// manWidth is how many columns the options of a page take.
const manWidth = 72

// writeMan writes the page of a command, and those of the commands below it.
func writeMan(t *testing.T, cmd *cobra.Command, dir string) {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	var see []string
	if cmd.HasParent() {
		see = []string{strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-") + "(1)"}
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			writeMan(t, sub, dir)
			see = append(see, name+"-"+sub.Name()+"(1)")
		}
	}
	page := fmt.Sprintf(".TH \"%s\" 1 \"\" \"%s\"\n", roff(strings.ToUpper(name)), roff("mcp-editord "+programVersion()))
	for _, section := range [][2]string{
		{"NAME", name + " - " + cmd.Short},
		{"SYNOPSIS", cmd.UseLine()},
		{"DESCRIPTION", cmd.Long},
		{"OPTIONS", cmd.LocalFlags().FlagUsagesWrapped(manWidth) + cmd.InheritedFlags().FlagUsagesWrapped(manWidth)},
		{"EXAMPLES", cmd.Example},
		{"SEE ALSO", strings.Join(see, ", ")},
	} {
		if section[1] != "" {
			page += ".SH " + section[0] + "\n.nf\n" + roff(strings.TrimRight(section[1], "\n")) + "\n.fi\n"
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
}

// roff returns text as a man page has it (groff_char(7), groff_man(7)): no line of it is a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
	return strings.ReplaceAll(`\&`+text, "\n", "\n\\&")
}
