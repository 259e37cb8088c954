//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// umasked returns the definition of a server that makes a file, by which its umask is seen.
func (w *world) umasked(name string) map[string]any {
	return w.launched(name, `rm -f `+w.made(name)+`; mkdir `+w.made(name)+`; exec "$0"`, fakeserver.Script{})
}

func (w *world) made(name string) string { return filepath.Join(w.dir, "made-by-"+name) }

// wantUmask fails the test unless a server ran with a umask.
func (w *world) wantUmask(name string, want fs.FileMode) {
	w.t.Helper()
	info, err := os.Stat(w.made(name))
	if err != nil {
		w.t.Fatal(err)
	}
	if got := 0o777 &^ info.Mode().Perm(); got != want {
		w.t.Errorf("server %s has umask %04o, want %04o", name, got, want)
	}
	if err := os.Remove(w.made(name)); err != nil {
		w.t.Fatal(err)
	}
}

// A server has the umask of its editor, whoever has started the daemon, and the daemon's own files are its own
// alone. Whose umask counts is tested in daemon.
func TestUmaskIsTheEditors(t *testing.T) {
	w := newWorld(t)
	w.config(servers{"one": w.umasked("one")}.String())
	for folder, tt := range map[string]struct {
		umask, options string
		want           fs.FileMode
	}{"open": {"0000", `{}`, 0}, "closed": {"0027", `{}`, 0o027}, "says": {"0000", `{"umask":"077"}`, 0o077}} {
		o := in(mcpCapabilities, w.folder(folder))
		o.InitializationOptions = json.RawMessage(tt.options)
		awaitReady(w.open(w.spawnAs(after("umask "+tt.umask), "attach"), o), "one")
		w.wantUmask("one", tt.want)
	}
	out, err := w.command(after("umask 0037"), "call", "--folder", w.folder("another"), "one", "echo").CombinedOutput()
	if err != nil {
		t.Fatalf("call: %v: %s", err, out)
	}
	w.wantUmask("one", 0o037)

	err = filepath.WalkDir(w.state(""), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := entry.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
