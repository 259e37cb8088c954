//go:build linux || darwin

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// Fault oauth-client: an authorization server that does not register programs. The error says what to do.
func TestRegistrationIsRefused(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	for what, knobs := range map[string]authserver.Knobs{
		"refused":       {Faults: map[string]authserver.Fault{"register": {Do: "error", Error: "invalid_client_metadata"}}},
		"forbidden":     {Faults: map[string]authserver.Fault{"register": {Do: "status", Status: 403, Body: "canary <b>no</b>"}}},
		"not offered":   {Metadata: map[string]any{"registration_endpoint": nil}},
		"no client":     {Registration: map[string]any{"client_id": nil}},
		"an odd method": {Registration: map[string]any{"token_endpoint_auth_method": "tls_client_auth"}},
		"keys only":     {Metadata: map[string]any{"token_endpoint_auth_methods_supported": []string{"private_key_jwt"}}},
	} {
		if message := w.attack(e, what, knobs); !strings.Contains(message, "register") || strings.Contains(message, "canary") {
			t.Errorf("%s: %s", what, message)
		}
	}
}

// Fault oauth-moved: what one authorization server gave goes to no other, whatever the MCP server says later.
func TestServerMoves(t *testing.T) {
	t.Parallel()
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

// Fault oauth-moved: a client of the configuration belongs to the first authorization server that it was used with.
func TestServerMovesWithAClient(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{Clients: []authserver.Client{{
		ID: "mine", Secret: "canary-secret-mine", RedirectURIs: []string{"http://127.0.0.1/callback"}, GrantTypes: []string{"authorization_code", "refresh_token"},
	}}, AnyLoopbackPort: true})
	w.define("file", servers{"remote": object{"url": w.auth.URL(), "oauth": object{"clientId": "mine", "clientSecret": "canary-secret-mine"}}})
	e := w.attach(w.person(authserver.Browser{}))
	awaitState(e, "remote", "needsSignIn")
	signIn(e, "remote")
	w.works(e, "echo", "before")
	w.change(func(k *authserver.Knobs) { k.Moved = true })
	wantsSignIn(e, "a call", calls(e, "echo", "moved"))
	awaitNow(e, "remote", "needsSignIn")
	if message := signInFails(e, "remote"); !strings.Contains(message, "belongs to") || !strings.Contains(message, "oauth.issuer") {
		t.Errorf("signing in after the move: %s", message)
	}
	for _, entry := range w.auth.Record() {
		if sent := entry.Authorization + entry.URL + entry.Form.Encode(); entry.Server == "second" && strings.Contains(sent, "mine") {
			t.Errorf("the second authorization server was sent the client at %s", entry.Endpoint)
		}
	}
	if strings.Contains(w.inFile(), "canary-secret") {
		t.Errorf("the secret of the configuration is kept: %s", w.inFile())
	}
}

// Fault oauth-challenge: a refusal that nobody can read. The daemon finds out what it needs in another way, or says that there is no
// sign-in.
func TestChallenges(t *testing.T) {
	t.Parallel()
	for name, knobs := range map[string]authserver.Knobs{
		"none":      {Challenge: []string{}},
		"malformed": {Challenge: []string{`Bearer resource_metadata="$METADATA, scope=mcp", ===,"`}},
		"several": {Challenge: []string{`Basic realm="a, Bearer resource_metadata=\"http://127.0.0.1:1/trap\"", $CHALLENGE, Digest realm="b", nonce="c"`,
			"Negotiate"}},
		"bare":      {Challenge: []string{`Bearer scope="mcp"`}},
		"long":      {Challenge: []string{`$CHALLENGE, padding="` + strings.Repeat("a", 60<<10) + `"`}},
		"hostile":   {Challenge: []string{"Bearer resource_metadata=\"file:///etc/passwd\", scope=\"\xff \\\\ é\", error=\"\u202e\""}},
		"elsewhere": {Challenge: []string{`Bearer resource_metadata="http://10.0.0.1/metadata"`}},
		"refused":   {Challenge: []string{`Bearer resource_metadata="$NOWHERE/metadata"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGuarded(t, authserver.Options{Knobs: knobs})
			e := w.attach(w.person(authserver.Browser{}))
			awaitState(e, "remote", "needsSignIn")
			signIn(e, "remote")
			w.works(e, "echo", "1")
			w.expire()
			w.works(e, "echo", "2")
		})
	}
	for name, knobs := range map[string]authserver.Knobs{
		"another scheme": {Challenge: []string{`Basic realm="a"`}},
		"huge":           {Challenge: []string{`$CHALLENGE, padding="` + strings.Repeat("a", 1<<20) + `"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGuarded(t, authserver.Options{Knobs: knobs})
			e := w.attach(w.idle())
			v := awaitServer(e, "remote", "is not there", func(s editorapi.Server) bool { return s.Error != nil })
			if v.State == "ready" || v.SignedIn != nil || len(v.Error.Message) > 500 {
				t.Errorf("the server is %s", marshal(v))
			}
		})
	}
}
