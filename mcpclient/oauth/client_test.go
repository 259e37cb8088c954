package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// A client that was registered is replaced where it cannot be used.
func TestClientIsReplaced(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, c *credentials, cfg *Config){
		"secret expired": func(_ *testing.T, c *credentials, _ *Config) { c.Client.Expires = time.Now().Add(-time.Second) },
		"another issuer": func(_ *testing.T, c *credentials, _ *Config) { c.Issuer = "https://other.example" },
		"another port is configured": func(t *testing.T, _ *credentials, cfg *Config) {
			cfg.RedirectPort = freePort(t)
		},
		"port taken": func(t *testing.T, c *credentials, _ *Config) {
			l, err := net.Listen("tcp4", mustParse(c.Client.RedirectURI).Host)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{}), newVault()
			s.signedIn(v)
			before := v.kept(t).Client
			var cfg Config
			v.edit(t, func(c *credentials) { change(t, c, &cfg) })
			a := s.authorizer(v, configured(cfg))
			s.mustSignIn(a)
			s.mustCall(a)
			if after := v.kept(t).Client; s.Counts().Registrations != 2 || after.ID == before.ID || after.RedirectURI == before.RedirectURI {
				t.Errorf("%d registrations", s.Counts().Registrations)
			}
		})
	}
}

// A client that was registered is used again while its secret lasts, at the port and path that it was registered with.
func TestClientIsUsedAgain(t *testing.T) {
	for _, method := range []string{authNone, authBasic, authPost} {
		t.Run(method, func(t *testing.T) {
			s, v := newSite(t, authserver.Options{Knobs: authserver.Knobs{
				Metadata:     map[string]any{"token_endpoint_auth_methods_supported": []string{method}},
				Registration: map[string]any{"client_secret_expires_at": time.Now().Add(time.Hour).Unix()},
			}}), newVault()
			a := s.signedIn(v)
			before := v.kept(t).Client
			if public := method == authNone; before.AuthMethod != method || (before.Secret == "") != public || before.Expires.IsZero() != public {
				t.Errorf("the client authenticates by %s", before.AuthMethod)
			}
			s.expireAccess()
			s.mustCall(a)
			s.mustSignIn(a)
			if c := s.Counts(); c.Registrations != 1 || c.Refreshes != 1 || v.kept(t).Client != before {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// An authorization server that has forgotten the client shows an error, and the browser never comes back.
// The sign-in after that one registers anew.
func TestForgottenClient(t *testing.T) {
	s, v, a := newSignedIn(t)
	s.Forget()
	s.expireAccess()
	wantNeeded(t, s.call(a, "echo"), "has ended") // with invalid_client, which tells at once
	if c := v.kept(t).Client; c.ID != "" {
		t.Error("the client is kept")
	}
	s.mustSignIn(a)

	s.Forget()
	v.edit(t, func(c *credentials) { c.AccessToken, c.RefreshToken = "", "" })
	b := s.begin(a)
	if page := s.browse(b, authserver.Browser{}); page.Status != http.StatusBadRequest {
		t.Errorf("the browser got %d", page.Status)
	}
	b.end(errors.New("the person gives up"))
	<-b.done
	s.mustSignIn(a)
	s.mustCall(a)
	if c := s.Counts(); c.Registrations != 3 {
		t.Errorf("%d registrations", c.Registrations)
	}
}

// A client that has tokens was known lately: a sign-in that fails leaves it, unless the authorization server
// says that it does not know it.
func TestClientWithTokensStays(t *testing.T) {
	s, _, a := newSignedIn(t)
	if _, err := s.signIn(a, authserver.Browser{Deny: true}); err == nil {
		t.Fatal("signed in")
	}
	s.mustSignIn(a)
	s.fault("token", authserver.Fault{Do: "error", Error: "invalid_client", Times: 1})
	_, err := s.signIn(a, authserver.Browser{})
	wantFailed(t, err, "invalid_client")
	s.mustCall(a)
	if c := s.Counts(); c.Registrations != 1 {
		t.Errorf("%d registrations", c.Registrations)
	}
	s.mustSignIn(a)
	if c := s.Counts(); c.Registrations != 2 {
		t.Errorf("%d registrations after it was refused", c.Registrations)
	}
}

// A client that is configured is used at the path that is documented, at any port or at the one that is
// configured. Its secret is not kept.
func TestConfiguredClient(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		t.Run(fmt.Sprint(fixed), func(t *testing.T) {
			cfg := Config{ClientID: "by-hand", ClientSecret: "canary of hand"}
			o := byHand("http://127.0.0.1" + fixedPath)
			if fixed {
				cfg.RedirectPort = freePort(t)
				o = byHand(fmt.Sprintf("http://127.0.0.1:%d%s", cfg.RedirectPort, fixedPath))
				o.AnyLoopbackPort = false
			}
			s, v := newSite(t, o), newVault()
			cfg.Issuer = s.Issuer()
			a := s.signedIn(v, configured(cfg))
			s.expireAccess()
			s.mustCall(a)
			if c := v.kept(t).Client; c.Secret != "" || c.Registered || c.AuthMethod != authBasic {
				t.Errorf("kept is %+v", c)
			}
			s.checkSecrets()
		})
	}
}

// A metadata document takes the place of a registration where the authorization server reads such ones.
func TestClientMetadataDocument(t *testing.T) {
	const id = "https://editor.example/client.json"
	file, set := newKeyAndSet(t)
	for name, test := range map[string]struct {
		config    Config
		more      string // of the document
		supported bool
		method    string
	}{
		"public":        {Config{ClientMetadataURL: id}, "", true, authNone},
		"with a key":    {Config{ClientMetadataURL: id, PrivateKeyFile: file}, `,"token_endpoint_auth_method":"private_key_jwt","jwks":` + string(set), true, authPrivateKeyJWT},
		"not supported": {Config{ClientMetadataURL: id}, "", false, authNone},
	} {
		t.Run(name, func(t *testing.T) {
			o := authserver.Options{AnyLoopbackPort: true}
			if test.supported {
				o.ClientDocuments = map[string]json.RawMessage{id: json.RawMessage(`{"client_id":"` + id + `","client_name":"x",
					"redirect_uris":["http://127.0.0.1/callback"],"grant_types":["authorization_code","refresh_token"]` + test.more + `}`)}
			}
			s, v := newSite(t, o), newVault()
			a := s.signedIn(v, configured(test.config))
			s.expireAccess()
			s.mustCall(a)
			if c := v.kept(t).Client; c.Registered == test.supported || (c.ID == id) != test.supported || c.AuthMethod != test.method {
				t.Errorf("kept is %s, which authenticates by %s", c, c.AuthMethod)
			}
		})
	}
}

// Where programs cannot register, the person is told what to do.
func TestNoRegistration(t *testing.T) {
	s := newSite(t, authserver.Options{NoRegistration: true})
	for port, redirect := range map[int]string{0: "http://127.0.0.1/callback", 8123: "http://127.0.0.1:8123/callback"} {
		_, err := s.signIn(s.authorizer(newVault(), configured(Config{RedirectPort: port})), authserver.Browser{})
		wantFailed(t, err, "registers no clients by itself", "with the redirect URI "+redirect+",", "clientId")
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q has several lines", err)
		}
	}
}
