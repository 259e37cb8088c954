package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/keyringtest"
)

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

// Fault keyring-locked: with a keyring that is locked you can sign in all the same; what could not be kept is kept when it is unlocked.
func TestKeyringIsLocked(t *testing.T) {
	k := keyringtest.Start(t)
	k.Lock(t)
	w := newGuarded(t, authserver.Options{})
	w.vars = k.Env()
	w.keep("keyring")
	e := w.newcomer()
	signIn(e, "remote")
	awaitKept(e, editorapi.KeptInMemory, "the keyring is locked")
	w.works(e, "echo", "one")
	w.expire()
	w.works(e, "echo", "two")
	k.Unlock(t)
	awaitKept(e, editorapi.KeptInKeyring, "")
	w.endDaemon(syscall.SIGKILL, e)
	if found := w.filesWith("canary-"); len(found) != 0 {
		t.Errorf("tokens are in %q", found)
	}
	e = w.attach(w.idle(), "remote")
	w.works(e, "echo", "in the next daemon")

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
	opened := received(e, "window/showDocument") + received(again, "window/showDocument")
	if got := w.auth.Counts(); got.RefreshReuses != 0 || opened != 0 {
		t.Errorf("%d used tokens were sent, or somebody was sent to sign in", got.RefreshReuses)
	}
}
