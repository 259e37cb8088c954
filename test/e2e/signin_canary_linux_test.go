package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// typedSecret is what the user types into the question for the secret of the client.
const typedSecret = "canary-typed-client"

// Fault secret-leak: what signing in is about is in the place that it is kept in, and nowhere else.
func TestSignInLeaksNothing(t *testing.T) {
	w := guard(newWorld(t), authserver.New(t, authserver.Options{Clients: []authserver.Client{
		{ID: "machine", Secret: typedSecret, GrantTypes: []string{"client_credentials"}},
	}}))
	definitions := servers{
		"remote":  object{"url": w.auth.URL()},
		"machine": object{"url": w.auth.URL(), "oauth": object{"grant": "client_credentials", "clientId": "machine", "clientSecret": "${input:secret}"}},
		"fake":    w.fakeServer("fake", fakeserver.Script{}),
	}
	configure := func(place string) {
		w.config(marshal(object{
			"credentials": place,
			"inputs":      []object{{"id": "secret", "type": "promptString", "description": "The client's secret", "password": true}},
			"servers":     definitions,
		}))
	}
	configure("file")
	w.serve("--log-level", "debug")

	o := w.idle()
	o.Capabilities = json.RawMessage(`{"experimental":{"mcp":{"elicitation":{"form":{}}}},"window":{"showDocument":{"support":true}}}`)
	o.Answers[elicitation] = always(`{"action":"accept","content":{"value":"` + typedSecret + `"}}`)
	e := w.connect(o)
	plain := w.connect(in(messageBoxes, w.project))
	awaitReady(e, "fake")
	awaitState(e, "remote", "needsSignIn")
	await(t, "the client signs in by itself", func() bool { return server(e, "machine").State == "ready" })
	w.flows(e)
	configure("memory")
	await(t, "nobody is signed in", func() bool { return server(e, "remote").SignedIn == nil })
	w.signsIn(e, "in memory")
	if v := server(e, "remote"); v.SignedIn.Kept != "memory" {
		t.Errorf("the server is %s", marshal(v))
	}

	for _, leak := range w.leaks(append(w.auth.Secrets(), typedSecret), []*fakeeditor.Editor{e, plain}) {
		t.Error(leak)
	}
	configure("file")
	await(t, "nobody is signed in again", func() bool { return server(e, "remote").SignedIn == nil })
	w.signsIn(e, "in the file")
	await(t, "credentials are kept in the file", func() bool { return strings.Contains(w.inFile(), "canary-refresh-") })
	for _, leak := range w.leaks(append(w.auth.Secrets(), typedSecret), nil) {
		t.Error("afterwards: ", leak)
	}
}

// flows goes through sign-ins that succeed and that fail, renewals, and signing out.
func (w *guarded) flows(e *fakeeditor.Editor) {
	w.t.Helper()
	for _, knobs := range []authserver.Knobs{
		{},
		{Iss: "wrong"}, {WrongState: true}, {Deny: true},
		{TokenResponse: map[string]any{"access_token": "$TOKEN\r\nX: 1"}},
		{TokenResponse: map[string]any{"token_type": "mac"}},
		{TokenResponse: map[string]any{"expires_in": "canary-soon"}},
		{TokenResponse: map[string]any{"scope": []string{"$TOKEN"}}},
		{Faults: map[string]authserver.Fault{"token": {Do: "html"}}},
		{Faults: map[string]authserver.Fault{"token": {Do: "lose"}}},
		{Faults: map[string]authserver.Fault{"token": {Do: "error", Error: "invalid_grant"}}},
		{Faults: map[string]authserver.Fault{"revoke": {Do: "drop"}}},
		{},
	} {
		w.change(func(k *authserver.Knobs) { *k = knobs })
		p, to := begin(e, "remote")
		v := w.visit(authserver.Browser{StopAt: "redirect"}, to.URL)
		_ = finish(e, "here is my code: "+v.Next+" thanks") // does not fit
		_ = finish(e, v.Next)
		if knobs.WrongState {
			p.Cancel()
		}
		_, err := p.Wait()
		if err == nil && calls(e, "echo", "") == nil {
			w.expire()
			_ = calls(e, "echo", "")
			_ = calls(e, "admin", "")
		}
		if err == nil && len(knobs.Faults) == 0 {
			w.revoke()
			_ = calls(e, "echo", "")
		}
		_, _ = e.Request("editord/signOut", object{"server": "remote"}) // some of these have nothing to sign out of
	}
	w.signsIn(e, "the last call")
}

// signsIn signs in with a browser of its own, and has the token renewed for a call.
func (w *guarded) signsIn(e *fakeeditor.Editor, call string) {
	w.t.Helper()
	w.goesThrough(e)
	w.expire()
	w.works(e, "echo", call)
}

// leaks looks for secrets wherever somebody else than the servers may see them. What it finds is told without the secret.
func (w *guarded) leaks(secrets []string, editors []*fakeeditor.Editor) (found []string) {
	w.t.Helper()
	if len(secrets) < 30 {
		w.t.Fatalf("there were %d secrets only", len(secrets))
	}
	looks := 0
	look := func(where, content string) {
		looks++
		for _, secret := range secrets {
			for _, spelling := range spellings(secret) {
				if i := strings.Index(content, spelling); i >= 0 {
					found = append(found, fmt.Sprintf("%s has a secret that begins with %.14s, after %q", where, secret, content[max(0, i-80):i]))
					break
				}
			}
		}
	}
	for i, e := range editors {
		for _, m := range e.Messages() {
			if !m.Sent {
				look(fmt.Sprintf("a message to editor %d", i+1), string(m.Raw))
			}
		}
	}
	for _, args := range [][]string{
		{"status"}, {"status", "--json"}, {"servers"}, {"servers", "--json"}, {"audit", "-n", "1000"}, {"audit", "--json"},
		{"logs", "remote"}, {"logs", "machine", "-n", "1000"}, {"approvals", "list", "--json"}, {"signin", "nobody"},
	} {
		stdout, stderr, _ := w.run(append([]string{"--folder", w.project}, args...)...)
		look(fmt.Sprintf("mcp-editord %q", args), stdout+stderr)
	}
	pids := w.processes()
	if len(pids) < 3 { // the daemon, the supervisor and the server
		w.t.Errorf("there are only the processes %v", pids)
	}
	for _, pid := range pids {
		for _, name := range []string{"cmdline", "environ"} {
			content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
			if err == nil { // it may have ended
				look(fmt.Sprintf("%s of %s", name, commandLine(pid)), string(content))
			}
		}
	}
	w.eachFile(func(path, content string) {
		look("the name of a file", path)
		if path != w.state("credentials.json") {
			look(path, content)
		}
	})
	if looks < 35 || !w.logged("signed in") || !w.logged("a token was not refreshed") {
		w.t.Errorf("%d things were looked at; the log has not seen all of this", looks)
	}
	return found
}

// spellings returns a secret as programs may write it.
func spellings(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret))}
	for shift := range 3 { // where it is in what is encoded
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
		all = append(all, encoded[4:len(encoded)-4])
	}
	return all
}
