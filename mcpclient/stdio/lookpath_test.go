package stdio

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Fault command-missing: a command that cannot be run is named, with how many folders were searched. A message never has
// the whole PATH.
func TestLookPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are told by their mode")
	}
	dir := t.TempDir()
	file := func(mode os.FileMode, names ...string) string {
		path := filepath.Join(append([]string{dir}, names...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := file(0o700, "one", "srv")
	two := file(0o700, "two", "srv")
	file(0o600, "plain", "srv")
	file(0o600, "plain", "other")
	here := file(0o700, "here")
	file(0o700, "work", "evil")
	join := func(names ...string) string {
		var out []string
		for _, name := range names {
			out = append(out, filepath.Join(dir, name))
		}
		return strings.Join(out, string(filepath.ListSeparator))
	}
	t.Setenv("PATH", join("one")) // must not be looked at

	for _, tt := range []struct {
		name, command, path string
		want                string // the path found
		wantErr             []string
	}{
		{"the first of two", "srv", join("one", "two"), one, nil},
		{"the order of PATH", "srv", join("two", "one"), two, nil},
		{"not executable is passed over", "srv", join("plain", "two"), two, nil},
		{"a name with a slash", "./here", join("one"), here, nil},
		{"a path", one, "", one, nil},
		{"not in PATH", "srv", join("none"), "", []string{"srv", "not found in PATH (1 folders); install it"}},
		{"no PATH", "srv", "", "", []string{"srv", "PATH (0 folders)"}},
		{"only one that is not executable", "other", join("plain"), "", []string{"other", "not executable", "PATH (1 folders)"}},
		{"a folder", "one", dir, "", []string{"one", "a folder"}},
		{"a slash, and not there", "./nope", join("one"), "", []string{"./nope", "not there"}},
		{"a slash, and not executable", "plain/srv", join("one"), "", []string{"plain/srv", "not executable"}},
		{"relative entries of PATH", "evil", "work:.:", "", []string{"evil"}},
		{"nothing", "", join("one"), "", []string{"no command"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := LookPath(tt.command, dir, []string{"PATH=/wrong", "X=1", "PATH=" + tt.path, "PATHX=/wrong"})
			if got != tt.want {
				t.Errorf("got %q, want %q (%v)", got, tt.want, err)
			}
			if (err == nil) != (tt.wantErr == nil) {
				t.Fatalf("error %v", err)
			}
			for _, part := range tt.wantErr {
				if e, ok := errors.AsType[*wire.Error](err); !ok || e.Kind != wire.KindSpawn || !strings.Contains(e.Message, part) {
					t.Errorf("the error %v does not say %q", err, part)
				}
			}
		})
	}
}
