//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// approves is a person who allows every server, and goes to every address.
func (w *guarded) approves() fakeeditor.Options {
	o := w.person(authserver.Browser{})
	o.Capabilities = json.RawMessage(`{"experimental":{"mcp":{"approval":{},"elicitation":{"form":{}}}},"window":{"showDocument":{"support":true}}}`)
	o.Answers["editord/approve"] = always(`{"decision":"allow"}`)
	return o
}

// Fault unapproved-server: a server of a project is asked about before anything is sent to it, and it has you sign in only when
// you ask for it.
func TestSignInToAProjectsServer(t *testing.T) {
	w := newGuarded(t, authserver.Options{})
	w.define("file", servers{})
	w.workspaceFile(w.project, servers{"remote": object{"url": w.auth.URL()}})
	o := w.approves()
	decide := make(chan struct{})
	o.Answers["editord/approve"] = func(json.RawMessage) (any, error) {
		select {
		case <-decide:
		case <-t.Context().Done():
		}
		return object{"decision": "allow"}, nil
	}
	e := w.attach(o)
	asked := question(e, 1)
	if asked.Server != "remote" || !strings.Contains(marshal(asked), strings.TrimPrefix(w.auth.URL(), "http://")) {
		t.Errorf("the question is %s", marshal(asked))
	}
	awaitState(e, "remote", "needsApproval")
	fails(e, "signing in before", e.Start("editord/signIn", object{"server": "remote"}), "serverNotReady", -32803)
	fails(e, "signing out before", e.Start("editord/signOut", object{"server": "remote"}), "serverNotReady", -32803)
	if record := w.auth.Record(); len(record) != 0 {
		t.Fatalf("it was contacted before it was allowed: %+v", record)
	}
	close(decide)
	awaitState(e, "remote", "needsSignIn")
	joined(e)
	if got := w.auth.Counts().Requests; got["register"]+got["authorize"] != 0 || received(e, "window/showDocument") != 0 {
		t.Errorf("it was signed in to without being asked: %v", got)
	}
	signIn(e, "remote")
	w.works(e, "echo", "one")
}

// Fault credentials-shared: what was given for one definition is sent for no other, however much they have in common.
func TestCredentialsBelongToADefinition(t *testing.T) {
	w := newGuarded(t, authserver.Options{})
	// tokens returns the access tokens that the MCP server was sent since a request.
	tokens := func(after int) map[string]bool {
		sent := map[string]bool{}
		for _, entry := range w.auth.Record()[after:] {
			if entry.Server == "resource" && entry.Authorization != "" {
				sent[entry.Authorization] = true
			}
		}
		return sent
	}

	// The same URL under two names of one file.
	w.define("file", servers{"remote": object{"url": w.auth.URL()}, "other": object{"url": w.auth.URL()}})
	e := w.attach(w.approves())
	awaitState(e, "remote", "needsSignIn")
	awaitState(e, "other", "needsSignIn")
	signIn(e, "remote")
	w.works(e, "echo", "one")
	if v := awaitNow(e, "other", "needsSignIn"); v.SignedIn != nil {
		t.Errorf("the other name is %s", marshal(v))
	}
	before := len(w.auth.Record())
	signIn(e, "other")
	call(e, "other", "echo", object{"text": "hello"})
	if got := w.auth.Counts(); got.Codes != 2 || len(tokens(before)) != 1 {
		t.Errorf("the other name was signed in with %d codes and %v", got.Codes, tokens(before))
	}

	// The same name and URL in a project's file.
	before = len(w.auth.Record())
	w.define("file", servers{})
	e.Await("the user's server is gone", func(m fakeeditor.Message) bool { return m.Method == "editord/serverRemoved" })
	w.workspaceFile(w.project, servers{"remote": object{"url": w.auth.URL()}})
	question(e, 1)
	await(t, "the project's server says what it says to a stranger", func() bool {
		v, ok := find(e, "remote")
		return ok && v.State == "needsSignIn" && strings.Contains(v.Source, ".mcp.json")
	})
	if sent := tokens(before); len(sent) != 0 {
		t.Errorf("a project's server was sent %v", sent)
	}
	signIn(e, "remote")
	w.works(e, "echo", "two")
	request(e, "editord/signOut", object{"server": "remote"}, nil)
	if text := w.inFile(); strings.Count(text, "canary-refresh-") != 2 {
		t.Errorf("signing out of the project's server leaves %s", text)
	}

	// And the user's own server is signed in as before.
	w.workspaceFile(w.project, servers{})
	w.define("file", servers{"remote": object{"url": w.auth.URL()}})
	await(t, "the user's server is back", func() bool { v, ok := find(e, "remote"); return ok && v.State == "ready" })
	w.works(e, "echo", "three")
}

// Fault credentials-shared: a URL that was changed is another server, which is sent nothing of the one before.
func TestURLIsChanged(t *testing.T) {
	w, e := signedIn(t, authserver.Options{})
	other := authserver.New(t, authserver.Options{Canary: "second"})
	for _, url := range []string{other.URL(), w.auth.URL() + "/", w.auth.URL() + "?a=b"} {
		before := len(w.auth.Record())
		w.define("file", servers{"remote": object{"url": url}})
		await(t, "the server at the new address has answered", func() bool {
			state := server(e, "remote").State
			return len(other.Record())+len(w.auth.Record()) > before && state != "ready" && state != "starting" && state != "stopped"
		})
		for _, entry := range append(other.Record(), w.auth.Record()[before:]...) {
			if entry.Authorization != "" || strings.Contains(entry.Form.Encode(), "canary-") {
				t.Errorf("%s was sent %+v", url, entry)
			}
		}
	}
	w.keep("file")
	await(t, "the old address is as it was", func() bool { return server(e, "remote").State == "ready" })
	w.works(e, "echo", "after")
}

// Programs on this machine, and servers that are sent a header with credentials, have no sign-in.
func TestNothingToSignInTo(t *testing.T) {
	w := newGuarded(t, authserver.Options{})
	w.define("file", servers{
		"header":  object{"url": w.auth.URL(), "headers": object{"Authorization": "Bearer canary-header"}},
		"process": object{"command": filepath.Join(w.dir, "nothing")},
	})
	e := w.attach(w.idle())
	for _, name := range []string{"header", "process"} {
		awaitState(e, name, "failed")
		for _, method := range []string{"editord/signIn", "editord/signOut"} {
			fails(e, method+" "+name, e.Start(method, object{"server": name}), "capabilityNotSupported", -32803)
		}
	}
	for _, method := range []string{"editord/signIn", "editord/signOut", "editord/finishSignIn"} {
		fails(e, method, e.Start(method, object{"server": "nobody", "response": "x"}), "serverNotFound", -32602)
	}
}
