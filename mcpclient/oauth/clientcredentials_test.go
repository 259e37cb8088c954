package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// robot returns options with a client that signs in by itself, and how that client is configured.
func robot(t *testing.T, method string) (authserver.Options, Config) {
	t.Helper()
	c := authserver.Client{ID: "robot", Method: method, GrantTypes: []string{"client_credentials"}}
	cfg := Config{Grant: GrantClientCredentials, ClientID: "robot"}
	if method == authPrivateKeyJWT {
		cfg.PrivateKeyFile, c.JWKS = newKeyAndSet(t)
	} else {
		c.Secret, cfg.ClientSecret = "canary robot:s%+/", "canary robot:s%+/"
	}
	return authserver.Options{Clients: []authserver.Client{c}}, cfg
}

// newKeyAndSet writes a private key, and returns its file and the set with its public key.
func newKeyAndSet(t *testing.T) (file string, set json.RawMessage) {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	public := must(key.PublicKey.Bytes()) // 4, x, y
	b64 := base64.RawURLEncoding.EncodeToString
	one := map[string]string{"kty": "EC", "crv": "P-256", "x": b64(public[1:33]), "y": b64(public[33:])}
	return keyFile(t, pkcs8(key)), must(json.Marshal(map[string]any{"keys": []any{one}}))
}

// A client that is its own user needs nobody, and gets a token however it says who it is.
func TestClientCredentials(t *testing.T) {
	for _, test := range []struct {
		method string
		server map[string]any
	}{
		{authBasic, nil},
		{authPost, map[string]any{"token_endpoint_auth_methods_supported": []string{authPost}}},
		{authPrivateKeyJWT, nil},
		{authBasic, map[string]any{"authorization_endpoint": nil, "code_challenge_methods_supported": nil}}, // nobody signs in there
	} {
		t.Run(test.method, func(t *testing.T) {
			o, cfg := robot(t, test.method)
			o.Knobs.Metadata = test.server
			s, v := newSite(t, o), newVault()
			a := s.authorizer(v, configured(cfg))
			s.mustCall(a)
			s.mustCall(s.authorizer(v, configured(cfg))) // it is kept
			s.expireAccess()
			s.mustCall(a)
			if c := s.Counts(); c.AccessTokens != 2 || c.Requests["authorize"] != 0 || c.Registrations != 0 {
				t.Errorf("got %+v", c)
			}
			c := v.kept(t)
			if c.Client.Secret != "" || c.Client.ID != "robot" || c.RefreshToken != "" {
				t.Errorf("kept is %s of %s", c.Client, c)
			}
			if state := a.State(); state.Issuer != s.Issuer() || !slices.Equal(state.Scopes, []string{"mcp"}) {
				t.Errorf("got %+v", state)
			}
		})
	}
}

// To sign in is to get another token.
func TestClientCredentialsSignIn(t *testing.T) {
	o, cfg := robot(t, authBasic)
	s := newSite(t, o)
	a := s.authorizer(newVault(), configured(cfg))
	for range 2 {
		old := a.Token(s.ctx)
		if page, err := s.signIn(a, authserver.Browser{}); err != nil || page != nil {
			t.Fatalf("got %v, %v", page, err)
		}
		if a.Token(s.ctx) == old {
			t.Error("there is no new token")
		}
		s.mustCall(a)
	}
}

// A scope that the client has not asked for is refused for the request that needs it, and for no other.
func TestClientCredentialsStepUp(t *testing.T) {
	o, cfg := robot(t, authBasic)
	s := newSite(t, o)
	a := s.authorizer(newVault(), configured(cfg))
	s.mustCall(a)
	tokens := s.Counts().AccessTokens
	wantError(t, s.call(a, "admin"), wire.KindHTTP, "wants the scopes admin for this; name them in the configuration")
	if c, state := s.Counts(), a.State(); c.AccessTokens != tokens || len(state.Wanted) != 0 {
		t.Errorf("%d tokens, and %+v", c.AccessTokens, state)
	}
	s.expireAccess()
	s.mustCall(a)
	cfg.Scopes = []string{"mcp", "admin"}
	if err := s.call(s.authorizer(newVault(), configured(cfg)), "admin"); err != nil {
		t.Error(err)
	}
}

// A client that is refused is a matter of the configuration, and nobody is asked to sign in.
func TestClientCredentialsRefused(t *testing.T) {
	o, cfg := robot(t, authBasic)
	cfg.ClientSecret = "canary of another"
	s, v := newSite(t, o), newVault()
	wantError(t, s.call(s.authorizer(v, configured(cfg)), "echo"), wire.KindUnauthorized, "gave no token (invalid_client", "; check the client in the configuration of the server")
	if c := v.kept(t); c != nil {
		t.Errorf("kept is %s", c)
	}
}
