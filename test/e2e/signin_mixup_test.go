//go:build linux || darwin

package e2e

import (
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// Faults oauth-state and oauth-iss: what belongs to the sign-in to one server is of no use at that to another.
func TestSignInsAreMixedUp(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	evil := authserver.New(t, authserver.Options{Canary: "evil"})
	w.define("file", servers{"remote": object{"url": w.auth.URL()}, "evil": object{"url": evil.URL()}})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	awaitState(e, "evil", "needsSignIn")
	good, goodTo := begin(e, "remote")
	bad, badTo := begin(e, "evil")
	v := w.visit(authserver.Browser{StopAt: "redirect"}, goodTo.URL)
	code, err := url.Parse(v.Next)
	if err != nil {
		t.Fatal(err)
	}
	// The response of one, at the listener of the other and in its question.
	if page := w.visit(authserver.Browser{}, badTo.RedirectURI+"?"+code.RawQuery); page.Status != 400 {
		t.Errorf("the other listener answers %d: %s", page.Status, page.Page)
	}
	_, refused := e.Request("editord/finishSignIn", object{"server": "evil", "response": v.Next})
	wantError(e, "pasting it there", refused, "invalidParams", -32602)
	if joined(e); good.Answered() || bad.Answered() {
		t.Fatal("one of the sign-ins has ended")
	}
	// With the state of the other, a code of the first authorization server still says who sent it: it is not redeemed there.
	q := code.Query()
	q.Set("state", state(t, badTo))
	w.visit(authserver.Browser{}, badTo.RedirectURI+"?"+q.Encode())
	_, failed := bad.Wait()
	wantError(e, "with a code of another authorization server", failed, "signInFailed", -32803)
	for _, entry := range evil.Record() {
		if strings.Contains(entry.Form.Encode()+entry.URL+entry.Authorization, "canary-") {
			t.Errorf("the other authorization server was sent the code, at %s", entry.Endpoint)
		}
	}
	if page := w.visit(authserver.Browser{}, v.Next); page.Status != 200 {
		t.Errorf("the right listener answers %d: %s", page.Status, page.Page)
	}
	if _, err := good.Wait(); err != nil {
		t.Fatal(err)
	}
	w.works(e, "echo", "one")
}

// Fault oauth-state: what an authorization server says about a refusal is text, in the browser and in the editor.
func TestReasonIsHostile(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	for name, values := range map[string]url.Values{
		"markup":         {"error": {"invalid_scope"}, "error_description": {`<script>alert(1)</script><a href="command:x">x</a>`}},
		"escapes":        {"error": {"server_error"}, "error_description": {"\x1b[2J\u202eevil\r\nmcp-editord signin other"}},
		"long":           {"error": {"server_error"}, "error_description": {strings.Repeat("a", 4<<10)}},
		"too long":       {"error": {strings.Repeat("a", 6<<10)}},
		"no code":        {},
		"an empty code":  {"code": {""}},
		"two codes":      {"code": {"canary-1", "canary-2"}},
		"code and error": {"code": {"canary-1"}, "error": {"access_denied"}},
		"two issuers":    {"code": {"canary-1"}, "iss": {w.auth.Issuer(), w.auth.Issuer()}},
		"issuer/":        {"code": {"canary-1"}, "iss": {w.auth.Issuer() + "/"}},
	} {
		p, to := begin(e, "remote")
		values.Set("state", state(t, to))
		if !values.Has("iss") {
			values.Set("iss", w.auth.Issuer())
		}
		page := w.visit(authserver.Browser{}, to.RedirectURI+"?"+values.Encode())
		_, err := p.Wait()
		wantError(e, name, err, "signInFailed", -32803)
		if len(err.Message) > 500 || strings.ContainsAny(err.Message, "\x1b\r\n\u202e") || strings.Contains(err.Message, "canary") {
			t.Errorf("%s: the error is %q", name, err.Message)
		}
		if page.Status == 200 || strings.Contains(page.Page, "<script") || strings.Contains(page.Page, "<a ") || strings.Contains(page.Page, "canary") || strings.ContainsAny(page.Page, "\x1b\u202e") {
			t.Errorf("%s: the browser says %d: %s", name, page.Status, page.Page)
		}
	}
	if got := w.auth.Counts(); got.Requests["token"] != 0 {
		t.Errorf("%d tokens were asked for", got.Requests["token"])
	}
}

// Fault oauth-client: the port that the browser is to end at is another program's.
func TestPortIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	w := newGuarded(t, authserver.Options{})
	w.define("file", servers{
		"remote": object{"url": w.auth.URL()},
		"fixed":  object{"url": w.auth.URL(), "oauth": object{"redirectPort": taken.Addr().(*net.TCPAddr).Port}},
	})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	awaitState(e, "fixed", "needsSignIn")
	if message := signInFails(e, "fixed"); !strings.Contains(message, "another program has it") || !strings.Contains(message, taken.Addr().String()[len("127.0.0.1:"):]) {
		t.Errorf("with a port that is taken: %s", message)
	}

	// A port that was chosen at random is one of several: the client that has it is replaced.
	p, to := begin(e, "remote")
	w.visit(authserver.Browser{}, to.URL)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(to.RedirectURI)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp4", at.Host)
	if err != nil {
		t.Skip("somebody else has the port already")
	}
	defer listener.Close()
	p, again := begin(e, "remote")
	if again.RedirectURI == to.RedirectURI {
		t.Error("the browser is sent to another program")
	}
	w.visit(authserver.Browser{}, again.URL)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := w.auth.Counts(); got.Registrations != 2 {
		t.Errorf("%d clients were registered", got.Registrations)
	}
}
