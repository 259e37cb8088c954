//go:build linux || darwin

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// Fault oauth-down: an authorization server that gives no token now is no reason to sign in again. The call fails, and what was kept
// is good when the authorization server is back.
func TestNoTokenNow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault authserver.Fault
		down  bool
	}{
		"503":           {fault: authserver.Fault{Do: "status", Status: 503}},
		"a page":        {fault: authserver.Fault{Do: "html"}},
		"endless":       {fault: authserver.Fault{Do: "endless"}},
		"a redirect":    {fault: authserver.Fault{Do: "redirect", Location: "$SECOND/token"}},
		"not available": {fault: authserver.Fault{Do: "error", Error: "temporarily_unavailable", Status: 503}},
		"down":          {down: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, e := signedIn(t, authserver.Options{})
			w.change(func(k *authserver.Knobs) {
				if test.down {
					k.Down = []string{"issuer"}
				} else {
					k.Faults = map[string]authserver.Fault{"token": test.fault}
				}
			})
			asked := w.auth.Counts().Requests["token"]
			w.expire()
			for i := range 3 {
				err := calls(e, "echo", fmt.Sprint("early", i))
				if err == nil || err.Kind() == "signInNeeded" || err.Kind() == "internal" || err.Code != -32803 {
					t.Fatalf("a call ends with %v", err)
				}
			}
			// Calls in a row do not ask in a row.
			if n := w.auth.Counts().Requests["token"] - asked; n > 1 {
				t.Errorf("three calls asked for a token %d times", n)
			}
			for _, entry := range w.auth.Record() {
				if entry.Server == "second" {
					t.Errorf("another authorization server was asked: %+v", entry)
				}
			}
			if v := server(e, "remote"); v.State == editorapi.ServerNeedsSignIn || v.State == editorapi.ServerFailed || v.SignedIn == nil {
				t.Errorf("meanwhile the server is %s", marshal(v))
			}
			if !strings.Contains(w.inFile(), "canary-refresh-") {
				t.Error("the refresh token was thrown away")
			}
			w.change(func(k *authserver.Knobs) { k.Faults, k.Down = nil, nil })
			await(t, "a call works again", func() bool { return calls(e, "echo", "late") == nil })
			if got := w.auth.Counts(); got.Calls["late"] != 1 || got.RefreshReuses != 0 || got.Executions["echo"] != 1 {
				t.Errorf("the calls were carried out %v, with %d used tokens", got.Calls, got.RefreshReuses)
			}
			if n := received(e, "window/showDocument"); n != 1 {
				t.Errorf("a page was opened %d times", n)
			}
		})
	}
}

// Fault oauth-rotation: a refresh whose answer is lost has used up the refresh token. That ends the sign-in, once.
func TestRefreshIsLost(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{"token": {Do: "lose", Times: 1}} })
	w.expire()
	if err := calls(e, "echo", "lost"); err == nil || err.Kind() == "signInNeeded" {
		t.Errorf("the call whose token is lost ends with %v", err)
	}
	await(t, "the refresh token is known to be used up", func() bool {
		err := calls(e, "echo", "next")
		return err != nil && err.Kind() == "signInNeeded"
	})
	v := awaitNow(e, "remote", "needsSignIn")
	if v.Error == nil || !strings.Contains(v.Error.Message, "has ended") && !strings.Contains(v.Error.Message, "wants you to sign in") {
		t.Errorf("the server is %s", marshal(v))
	}
	asked := w.auth.Counts().Requests["token"]
	for i := range 5 {
		wantsSignIn(e, "a later call", calls(e, "echo", fmt.Sprint(i)))
	}
	if got := w.auth.Counts(); got.Requests["token"] != asked || got.RefreshReuses > 1 || got.Executions["echo"] != 0 {
		t.Errorf("a lost refresh ends with %+v", got)
	}
	signIn(e, "remote")
	w.works(e, "echo", "again")
}

// Fault oauth-rotation: a daemon that is killed while a refresh is on its way loses at most this sign-in.
func TestKilledDuringARefresh(t *testing.T) {
	t.Parallel()
	for fault, survives := range map[string]bool{"hold": true, "late": false} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			w, e := signedIn(t, authserver.Options{})
			w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{"token": {Do: fault}} })
			before := w.auth.Counts()
			w.expire()
			e.Start("mcp/tools/call", toolCall("remote", "echo", object{}))
			w.awaitCount("the refresh is on its way", func(c authserver.Counts) bool {
				return c.Requests["token"] > before.Requests["token"] && (survives || c.Refreshes > before.Refreshes)
			})
			w.kill(w.daemonPID())
			e.AwaitEnd()
			w.change(func(k *authserver.Knobs) { k.Faults = nil })
			w.auth.Release("token")
			again := w.attach(w.person(authserver.Browser{}))
			if !survives {
				awaitState(again, "remote", "needsSignIn")
				signIn(again, "remote")
			}
			awaitReady(again, "remote")
			w.works(again, "echo", "again")
		})
	}
}

// A daemon that is stopped keeps what is being refreshed.
func TestStoppedDuringARefresh(t *testing.T) {
	t.Parallel()
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
	again := w.attach(w.idle())
	awaitReady(again, "remote")
	w.works(again, "echo", "again")
	if got := w.auth.Counts(); got.RefreshReuses != 0 {
		t.Errorf("a used refresh token was sent %d times", got.RefreshReuses)
	}
}

// Fault oauth-client: an authorization server that has forgotten the client says invalid_client. The next sign-in registers another.
func TestClientIsForgotten(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	w.change(func(k *authserver.Knobs) {
		k.Faults = map[string]authserver.Fault{"token": {Do: "error", Error: "invalid_client", Status: 401, Times: 1}}
	})
	w.expire()
	wantsSignIn(e, "a call", calls(e, "echo", "1"))
	signIn(e, "remote")
	if got := w.auth.Counts(); got.Registrations != 2 {
		t.Errorf("%d clients were registered", got.Registrations)
	}
	w.works(e, "echo", "2")
}

// Fault oauth-down: the answers that are none at the sign-in itself. Nothing has changed after them.
func TestSignInWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.person(authserver.Browser{}))
	awaitState(e, "remote", "needsSignIn")
	for _, endpoint := range []string{"token", "register", "metadata", "resourceMetadata"} {
		for name, fault := range map[string]authserver.Fault{
			"503": {Do: "status", Status: 503}, "a page": {Do: "html"}, "no answer": {Do: "drop"}, "2 GB": {Do: "big"}, "endless": {Do: "endless"},
			"a redirect": {Do: "redirect", Location: "http://10.0.0.1/"},
		} {
			w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{endpoint: fault} })
			opened := received(e, "window/showDocument")
			message := signInFails(e, "remote")
			if len(message) > 400 || strings.Contains(message, "canary") || strings.Contains(message, "Welcome") || strings.ContainsAny(message, "\n<>") {
				t.Errorf("%s, %s: %s", endpoint, name, message)
			}
			if n := received(e, "window/showDocument") - opened; (n == 1) != (endpoint == "token") {
				t.Errorf("%s, %s: %d pages were opened", endpoint, name, n)
			}
			if strings.Contains(w.inFile(), "canary-access") {
				t.Errorf("%s, %s: a token is kept: %s", endpoint, name, w.inFile())
			}
		}
	}
	for _, down := range []string{"issuer", "resource"} {
		w.change(func(k *authserver.Knobs) { k.Faults, k.Down = nil, []string{down} })
		if message := signInFails(e, "remote"); !strings.Contains(message, "cannot be reached") {
			t.Errorf("with %s down: %s", down, message)
		}
	}
	w.change(func(k *authserver.Knobs) { k.Down = nil })
	signIn(e, "remote")
	w.works(e, "echo", "now")
}

// Fault oauth-down: calls wait for a refresh that is slow. Who gives up gets an answer at once, and the refresh goes on for the others.
func TestRefreshIsSlow(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	other := w.attach(w.idle())
	awaitReady(other, "remote")
	w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{"token": {Do: "late"}} })
	before := w.auth.Counts()
	w.expire()
	given := e.Start("mcp/tools/call", toolCall("remote", "echo", object{"text": "hello", "id": "given up"}))
	w.awaitCount("the refresh is on its way", func(c authserver.Counts) bool { return c.Refreshes > before.Refreshes })
	waits := other.Start("mcp/tools/call", toolCall("remote", "echo", object{"text": "hello", "id": "waits"}))
	given.Cancel()
	if _, err := given.Wait(); err == nil || err.Code != -32800 {
		t.Errorf("who gives up gets %v", err)
	}
	if joined(other); waits.Answered() {
		t.Error("the other call does not wait for the token")
	}
	w.auth.Release("token")
	if _, err := waits.Wait(); err != nil {
		t.Fatal(err)
	}
	w.works(e, "echo", "afterwards")
	if got := w.auth.Counts(); got.Calls["given up"] != 0 || got.Calls["waits"] != 1 || got.Refreshes != before.Refreshes+1 || got.RefreshReuses != 0 {
		t.Errorf("a slow refresh ends with %+v", got)
	}
}

// Fault oauth-down: a server of metadata that does not answer holds up nobody else, and the sign-in can be cancelled.
func TestMetadataIsSlow(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e, other := w.attach(w.idle()), w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	awaitState(other, "remote", "needsSignIn")
	for _, endpoint := range []string{"resourceMetadata", "metadata", "register"} {
		before := w.auth.Counts().Requests[endpoint]
		w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{endpoint: {Do: "hold"}} })
		p := e.Start("editord/signIn", object{"server": "remote"})
		w.awaitCount(endpoint+" is asked", func(c authserver.Counts) bool { return c.Requests[endpoint] > before })
		if v := server(other, "remote"); v.State != editorapi.ServerNeedsSignIn || v.SignIn != nil {
			t.Errorf("%s: meanwhile the server is %s", endpoint, marshal(v))
		}
		wantsSignIn(other, "a call meanwhile", calls(other, "echo", ""))
		p.Cancel()
		if _, err := p.Wait(); err == nil || err.Kind() != "cancelled" {
			t.Errorf("%s: the sign-in ends with %v", endpoint, err)
		}
		w.auth.Release(endpoint)
	}
	signIn(w.attach(w.person(authserver.Browser{})), "remote")
}

// A token that is good by our clock, and was revoked, is replaced; a server that refuses every token is not asked for ever.
func TestTokenIsRefused(t *testing.T) {
	t.Parallel()
	w, e := signedIn(t, authserver.Options{})
	if err := w.auth.Revoke("access"); err != nil {
		t.Fatal(err)
	}
	w.works(e, "echo", "revoked")
	w.change(func(k *authserver.Knobs) { k.RefuseTokens = true })
	before := w.auth.Counts()
	wantsSignIn(e, "a call", calls(e, "echo", "refused"))
	awaitNow(e, "remote", "needsSignIn")
	for range 5 {
		wantsSignIn(e, "a later call", calls(e, "echo", "refused"))
	}
	if n := w.auth.Counts().Requests["token"] - before.Requests["token"]; n > 1 {
		t.Errorf("%d tokens were asked for", n)
	}
	// Whoever signs in learns that it did not help, and is not sent there again.
	var view editorapi.Server
	request(e, "editord/signIn", object{"server": "remote"}, &view)
	if view.State != editorapi.ServerNeedsSignIn || view.Error == nil || !strings.Contains(view.Error.Message, "refuses the token") {
		t.Errorf("after signing in the server is %s", marshal(view))
	}
	// One for the call, one for each start of the server, and one for the sign-in.
	if got := w.auth.Counts(); got.Requests["token"]-before.Requests["token"] > 4 || received(e, "window/showDocument") != 2 {
		t.Errorf("signing in asked for %d tokens", got.Requests["token"]-before.Requests["token"])
	}
	w.change(func(k *authserver.Knobs) { k.RefuseTokens = false })
	signIn(e, "remote")
	w.works(e, "echo", "again")
}
