package calldoc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a", "a"}, {"${file}", "<file>"}, {"a${file}b${languageId}", "a<file>b<languageId>"}, {"$${file}", "${file}"}, {"$$${file}", "$${file}"},
		{"${HOME} ${env:X} ${ file }", "${HOME} ${env:X} ${ file }"}, {"$${HOME}", "$${HOME}"}, {"${", "${"}, {"${file", "${file"},
		{"${a${file}}", "${a<file>}"}, {"$", "$"}, {"${}", "${}"},
	} {
		if got := expand(test.text, func(name string) string { return "<" + name + ">" }); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"${file}", "$${file}", "$$${file}}", "${${file}}", "a$", "${selectedText}${x}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := expand(escape(s), func(string) string { return "VALUE" }); got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestValues(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	for name, text := range map[string]string{
		"first/a.go": "one\r\ntwo\r\nthree\r\n", "second/d/b.x": "1\n2", "outside": "secret\n", "first/bin": "\xff", "first/big": strings.Repeat("x\n", 1<<20),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "outside"), filepath.Join(first, "link")); err != nil {
		t.Skip("no links:", err)
	}
	if err := os.Symlink(dir, filepath.Join(first, "up")); err != nil {
		t.Fatal(err)
	}
	w := Workspace{Folders: []string{first, second}}
	use := "with: {x: \"${selectedText}\"}\n"
	for _, test := range []struct {
		name, context, variable, want string // "" when it has no value
		problem                       string
	}{
		{"file", "{file: a.go}", "file", filepath.Join(first, "a.go"), ""},
		{"relative", "{file: ./d/b.x}", "relativeFile", filepath.Join("d", "b.x"), ""},
		{"the folder that has it", "{file: d/b.x}", "file", filepath.Join(second, "d", "b.x"), ""},
		{"a file that is not there", "{file: new.py}", "file", filepath.Join(first, "new.py"), ""},
		{"its folder", "{file: d/b.x}", "fileDirname", filepath.Join(second, "d"), ""},
		{"language", "{file: a.go}", "languageId", "go", ""},
		{"no language", "{file: d/b.x}", "languageId", "", ""},
		{"no file", "{}", "file", "", ""},
		{"folder", "{}", "workspaceFolder", first, ""},
		{"no lines", "{file: a.go}", "selectedText", "", ""},
		{"line", "{file: a.go, lines: 2-3}", "lineNumber", "2", ""},
		{"lines", "{file: a.go, lines: 1-2}", "selectedText", "one\r\ntwo", ""},
		{"the last line", "{file: d/b.x, lines: 2}", "selectedText", "2", ""},
		{"too many lines", "{file: a.go, lines: 2-4}", "selectedText", "", "it has 3 lines"},
		{"a link to a file elsewhere", "{file: link, lines: 1}", "selectedText", "", "link"},
		{"through a link to a folder elsewhere", "{file: up/outside, lines: 1}", "selectedText", "", "escapes"},
		{"a file that is not there", "{file: none, lines: 1}", "selectedText", "", "none"},
		{"a folder", "{file: ., lines: 1}", "selectedText", "", ""},
		{"not a text", "{file: bin, lines: 1}", "selectedText", "", "not a text"},
		{"a large file", "{file: big, lines: 1}", "selectedText", "", "larger than 1 MiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Parse("call: a.b\n" + use + "context: " + test.context).Calls()[0]
			value, problems := w.Values(c)
			got, ok := value(test.variable)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("got %q, %v, want %q", got, ok, test.want)
			}
			if (len(problems) > 0) != (test.problem != "") || len(problems) > 0 && !strings.Contains(problems[0].Message, test.problem) {
				t.Errorf("the problems are %v, want %q", problems, test.problem)
			}
		})
	}
	t.Run("what is open counts", func(t *testing.T) {
		w.Open = func(path string) (string, string, bool) { return "new\n", "mine", path == filepath.Join(first, "a.go") }
		value, problems := w.Values(Parse("call: a.b\n" + use + "context: {file: a.go, lines: 1}").Calls()[0])
		text, _ := value("selectedText")
		language, _ := value("languageId")
		if text != "new" || language != "mine" || len(problems) > 0 {
			t.Errorf("got %q, %q, %v", text, language, problems)
		}
	})
	t.Run("what is open elsewhere does not count", func(t *testing.T) {
		w.Open = func(string) (string, string, bool) { return "open\n", "", true }
		for file, want := range map[string]string{"link": "", "up/outside": "", "not-saved": "open"} {
			value, problems := w.Values(Parse("call: a.b\n" + use + "context: {file: " + file + ", lines: 1}").Calls()[0])
			if text, _ := value("selectedText"); text != want || (len(problems) > 0) != (want == "") {
				t.Errorf("of %s got %q, %v", file, text, problems)
			}
		}
	})
	t.Run("no file is read that nobody asks for", func(t *testing.T) {
		if _, problems := w.Values(Parse("call: a.b\ncontext: {file: none, lines: 1}").Calls()[0]); len(problems) > 0 {
			t.Errorf("the problems are %v", problems)
		}
	})
}
