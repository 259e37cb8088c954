//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"path/filepath"
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

// Fault oauth-left: a sign-in ends when nobody waits for it any more, or when somebody ends it. Then nobody listens for its browser.
func TestSignInEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end   func(w *guarded, e, other *fakeeditor.Editor, p *fakeeditor.Pending)
		kind  string // of the error that who began it gets; "": none is looked for
		state editorapi.ServerState
	}{
		"cancelled": {func(_ *guarded, _, _ *fakeeditor.Editor, p *fakeeditor.Pending) { p.Cancel() }, "cancelled", "needsSignIn"},
		"signed out": {func(_ *guarded, e, _ *fakeeditor.Editor, _ *fakeeditor.Pending) {
			request(e, "editord/signOut", object{"server": "remote"}, nil)
		}, "signInFailed", "needsSignIn"},
		"signed out by another": {func(_ *guarded, _, other *fakeeditor.Editor, _ *fakeeditor.Pending) {
			request(other, "editord/signOut", object{"server": "remote"}, nil)
		}, "signInFailed", "needsSignIn"},
		"stopped":            {func(_ *guarded, e, _ *fakeeditor.Editor, _ *fakeeditor.Pending) { stop(e, "remote") }, "signInFailed", "stopped"},
		"stopped by another": {func(_ *guarded, _, other *fakeeditor.Editor, _ *fakeeditor.Pending) { stop(other, "remote") }, "signInFailed", "stopped"},
		"the editor has gone": {func(_ *guarded, e, _ *fakeeditor.Editor, _ *fakeeditor.Pending) {
			e.Vanish()
		}, "", "needsSignIn"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGuarded(t, authserver.Options{})
			e, other := w.attach(w.idle()), w.attach(w.idle())
			awaitState(e, "remote", "needsSignIn")
			awaitState(other, "remote", "needsSignIn")
			p, to := begin(e, "remote")
			if refuses(t, to.RedirectURI) {
				t.Fatal("nobody listens for the browser")
			}
			test.end(w, e, other, p)
			if test.kind != "" {
				if _, err := p.Wait(); err == nil || err.Kind() != test.kind {
					t.Errorf("the sign-in ends with %v, want %s", err, test.kind)
				}
			}
			over(t, to, other)
			awaitNow(other, "remote", string(test.state))
			if got := w.auth.Counts(); got.Codes != 0 || got.Requests["token"] != 0 {
				t.Errorf("the authorization server was asked: %+v", got)
			}
			// The next one works.
			p, to = begin(other, "remote")
			w.visit(authserver.Browser{}, to.URL)
			if _, err := p.Wait(); err != nil {
				t.Fatal(err)
			}
			w.works(other, "echo", "next")
		})
	}
}

// While somebody waits for a sign-in it goes on, whoever began it.
func TestSignInGoesOn(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(e *fakeeditor.Editor, p *fakeeditor.Pending){
		"the first cancels": func(_ *fakeeditor.Editor, p *fakeeditor.Pending) {
			p.Cancel()
			if _, err := p.Wait(); err == nil || err.Kind() != "cancelled" || err.Code != -32800 {
				t.Errorf("who cancels gets %v", err)
			}
		},
		"the first goes": func(e *fakeeditor.Editor, _ *fakeeditor.Pending) { e.Vanish() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGuarded(t, authserver.Options{})
			e, other := w.attach(w.idle()), w.attach(w.idle())
			awaitState(e, "remote", "needsSignIn")
			awaitState(other, "remote", "needsSignIn")
			first, to := begin(e, "remote")
			second := other.Start("editord/signIn", object{"server": "remote"})
			joined(other)
			leave(e, first)
			await(t, "the daemon knows that one is left", func() bool { return len(status(other).Editors) == 1 || first.Answered() })
			if refuses(t, to.RedirectURI) || second.Answered() {
				t.Fatal("the sign-in has ended with who began it")
			}
			w.visit(authserver.Browser{}, to.URL)
			if _, err := second.Wait(); err != nil {
				t.Fatal(err)
			}
			w.works(other, "echo", "one")
			if got := w.auth.Counts(); got.Requests["authorize"] != 1 {
				t.Errorf("there were %d sign-ins", got.Requests["authorize"])
			}
		})
	}
}

// An editor that does not open the address has not ended the sign-in: the user may open it elsewhere.
func TestSignInIsNotOpened(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	o := w.idle()
	o.Answers["window/showDocument"] = func(json.RawMessage) (any, error) { return object{"success": false}, nil }
	e := w.attach(o)
	awaitState(e, "remote", "needsSignIn")
	p, to := begin(e, "remote")
	e.AwaitMethod("window/showDocument", p)
	joined(e)
	v := w.visit(authserver.Browser{StopAt: "redirect"}, to.URL)
	request(e, "editord/finishSignIn", object{"server": "remote", "response": v.Next}, nil)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	w.works(e, "echo", "one")
}

// Fault oauth-left: a daemon that ends, or a server that is no longer defined, ends the sign-in.
func TestSignInEndsWithTheDaemon(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *guarded){
		"killed":  func(w *guarded) { w.kill(w.daemonPID()) },
		"stopped": func(w *guarded) { _ = syscall.Kill(w.daemonPID(), syscall.SIGTERM) },
		"undefined": func(w *guarded) {
			w.config(`{"servers": {}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGuarded(t, authserver.Options{})
			e := w.attach(w.idle())
			awaitState(e, "remote", "needsSignIn")
			p, to := begin(e, "remote")
			end(w)
			if name == "undefined" {
				_, err := p.Wait()
				wantError(e, "signing in to a server that is gone", err, "signInFailed", -32803)
			} else {
				e.AwaitEnd()
			}
			over(t, to)
			w.keep("file")
			again := w.attach(w.person(authserver.Browser{}))
			awaitState(again, "remote", "needsSignIn")
			signIn(again, "remote")
			w.works(again, "echo", "one")
			if left, _ := filepath.Glob(filepath.Join(w.dir, "state", "mcp-editord", "*.tmp*")); len(left) > 0 {
				t.Errorf("there is %q", left)
			}
		})
	}
}
