package oauth

import (
	"net/http"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A server that is taken over names an authorization server of its own. It does not get the secret of the
// client, though nobody is asked before a token is got.
func TestSecretStaysWithItsAuthorizationServer(t *testing.T) {
	w, s := newWorld(t), newShelf()
	a := w.authorizer(s, Config{ClientID: "us", ClientSecret: "canary", Grant: GrantClientCredentials})
	w.on(filesIssuer+"/token", tokens("first", ""))
	if err := a.SignIn(t.Context(), nil); err != nil {
		t.Fatal(err)
	}

	const evil = "https://evil.example"
	w.resource("https://files.example/.well-known/oauth-protected-resource/mcp", filesURL, evil)
	w.server(evil+"/.well-known/oauth-authorization-server", evil, nil)
	w.on(evil+"/token", func(rw http.ResponseWriter, r *http.Request) {
		t.Errorf("it got the header %q", r.Header.Get("Authorization"))
		tokens("second", "")(rw, r)
	})
	_, err := a.Refused(t.Context(), "first", http.StatusUnauthorized, nil, false)
	wantError(t, err, wire.KindProtocol, "evil.example", "as.example", "sign out first")

	if err := a.SignOut(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.kept(t) != nil {
		t.Error("it is still bound")
	}
}
