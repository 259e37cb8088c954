package oauth

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const redirectURI = "http://127.0.0.1:4567/callback"

func TestRegister(t *testing.T) {
	basic, post := []string{authBasic, "private_key_jwt"}, []string{authBasic, authPost}
	tests := []struct {
		name      string
		supported []string
		answer    map[string]any
		asked     string // token_endpoint_auth_method
		want      client
	}{
		{"a public client", []string{authBasic, authPost, authNone}, map[string]any{"client_id": "a", "token_endpoint_auth_method": authNone},
			authNone, client{ID: "a", AuthMethod: authNone}},
		{"nothing is said", nil, map[string]any{"client_id": "a"}, authNone, client{ID: "a", AuthMethod: authNone}},
		{"post", post, map[string]any{"client_id": "a", "client_secret": "s", "client_secret_expires_at": 2000000000}, authPost,
			client{ID: "a", Secret: "s", AuthMethod: authPost, Expires: time.Unix(2000000000, 0)}},
		{"basic", basic, map[string]any{"client_id": "a", "client_secret": "s", "client_secret_expires_at": 0, "token_endpoint_auth_method": authBasic}, authBasic,
			client{ID: "a", Secret: "s", AuthMethod: authBasic}},
		{"the server changes it", nil, map[string]any{"client_id": "a", "client_secret": "s", "token_endpoint_auth_method": authPost}, authNone,
			client{ID: "a", Secret: "s", AuthMethod: authPost}},
		{"a secret that is not mentioned", nil, map[string]any{"client_id": "a", "client_secret": "s"}, authNone,
			client{ID: "a", Secret: "s", AuthMethod: authBasic}},
		{"a secret without a use", nil, map[string]any{"client_id": "a", "client_secret": "s", "client_secret_expires_at": 2000000000, "token_endpoint_auth_method": authNone},
			authNone, client{ID: "a", AuthMethod: authNone}},
		{"a use without a secret", post, map[string]any{"client_id": "a", "token_endpoint_auth_method": authBasic}, authPost,
			client{ID: "a", AuthMethod: authNone}},
	}
	for i, test := range tests {
		code := []int{http.StatusCreated, http.StatusOK}[i%2]
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			var sent map[string]any
			w.on(issuer+"/register", func(rw http.ResponseWriter, r *http.Request) {
				_ = json.NewDecoder(r.Body).Decode(&sent)
				rw.WriteHeader(code)
				_ = json.NewEncoder(rw).Encode(test.answer)
			})
			server := &oauthex.AuthServerMeta{Issuer: issuer, RegistrationEndpoint: issuer + "/register", TokenEndpointAuthMethodsSupported: test.supported}
			got, err := w.network(endpoint).register(t.Context(), server, redirectURI)
			want := test.want
			want.Registered, want.RedirectURI = true, redirectURI
			if err != nil || got != want {
				t.Errorf("got %#v, %v, want %#v", got, err, want)
			}
			metadata := map[string]any{
				"client_name": "mcp-editord", "application_type": "native", "redirect_uris": []any{redirectURI}, "response_types": []any{"code"},
				"grant_types": []any{"authorization_code", "refresh_token"}, "token_endpoint_auth_method": test.asked,
			}
			if !reflect.DeepEqual(sent, metadata) {
				t.Errorf("sent %v, want %v", sent, metadata)
			}
		})
	}
}

// Why a server does not register this program is said without the body, which may have a secret.
func TestRegisterRefused(t *testing.T) {
	body := func(code int, text string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(code)
			_, _ = rw.Write([]byte(text))
		}
	}
	tests := []struct {
		name   string
		change func(*oauthex.AuthServerMeta)
		page   http.HandlerFunc
		kind   wire.Kind
		text   string
	}{
		{"with a reason", nil, body(400, `{"error": "invalid_redirect_uri", "error_description": "no\u202e\nloopback", "client_secret": "canary"}`),
			wire.KindUnauthorized, `auth.example.com does not register this program (invalid_redirect_uri: no\u{202e}\nloopback); register a client there and give the server its client id`},
		{"with an error alone", nil, body(400, `{"error": "invalid_client_metadata"}`), wire.KindUnauthorized, "(invalid_client_metadata)"},
		{"without an error", nil, body(400, `{"client_secret": "canary"}`), wire.KindUnauthorized, "(400 Bad Request)"},
		{"401", nil, body(401, `{"client_secret": "canary"}`), wire.KindUnauthorized, "(401 Unauthorized)"},
		{"429", nil, body(429, `canary`), wire.KindUnreachable, "429 Too Many Requests; try again later"},
		{"success with HTML", nil, body(201, `<p>canary`), wire.KindProtocol, "has answered the registration with what cannot be used"},
		{"success without an id", nil, body(201, `{"client_secret": "canary"}`), wire.KindProtocol, "cannot be used"},
		{"a way that is not known", nil, body(201, `{"client_id": "a", "client_secret": "canary", "token_endpoint_auth_method": "private_key_jwt"}`), wire.KindProtocol, `by "private_key_jwt"`},
		{"a redirect", nil, func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "https://evil.example/?canary", http.StatusTemporaryRedirect)
		}, wire.KindProtocol, "auth.example.com redirects to evil.example"},
		{"no way", func(s *oauthex.AuthServerMeta) { s.TokenEndpointAuthMethodsSupported = []string{"tls_client_auth"} }, nil, wire.KindUnauthorized, "in a way that this one cannot"},
		{"a private network", func(s *oauthex.AuthServerMeta) { s.RegistrationEndpoint = "https://10.0.0.1/register" }, nil, wire.KindProtocol, "leads to 10.0.0.1 in a private network"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			if test.page != nil {
				w.on(issuer+"/register", test.page)
			}
			server := &oauthex.AuthServerMeta{Issuer: issuer, RegistrationEndpoint: issuer + "/register"}
			if test.change != nil {
				test.change(server)
			}
			got, err := w.network(endpoint).register(t.Context(), server, redirectURI)
			if err == nil {
				t.Fatalf("got %+v", got)
			}
			wantError(t, err, test.kind, test.text)
		})
	}
}
