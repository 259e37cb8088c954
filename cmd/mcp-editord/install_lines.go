package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
)

//go:embed lines
var lineFiles embed.FS

// linedEditor is an editor without a plugin: lines in its configuration make it attach.
type linedEditor struct {
	name, title string
	files       []linedFile
}

// linedFile is a file of an editor's configuration that gets lines.
type linedFile struct {
	lines   string // file in lines
	comment string // begins a comment
	place   func(getenv func(string) string) string
	check   func(content []byte) error // nil when nothing can be said about a content
}

// linedEditors are the editors that have lines, by their names.
func linedEditors() []linedEditor {
	return []linedEditor{
		{"emacs", "Emacs", []linedFile{{lines: "emacs.el", comment: ";;", place: emacsInit}}},
		{"helix", "Helix", []linedFile{
			{lines: "helix.toml", comment: "#", place: helixFile("languages.toml"), check: checkTOML},
			{lines: "helix-highlights.scm", comment: ";", place: helixFile("runtime", "queries", "mcp", "highlights.scm")},
		}},
		{"kakoune", "Kakoune", []linedFile{{lines: "kakrc.kak", comment: "#", place: kakrc}}},
		{"vim", "Vim", []linedFile{{lines: "vimrc.vim", comment: `"`, place: vimrc}}},
	}
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
	var text string
	switch r.Action {
	case "printed":
		return fmt.Sprintf("%s Add to %s:\n%s", r.comment, r.Path, strings.TrimSuffix(r.Lines, "\n"))
	case "unchanged":
		return r.Path + " has the lines already"
	case "absent":
		return "there are no lines of mcp-editord in " + r.Path
	case "removed":
		text = "removed the lines from " + r.Path
	default:
		text = r.Action + " the lines " + map[string]string{"added": "to ", "replaced": "in "}[r.Action] + r.Path
	}
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
	path := file.place(a.getenv)
	if !filepath.IsAbs(path) {
		return linedResult{}, fmt.Errorf("the folder of %s's configuration is unknown; set HOME", editor.title)
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
	marked := markedFile{path: path, comment: file.comment, check: file.check}
	result, err := marked.set(string(lines), backups, editor.name)
	if err != nil && write {
		return linedResult{}, errors.Join(fmt.Errorf("%w; nothing was written, so add these lines by hand", err), a.print(printed.String(), printed))
	}
	return result, err
}

// checkTOML says where a content is not valid.
func checkTOML(content []byte) error {
	var wrong *toml.DecodeError
	if err := toml.Unmarshal(content, &map[string]any{}); errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return fmt.Errorf("would not be valid at line %d", line)
	}
	return nil
}

// configHome returns the folder of the user's configuration files, "" when it is unknown.
func configHome(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return below(getenv("HOME"), ".config")
}

// below returns a path in a folder, "" when the folder is unknown.
func below(folder string, names ...string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(append([]string{folder}, names...)...)
}

// firstThere returns the first path that is there, or else the last one.
func firstThere(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Lstat(path); path != "" && !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return paths[len(paths)-1]
}

// helixFile is a file in Helix's folder.
func helixFile(names ...string) func(func(string) string) string {
	return func(getenv func(string) string) string {
		folder := below(configHome(getenv), "helix")
		if runtime.GOOS == "windows" {
			folder = below(getenv("APPDATA"), "helix")
		}
		return below(folder, names...)
	}
}

// emacsInit is where Emacs looks for its init file ("The Emacs Initialization File" in its manual).
func emacsInit(getenv func(string) string) string {
	home := getenv("HOME")
	if runtime.GOOS == "windows" && home == "" {
		home = getenv("APPDATA")
	}
	folder := firstThere(below(home, ".emacs.d"), below(configHome(getenv), "emacs"), below(home, ".emacs.d"))
	return firstThere(below(home, ".emacs.el"), below(home, ".emacs"), below(folder, "init.el"))
}

// vimrc is where Vim looks for its configuration (:help vimrc).
func vimrc(getenv func(string) string) string {
	home := getenv("HOME")
	if runtime.GOOS == "windows" {
		home = getenv("USERPROFILE")
		return firstThere(below(home, "_vimrc"), below(home, "vimfiles", "vimrc"), below(home, "_vimrc"))
	}
	rc := below(home, ".vimrc")
	return firstThere(rc, below(home, ".vim", "vimrc"), below(configHome(getenv), "vim", "vimrc"), rc)
}

// kakrc is where Kakoune looks for its configuration.
func kakrc(getenv func(string) string) string {
	if folder := getenv("KAKOUNE_CONFIG_DIR"); folder != "" {
		return below(folder, "kakrc")
	}
	return below(configHome(getenv), "kak", "kakrc")
}
