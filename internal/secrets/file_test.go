package secrets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
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
	t.Parallel()
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
	tests := map[string]struct {
		make func(t *testing.T, path string)
		want string // in the problem; "" when the file is good
	}{
		"good":     {func(t *testing.T, path string) { write(t, path, good, 0o600) }, ""},
		"group":    {func(t *testing.T, path string) { write(t, path, good, 0o640) }, "mode 0640; run: chmod 600 "},
		"all":      {func(t *testing.T, path string) { write(t, path, good, 0o604) }, "mode 0604; run: chmod 600 "},
		"empty":    {func(t *testing.T, path string) { write(t, path, "", 0o600) }, "is damaged; repair or delete it"},
		"cut":      {func(t *testing.T, path string) { write(t, path, good[:len(good)-3], 0o600) }, "is damaged; repair or delete it"},
		"list":     {func(t *testing.T, path string) { write(t, path, "[]", 0o600) }, "is damaged; repair or delete it"},
		"not text": {func(t *testing.T, path string) { write(t, path, `{"version": 1, "secrets": {"a": "hunter2!"}}`, 0o600) }, "is damaged; repair or delete it"},
		"newer":    {func(t *testing.T, path string) { write(t, path, `{"version": 2}`, 0o600) }, "is damaged; repair or delete it"},
		"large":    {func(t *testing.T, path string) { write(t, path, good+strings.Repeat(" ", maxFileBytes), 0o600) }, "is damaged; repair or delete it"},
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
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t, File)
				path := filepath.Join(s.dir, fileName)
				test.make(t, path)
				before := look1(t, path)
				if test.want == "" {
					s.finds(t, "a", "1")
					return
				}
				s.lacks(t, "a", ErrUnavailable)
				s.sets(t, "b", "2", ErrMemoryOnly)
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

// What a write that was killed has left is in clear. It goes at the next start, whatever the place is.
func TestFileLeftovers(t *testing.T) {
	t.Parallel()
	for _, p := range []Place{Default, Keyring, File, Memory} {
		synctest.Test(t, func(t *testing.T) {
			dir := privateDir(t)
			path := filepath.Join(dir, fileName+".123.tmp")
			if err := os.WriteFile(path, []byte("hunter2"), 0o600); err != nil {
				t.Fatal(err)
			}
			open(Options{Place: p, Dir: dir}, newFake())
			synctest.Wait()
			if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%q: looking at what was left: %v; want that it is gone", p, err)
			}
		})
	}
}
