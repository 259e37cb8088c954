package ipc

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Fault unsafe-directory: a directory that is not ours alone is refused, and the error says what to
// do.
func TestEnsureDir(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, dir string) error
		want string // in the error; %s is the directory; "" means no error
		not  string // not in the error
	}{
		{"not there yet", func(*testing.T, string) error { return nil }, "", ""},
		{"there and closed", func(_ *testing.T, dir string) error { return os.MkdirAll(dir, 0o700) }, "", ""},
		{"open to all", mkdir(0o777), "run: chmod 700 %s", ""},
		{"open to the group", mkdir(0o770), "run: chmod 700 %s", ""},
		{"for all users, like /tmp", mkdir(0o777 | fs.ModeSticky), "do something else", "chmod"},
		{"a file", func(_ *testing.T, dir string) error {
			if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
				return err
			}
			return os.WriteFile(dir, nil, 0o600)
		}, "not a directory", "chmod"},
		{"a symbolic link", func(t *testing.T, dir string) error {
			if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
				return err
			}
			return os.Symlink(t.TempDir(), dir)
		}, "symbolic link", "chmod"},
		{"another user's", func(t *testing.T, dir string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			return os.Chown(dir, 65534, -1)
		}, "belongs to user 65534", "chmod"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			if err := test.make(t, dir); err != nil {
				t.Fatal(err)
			}
			err := ensureDir(dir, "do something else")
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				info, err := os.Lstat(dir)
				if err != nil {
					t.Fatal(err)
				}
				if info.Mode() != fs.ModeDir|0o700 {
					t.Errorf("mode %v", info.Mode())
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			if want := strings.ReplaceAll(test.want, "%s", dir); !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
			if test.not != "" && strings.Contains(err.Error(), test.not) {
				t.Errorf("%q says %q", err, test.not)
			}
		})
	}
}

func mkdir(mode fs.FileMode) func(*testing.T, string) error {
	return func(_ *testing.T, dir string) error {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		return os.Chmod(dir, mode)
	}
}
