//go:build linux || darwin

package e2e

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// endDaemon kills the daemon, or has it end in order, and with it the connections of its editors.
func (w *world) endDaemon(signal syscall.Signal, editors ...*fakeeditor.Editor) {
	w.t.Helper()
	pid := w.daemonPID()
	if err := syscall.Kill(pid, signal); err != nil {
		w.t.Fatal(err)
	}
	await(w.t, "the daemon has ended", func() bool { return !alive(pid) })
	for _, e := range editors {
		e.AwaitEnd()
	}
}

// filesWith returns the files of the world that have a text, but for those that are expected to.
func (w *world) filesWith(text string, but ...string) (found []string) {
	w.t.Helper()
	w.eachFile(func(path, content string) {
		if strings.Contains(content, text) && !slices.Contains(but, path) {
			found = append(found, path)
		}
	})
	return found
}

// Who changes where credentials are kept signs in again: nothing goes from one place to another, and a file
// that is no longer the place is deleted.
func TestCredentialsElsewhere(t *testing.T) {
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
	w.endDaemon(syscall.SIGKILL, e)
	again := w.attach(w.idle(), "remote")
	w.works(again, "echo", "again")
}

// Fault credentials-lost: what is kept is there for the next daemon, however the last one ended.
func TestSignInIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		place  string
		signal syscall.Signal
		kept   editorapi.SignedInKept
	}{
		"file, killed":  {"file", syscall.SIGKILL, editorapi.KeptInFile},
		"file, stopped": {"file", syscall.SIGTERM, editorapi.KeptInFile},
		"memory":        {"memory", syscall.SIGTERM, editorapi.KeptInMemory},
		"no keyring":    {"keyring", syscall.SIGKILL, editorapi.KeptInMemory},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGuarded(t, authserver.Options{})
			w.keep(test.place)
			e := w.newcomer()
			v := signIn(e, "remote")
			if v.SignedIn.Kept != test.kept || (test.place == "keyring") != strings.Contains(strings.Join(v.Problems, " "), "no D-Bus session") {
				t.Errorf("the server is %s", marshal(v))
			}
			w.expire()
			w.works(e, "echo", "refreshed") // what is kept is the new one
			file := w.state("credentials.json")
			if info, err := os.Stat(file); (err == nil) != (test.place == "file") || err == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("the file is %v (%v)", info, err)
			}
			w.endDaemon(test.signal, e)
			if found := w.filesWith("canary-", file); len(found) != 0 {
				t.Errorf("tokens are in %q", found)
			}
			again := w.attach(w.person(authserver.Browser{}))
			if test.place != "file" {
				awaitState(again, "remote", "needsSignIn")
				signIn(again, "remote")
			}
			awaitReady(again, "remote")
			w.works(again, "echo", "again")
			if n := received(again, "window/showDocument"); (n == 0) != (test.place == "file") || w.auth.Counts().RefreshReuses != 0 {
				t.Errorf("%d pages were opened; %+v", n, w.auth.Counts())
			}
		})
	}
}

// Fault credentials-lost: what is no file of credentials is not used, and not a reason to do nothing.
// Package secrets has the other ways in which it can be bad.
func TestFileOfCredentialsIsAPipe(t *testing.T) {
	w, e := signedIn(t, authserver.Options{})
	w.endDaemon(syscall.SIGKILL, e)
	path := w.state("credentials.json")
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	again := w.newcomer()
	v := signIn(again, "remote")
	w.works(again, "echo", "again")
	if v.SignedIn.Kept == editorapi.KeptInMemory && len(v.Problems) == 0 {
		t.Errorf("nothing says why nothing is kept: %s", marshal(v))
	}
}

// A client that signs in by itself needs no place to keep its token: build machines have no keyring.
func TestClientCredentialsWithoutKeyring(t *testing.T) {
	client := authserver.Client{ID: "nightly", Secret: "canary-secret", GrantTypes: []string{"client_credentials"}}
	w := newGuarded(t, authserver.Options{Clients: []authserver.Client{client}})
	w.define("keyring", servers{"remote": object{"url": w.auth.URL(), "oauth": object{
		"grant": "client_credentials", "clientId": client.ID, "clientSecret": client.Secret,
	}}})
	e := w.attach(w.idle(), "remote")
	w.auth.Expire("access")
	if got := call(e, "remote", "echo", object{"text": "hi"}); got.text() != "hi" {
		t.Errorf("after its token has expired, the tool answers %+v", got)
	}
}
