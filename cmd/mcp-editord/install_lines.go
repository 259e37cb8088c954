package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
)

//go:embed lines
var lineFiles embed.FS

// linedEditor is an editor without a plugin: lines in its configuration make it attach.
type linedEditor struct {
	name, title string
	program     string // the name of its program, where it needs no plugin for the lines; "" for others
	files       []linedFile
}

// linedFile is a file of an editor's configuration that gets lines.
type linedFile struct {
	lines   string                     // file in lines
	comment string                     // begins a comment
	places  []string                   // see place
	check   func(content []byte) error // nil when nothing can be said about a content
}

// linedEditors are the editors that have lines, by their names. Their manuals say where they look: "The Emacs
// Initialization File" for Emacs, :help vimrc for Vim.
func linedEditors() []linedEditor {
	return []linedEditor{
		{"emacs", "Emacs", "emacs", []linedFile{{lines: "emacs.el", comment: ";;", places: []string{
			"$HOME/.emacs.el", "$HOME/.emacs", "$HOME/.emacs.d//init.el", "config/emacs//init.el", "$APPDATA/.emacs.d/init.el", "$HOME/.emacs.d/init.el",
		}}}},
		{"helix", "Helix", "hx", []linedFile{
			{lines: "helix.toml", comment: "#", places: []string{"config/helix/languages.toml", "$APPDATA/helix/languages.toml"}, check: checkTOML},
			{lines: "helix-highlights.scm", comment: ";", places: []string{
				"config/helix/runtime/queries/mcp/highlights.scm", "$APPDATA/helix/runtime/queries/mcp/highlights.scm",
			}},
		}},
		{"kakoune", "Kakoune", "", []linedFile{{lines: "kakrc.kak", comment: "#", places: []string{"$KAKOUNE_CONFIG_DIR//kakrc", "config/kak/kakrc"}}}},
		{"vim", "Vim", "", []linedFile{{lines: "vimrc.vim", comment: `"`, places: []string{
			"home/.vimrc", "home/_vimrc", "home/.vim/vimrc", "home/vimfiles/vimrc", "config/vim/vimrc", "home/.vimrc",
		}}}},
	}
}

// place returns the first place that is there, or else the last one that is known: see [agentconfig.Place]. Of one with a
// double slash, only the folder before that has to be there.
func place(names []string) (found string, err error) {
	for _, name := range names {
		there, _, _ := strings.Cut(name, "//")
		if there, err = agentconfig.Place(there); err != nil {
			continue
		}
		found, _ = agentconfig.Place(name)
		if _, err := os.Lstat(there); err == nil {
			break
		}
	}
	if found != "" {
		err = nil
	}
	return found, err
}

// linedResult is what install prints of one file with --json.
type linedResult struct {
	Path   string `json:"path"`
	Action string `json:"action"`           // printed, added, replaced, unchanged, removed or absent
	Lines  string `json:"lines,omitempty"`  // what was printed
	Backup string `json:"backup,omitempty"` // copy of the file as it was

	comment string // begins a comment in the file
}

// String says what was done, for people.
func (r linedResult) String() string {
	if r.Action == "printed" {
		return fmt.Sprintf("%s Add to %s:\n%s", r.comment, r.Path, strings.TrimSuffix(r.Lines, "\n"))
	}
	text := map[string]string{
		"added": "added the lines to ", "replaced": "replaced the lines in ", "removed": "removed the lines from ",
		"unchanged": "the lines are already in ", "absent": "there are no lines of mcp-editord in ",
	}[r.Action] + r.Path
	if r.Backup != "" {
		text += "; the old file is " + r.Backup
	}
	return text
}

func (a *app) installLinesCommand(editor linedEditor) *cobra.Command {
	cmd := &cobra.Command{
		Use:   editor.name,
		Short: "Print the lines that make " + editor.title + " attach, or write them",
	}
	write := cmd.Flags().Bool("write", false, "write the lines into "+editor.title+"'s configuration, between marks, and keep a copy of the old file")
	uninstall := cmd.Flags().Bool("uninstall", false, "take out the lines that --write has written")
	cmd.RunE = func(*cobra.Command, []string) error {
		if *write && *uninstall {
			return &usageError{errors.New("--write and --uninstall exclude each other")}
		}
		for _, file := range editor.files {
			result, err := a.installLines(editor, file, *write, *uninstall)
			if err != nil {
				return err
			}
			if err := a.print(result.String(), result); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// installLines prints, writes or takes out the lines of one file. Lines that cannot be written are printed.
func (a *app) installLines(editor linedEditor, file linedFile, write, uninstall bool) (linedResult, error) {
	lines, err := lineFiles.ReadFile("lines/" + file.lines)
	if err != nil {
		return linedResult{}, err // not possible: the file is part of the program
	}
	path, err := place(file.places)
	if err != nil {
		return linedResult{}, err
	}
	printed := linedResult{Path: path, Action: "printed", Lines: string(lines), comment: file.comment}
	if !write && !uninstall {
		return printed, nil
	}
	if uninstall {
		lines = nil
	}
	backups, err := a.backups()
	if err != nil {
		return linedResult{}, err
	}
	result, err := file.set(path, string(lines), backups, editor.name)
	if err != nil && write {
		return linedResult{}, errors.Join(fmt.Errorf("%w; nothing was written, so add these lines by hand", err), a.print(printed.String(), printed))
	}
	return result, err
}

// checkTOML says where a content is not valid.
func checkTOML(content []byte) error {
	err := toml.Unmarshal(content, &map[string]any{})
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := wrong.Position()
		return fmt.Errorf("would not be valid at line %d", line)
	}
	return nil
}
