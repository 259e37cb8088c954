package e2e

import (
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/keyringtest"
)

// ringed returns a world that keeps credentials in a keyring, on a bus.
func ringed(t *testing.T, b *keyringtest.Bus) (*guarded, *fakeeditor.Editor) {
	t.Helper()
	w := newGuarded(t, authserver.Options{})
	w.vars = b.Env()
	w.keep("keyring")
	e := w.newcomer()
	return w, e
}

// inRing returns what the keyring has, as text.
func inRing(t *testing.T, k *keyringtest.Keyring) string {
	t.Helper()
	secrets := k.Secrets(t)
	return strings.Join(slices.Concat(slices.Collect(maps.Keys(secrets)), slices.Collect(maps.Values(secrets))), "\n")
}

// awaitKept waits until credentials are kept at a place, and says why they are kept in memory where they are.
func awaitKept(e *fakeeditor.Editor, place editorapi.SignedInKept, why string) {
	seen := 0
	var last editorapi.Server
	e.Expect("credentials are kept in "+string(place), func(conversation []fakeeditor.Message) (met bool, never string) {
		for ; seen < len(conversation); seen++ {
			if s, ok := shown(conversation[seen], "remote"); ok {
				last = s
			}
		}
		problems := strings.Join(last.Problems, " ")
		return last.SignedIn != nil && last.SignedIn.Kept == place && (problems == "") == (why == "") && strings.Contains(problems, why), ""
	})
}

// nextDaemon kills the daemon, and returns an editor of the next one, at which the user is still signed in.
func (w *guarded) nextDaemon(e *fakeeditor.Editor) *fakeeditor.Editor {
	w.t.Helper()
	w.endDaemon(syscall.SIGKILL, e)
	if found := w.filesWith("canary-"); len(found) != 0 {
		w.t.Errorf("tokens are in %q", found)
	}
	again := w.attach(w.idle(), "remote")
	w.works(again, "echo", "in the next daemon")
	if got := w.auth.Counts(); got.RefreshReuses != 0 || received(again, "window/showDocument") != 0 {
		w.t.Errorf("the next daemon sent %d used tokens", got.RefreshReuses)
	}
	return again
}

// What is in the keyring is there for the next daemon, and gone after signing out.
func TestKeyringKeepsASignIn(t *testing.T) {
	k := keyringtest.Start(t)
	w, e := ringed(t, k.Bus)
	if v := signIn(e, "remote"); v.SignedIn.Kept != editorapi.KeptInKeyring || len(v.Problems) != 0 {
		t.Errorf("the server is %s", marshal(v))
	}
	w.expire()
	w.works(e, "echo", "refreshed")
	if text := inRing(t, k); !strings.Contains(text, "canary-refresh-") {
		t.Errorf("the keyring has %s", text)
	}
	e = w.nextDaemon(e)
	request(e, "editord/signOut", object{"server": "remote"}, nil)
	if text := inRing(t, k); text != "" {
		t.Errorf("after signing out the keyring has %s", text)
	}
}

// Fault keyring-locked: with a keyring that is locked you can sign in all the same; what could not be kept is kept when it is unlocked.
func TestKeyringIsLocked(t *testing.T) {
	k := keyringtest.Start(t)
	k.Lock(t)
	w, e := ringed(t, k.Bus)
	signIn(e, "remote")
	awaitKept(e, editorapi.KeptInMemory, "the keyring is locked")
	w.works(e, "echo", "one")
	w.expire()
	w.works(e, "echo", "two")
	k.Unlock(t)
	awaitKept(e, editorapi.KeptInKeyring, "")
	e = w.nextDaemon(e)

	// A keyring that is locked when the daemon starts: nobody is asked to sign in again once it is unlocked.
	k.Lock(t)
	w.endDaemon(syscall.SIGKILL, e)
	again := w.attach(w.idle())
	v := awaitState(again, "remote", "needsSignIn")
	if v.Error == nil || !strings.Contains(v.Error.Message, "keyring is locked") {
		t.Errorf("with a locked keyring the server is %s", marshal(v))
	}
	k.Unlock(t)
	awaitReady(again, "remote")
	w.works(again, "echo", "unlocked")
	if received(again, "window/showDocument") != 0 {
		t.Error("somebody was sent to sign in")
	}
}

// Fault keyring-locked: where there is no keyring, a sign-in lasts as long as the daemon, which says so.
func TestNoKeyring(t *testing.T) {
	w, e := ringed(t, keyringtest.StartBus(t))
	v := signIn(e, "remote")
	if v.SignedIn.Kept != editorapi.KeptInMemory || len(v.Problems) != 1 || !strings.Contains(v.Problems[0], `"credentials": "file"`) {
		t.Errorf("the server is %s", marshal(v))
	}
	w.works(e, "echo", "one")
	w.keep("file")
	await(t, "nobody is signed in", func() bool { return server(e, "remote").SignedIn == nil })
	if v := signIn(e, "remote"); v.SignedIn.Kept != editorapi.KeptInFile || len(v.Problems) != 0 {
		t.Errorf("the server is %s", marshal(v))
	}
}
