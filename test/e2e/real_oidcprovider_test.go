//go:build linux || darwin

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

const opensAddresses = `{"experimental":{"mcp":{}},"window":{"showDocument":{"support":true}}}`

// protects writes a configuration with the MCP server behind p. Sign-ins are kept in a file, and so
// outlive the daemon.
func (w *world) protects(p *identityProvider) {
	w.config(marshal(object{"credentials": "file", "servers": object{"guarded": object{"url": p.MCP}}}))
}

// goes returns an editor whose person goes to every address that the editor is asked to open, and the
// text of the page that each visit ended on.
func goes(w *world, p *person, cancel bool) (o fakeeditor.Options, pages <-chan string) {
	ended := make(chan string, 16)
	o = in(opensAddresses, w.folder("project"))
	o.Answers = map[string]fakeeditor.Answer{
		"window/showDocument": func(params json.RawMessage) (any, error) {
			go func() {
				back, err := p.goTo(rawjson.String(params, "uri"), cancel)
				page := ""
				if err == nil {
					page, err = p.read(back)
				}
				if err != nil {
					page = err.Error()
				}
				ended <- page
			}()
			return map[string]bool{"success": true}, nil
		},
	}
	return o, ended
}

// signInAs signs in, and checks that the server knows who that is.
func signInAs(e *fakeeditor.Editor, p *identityProvider, pages <-chan string, login string) {
	p.t.Helper()
	var view editorapi.Server
	request(e, "editord/signIn", object{"server": "guarded"}, &view)
	if view.State != "ready" || view.SignedIn == nil || view.SignedIn.Issuer != p.Issuer || !slices.Contains(view.SignedIn.Scopes, "mcp") {
		p.t.Fatalf("after the sign-in the server is %s", marshal(view))
	}
	if page := <-pages; !strings.Contains(page, "You are signed in to “guarded”.") {
		p.t.Errorf("the person ends on the page %s", page)
	}
	if got := call(e, "guarded", "whoami", object{}).text(); got != login {
		p.t.Errorf("the server calls the person %q, want %q", got, login)
	}
}

// A sign-in at an identity provider that is not ours: with its registration, pages, consent, refresh
// tokens that work once, and revocation.
func TestOIDCProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.identityProvider()
	w.protects(p)
	eve := newPerson(t, "eve")
	o, pages := goes(w, eve, false)
	e := w.attach(o)
	awaitState(e, "guarded", "needsSignIn")
	p.has("registration_create.success", 0) // nobody has asked for anything yet

	signInAs(e, p, pages, "eve")
	if want := []string{"Sign-in", "Authorize"}; !slices.Equal(eve.sees, want) {
		t.Errorf("the person has seen %q, want %q", eve.sees, want)
	}
	p.has("registration_create.success", 1)
	p.has("grant.success", 1)

	// A token that has ended is replaced, once for all who need it: the provider revokes everything when a
	// refresh token comes twice.
	other := w.attach(o)
	awaitReady(other, "guarded")
	for n := range 3 {
		p.post("expire")
		var calls sync.WaitGroup
		answers := make([]string, 8)
		for i := range answers {
			caller := []*fakeeditor.Editor{e, other}[i%2]
			calls.Go(func() {
				raw, err := caller.Request("mcp/tools/call", toolCall("guarded", "echo", object{"text": "hi"}))
				if err != nil {
					raw = json.RawMessage(err.Error())
				}
				answers[i] = string(raw)
			})
		}
		calls.Wait()
		for _, got := range answers {
			if !strings.Contains(got, `"text":"hi"`) {
				t.Errorf("after %d refreshes a call answers %s", n, got)
			}
		}
		p.has("refresh_token.consumed", n+1)
	}

	// The sign-in outlives the daemon.
	if _, stderr, code := w.run("stop"); code != 0 {
		t.Fatal(stderr)
	}
	p.post("expire")
	e = w.attach(o)
	awaitReady(e, "guarded")
	if got := call(e, "guarded", "whoami", object{}).text(); got != "eve" {
		t.Errorf("after a restart of the daemon the server calls the person %q", got)
	}
	p.has("refresh_token.consumed", 4)

	// What the provider has revoked is over.
	p.post("revoke")
	raw, err := e.Request("mcp/tools/call", toolCall("guarded", "echo", object{"text": "hi"}))
	if err == nil || !strings.Contains(string(err.Data), `"signInNeeded"`) {
		t.Errorf("after the revocation a call answers %s, %v", raw, err)
	}
	awaitNow(e, "guarded", "needsSignIn")
	p.has("registration_create.success", 1)

	// The client is still registered, and the person still known: they only agree again.
	eve.sees = nil
	signInAs(e, p, pages, "eve")
	p.has("registration_create.success", 1)
	if want := []string{"Authorize"}; !slices.Equal(eve.sees, want) {
		t.Errorf("the person has seen %q, want %q", eve.sees, want)
	}

	// Signing out reaches the provider.
	before := p.counts()
	request(e, "editord/signOut", object{"server": "guarded"}, nil)
	awaitNow(e, "guarded", "needsSignIn")
	after := p.counts()
	for _, event := range []string{"refresh_token.destroyed", "grant.revoked"} {
		if after[event] <= before[event] {
			t.Errorf("after signing out, %s has happened no more often than before: %v, %v", event, before, after)
		}
	}
	p.has("server_error", 0)
	p.has("grant.error", 1) // the refresh token that was revoked
}

// A person who does not agree is told so where they are, and the editor too.
func TestOIDCProviderDenied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.identityProvider()
	w.protects(p)
	o, pages := goes(w, newPerson(t, "eve"), true)
	e := w.attach(o)
	awaitState(e, "guarded", "needsSignIn")
	raw, err := e.Request("editord/signIn", object{"server": "guarded"})
	if err == nil || !strings.Contains(string(err.Data), `"signInFailed"`) {
		t.Errorf("the sign-in answers %s, %v", raw, err)
	}
	if page := <-pages; !strings.Contains(page, "You are not signed in to “guarded”.") || !strings.Contains(page, "Why: the sign-in was denied") {
		t.Errorf("the person ends on the page %s", page)
	}
	p.has("grant.success", 0)
}

// The command signs in with what the browser on another machine ended on.
func TestOIDCProviderFromTheShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.identityProvider()
	w.protects(p)
	eve := newPerson(t, "eve")
	command := w.spawn("signin", "guarded", "--json")
	shown, err := bufio.NewReader(command).ReadBytes('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, command.stderr.String())
	}
	var address struct{ SignIn editorapi.SignIn }
	unmarshal(t, shown, &address)
	back, err := eve.goTo(address.SignIn.URL, false)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(back, address.SignIn.RedirectURI+"?") {
		t.Fatalf("the provider leads to %s, not to %s", back, address.SignIn.RedirectURI)
	}
	if _, err := command.Write([]byte(back + "\n")); err != nil {
		t.Fatal(err)
	}
	<-command.exited
	if command.code != 0 {
		t.Fatalf("exit code %d: %s", command.code, command.stderr.String())
	}
	stdout, stderr, code := w.run("call", "guarded", "whoami")
	if code != 0 || !strings.Contains(stdout, "eve") {
		t.Errorf("call: exit code %d, %s%s", code, stdout, stderr)
	}
	if stdout, stderr, code := w.run("signout", "guarded"); code != 0 || !strings.Contains(stdout, "signed out of server \"guarded\" at "+p.Issuer) {
		t.Errorf("signout: exit code %d, %s%s", code, stdout, stderr)
	}
	if log, err := os.ReadFile(w.state("daemon.log")); err != nil || strings.Contains(string(log), "code=") {
		t.Errorf("daemon.log has the code, or cannot be read: %v", err)
	}
}

// Tokens that end by the clock are replaced, again and again.
func TestOIDCProviderShortTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.identityProvider("5")
	w.protects(p)
	o, pages := goes(w, newPerson(t, "eve"), false)
	e := w.attach(o)
	awaitState(e, "guarded", "needsSignIn")
	signInAs(e, p, pages, "eve")
	await(t, "two refreshes", func() bool {
		if got := call(e, "guarded", "whoami", object{}).text(); got != "eve" {
			t.Fatalf("the server calls the person %q", got)
		}
		return p.counts()["refresh_token.consumed"] >= 2
	})
	p.has("grant.error", 0)
	p.has("authorization.success", 1)
}

// A provider that does not know the client any more says so on a page of its own, and sends nobody back
// (RFC 6749, section 4.1.2.1). The next sign-in registers another.
func TestOIDCProviderForgetsTheClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.identityProvider()
	w.protects(p)
	eve := newPerson(t, "eve")
	o, pages := goes(w, eve, false)
	e := w.attach(o)
	awaitState(e, "guarded", "needsSignIn")
	signInAs(e, p, pages, "eve")
	p.post("revoke")
	if _, err := e.Request("mcp/tools/call", toolCall("guarded", "whoami", object{})); err == nil {
		t.Fatal("a call goes on after the revocation")
	}
	awaitNow(e, "guarded", "needsSignIn")
	p.post("forget")

	lost, to := begin(e, "guarded")
	if page := <-pages; !strings.Contains(page, "client is invalid") {
		t.Fatalf("the person sees %s", page)
	}
	lost.Cancel()
	await(t, "the sign-in is over", func() bool { return refuses(t, to.RedirectURI) })
	signInAs(e, p, pages, "eve")
	p.has("registration_create.success", 2)
}
