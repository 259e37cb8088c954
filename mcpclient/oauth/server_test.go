package oauth

import (
	"net/http"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestServerLayouts(t *testing.T) {
	tests := []struct {
		issuer string
		want   []string
	}{
		{issuer, []string{ofIssuer, ofOpenID}},
		{issuer + "/", []string{ofIssuer, ofOpenID}},
		{issuer + "/tenant1", []string{ofIssuer + "/tenant1", ofOpenID + "/tenant1", issuer + "/tenant1/.well-known/openid-configuration"}},
		{issuer + "/tenant1/", []string{ofIssuer + "/tenant1", ofOpenID + "/tenant1", issuer + "/tenant1/.well-known/openid-configuration"}},
		{issuer + "/a/b", []string{ofIssuer + "/a/b", ofOpenID + "/a/b", issuer + "/a/b/.well-known/openid-configuration"}},
		{issuer + "/a%2Fb", []string{ofIssuer + "/a%2Fb", ofOpenID + "/a%2Fb", issuer + "/a%2Fb/.well-known/openid-configuration"}},
	}
	for _, test := range tests {
		t.Run(test.issuer, func(t *testing.T) {
			// Every layout alone is found, after those before it.
			others := map[string]http.HandlerFunc{"404": status(404), "HTML": html, "502": status(502), "empty": status(200), "another issuer": answer(serverDocument("https://evil.example", nil)),
				"no S256": answer(serverDocument(test.issuer, map[string]any{"code_challenge_methods_supported": nil}))}
			for i, layout := range test.want {
				for what, other := range others {
					w := newWorld(t)
					for _, before := range test.want[:i] {
						w.on(before, other)
					}
					w.server(layout, test.issuer, nil)
					server, err := w.network(endpoint).serverMetadata(t.Context(), test.issuer)
					if err != nil || server.Issuer != test.issuer {
						t.Errorf("%s, after %s: got %+v, %v", layout, what, server, err)
					}
					if asked := w.paths(); !slices.Equal(asked, test.want[:i+1]) {
						t.Errorf("asked %q, want %q", asked, test.want[:i+1])
					}
				}
			}
		})
	}
}

func TestServerMetadata(t *testing.T) {
	tests := []struct {
		name    string
		issuer  string         // "": issuer
		changes map[string]any // of the document
		kind    wire.Kind      // "": it is good
		text    string
	}{
		{name: "as it should be"},
		{name: "with a slash", changes: map[string]any{"issuer": issuer + "/"}},
		{name: "asked with a slash", issuer: issuer + "/"},
		{"another issuer", "", map[string]any{"issuer": "https://evil.example"}, wire.KindProtocol, `the metadata of auth.example.com is that of "https://evil.example" instead of "https://auth.example.com"`},
		{"another case", "", map[string]any{"issuer": "https://AUTH.example.com"}, wire.KindProtocol, "instead of"},
		{"another path", "", map[string]any{"issuer": issuer + "/a"}, wire.KindProtocol, "instead of"},
		{"no issuer", "", map[string]any{"issuer": nil}, wire.KindProtocol, "instead of"},
		{"no token endpoint", "", map[string]any{"token_endpoint": nil}, wire.KindProtocol, "does not say where tokens are"},
		{"no authorization endpoint", "", map[string]any{"authorization_endpoint": nil}, wire.KindProtocol, "does not say where people sign in"},
		{"no PKCE", "", map[string]any{"code_challenge_methods_supported": nil}, wire.KindProtocol, "PKCE with S256"},
		{"no S256", "", map[string]any{"code_challenge_methods_supported": []string{"plain", "s256"}}, wire.KindProtocol, "PKCE with S256"},
		{"javascript:", "", map[string]any{"authorization_endpoint": "javascript:alert('canary')"}, wire.KindProtocol, "neither https nor http"},
		{"file:", "", map[string]any{"authorization_endpoint": "file:///etc/passwd"}, wire.KindProtocol, "neither https nor http"},
		{"a token endpoint without https", "", map[string]any{"token_endpoint": "http://auth.example.com/token?canary"}, wire.KindProtocol, "leads to auth.example.com without https"},
		{"a token endpoint on this machine", "", map[string]any{"token_endpoint": "https://localhost/token"}, wire.KindProtocol, "in this machine"},
		{"a registration endpoint in a private network", "", map[string]any{"registration_endpoint": "https://192.168.0.1/"}, wire.KindProtocol, "192.168.0.1 in a private network"},
		{"a revocation endpoint of a cloud", "", map[string]any{"revocation_endpoint": "https://169.254.169.254/"}, wire.KindProtocol, "not the address of a server"},
		{"a fragment", "", map[string]any{"authorization_endpoint": issuer + "/#a"}, wire.KindProtocol, "with a fragment"},
		{"an empty fragment", "", map[string]any{"token_endpoint": issuer + "/#"}, wire.KindProtocol, "with a fragment"},
		{"an endpoint with a query", "", map[string]any{"authorization_endpoint": issuer + "/authorize?tenant=a"}, "", ""},
		{"endpoints elsewhere", "", map[string]any{"token_endpoint": "https://token.example.org/"}, "", ""},
		{"what nobody asks may be anything", "", map[string]any{"introspection_endpoint": "http://10.0.0.1/", "op_tos_uri": "javascript:x"}, "", ""},
		{"a wrong type", "", map[string]any{"token_endpoint": 1}, wire.KindProtocol, `has a number as "token_endpoint"`},
		{"an issuer with a query", issuer + "?a=b", nil, wire.KindProtocol, "has a query or a fragment"},
		{"an issuer with an empty query", issuer + "?", nil, wire.KindProtocol, "has a query or a fragment"},
		{"an issuer with a fragment", issuer + "#a", nil, wire.KindProtocol, "has a query or a fragment"},
		{"an issuer without https", "http://auth.example.com", nil, wire.KindProtocol, "without https"},
		{"an issuer with a password", "https://a:canary@auth.example.com", nil, wire.KindProtocol, "a user or a password"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.server(ofIssuer, issuer, test.changes)
			asked := test.issuer
			if asked == "" {
				asked = issuer
			}
			server, err := w.network(endpoint).serverMetadata(t.Context(), asked)
			if test.kind != "" {
				wantError(t, err, test.kind, test.text)
				return
			}
			want := serverDocument(issuer, test.changes)
			if err != nil || server.Issuer != want["issuer"] || server.TokenEndpoint != want["token_endpoint"] {
				t.Errorf("got %+v, %v", server, err)
			}
		})
	}
}

// A server that gives nothing in any layout says why in one sentence.
func TestNoServerMetadata(t *testing.T) {
	for name, test := range map[string]struct {
		page http.HandlerFunc
		kind wire.Kind
		text string
	}{
		"404":     {status(404), wire.KindProtocol, "auth.example.com publishes no metadata for the sign-in (404 Not Found)"},
		"HTML":    {html, wire.KindUnreachable, "auth.example.com answers with something else than metadata"},
		"502":     {status(502), wire.KindUnreachable, "auth.example.com answers 502 Bad Gateway"},
		"endless": {func(rw http.ResponseWriter, r *http.Request) { _, _ = rw.Write(make([]byte, maxBody+1)) }, wire.KindProtocol, "larger than 1 MiB"},
		"cut off": {func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Length", "100")
			_, _ = rw.Write([]byte(`{"issuer": "canary`))
		}, wire.KindUnreachable, "auth.example.com cannot be reached: the connection broke"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.on(ofIssuer, test.page)
			w.on(ofOpenID, test.page)
			_, err := w.network(endpoint).serverMetadata(t.Context(), issuer)
			wantError(t, err, test.kind, test.text)
		})
	}
}

// Without a person a server needs no page and no PKCE, and all else as before.
func TestWithoutCode(t *testing.T) {
	w := newWorld(t)
	without := map[string]any{"authorization_endpoint": nil, "code_challenge_methods_supported": nil}
	w.server(ofIssuer, issuer, without)
	n := w.network(endpoint)
	if _, err := n.withoutCode().serverMetadata(t.Context(), issuer); err != nil {
		t.Error(err)
	}
	if _, err := n.serverMetadata(t.Context(), issuer); err == nil {
		t.Error("the network itself has changed")
	}
	without["token_endpoint"] = "http://auth.example.com/token"
	w.server(ofIssuer, issuer, without)
	_, err := n.withoutCode().serverMetadata(t.Context(), issuer)
	wantError(t, err, wire.KindProtocol, "without https")
}
