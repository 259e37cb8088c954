//go:build linux || darwin

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// opensPages is an editor that knows MCP and opens pages in a browser.
const opensPages = `{"experimental":{"mcp":{}},"window":{"showDocument":{"support":true}}}`

// A guarded is a world with one MCP server, "remote", that its user has to sign in to.
type guarded struct {
	*world
	auth    *authserver.Server
	project string
	visits  chan *authserver.Visit // what the users saw, in the order in which they were done
}

// newGuarded returns a world that keeps credentials in a file.
func newGuarded(t *testing.T, o authserver.Options) *guarded {
	t.Helper()
	w := guard(newWorld(t), authserver.New(t, o))
	w.keep("file")
	return w
}

// guard returns a world with an authorization server, which it does not configure.
func guard(w *world, auth *authserver.Server) *guarded {
	return &guarded{world: w, auth: auth, project: w.folder("project"), visits: make(chan *authserver.Visit, 64)}
}

// keep writes the configuration: credentials are kept at a place.
func (w *guarded) keep(place string) { w.define(place, servers{"remote": object{"url": w.auth.URL()}}) }

// define is keep with other servers.
func (w *guarded) define(place string, s servers) {
	w.t.Helper()
	w.config(marshal(object{"credentials": place, "servers": s}))
}

// change turns the knobs of the authorization server and of the MCP server.
func (w *guarded) change(change func(*authserver.Knobs)) {
	w.t.Helper()
	if err := w.auth.Change(change); err != nil {
		w.t.Fatal(err)
	}
}

// inFile returns what the file with credentials has, as text.
func (w *guarded) inFile() string {
	w.t.Helper()
	var content struct{ Secrets map[string][]byte }
	b, err := os.ReadFile(w.state("credentials.json"))
	if err == nil {
		err = json.Unmarshal(b, &content)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	var text strings.Builder
	for name, value := range content.Secrets {
		fmt.Fprintf(&text, "%s: %s\n", name, value)
	}
	return text.String()
}

// person is an editor whose user goes to every address that it is asked to open, as b does.
func (w *guarded) person(b authserver.Browser) fakeeditor.Options {
	return w.asked(func(address string) {
		v, err := b.Visit(w.t.Context(), address)
		if err != nil {
			v = &authserver.Visit{URL: address, Page: err.Error()}
		}
		w.visits <- v
	})
}

// idle is an editor whose user looks at the address, and does nothing.
func (w *guarded) idle() fakeeditor.Options { return w.asked(func(string) {}) }

// asked is an editor that hands the addresses that it is asked to open to open, on a goroutine.
func (w *guarded) asked(open func(address string)) fakeeditor.Options {
	o := in(opensPages, w.project)
	o.Answers = map[string]fakeeditor.Answer{"window/showDocument": func(params json.RawMessage) (any, error) {
		go open(rawjson.String(params, "uri"))
		return object{"success": true}, nil
	}}
	return o
}

// visit goes to an address in a browser.
func (w *guarded) visit(b authserver.Browser, address string) *authserver.Visit {
	w.t.Helper()
	v, err := b.Visit(w.t.Context(), address)
	if err != nil {
		w.t.Fatalf("visiting %s: %v", address, err)
	}
	return v
}

// awaitCount waits for requests at the servers.
func (w *guarded) awaitCount(what string, want func(authserver.Counts) bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	if err := w.auth.Await(ctx, want); err != nil {
		w.t.Fatalf("%s: %v; %+v", what, err, w.auth.Counts())
	}
}

// signIn signs in, which must make the server ready.
func signIn(e *fakeeditor.Editor, name string) (view editorapi.Server) {
	request(e, "editord/signIn", object{"server": name}, &view)
	if view.State != editorapi.ServerReady || view.SignedIn == nil {
		e.Fatalf("after signing in the server is %s", marshal(view))
	}
	return view
}

// signInFails signs in, which must fail, and returns the message. Nothing has changed afterwards.
func signInFails(e *fakeeditor.Editor, name string) string {
	before := server(e, name)
	err := fails(e, "signing in", e.Start("editord/signIn", object{"server": name}), "signInFailed", -32803)
	v := server(e, name)
	if v.State != editorapi.ServerNeedsSignIn || v.SignIn != nil || marshal(v.SignedIn) != marshal(before.SignedIn) {
		e.Fatalf("after a sign-in that failed the server is %s", marshal(v))
	}
	return err.Message
}

// begin starts a sign-in, and returns the request and where the user is to go.
func begin(e *fakeeditor.Editor, name string) (*fakeeditor.Pending, editorapi.SignIn) {
	before := len(e.Messages())
	p := e.Start("editord/signIn", object{"server": name})
	return p, awaitAddress(e, name, before, p)
}

// goesThrough signs in with a browser that the test drives.
func (w *guarded) goesThrough(e *fakeeditor.Editor) {
	w.t.Helper()
	p, to := begin(e, "remote")
	w.visit(authserver.Browser{}, to.URL)
	p.Result()
}

// awaitAddress waits for the address of a sign-in to a server, behind the first messages of a conversation.
func awaitAddress(e *fakeeditor.Editor, name string, behind int, before ...*fakeeditor.Pending) (to editorapi.SignIn) {
	e.Expect("where to sign in", func(conversation []fakeeditor.Message) (met bool, never string) {
		for _, m := range conversation[min(behind, len(conversation)):] {
			if s, ok := shown(m, name); ok && s.SignIn != nil {
				to = *s.SignIn
				return true, ""
			}
		}
		for _, p := range before {
			if p.Answered() {
				_, err := p.Wait()
				return false, "the sign-in has ended: " + marshal(err)
			}
		}
		return false, ""
	})
	return to
}

// joined makes sure that requests that e has sent are being served: what is sent after them was answered.
func joined(e *fakeeditor.Editor) {
	for range 20 {
		status(e)
	}
}

// calls calls a tool of the server "remote".
func calls(e *fakeeditor.Editor, tool, id string) *fakeeditor.RPCError {
	_, err := e.Request("mcp/tools/call", toolCall("remote", tool, object{"text": "hello", "id": id}))
	return err
}

// wantsSignIn fails the test unless err tells the user to sign in.
func wantsSignIn(e *fakeeditor.Editor, what string, err *fakeeditor.RPCError) {
	wantError(e, what, err, "signInNeeded", -32803)
	if err.Detail() != "" || !strings.Contains(err.Message, "wants you to sign in") || !strings.Contains(err.Message, "mcp-editord signin remote") {
		e.Fatalf("%s: the error is %v, want one that tells the user to sign in", what, err)
	}
}

// works calls a tool, which must be carried out once.
func (w *guarded) works(e *fakeeditor.Editor, tool, id string) {
	w.t.Helper()
	if err := calls(e, tool, id); err != nil {
		e.Fatalf("call %s: %v", id, err)
	}
	if n := w.auth.Counts().Calls[id]; n != 1 {
		e.Fatalf("call %s was carried out %d times", id, n)
	}
}

// refuses reports whether nobody listens at the address of a URL any more.
func refuses(t *testing.T, address string) bool {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err == nil {
		conn.Close()
	}
	return err != nil
}

// A server that wants you to sign in sends nobody anywhere before somebody asks for it. One sign-in is for all
// editors, whoever asked for it.
func TestSignIn(t *testing.T) {
	w := newGuarded(t, authserver.Options{})
	e, other := w.attach(w.idle()), w.attach(w.idle())
	for _, editor := range []*fakeeditor.Editor{e, other} {
		if v := awaitState(editor, "remote", "needsSignIn"); v.Error == nil || v.Error.Kind != "signInNeeded" || v.SignIn != nil || v.SignedIn != nil {
			t.Errorf("at first the server is %s", marshal(v))
		}
	}
	await(t, "the second editor starts it no more", func() bool {
		err := calls(e, "echo", "early")
		return err != nil && err.Kind() != "serverNotReady"
	})
	wantsSignIn(e, "a call before", calls(e, "echo", "early"))
	if got := w.auth.Counts().Requests; got["authorize"]+got["register"]+got["token"]+received(e, "window/showDocument") != 0 {
		t.Errorf("before anybody asked, the authorization server was asked: %v", got)
	}

	first, to := begin(e, "remote")
	second := other.Start("editord/signIn", object{"server": "remote"})
	if seen := awaitAddress(other, "remote", 0); seen != to {
		t.Errorf("the other editor sees %+v, not %+v", seen, to)
	}
	joined(other)
	address, err := url.Parse(to.URL)
	if err != nil || to.Host != "127.0.0.1" && to.Host != address.Host || !strings.HasPrefix(to.RedirectURI, "http://127.0.0.1:") || to.Until == "" {
		t.Errorf("the address is %+v (%v)", to, err)
	}
	var asked struct {
		URI      string
		External bool
	}
	if nth(e, "window/showDocument", 1, &asked); asked.URI != to.URL || !asked.External {
		t.Errorf("the editor is asked to open %+v", asked)
	}
	v := w.visit(authserver.Browser{}, to.URL)
	if v.Status != 200 || !strings.Contains(v.Page, "You are signed in to “remote”") {
		t.Errorf("the browser ends with %d: %s", v.Status, v.Page)
	}
	for _, p := range []*fakeeditor.Pending{first, second} {
		var view editorapi.Server
		unmarshal(t, p.Result(), &view)
		if s := view.SignedIn; view.State != editorapi.ServerReady || view.SignIn != nil || s == nil || s.Issuer != w.auth.Issuer() ||
			!slices.Contains(s.Scopes, "mcp") || s.Kept != editorapi.KeptInFile || len(view.Problems) != 0 {
			t.Errorf("%s: the server is %s", p, marshal(view))
		}
	}
	awaitReady(other, "remote")
	w.works(e, "echo", "one")
	w.works(other, "echo", "two")
	if got := w.auth.Counts(); got.Requests["authorize"] != 1 || got.Codes != 1 || got.AccessTokens != 1 || got.Registrations != 1 {
		t.Errorf("two editors signed in with %+v", got)
	}
	if n := received(e, "window/showDocument") + received(other, "window/showDocument"); n != 1 {
		t.Errorf("the page was opened %d times", n)
	}
	if !refuses(t, to.RedirectURI) {
		t.Error("the listener for the browser is still there")
	}

	// A sign-in of somebody who is signed in already has the same client.
	w.goesThrough(e)
	if got := w.auth.Counts(); got.Registrations != 1 || got.Codes != 2 {
		t.Errorf("the second sign-in took %+v", got)
	}

	// Signing out revokes, deletes, and has the server say what it says to a stranger, also where nobody answers.
	w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{"revoke": {Do: "drop", Times: 1}} })
	if text := w.inFile(); !strings.Contains(text, "canary-access-") || !strings.Contains(text, "canary-refresh-") {
		t.Errorf("the file has %q", text)
	}
	var view editorapi.Server
	request(other, "editord/signOut", object{"server": "remote"}, &view)
	awaitNow(e, "remote", "needsSignIn")
	if text := w.inFile(); view.State != editorapi.ServerNeedsSignIn || view.SignedIn != nil || strings.Contains(text, "canary-") {
		t.Errorf("after signing out the server is %s, and the file has %q", marshal(view), text)
	}
	if w.auth.Counts().Requests["revoke"] == 0 {
		t.Error("nothing was revoked")
	}
	wantsSignIn(e, "a call afterwards", calls(e, "echo", "late"))
}
