//go:build linux || darwin

package e2e

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

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
	_, err := p.Wait()
	wantError(e, what, err, "signInFailed", -32803)
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
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	hostile := map[string]string{
		"javascript":       "javascript:alert(document.domain)//",
		"upper":            "JAVASCRIPT:alert(1)",
		"file":             "file:///etc/passwd",
		"data":             "data:text/html,<script>alert(1)</script>",
		"scheme":           "vscode://evil.extension/run",
		"not loopback":     "http://auth.example.com/authorize",
		"shell":            "http://$HOST/authorize?a=1&calc.exe;touch${IFS}/tmp/owned|`id`$(id)\"'",
		"line break":       "http://$HOST/authorize\r\nX-Injected: 1",
		"option":           "--help",
		"user info":        "http://admin:secret@$HOST/authorize",
		"password":         "http://:x@$HOST/authorize",
		"backslash":        `http://$HOST\@evil.example/authorize`,
		"blank":            "http://$HOST/auth orize",
		"hidden":           "http://$HOST/auth\u202eorize",
		"long":             "http://$HOST/" + strings.Repeat("a", 9<<10),
		"fragment":         "http://$HOST/authorize#fragment",
		"private 10/8":     "http://10.0.0.1/authorize",
		"mapped":           "http://[::ffff:10.0.0.1]/authorize",
		"link local":       "http://169.254.169.254/latest/meta-data/",
		"https link local": "https://169.254.169.254/authorize",
		"unique local":     "http://[fd00::1]/authorize",
		"zone":             "https://[fe80::1%25eth0]/authorize",
		"number":           "https://2130706433/authorize",
		"localhost below":  "http://evil.localhost.example.com/authorize",
		"relative":         "/authorize",
		"no host":          "https:///authorize",
		"empty":            "",
	}
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		w.attack(e, name, authserver.Knobs{Metadata: map[string]any{"authorization_endpoint": hostile[name]}})
		for _, endpoint := range []string{"token_endpoint", "registration_endpoint"} {
			if name == "empty" && endpoint == "registration_endpoint" || name == "shell" {
				continue // none; nothing is run, and a query is no harm
			}
			w.attack(e, name+" as "+endpoint, authserver.Knobs{Metadata: map[string]any{endpoint: hostile[name]}})
		}
	}
	if got := w.auth.Counts(); got.Requests["unknown"] != 0 {
		t.Errorf("hostile addresses were asked for: %+v", got)
	}
	w.change(func(k *authserver.Knobs) { *k = authserver.Knobs{} })
	p, to := begin(e, "remote")
	w.visit(authserver.Browser{}, to.URL)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
}

// Fault oauth-metadata: metadata of somebody else, or without what keeps a sign-in safe, is not used.
func TestHostileMetadata(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	for what, test := range map[string]struct {
		knobs authserver.Knobs
		says  string
	}{
		"no S256":                  {authserver.Knobs{Metadata: map[string]any{"code_challenge_methods_supported": nil}}, "PKCE"},
		"plain only":               {authserver.Knobs{Metadata: map[string]any{"code_challenge_methods_supported": []string{"plain"}}}, "PKCE"},
		"another issuer":           {authserver.Knobs{Metadata: map[string]any{"issuer": "$SECOND"}}, "instead of"},
		"no issuer":                {authserver.Knobs{Metadata: map[string]any{"issuer": nil}}, "instead of"},
		"no token endpoint":        {authserver.Knobs{Metadata: map[string]any{"token_endpoint": nil}}, "tokens"},
		"an issuer that is a list": {authserver.Knobs{Metadata: map[string]any{"issuer": []string{"$ISSUER"}}}, "metadata"},
		"another resource":         {authserver.Knobs{ResourceMetadata: map[string]any{"resource": "https://other.example/mcp"}}, "instead of"},
		"a resource below":         {authserver.Knobs{ResourceMetadata: map[string]any{"resource": "$URL/below"}}, "instead of"},
		"another origin":           {authserver.Knobs{ResourceMetadata: map[string]any{"resource": "$ISSUER/mcp"}}, "instead of"},
		"a private issuer":         {authserver.Knobs{ResourceMetadata: map[string]any{"authorization_servers": []string{"http://10.0.0.1/"}}}, "without https"},
		"an issuer of http":        {authserver.Knobs{ResourceMetadata: map[string]any{"authorization_servers": []string{"http://auth.example.com/"}}}, "without https"},
		"a cloud's issuer":         {authserver.Knobs{ResourceMetadata: map[string]any{"authorization_servers": []string{"https://169.254.169.254/"}}}, "not the address of a server"},
		"an issuer with query":     {authserver.Knobs{ResourceMetadata: map[string]any{"authorization_servers": []string{"$ISSUER?a=b"}}}, "query"},
		"an issuer of file":        {authserver.Knobs{ResourceMetadata: map[string]any{"authorization_servers": []string{"file:///etc/passwd"}}}, "neither https nor http"},
	} {
		message := w.attack(e, what, test.knobs)
		if !strings.Contains(message, test.says) {
			t.Errorf("%s: %s", what, message)
		}
	}
}

// Faults oauth-state and oauth-iss: a response that is not that of the sign-in under way ends it, or is not looked at.
func TestHostileResponses(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	for what, test := range map[string]struct {
		knobs authserver.Knobs
		deny  bool
		says  string
	}{
		"denied":            {authserver.Knobs{}, true, "was denied"},
		"denied by a knob":  {authserver.Knobs{Deny: true}, false, "was denied"},
		"another issuer":    {authserver.Knobs{Iss: "wrong"}, false, "another authorization server"},
		"no issuer":         {authserver.Knobs{Iss: "missing"}, false, "without saying"},
		"denied by another": {authserver.Knobs{Iss: "wrong", Deny: true}, false, "another authorization server"},
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
		if _, err := p.Wait(); err != nil {
			t.Fatal(err)
		}
		request(e, "editord/signOut", object{"server": "remote"}, nil)
	}

	// An issuer that nobody has announced is looked at too, and one that does not come need not.
	for _, iss := range []string{"off", "unannounced"} {
		w.change(func(k *authserver.Knobs) { *k = authserver.Knobs{Iss: iss} })
		p, to := begin(e, "remote")
		w.visit(authserver.Browser{}, to.URL)
		if _, err := p.Wait(); err != nil {
			t.Errorf("iss %s: %v", iss, err)
		}
		request(e, "editord/signOut", object{"server": "remote"}, nil)
	}
}

// Fault oauth-state: a code works once, whoever brings it.
func TestCodeComesTwice(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	w.change(func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{"token": {Do: "hold"}} })
	p, to := begin(e, "remote")
	v := w.visit(authserver.Browser{StopAt: "redirect"}, to.URL)
	pages := make(chan *authserver.Visit)
	go func() {
		first, err := authserver.Browser{}.Visit(t.Context(), v.Next)
		if err != nil {
			t.Error(err)
		}
		pages <- first
	}()
	w.awaitCount("the code is on its way", func(c authserver.Counts) bool { return c.Requests["token"] == 1 })
	if again := w.visit(authserver.Browser{}, v.Next); again.Status != 409 {
		t.Errorf("the second time the browser ends with %d: %s", again.Status, again.Page)
	}
	if _, err := e.Request("editord/finishSignIn", object{"server": "remote", "response": v.Next}); err == nil || err.Kind() != "invalidParams" {
		t.Errorf("pasting it then: %v", err)
	}
	w.auth.Release("token")
	if first := <-pages; first == nil || first.Status != 200 {
		t.Errorf("the first time the browser ends with %+v", first)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := w.auth.Counts(); got.CodesReplayed != 0 || got.Requests["token"] != 1 {
		t.Errorf("the code was sent %d times", got.Requests["token"])
	}
	w.works(e, "echo", "one")

	// A code of another sign-in is of no use to this one.
	p, to = begin(e, "remote")
	old, err := url.Parse(v.Next)
	next, err2 := url.Parse(to.URL)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	stolen := to.RedirectURI + "?" + url.Values{"code": {old.Query().Get("code")}, "state": {next.Query().Get("state")}, "iss": {w.auth.Issuer()}}.Encode()
	w.visit(authserver.Browser{}, stolen)
	_, failed := p.Wait()
	wantError(e, "with the code of another sign-in", failed, "signInFailed", -32803)
}

// Fault oauth-token: what is no bearer token that fits into a header is not kept, and not sent.
func TestHostileTokens(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.person(authserver.Browser{}))
	awaitState(e, "remote", "needsSignIn")
	for what, with := range map[string]map[string]any{
		"another type":   {"token_type": "mac"},
		"a line break":   {"access_token": "$TOKEN\r\nX-Injected: 1"},
		"a blank":        {"access_token": "$TOKEN and more"},
		"no token":       {"access_token": nil},
		"an empty token": {"access_token": ""},
		"a number":       {"access_token": 17},
		"a huge token":   {"access_token": strings.Repeat("a", 128<<10)},
		"a control":      {"access_token": "$TOKEN\x00"},
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
