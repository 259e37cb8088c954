//go:build linux || darwin

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// endDaemon kills the daemon, or has it end in order.
func (w *world) endDaemon(signal syscall.Signal) {
	w.t.Helper()
	pid := w.daemonPID()
	if err := syscall.Kill(pid, signal); err != nil {
		w.t.Fatal(err)
	}
	await(w.t, "the daemon has ended", func() bool { return !alive(pid) })
}

// filesWith returns the files of the world that have a text, but for one that is expected to.
func (w *world) filesWith(text, but string) (found []string) {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == but {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), text) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// Fault credentials-lost: what is kept is there for the next daemon, however the last one ended.
func TestSignInIsKept(t *testing.T) {
	t.Parallel()
	for place, kept := range map[string]struct {
		where    editorapi.SignedInKept
		survives bool
		problem  string
	}{
		"file":    {editorapi.KeptInFile, true, ""},
		"memory":  {editorapi.KeptInMemory, false, ""},
		"keyring": {editorapi.KeptInMemory, false, "no D-Bus session"}, // there is none
	} {
		for how, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGTERM} {
			t.Run(place+", "+how, func(t *testing.T) {
				t.Parallel()
				w := newGuarded(t, authserver.Options{})
				w.keep(place)
				e := w.attach(w.person(authserver.Browser{}))
				awaitState(e, "remote", "needsSignIn")
				v := signIn(e, "remote")
				if v.SignedIn.Kept != kept.where || (kept.problem == "") != (len(v.Problems) == 0) || !strings.Contains(strings.Join(v.Problems, " "), kept.problem) {
					t.Errorf("with %s the server is %s", place, marshal(v))
				}
				w.expire()
				w.works(e, "echo", "refreshed") // what is kept is the new one
				file := w.state("credentials.json")
				if info, err := os.Stat(file); (err == nil) != (place == "file") || err == nil && info.Mode().Perm() != 0o600 {
					t.Errorf("the file is %v (%v)", info, err)
				}
				w.endDaemon(signal)
				e.AwaitEnd()
				if found := w.filesWith("canary-", file); len(found) != 0 {
					t.Errorf("tokens are in %q", found)
				}
				again := w.attach(w.person(authserver.Browser{}))
				if !kept.survives {
					awaitState(again, "remote", "needsSignIn")
					signIn(again, "remote")
				}
				awaitReady(again, "remote")
				w.works(again, "echo", "again")
				if n := received(again, "window/showDocument"); (n == 0) != kept.survives {
					t.Errorf("%d pages were opened", n)
				}
				if got := w.auth.Counts(); got.RefreshReuses != 0 {
					t.Errorf("%d used tokens were sent", got.RefreshReuses)
				}
			})
		}
	}
}

// Fault credentials-lost: a file of credentials that is damaged or that others can read is not used, and not a reason to do nothing.
func TestFileOfCredentialsIsDamaged(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"damaged":  func(path string) error { return os.WriteFile(path, []byte(`{"version": 1, "secrets": {`), 0o600) },
		"empty":    func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"readable": func(path string) error { return os.Chmod(path, 0o644) },
		"a link":   func(path string) error { return os.Rename(path, path+"2") },
		"a folder": func(path string) error { return rename(path, func() error { return os.Mkdir(path, 0o700) }) },
		"a pipe":   func(path string) error { return rename(path, func() error { return syscall.Mkfifo(path, 0o600) }) },
		"huge":     func(path string) error { return os.Truncate(path, 10<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, e := signedIn(t, authserver.Options{})
			w.endDaemon(syscall.SIGKILL)
			e.AwaitEnd()
			if err := spoil(w.state("credentials.json")); err != nil {
				t.Fatal(err)
			}
			if name == "a link" {
				if err := os.Symlink(w.state("credentials.json2"), w.state("credentials.json")); err != nil {
					t.Fatal(err)
				}
			}
			again := w.attach(w.person(authserver.Browser{}))
			v := awaitServer(again, "remote", "is reached", func(s editorapi.Server) bool {
				return s.State != editorapi.ServerStopped && s.State != editorapi.ServerStarting
			})
			if v.State != editorapi.ServerNeedsSignIn {
				t.Fatalf("the server is %s", marshal(v))
			}
			v = signIn(again, "remote")
			w.works(again, "echo", "again")
			if v.SignedIn.Kept == editorapi.KeptInMemory && len(v.Problems) == 0 {
				t.Errorf("nothing says why nothing is kept: %s", marshal(v))
			}
		})
	}
}

// rename moves a file away and puts something else in its place.
func rename(path string, replace func() error) error {
	if err := os.Rename(path, path+"2"); err != nil {
		return err
	}
	return replace()
}

// Who changes where credentials are kept signs in again: nothing goes from one place to another, and a file
// that is no longer the place is deleted.
func TestCredentialsElsewhere(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	for _, place := range []editorapi.SignedInKept{editorapi.KeptInMemory, editorapi.KeptInFile} {
		w.keep(string(place))
		await(t, "nobody is signed in", func() bool { return server(e, "remote").SignedIn == nil })
		await(t, "there is no file", func() bool {
			_, err := os.Lstat(w.state("credentials.json"))
			return os.IsNotExist(err)
		})
		if v := signIn(e, "remote"); v.SignedIn.Kept != place {
			t.Errorf("with %s the server is %s", place, marshal(v))
		}
		w.works(e, "echo", string(place))
		if got := strings.Contains(w.inFile(), "canary-refresh-"); got != (place == editorapi.KeptInFile) {
			t.Errorf("with %s, whether the file has the tokens: %v", place, got)
		}
	}
	w.endDaemon(syscall.SIGKILL)
	e.AwaitEnd()
	again := w.attach(w.idle())
	awaitReady(again, "remote")
	w.works(again, "echo", "again")
}
