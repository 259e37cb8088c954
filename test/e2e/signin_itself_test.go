//go:build linux || darwin

package e2e

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// A client that signs in by itself needs no place to keep its token: build machines have no keyring.
func TestClientCredentialsWithoutKeyring(t *testing.T) {
	t.Parallel()
	client := authserver.Client{ID: "nightly", Secret: "canary-secret", GrantTypes: []string{"client_credentials"}}
	w := newGuarded(t, authserver.Options{Clients: []authserver.Client{client}})
	w.define("keyring", servers{"remote": object{"url": w.auth.URL(), "oauth": object{
		"grant": "client_credentials", "clientId": client.ID, "clientSecret": client.Secret,
	}}})
	e := w.attach(w.idle())
	awaitReady(e, "remote")
	w.auth.Expire("access")
	if got := call(e, "remote", "echo", object{"text": "hi"}); got.text() != "hi" {
		t.Errorf("after its token has expired, the tool answers %+v", got)
	}
}
