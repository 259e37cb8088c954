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

// signedOut returns a world whose user has not signed in, and only looks at addresses.
func signedOut(t *testing.T, o authserver.Options) (*guarded, *fakeeditor.Editor) {
	t.Helper()
	w := newGuarded(t, o)
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	return w, e
}

// newcomer attaches an editor whose user has not signed in, and goes to every address.
func (w *guarded) newcomer() *fakeeditor.Editor {
	w.t.Helper()
	e := w.attach(w.person(authserver.Browser{}))
	awaitState(e, "remote", "needsSignIn")
	return e
}

// signedIn returns a world whose user has signed in.
func signedIn(t *testing.T, o authserver.Options) (*guarded, *fakeeditor.Editor) {
	t.Helper()
	w := newGuarded(t, o)
	e := w.newcomer()
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
	w, e := signedIn(t, authserver.Options{})
	w.expire()
	const many = 50
	var pending []*fakeeditor.Pending
	for i := range many {
		pending = append(pending, e.Start("mcp/tools/call", toolCall("remote", "echo", object{"id": fmt.Sprint(i)})))
	}
	for _, p := range pending {
		p.Result()
	}
	got := w.auth.Counts()
	for i := range many {
		if n := got.Calls[fmt.Sprint(i)]; n != 1 {
			t.Errorf("call %d was carried out %d times", i, n)
		}
	}
	if got.Refreshes != 1 || got.RefreshReuses != 0 {
		t.Errorf("%d calls at once refreshed %d times, with %d used tokens", many, got.Refreshes, got.RefreshReuses)
	}
	if seenStates(e, "remote", "restarting")+received(e, "window/showDocument") != 1 {
		t.Error("the server was restarted, or a page was opened again")
	}
}

// When no token can be had any more, calls say so, and nobody is sent anywhere.
func TestEverythingRevoked(t *testing.T) {
	w, e := signedIn(t, authserver.Options{})
	other := w.attach(w.idle(), "remote")
	w.revoke()
	wantsSignIn(e, "the first call", calls(e, "echo", "first"))
	for _, editor := range []*fakeeditor.Editor{e, other} {
		if v := awaitNow(editor, "remote", "needsSignIn"); v.Error == nil || v.Error.Kind != "signInNeeded" || v.SignedIn != nil {
			t.Errorf("the server is %s", marshal(v))
		}
	}
	asked := w.auth.Counts().Requests["token"]
	for range 3 {
		wantsSignIn(e, "a later call", calls(e, "echo", "later"))
	}
	got := w.auth.Counts()
	if got.Requests["token"] != asked || got.Executions["echo"] != 0 || received(e, "window/showDocument") != 1 {
		t.Errorf("later calls asked for %d tokens; %v", got.Requests["token"]-asked, got.Executions)
	}
	if strings.Contains(w.inFile(), "canary-refresh") {
		t.Errorf("the refresh token that is of no use is kept: %s", w.inFile())
	}

	// Whoever signs in learns when it does not help.
	w.change(func(k *authserver.Knobs) { k.RefuseTokens = true })
	var view editorapi.Server
	request(e, "editord/signIn", object{"server": "remote"}, &view)
	if view.State != editorapi.ServerNeedsSignIn || view.Error == nil || !strings.Contains(view.Error.Message, "refuses the token") {
		t.Errorf("after signing in the server is %s", marshal(view))
	}
	w.change(func(k *authserver.Knobs) { k.RefuseTokens = false })
	signIn(e, "remote")
	awaitNow(other, "remote", "ready")
	w.works(other, "echo", "again")
}

// Fault oauth-scope: what the token does not allow is refused with the scopes that are missing; signing in again asks for them.
func TestInsufficientScope(t *testing.T) {
	w, e := signedIn(t, authserver.Options{})
	for range 2 {
		err := calls(e, "admin", "early")
		wantError(e, "a call", err, "signInNeeded", -32803)
		if err.Detail() != "admin" || !strings.Contains(err.Message, "(admin)") || !strings.Contains(err.Message, "mcp-editord signin remote") {
			t.Errorf("the error is %v", err)
		}
	}
	v := awaitServer(e, "remote", "wants admin", func(s editorapi.Server) bool {
		return s.SignedIn != nil && slices.Equal(s.SignedIn.Wanted, []string{"admin"})
	})
	if v.State != editorapi.ServerReady || slices.Contains(v.SignedIn.Scopes, "admin") {
		t.Errorf("the server is %s", marshal(v))
	}
	w.works(e, "echo", "meanwhile")
	if got := w.auth.Counts(); got.Refreshes != 0 || got.Executions["admin"] != 0 {
		t.Errorf("a scope that is missing cost %d tokens; admin was carried out %d times", got.Refreshes, got.Executions["admin"])
	}
	if v := signIn(e, "remote"); len(v.SignedIn.Wanted) != 0 || !slices.Contains(v.SignedIn.Scopes, "admin") || !slices.Contains(v.SignedIn.Scopes, "mcp") {
		t.Errorf("after signing in again the server is %s", marshal(v))
	}
	w.works(e, "admin", "allowed")
}

// Fault oauth-down: an authorization server that is down is no reason to sign in again. The call
// fails, and what was kept is good when the authorization server is back.
func TestNoTokenNow(t *testing.T) {
	w, e := signedIn(t, authserver.Options{})
	w.change(func(k *authserver.Knobs) { k.Down = []string{"issuer"} })
	w.expire()
	for range 3 {
		err := calls(e, "echo", "early")
		if err == nil || err.Kind() == "signInNeeded" || err.Kind() == "internal" || err.Code != -32803 {
			t.Fatalf("a call ends with %v", err)
		}
	}
	v := server(e, "remote")
	if v.State == editorapi.ServerNeedsSignIn || v.State == editorapi.ServerFailed || v.SignedIn == nil {
		t.Errorf("meanwhile the server is %s", marshal(v))
	}
	w.change(func(k *authserver.Knobs) { k.Down = nil })
	await(t, "a call works again", func() bool { return calls(e, "echo", "late") == nil })
	got, opened := w.auth.Counts(), received(e, "window/showDocument")
	if got.Executions["echo"] != 1 || got.RefreshReuses != 0 || opened != 1 {
		t.Errorf("the calls were carried out %v, with %d used tokens", got.Calls, got.RefreshReuses)
	}
}

// A daemon that is stopped keeps what is being refreshed.
func TestStoppedDuringARefresh(t *testing.T) {
	w, e := signedIn(t, authserver.Options{})
	w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{"token": {Do: "late"}} })
	before := w.auth.Counts()
	w.expire()
	e.Start("mcp/tools/call", toolCall("remote", "echo", object{}))
	w.awaitCount("the refresh is on its way", func(c authserver.Counts) bool { return c.Refreshes > before.Refreshes })
	stopped := w.spawn("stop")
	await(t, "the daemon is ending", func() bool { return w.logged(`"msg":"ending"`) })
	w.auth.Release("token")
	e.AwaitEnd()
	await(t, "the daemon has ended", stopped.ended)
	again := w.attach(w.idle(), "remote")
	w.works(again, "echo", "again")
	if got := w.auth.Counts(); got.RefreshReuses != 0 {
		t.Errorf("a used refresh token was sent %d times", got.RefreshReuses)
	}
}

// Fault oauth-moved: what one authorization server gave goes to no other, whatever the MCP server says later.
func TestServerMoves(t *testing.T) {
	w, e := signedIn(t, authserver.Options{})
	w.works(e, "echo", "before")
	given := w.auth.Secrets()
	var clients []string
	for _, entry := range w.auth.Record() {
		if id := entry.Form.Get("client_id"); id != "" {
			clients = append(clients, id)
		}
	}
	w.change(func(k *authserver.Knobs) { k.Moved = true })
	wantsSignIn(e, "a call", calls(e, "echo", "moved")) // the first one's token is of no use, nor is what it refreshes
	awaitNow(e, "remote", "needsSignIn")
	if v := signIn(e, "remote"); v.SignedIn.Issuer != w.auth.SecondIssuer() {
		t.Errorf("after the move the server is %s", marshal(v))
	}
	w.works(e, "echo", "after")
	asked := 0
	for _, entry := range w.auth.Record() {
		if entry.Server != "second" {
			continue
		}
		asked++
		sent := entry.Authorization + entry.URL + entry.Form.Encode()
		for _, secret := range slices.Concat(given, clients) {
			if strings.Contains(sent, secret) {
				t.Errorf("the second authorization server was sent %s at %s", secret, entry.Endpoint)
			}
		}
	}
	if got := w.auth.Counts(); asked == 0 || got.Registrations != 2 {
		t.Errorf("the second authorization server was asked %d times; %d clients were registered", asked, got.Registrations)
	}
}
