//go:build linux || darwin

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// signedIn returns a world whose user has signed in.
func signedIn(t *testing.T, o authserver.Options) (*guarded, *fakeeditor.Editor) {
	t.Helper()
	w := newGuarded(t, o)
	e := w.attach(w.person(authserver.Browser{}))
	awaitState(e, "remote", "needsSignIn")
	signIn(e, "remote")
	return w, e
}

// expire ends the access tokens that there are.
func (w *guarded) expire() {
	w.t.Helper()
	if err := w.auth.Expire("access"); err != nil {
		w.t.Fatal(err)
	}
}

// revoke revokes everything.
func (w *guarded) revoke() {
	w.t.Helper()
	for _, kind := range []string{"access", "refresh"} {
		if err := w.auth.Revoke(kind); err != nil {
			w.t.Fatal(err)
		}
	}
}

// Fault oauth-rotation: a token that has expired is replaced once, and what was called is carried out once. Nobody is asked.
func TestExpiredToken(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	w.works(e, "echo", "before")
	w.expire()
	w.works(e, "echo", "after")
	if got := w.auth.Counts(); got.Refreshes != 1 || got.RefreshReuses != 0 {
		t.Errorf("one call refreshed %d times, with %d used tokens", got.Refreshes, got.RefreshReuses)
	}

	w.expire()
	const many = 50
	var pending []*fakeeditor.Pending
	for i := range many {
		pending = append(pending, e.Start("mcp/tools/call", toolCall("remote", "echo", object{"text": "hello", "id": fmt.Sprint(i)})))
	}
	for _, p := range pending {
		if _, err := p.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	got := w.auth.Counts()
	for i := range many {
		if n := got.Calls[fmt.Sprint(i)]; n != 1 {
			t.Errorf("call %d was carried out %d times", i, n)
		}
	}
	if got.Refreshes != 2 || got.RefreshReuses != 0 {
		t.Errorf("%d calls at once refreshed %d times, with %d used tokens", many, got.Refreshes-1, got.RefreshReuses)
	}
	if n := seenStates(e, "remote", "restarting"); n != 0 {
		t.Errorf("the server was restarted %d times", n)
	}
	if n := received(e, "window/showDocument"); n != 1 {
		t.Errorf("a page was opened %d times", n)
	}
}

// A token that ends in the middle of a call does not end the call.
func TestTokenEndsDuringACall(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{"slow": {Do: "hold"}} })
	p := e.Start("mcp/tools/call", toolCall("remote", "slow", object{"text": "hello", "id": "slow"}))
	w.awaitCount("the call has begun", func(c authserver.Counts) bool { return c.Calls["slow"] == 1 })
	w.expire()
	w.works(e, "echo", "meanwhile")
	w.auth.Release("slow")
	if _, err := p.Wait(); err != nil {
		t.Errorf("the call under way ends with %v", err)
	}
	if got := w.auth.Counts(); got.Calls["slow"] != 1 || got.Refreshes != 1 {
		t.Errorf("the call was carried out %d times, with %d new tokens", got.Calls["slow"], got.Refreshes)
	}
}

// When no token can be had any more, calls say so, and nobody is sent anywhere.
func TestEverythingRevoked(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	other := w.attach(w.idle())
	awaitReady(other, "remote")
	w.revoke()
	wantsSignIn(e, "the first call", calls(e, "echo", "first"))
	for _, editor := range []*fakeeditor.Editor{e, other} {
		if v := awaitNow(editor, "remote", "needsSignIn"); v.Error == nil || v.Error.Kind != "signInNeeded" || v.SignedIn != nil {
			t.Errorf("the server is %s", marshal(v))
		}
	}
	asked := w.auth.Counts().Requests["token"]
	for i := range 5 {
		wantsSignIn(e, "a later call", calls(e, "echo", fmt.Sprint("later", i)))
	}
	got := w.auth.Counts()
	if got.Requests["token"] != asked || got.Executions["echo"] != 0 || received(e, "window/showDocument") != 1 {
		t.Errorf("later calls asked for %d tokens; %v", got.Requests["token"]-asked, got.Executions)
	}
	if strings.Contains(w.inFile(), "canary-refresh") {
		t.Errorf("the refresh token that is of no use is kept: %s", w.inFile())
	}
	signIn(e, "remote")
	awaitNow(other, "remote", "ready")
	w.works(other, "echo", "again")
	if got := w.auth.Counts(); got.Registrations != 1 {
		t.Errorf("%d clients were registered", got.Registrations)
	}
}

// Fault oauth-scope: what the token does not allow is refused with the scopes that are missing; signing in again asks for them, once.
func TestInsufficientScope(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	wantsMore := func(when string) {
		t.Helper()
		err := calls(e, "admin", when)
		wantError(e, when, err, "signInNeeded", -32803)
		if err.Detail() != "admin" || !strings.Contains(err.Message, "(admin)") || !strings.Contains(err.Message, "mcp-editord signin remote") {
			t.Errorf("%s: the error is %v", when, err)
		}
		v := awaitServer(e, "remote", "wants admin", func(s editorapi.Server) bool {
			return s.SignedIn != nil && slices.Equal(s.SignedIn.Wanted, []string{"admin"})
		})
		if v.State != editorapi.ServerReady || slices.Contains(v.SignedIn.Scopes, "admin") {
			t.Errorf("%s: the server is %s", when, marshal(v))
		}
	}
	wantsMore("the first call")
	wantsMore("the second call")
	w.works(e, "echo", "meanwhile")
	if got := w.auth.Counts(); got.Refreshes != 0 || got.Executions["admin"] != 0 {
		t.Errorf("a scope that is missing cost %d tokens; admin was carried out %d times", got.Refreshes, got.Executions["admin"])
	}
	if v := signIn(e, "remote"); len(v.SignedIn.Wanted) != 0 || !slices.Contains(v.SignedIn.Scopes, "admin") || !slices.Contains(v.SignedIn.Scopes, "mcp") {
		t.Errorf("after signing in again the server is %s", marshal(v))
	}
	w.works(e, "admin", "allowed")

	// A server that is never content: nobody is asked for the same scope again.
	w.change(func(k *authserver.Knobs) { k.InsufficientScope = true })
	for _, when := range []string{"never", "never again"} {
		err := calls(e, "admin", when)
		if wantError(e, when, err, "httpError", -32803); err.Detail() != "403" || !strings.Contains(err.Message, "may not be allowed") {
			t.Errorf("%s: the error is %v", when, err)
		}
	}
	if v := server(e, "remote"); v.State != editorapi.ServerReady || len(v.SignedIn.Wanted) != 0 {
		t.Errorf("the server is %s", marshal(v))
	}
	if n := received(e, "window/showDocument"); n != 2 {
		t.Errorf("a page was opened %d times", n)
	}
}

// Fault oauth-scope: an authorization server that grants less than was asked for, for ever.
func TestScopeIsNeverGranted(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{Knobs: authserver.Knobs{GrantedScope: "mcp"}})
	wantError(e, "the first call", calls(e, "admin", "1"), "signInNeeded", -32803)
	signIn(e, "remote")
	wantError(e, "after signing in", calls(e, "admin", "2"), "httpError", -32803)
	w.works(e, "echo", "other")
	if v := server(e, "remote"); v.State != editorapi.ServerReady || len(v.SignedIn.Wanted) != 0 {
		t.Errorf("the server is %s", marshal(v))
	}
}

// What an authorization server says about the time that a token has is only a hint: the MCP server decides.
func TestTimesOfTokens(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		knobs     authserver.Knobs
		refreshes bool // a call may take another token
	}{
		"none":          {authserver.Knobs{TokenResponse: map[string]any{"expires_in": nil}}, false},
		"zero":          {authserver.Knobs{TokenResponse: map[string]any{"expires_in": 0}}, true},
		"negative":      {authserver.Knobs{TokenResponse: map[string]any{"expires_in": -5}}, true},
		"a string":      {authserver.Knobs{TokenResponse: map[string]any{"expires_in": "3600"}}, false},
		"at its end":    {authserver.Knobs{TokenResponse: map[string]any{"expires_in": 1}, NoRefreshToken: true}, false},
		"one use":       {authserver.Knobs{TokenUses: 1}, true},
		"no new tokens": {authserver.Knobs{NoRotation: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, e := signedIn(t, authserver.Options{Knobs: test.knobs})
			w.works(e, "echo", "1")
			w.works(e, "echo", "2")
			if got := w.auth.Counts(); got.RefreshReuses != 0 || got.Refreshes > 0 && !test.refreshes {
				t.Errorf("two calls took %d new tokens, with %d used tokens", got.Refreshes, got.RefreshReuses)
			}
			if test.knobs.NoRefreshToken || test.knobs.TokenUses > 0 {
				return
			}
			w.expire()
			w.works(e, "echo", "3")
			w.expire()
			w.works(e, "echo", "4")
		})
	}
}

// A time that is no number of seconds is no answer with a token.
func TestTimesThatAreNone(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.person(authserver.Browser{}))
	awaitState(e, "remote", "needsSignIn")
	for _, value := range []any{"soon", []int{1}, true} {
		w.change(func(k *authserver.Knobs) { k.TokenResponse = map[string]any{"expires_in": value} })
		if message := signInFails(e, "remote"); !strings.Contains(message, "gave an answer that is not a token") {
			t.Errorf("expires_in %v: %s", value, message)
		}
	}
}

// Without a refresh token, a token that is refused is the end, and a clock that says that it has ended is not.
func TestNoRefreshToken(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{Knobs: authserver.Knobs{NoRefreshToken: true}})
	w.works(e, "echo", "1")
	w.expire()
	asked := w.auth.Counts().Requests["token"]
	wantsSignIn(e, "a call", calls(e, "echo", "2"))
	awaitNow(e, "remote", "needsSignIn")
	if n := w.auth.Counts().Requests["token"] - asked; n != 0 {
		t.Errorf("%d tokens were asked for without a refresh token", n)
	}
	signIn(e, "remote")
	w.works(e, "echo", "3")
}
