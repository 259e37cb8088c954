package calldoc

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// A variable may stand in a call, as ${name}.
type variable struct {
	name    string
	meaning string
	needs   string // the member of the context without which it has no value; "" for none
}

var variables = []variable{
	{"file", "the path of the file in context", memberFile},
	{"relativeFile", "the path of the file in context, relative to the workspace folder", memberFile},
	{"fileDirname", "the folder of the file in context", memberFile},
	{"fileBasename", "the name of the file in context", memberFile},
	{"lineNumber", "the first of the lines in context", memberLines},
	{"selectedText", "the text of the lines in context", memberLines},
	{variableLanguage, "the language of the file in context", memberFile},
	{"workspaceFolder", "the path of the workspace folder", ""},
	{"workspaceFolderBasename", "the name of the workspace folder", ""},
}

// variableLanguage has a value only where the editor or the name of the file says the language.
const variableLanguage = "languageId"

// variableOf returns the variable of a name, which is one that [variablePattern] has found.
func variableOf(name string) variable {
	return variables[slices.IndexFunc(variables, func(v variable) bool { return v.name == name })]
}

// maxName is longer than the name of any variable with the bracket behind it.
const maxName = 32

// variablePattern is a variable, or one behind a $ that takes its meaning away.
var variablePattern = func() *regexp.Regexp {
	var names []string
	for _, v := range variables {
		names = append(names, v.name)
	}
	return regexp.MustCompile(`\$?\$\{(?:` + strings.Join(names, "|") + `)\}`)
}()

// expand puts the values of variables into s. $${name} stands for ${name}, and any other ${…} stays as it is.
func expand(s string, value func(name string) string) string {
	return variablePattern.ReplaceAllStringFunc(s, func(found string) string {
		if literal, ok := strings.CutPrefix(found, "$$"); ok {
			return "$" + literal
		}
		return value(found[len("${") : len(found)-len("}")])
	})
}

// escape returns a text that [expand] turns into s.
func escape(s string) string { return variablePattern.ReplaceAllString(s, "$$$0") }

// A Workspace is where the values of variables come from.
type Workspace struct {
	Folders []string // paths, the first one first; the file of a context is in the first that has it

	// Open returns the text and the language of a file that an editor has open, whatever is on the disk.
	// nil: there is no editor.
	Open func(path string) (text, language string, ok bool)
}

// maxFile is how many bytes a file may have of which a call takes lines.
const maxFile = 1 << 20

// Values returns the values of the variables of a call, for [Call.Params]. It reads the file of the context only
// when the call takes its text, and no file outside of the workspace. It may have to wait for a disk.
func (w Workspace) Values(c *Call) (value func(name string) (string, bool), problems []textdoc.Problem) {
	values := map[string]string{}
	value = func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}
	if len(w.Folders) > 0 {
		values["workspaceFolder"], values["workspaceFolderBasename"] = w.Folders[0], filepath.Base(w.Folders[0])
	}
	if c.File == "" || len(w.Folders) == 0 {
		return value, nil
	}
	name := filepath.FromSlash(path.Clean(c.File))
	folder := w.folderOf(name)
	file := filepath.Join(folder, name)
	values["file"], values["relativeFile"] = file, name
	values["fileDirname"], values["fileBasename"] = filepath.Dir(file), filepath.Base(file)
	text, language, open := "", "", false
	if w.Open != nil {
		text, language, open = w.Open(file)
	}
	if language = cmp.Or(language, languages[strings.ToLower(filepath.Ext(name))]); language != "" {
		values[variableLanguage] = language
	}
	if c.FirstLine == 0 {
		return value, nil
	}
	values["lineNumber"] = strconv.Itoa(c.FirstLine)
	if !c.uses("selectedText") {
		return value, nil
	}
	var err error
	if open {
		err = staysIn(folder, name)
	} else {
		text, err = readIn(folder, name)
	}
	if err == nil {
		text, err = between(text, c.FirstLine, c.LastLine)
	}
	if err != nil {
		return value, []textdoc.Problem{problem(c.lines.Span, textdoc.Error, "%q: %v", c.File, err)}
	}
	values["selectedText"] = text
	return value, nil
}

// folderOf returns the first folder that has a file; where none has it, the first one.
func (w Workspace) folderOf(name string) string {
	for _, folder := range w.Folders {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return folder
		}
	}
	return w.Folders[0]
}

// staysIn returns an error if links lead from a name below a folder to something outside of it. There need not be a file.
func staysIn(folder, name string) error {
	root, err := os.OpenRoot(folder)
	if err == nil {
		defer root.Close()
		_, err = root.Stat(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return cause(err)
}

// readIn returns the text of a file below a folder.
func readIn(folder, name string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", cause(err)
	}
	defer root.Close()
	f, err := safeopen.In(root, name)
	if err != nil {
		return "", cause(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", cause(err)
	case len(text) > maxFile:
		return "", fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	case !utf8.Valid(text):
		return "", errors.New("it is not a text in UTF-8")
	}
	return string(text), nil
}

// cause returns an error without the path, which the document says better.
func cause(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// between returns lines of a text, without the last line break.
func between(text string, first, last int) (string, error) {
	all := strings.SplitAfter(text, "\n")
	if n := len(all); all[n-1] == "" {
		all = all[:n-1]
	}
	if last > len(all) {
		return "", fmt.Errorf("it has %d lines, and the call takes lines %d-%d", len(all), first, last)
	}
	return strings.TrimSuffix(strings.TrimSuffix(strings.Join(all[first-1:last], ""), "\n"), "\r"), nil
}

// languages are LSP's identifiers of languages, by the extension of a file.
var languages = map[string]string{
	".bat": "bat", ".c": "c", ".cc": "cpp", ".clj": "clojure", ".cpp": "cpp", ".cs": "csharp", ".css": "css", ".cxx": "cpp",
	".dart": "dart", ".diff": "diff", ".ex": "elixir", ".exs": "elixir", ".erl": "erlang", ".fs": "fsharp", ".go": "go",
	".groovy": "groovy", ".h": "c", ".hh": "cpp", ".hpp": "cpp", ".hs": "haskell", ".htm": "html", ".html": "html", ".ini": "ini",
	".java": "java", ".js": "javascript", ".json": "json", ".jsonc": "jsonc", ".jsx": "javascriptreact", ".kt": "kotlin",
	".less": "less", ".lua": "lua", ".m": "objective-c", ".md": "markdown", ".mjs": "javascript", ".patch": "diff", ".php": "php",
	".pl": "perl", ".ps1": "powershell", ".py": "python", ".r": "r", ".rb": "ruby", ".rs": "rust", ".scala": "scala", ".scss": "scss",
	".sh": "shellscript", ".sql": "sql", ".swift": "swift", ".tex": "latex", ".toml": "toml", ".ts": "typescript",
	".tsx": "typescriptreact", ".vue": "vue", ".xml": "xml", ".yaml": "yaml", ".yml": "yaml", ".zig": "zig",
}
