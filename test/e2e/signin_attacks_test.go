//go:build linux || darwin

package e2e

import (
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// attack signs in while the servers misbehave, which must fail without anybody sent anywhere, and returns the message.
func (w *guarded) attack(e *fakeeditor.Editor, what string, knobs authserver.Knobs) string {
	w.t.Helper()
	w.change(func(k *authserver.Knobs) { *k = knobs })
	opened, before := received(e, "window/showDocument"), w.auth.Counts()
	message := signInFails(e, "remote")
	if n := received(e, "window/showDocument") - opened; n != 0 {
		w.t.Errorf("%s: %d pages were opened", what, n)
	}
	got := w.auth.Counts()
	if got.Requests["authorize"] != before.Requests["authorize"] || got.Requests["token"] != before.Requests["token"] {
		w.t.Errorf("%s: the authorization server was asked: %+v", what, got)
	}
	if len(message) > 500 || strings.ContainsFunc(message, func(r rune) bool { return r < ' ' }) {
		w.t.Errorf("%s: the message is %q", what, message)
	}
	return message
}

// Faults oauth-address and oauth-metadata: nobody is sent to an address that is no page to sign in
// at, nor by metadata that does not keep a sign-in safe. oauth has the rest of bad metadata.
func TestHostileAddresses(t *testing.T) {
	w, e := signedOut(t, authserver.Options{})
	hostile := map[string]string{
		"javascript":   "javascript:alert(document.domain)//",
		"file":         "file:///etc/passwd",
		"scheme":       "vscode://evil.extension/run",
		"option":       "--help",
		"not loopback": "http://auth.example.com/authorize",
		"link local":   "https://169.254.169.254/latest/meta-data/",
		"line break":   "http://$HOST/authorize\r\nX-Injected: 1",
		"backslash":    `http://$HOST\@evil.example/authorize`,
		"hidden":       "http://$HOST/auth\u202eorize",
		"fragment":     "http://$HOST/authorize#fragment",
	}
	for name, address := range hostile {
		for _, endpoint := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
			w.attack(e, name+" as "+endpoint, authserver.Knobs{Metadata: map[string]any{endpoint: address}})
		}
	}
	// As another endpoint this is none of a shell's business, but a person's browser may be started by one.
	w.attack(e, "shell", authserver.Knobs{Metadata: map[string]any{
		"authorization_endpoint": "http://$HOST/authorize?a=1&calc.exe;touch${IFS}/tmp/owned|`id`$(id)\"'"}})
	for what, knobs := range map[string]authserver.Knobs{
		"no PKCE":          {Metadata: map[string]any{"code_challenge_methods_supported": nil}},
		"another resource": {ResourceMetadata: map[string]any{"resource": "https://other.example/mcp"}},
	} {
		w.attack(e, what, knobs)
	}
	if got := w.auth.Counts(); got.Requests["unknown"] != 0 {
		t.Errorf("hostile addresses were asked for: %+v", got)
	}
	w.change(func(k *authserver.Knobs) { *k = authserver.Knobs{} })
	w.goesThrough(e)
}

// Faults oauth-client and oauth-down: what goes wrong before anybody can sign in says what to do, and changes nothing.
func TestSignInCannotBegin(t *testing.T) {
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
	e := w.newcomer()
	awaitState(e, "fixed", "needsSignIn")
	for what, test := range map[string]struct {
		knobs authserver.Knobs
		says  string
	}{
		"registration is refused": {authserver.Knobs{Faults: map[string]authserver.Fault{"register": {Do: "error", Error: "invalid_client_metadata"}}}, "register"},
		"it is not offered":       {authserver.Knobs{Metadata: map[string]any{"registration_endpoint": nil}}, "register"},
		"metadata is a page":      {authserver.Knobs{Faults: map[string]authserver.Fault{"metadata": {Do: "html"}}}, "metadata"},
		"metadata never ends":     {authserver.Knobs{Faults: map[string]authserver.Fault{"metadata": {Do: "endless"}}}, "larger than 1 MiB"},
		"2 GB":                    {authserver.Knobs{Faults: map[string]authserver.Fault{"resourceMetadata": {Do: "big"}}}, "larger than 1 MiB"},
		"metadata is elsewhere":   {authserver.Knobs{Faults: map[string]authserver.Fault{"metadata": {Do: "redirect", Location: "http://10.0.0.1/"}}}, ""},
		"the issuer is down":      {authserver.Knobs{Down: []string{"issuer"}}, "cannot be reached"},
		"the server is down":      {authserver.Knobs{Down: []string{"resource"}}, "cannot be reached"},
	} {
		if message := w.attack(e, what, test.knobs); !strings.Contains(message, test.says) || strings.Contains(message, "Welcome") {
			t.Errorf("%s: %s", what, message)
		}
	}
	w.change(func(k *authserver.Knobs) { *k = authserver.Knobs{} })
	if message := signInFails(e, "fixed"); !strings.Contains(message, "another program has it") || !strings.Contains(message, taken.Addr().String()[len("127.0.0.1:"):]) {
		t.Errorf("with a port that is taken: %s", message)
	}
	signIn(e, "remote")
	w.works(e, "echo", "now")
}

// state returns the state of a sign-in.
func state(t *testing.T, to editorapi.SignIn) string {
	t.Helper()
	u, err := url.Parse(to.URL)
	if err != nil || u.Query().Get("state") == "" {
		t.Fatalf("the address is %s (%v)", to.URL, err)
	}
	return u.Query().Get("state")
}

// Faults oauth-state and oauth-iss: what belongs to the sign-in to one server is of no use at that to another.
func TestSignInsAreMixedUp(t *testing.T) {
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
	fails(e, "pasting it there", e.Start("editord/finishSignIn", object{"server": "evil", "response": v.Next}), "invalidParams", -32602)
	if joined(e); good.Answered() || bad.Answered() {
		t.Fatal("one of the sign-ins has ended")
	}
	// With the state of the other, a code of the first authorization server still says who sent it: it is not redeemed there.
	q := code.Query()
	q.Set("state", state(t, badTo))
	w.visit(authserver.Browser{}, badTo.RedirectURI+"?"+q.Encode())
	fails(e, "with a code of another authorization server", bad, "signInFailed", -32803)
	for _, entry := range evil.Record() {
		if strings.Contains(entry.Form.Encode()+entry.URL+entry.Authorization, "canary-") {
			t.Errorf("the other authorization server was sent the code, at %s", entry.Endpoint)
		}
	}
	if page := w.visit(authserver.Browser{}, v.Next); page.Status != 200 {
		t.Errorf("the right listener answers %d: %s", page.Status, page.Page)
	}
	good.Result()
	w.works(e, "echo", "one")
}
