package keptfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for _, test := range []struct {
		kind Kind
		mode os.FileMode
		name string
	}{
		{Kind{Extension: ".txt"}, 0o600, `^result-[a-z2-7]{26}\.txt$`},
		{Kind{Label: "fs.read_file", Extension: ".md", ReadOnly: true}, 0o400, `^result-fs\.read_file-[a-z2-7]{26}\.md$`},
		{Kind{Label: "../a b\x1b;ж", Extension: ".txt"}, 0o600, `^result-\.\._a_b___-[a-z2-7]{26}\.txt$`},
		{Kind{Label: "call", Extension: ".mcp", Draft: true}, 0o600, `^draft-call-[a-z2-7]{26}\.mcp$`},
		{Kind{Label: strings.Repeat("x", 300)}, 0o600, `^result-x{80}-[a-z2-7]{26}$`},
	} {
		f := &Files{Dir: dir}
		path, size, err := f.Write(test.kind, 0, strings.NewReader("content"))
		if err != nil {
			t.Fatal(err)
		}
		if size != int64(len("content")) {
			t.Errorf("the size is %d", size)
		}
		if filepath.Dir(path) != dir || !regexp.MustCompile(test.name).MatchString(filepath.Base(path)) {
			t.Errorf("the path is %s", path)
		}
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode() != test.mode {
			t.Errorf("%s is %v, %v", path, info, err)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != "content" {
			t.Errorf("%s has %q, %v", path, content, err)
		}
		f.Remove()
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// Nothing is written where others can enter.
func TestWriteRefusesAnOpenFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if path, _, err := (&Files{Dir: dir}).Write(Kind{}, 0, strings.NewReader("")); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("Write returned %s, %v", path, err)
	}
}

// What is kept is bounded in number, bytes and age; the oldest files go first, but none of the same result.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(name string, size int64, age time.Duration) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	writeOne := func(f *Files) string {
		t.Helper()
		path, _, err := f.Write(Kind{ReadOnly: true}, 1, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(path)
	}
	put("result-old", 1, MaxAge+time.Minute)
	put("else", 1, 2*MaxAge)
	put("result-young", 1, MaxAge-time.Hour)
	f := &Files{Dir: dir}
	own := writeOne(f)
	if there("result-old") || !there("result-young") || !there("else") {
		t.Error("after an old file: wrong files are gone")
	}
	put("result-large", MaxBytes, time.Hour)
	put("result-after", 1, time.Minute)
	long := time.Now().Add(-2 * MaxAge)
	if err := os.Chtimes(filepath.Join(dir, own), long, long); err != nil {
		t.Fatal(err)
	}
	writeOne(f)
	if there("result-young") || there("result-large") || !there("result-after") || !there(own) {
		t.Error("after a large file: wrong files are gone")
	}
	for i := range MaxFiles + 5 {
		put(fmt.Sprint("result-", i), 1, 2*time.Hour-time.Duration(i)*time.Second)
	}
	writeOne(&Files{Dir: dir})
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != MaxFiles+1 || there("result-0") || there(own) || !there("result-after") || !there("else") {
		t.Errorf("after many files: %d are left", len(entries))
	}
}
