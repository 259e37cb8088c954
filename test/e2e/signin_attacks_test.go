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

// comesBack signs in and looks at a response that the browser brings, which must end the sign-in without a token. It
// returns the message.
func (w *guarded) comesBack(e *fakeeditor.Editor, what string, b authserver.Browser, knobs authserver.Knobs) string {
	w.t.Helper()
	w.change(func(k *authserver.Knobs) { *k = knobs })
	before := w.auth.Counts()
	p, to := begin(e, "remote")
	v := w.visit(b, to.URL)
	err := fails(e, what, p, "signInFailed", -32803)
	if v.Status == 200 || strings.Contains(v.Page, "You are signed in") {
		w.t.Errorf("%s: the browser says %d: %s", what, v.Status, v.Page)
	}
	if got := w.auth.Counts(); got.AccessTokens != before.AccessTokens {
		w.t.Errorf("%s: a token was asked for", what)
	}
	over(w.t, to, e)
	return err.Message
}

// Fault oauth-address: nobody is sent to an address that is no page to sign in at.
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
	if got := w.auth.Counts(); got.Requests["unknown"] != 0 {
		t.Errorf("hostile addresses were asked for: %+v", got)
	}
	w.change(func(k *authserver.Knobs) { *k = authserver.Knobs{} })
	w.goesThrough(e)
}

// Fault oauth-metadata: metadata of somebody else, or without what keeps a sign-in safe, is not used.
func TestHostileMetadata(t *testing.T) {
	w, e := signedOut(t, authserver.Options{})
	for what, test := range map[string]struct {
		knobs authserver.Knobs
		says  string
	}{
		"no S256":           {authserver.Knobs{Metadata: map[string]any{"code_challenge_methods_supported": nil}}, "PKCE"},
		"another issuer":    {authserver.Knobs{Metadata: map[string]any{"issuer": "$SECOND"}}, "instead of"},
		"another resource":  {authserver.Knobs{ResourceMetadata: map[string]any{"resource": "https://other.example/mcp"}}, "instead of"},
		"another origin":    {authserver.Knobs{ResourceMetadata: map[string]any{"resource": "$ISSUER/mcp"}}, "instead of"},
		"a private issuer":  {authserver.Knobs{ResourceMetadata: map[string]any{"authorization_servers": []string{"http://10.0.0.1/"}}}, "without https"},
		"a cloud's issuer":  {authserver.Knobs{ResourceMetadata: map[string]any{"authorization_servers": []string{"https://169.254.169.254/"}}}, "not the address of a server"},
		"an issuer of file": {authserver.Knobs{ResourceMetadata: map[string]any{"authorization_servers": []string{"file:///etc/passwd"}}}, "neither https nor http"},
	} {
		message := w.attack(e, what, test.knobs)
		if !strings.Contains(message, test.says) {
			t.Errorf("%s: %s", what, message)
		}
	}
}

// Faults oauth-state and oauth-iss: a response that is not that of the sign-in under way ends it, or is not looked at.
func TestHostileResponses(t *testing.T) {
	w, e := signedOut(t, authserver.Options{})
	for what, test := range map[string]struct {
		knobs authserver.Knobs
		deny  bool
		says  string
	}{
		"denied":         {authserver.Knobs{}, true, "was denied"},
		"another issuer": {authserver.Knobs{Iss: "wrong"}, false, "another authorization server"},
		"no issuer":      {authserver.Knobs{Iss: "missing"}, false, "without saying"},
	} {
		if message := w.comesBack(e, what, authserver.Browser{Deny: test.deny}, test.knobs); !strings.Contains(message, test.says) {
			t.Errorf("%s: %s", what, message)
		}
	}

	// What has another state is not for this sign-in, which goes on.
	for _, state := range []string{"wrong", "drop"} {
		w.change(func(k *authserver.Knobs) { *k = authserver.Knobs{State: state} })
		p, to := begin(e, "remote")
		v := w.visit(authserver.Browser{}, to.URL)
		if joined(e); v.Status != 400 || p.Answered() {
			t.Errorf("state %s: the browser ends with %d: %s", state, v.Status, v.Page)
		}
		w.change(func(k *authserver.Knobs) { *k = authserver.Knobs{} })
		w.visit(authserver.Browser{}, to.URL)
		p.Result()
		request(e, "editord/signOut", object{"server": "remote"}, nil)
	}
}

// Fault oauth-token: what is no bearer token that fits into a header is not kept, and not sent.
func TestHostileTokens(t *testing.T) {
	w := newGuarded(t, authserver.Options{})
	e := w.newcomer()
	for what, with := range map[string]map[string]any{
		"another type": {"token_type": "mac"},
		"a line break": {"access_token": "$TOKEN\r\nX-Injected: 1"},
		"a huge token": {"access_token": strings.Repeat("a", 128<<10)},
	} {
		w.change(func(k *authserver.Knobs) { k.TokenResponse = with })
		message := signInFails(e, "remote")
		if strings.Contains(message, "canary") || strings.Contains(message, "X-Injected") || len(message) > 400 {
			t.Errorf("%s: %s", what, message)
		}
		if v := <-w.visits; v.Status == 200 {
			t.Errorf("%s: the browser says %s", what, v.Page)
		}
		if strings.Contains(w.inFile(), "canary-") {
			t.Errorf("%s: it is kept: %s", what, w.inFile())
		}
	}
	for _, entry := range w.auth.Record() {
		if entry.Endpoint == "mcp" && entry.Authorization != "" {
			t.Errorf("the server was sent %q", entry.Authorization)
		}
	}
	w.change(func(k *authserver.Knobs) { k.TokenResponse = map[string]any{"token_type": "bearer"} })
	signIn(e, "remote")
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

// Fault oauth-challenge: a refusal that nobody can read. The daemon finds out what it needs in another way, or says that there is no
// sign-in.
func TestChallenges(t *testing.T) {
	t.Parallel()
	for name, challenge := range map[string][]string{
		"none":      {},
		"malformed": {`Bearer resource_metadata="$METADATA, scope=mcp", ===,"`},
		"several":   {`Basic realm="a, Bearer resource_metadata=\"http://127.0.0.1:1/trap\"", $CHALLENGE, Digest realm="b", nonce="c"`, "Negotiate"},
		"hostile":   {"Bearer resource_metadata=\"file:///etc/passwd\", scope=\"\xff \\\\ é\", error=\"\u202e\""},
		"elsewhere": {`Bearer resource_metadata="http://10.0.0.1/metadata"`},
		"refused":   {`Bearer resource_metadata="$NOWHERE/metadata"`},
	} {
		t.Run(name, func(t *testing.T) {
			w, e := signedIn(t, authserver.Options{Knobs: authserver.Knobs{Challenge: challenge}})
			w.expire()
			w.works(e, "echo", "1")
		})
	}
	for name, challenge := range map[string]string{
		"another scheme": `Basic realm="a"`,
		"huge":           `$CHALLENGE, padding="` + strings.Repeat("a", 1<<20) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newGuarded(t, authserver.Options{Knobs: authserver.Knobs{Challenge: []string{challenge}}})
			v := awaitServer(w.attach(w.idle()), "remote", "is not there", func(s editorapi.Server) bool { return s.Error != nil })
			if v.State == "ready" || v.SignedIn != nil || len(v.Error.Message) > 500 {
				t.Errorf("the server is %s", marshal(v))
			}
		})
	}
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

// Fault oauth-state: what comes with a refusal is text, in the browser and in the editor.
func TestReasonIsHostile(t *testing.T) {
	w, e := signedOut(t, authserver.Options{})
	for name, values := range map[string]url.Values{
		"markup":      {"error": {"invalid_scope"}, "error_description": {`<script>alert(1)</script><a href="command:x">x</a>`}},
		"escapes":     {"error": {"server_error"}, "error_description": {"\x1b[2J\u202eevil\r\nmcp-editord signin other"}},
		"long":        {"error": {"server_error"}, "error_description": {strings.Repeat("a", 4<<10)}},
		"two codes":   {"code": {"canary-1", "canary-2"}},
		"two issuers": {"code": {"canary-1"}, "iss": {w.auth.Issuer(), w.auth.Issuer()}},
	} {
		p, to := begin(e, "remote")
		values.Set("state", state(t, to))
		if !values.Has("iss") {
			values.Set("iss", w.auth.Issuer())
		}
		page := w.visit(authserver.Browser{}, to.RedirectURI+"?"+values.Encode())
		err := fails(e, name, p, "signInFailed", -32803)
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
