package secrets

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFileSurvives(t *testing.T) {
	t.Parallel()
	dir := privateDir(t)
	binary := string(value(t, 10<<10))
	if err := Open(Options{Place: File, Dir: dir}).Set(t.Context(), "a", []byte(binary)); err != nil {
		t.Fatal(err)
	}
	if got, err := Open(Options{Place: File, Dir: dir}).Get(t.Context(), "a"); err != nil || string(got) != binary {
		t.Errorf("read %d bytes, %v; want the %d that were kept", len(got), err, len(binary))
	}
	info, err := os.Lstat(filepath.Join(dir, fileName))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has mode %v, %v; want 0600", info.Mode(), err)
	}
}

// A file that somebody else may have read or written, or that makes no sense, is neither used nor
// overwritten, and Problem says what to do.
func TestBadFiles(t *testing.T) {
	const good = `{"version": 1, "secrets": {"a": "MQ=="}}`
	elsewhere := filepath.Join(privateDir(t), "elsewhere")
	write := func(t *testing.T, path, content string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write(t, elsewhere, good, 0o600)
	content := func(text string, mode os.FileMode) func(*testing.T, string) {
		return func(t *testing.T, path string) { write(t, path, text, mode) }
	}
	const damaged = "is damaged; repair or delete it"
	tests := map[string]struct {
		make func(t *testing.T, path string)
		want string // in the problem; "" when the file is good
	}{
		"good":     {content(good, 0o600), ""},
		"group":    {content(good, 0o640), "mode 0640; run: chmod 600 "},
		"all":      {content(good, 0o604), "mode 0604; run: chmod 600 "},
		"empty":    {content("", 0o600), damaged},
		"cut":      {content(good[:len(good)-3], 0o600), damaged},
		"not text": {content(`{"version": 1, "secrets": {"a": "hunter2!"}}`, 0o600), damaged},
		"newer":    {content(`{"version": 2}`, 0o600), damaged},
		"large":    {content(good+strings.Repeat(" ", maxFileBytes), 0o600), damaged},
		"link": {func(t *testing.T, path string) {
			if err := os.Symlink(elsewhere, path); err != nil {
				t.Fatal(err)
			}
		}, "is a link or not a file"},
		"folder": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "is a link or not a file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, File, func(t *testing.T, s *stand) {
				path := filepath.Join(s.dir, fileName)
				test.make(t, path)
				before := look1(t, path)
				if test.want == "" {
					s.finds(t, "a", "1")
					return
				}
				s.lacks(t, "a", errTrouble)
				s.sets(t, "b", "2", errTrouble)
				s.finds(t, "b", "2")
				s.hasProblem(t, test.want, 1)
				if strings.Contains(s.Problem(), "hunter2") {
					t.Errorf("the problem %q has what is in the file", s.Problem())
				}
				if after := look1(t, path); after != before {
					t.Errorf("the file was %s and is %s", before, after)
				}
			})
		})
	}
}

// look1 describes what is at a path.
func look1(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	content, _ := os.ReadFile(path)
	return fmt.Sprintf("%v %q", info.Mode(), content)
}

func TestFileIsFull(t *testing.T) {
	t.Parallel()
	f := &filePlace{dir: privateDir(t)}
	if err := f.set("a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := f.set("b", make([]byte, maxFileBytes)); err == nil || !strings.Contains(err.Error(), "would have more than 8192 KiB; delete") {
		t.Errorf("setting what does not fit: %v", err)
	}
	if got, err := f.get("a"); err != nil || string(got) != "1" {
		t.Errorf("read %q, %v", got, err)
	}
}
