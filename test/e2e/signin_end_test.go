//go:build linux || darwin

package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// over waits until a sign-in is over for everybody: its listener is closed, and no editor is told of it.
func over(t *testing.T, to editorapi.SignIn, editors ...*fakeeditor.Editor) {
	t.Helper()
	await(t, "the listener for the browser is closed", func() bool { return refuses(t, to.RedirectURI) })
	for _, e := range editors {
		await(t, "the sign-in is not shown any more", func() bool { return server(e, "remote").SignIn == nil })
	}
}

// Fault oauth-left: a daemon that ends, or a server that is no longer defined, ends the sign-in.
func TestSignInEndsWithTheDaemon(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *guarded){
		"stopped":   func(w *guarded) { _ = syscall.Kill(w.daemonPID(), syscall.SIGTERM) },
		"undefined": func(w *guarded) { w.config(`{"servers": {}}`) },
	} {
		t.Run(name, func(t *testing.T) {
			w, e := signedOut(t, authserver.Options{})
			p, to := begin(e, "remote")
			end(w)
			if name == "undefined" {
				fails(e, "signing in to a server that is gone", p, "signInFailed", -32803)
			} else {
				e.AwaitEnd()
			}
			over(t, to)
			w.keep("file")
			again := w.newcomer()
			signIn(again, "remote")
			w.works(again, "echo", "one")
			if left, _ := filepath.Glob(filepath.Join(w.dir, "state", "mcp-editord", "*.tmp*")); len(left) > 0 {
				t.Errorf("there is %q", left)
			}
		})
	}
}

// finish hands over what a browser ended on.
func finish(e *fakeeditor.Editor, response string) *fakeeditor.RPCError {
	_, err := e.Request("editord/finishSignIn", object{"server": "remote", "response": response})
	return err
}

// Fault oauth-left: a sign-in ends when nobody waits for it any more, or when somebody ends it. Then nobody listens for its browser.
func TestSignInEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end   func(e, other *fakeeditor.Editor, p *fakeeditor.Pending)
		kind  string // of the error that who began it gets; "": none is looked for
		state editorapi.ServerState
	}{
		"cancelled": {func(_, _ *fakeeditor.Editor, p *fakeeditor.Pending) { p.Cancel() }, "cancelled", "needsSignIn"},
		"signed out by another": {func(_, other *fakeeditor.Editor, _ *fakeeditor.Pending) {
			request(other, "editord/signOut", object{"server": "remote"}, nil)
		}, "signInFailed", "needsSignIn"},
		"stopped by another":  {func(_, other *fakeeditor.Editor, _ *fakeeditor.Pending) { stop(other, "remote") }, "signInFailed", "stopped"},
		"the editor has gone": {func(e, _ *fakeeditor.Editor, _ *fakeeditor.Pending) { e.Vanish() }, "", "needsSignIn"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGuarded(t, authserver.Options{})
			e, other := w.attach(w.idle()), w.attach(w.idle())
			awaitState(e, "remote", "needsSignIn")
			awaitState(other, "remote", "needsSignIn")
			p, to := begin(e, "remote")
			v := w.visit(authserver.Browser{StopAt: "redirect"}, to.URL)
			test.end(e, other, p)
			if test.kind != "" {
				if _, err := p.Wait(); err == nil || err.Kind() != test.kind {
					t.Errorf("the sign-in ends with %v, want %s", err, test.kind)
				}
			}
			over(t, to, other)
			awaitNow(other, "remote", string(test.state))
			if _, err := (authserver.Browser{}).Visit(t.Context(), v.Next); err == nil || w.auth.Counts().Requests["token"] != 0 {
				t.Error("the browser that comes late is answered, or a token was asked for")
			}
			// The next one works.
			w.goesThrough(other)
			w.works(other, "echo", "next")
		})
	}
}

// While somebody waits for a sign-in it goes on, though who began it has gone. What somebody pastes ends it if it is its address,
// and else says what to paste.
func TestFinishSignIn(t *testing.T) {
	w := newGuarded(t, authserver.Options{})
	e, other := w.attach(w.idle()), w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	awaitState(other, "remote", "needsSignIn")
	wantError(other, "before", finish(other, "http://127.0.0.1:1/x?code=a&state=b"), "signInFailed", -32803)

	_, to := begin(e, "remote")
	p := other.Start("editord/signIn", object{"server": "remote"})
	joined(other)
	e.Vanish()
	await(t, "the daemon knows that one is left", func() bool { return len(status(other).Editors) == 1 })
	v := w.visit(authserver.Browser{StopAt: "redirect"}, to.URL)
	err := finish(other, to.RedirectURI+"?code=canary-x&state=guess")
	wantError(other, "another state", err, "invalidParams", -32602)
	if err.Detail() != "response" || strings.Contains(err.Message, "canary") {
		t.Errorf("the error is %v", err)
	}
	if joined(other); p.Answered() {
		t.Fatal("what does not fit ended the sign-in")
	}
	if err := finish(other, " "+v.Next+"\n"); err != nil {
		t.Fatal(err)
	}
	p.Result()
	w.works(other, "echo", "one")
	wantError(other, "afterwards", finish(other, v.Next), "signInFailed", -32803)
}
