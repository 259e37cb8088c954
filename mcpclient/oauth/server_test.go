package oauth

import (
	"net/http"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Every layout alone is found, after those before it, whatever these have.
func TestServerLayouts(t *testing.T) {
	for asked, want := range map[string][]string{
		issuer:               {ofIssuer, ofOpenID},
		issuer + "/":         {ofIssuer, ofOpenID},
		issuer + "/tenant1/": {ofIssuer + "/tenant1", ofOpenID + "/tenant1", issuer + "/tenant1/.well-known/openid-configuration"},
		issuer + "/a/b%2Fc":  {ofIssuer + "/a/b%2Fc", ofOpenID + "/a/b%2Fc", issuer + "/a/b%2Fc/.well-known/openid-configuration"},
	} {
		t.Run(asked, func(t *testing.T) {
			others := map[string]http.HandlerFunc{"404": status(404), "HTML": html, "502": status(502), "empty": status(200), "another issuer": answer(serverDocument(evil, nil)),
				"no S256": answer(serverDocument(asked, noPKCE))}
			for i, layout := range want {
				for what, other := range others {
					w := newWorld(t)
					for _, before := range want[:i] {
						w.on(before, other)
					}
					w.server(layout, asked, nil)
					server, err := w.network(endpoint).serverMetadata(t.Context(), asked)
					if err != nil || server.Issuer != asked {
						t.Errorf("%s, after %s: got %+v, %v", layout, what, server, err)
					}
					if paths := w.paths(); !slices.Equal(paths, want[:i+1]) {
						t.Errorf("asked %q, want %q", paths, want[:i+1])
					}
				}
			}
		})
	}
}

func TestServerMetadata(t *testing.T) {
	without := map[string]any{"authorization_endpoint": nil, "code_challenge_methods_supported": nil}
	for _, test := range []struct {
		name    string
		issuer  string         // "": issuer
		changes map[string]any // of the document
		noCode  bool
		text    string // "": it is good
	}{
		{name: "as it should be"},
		{name: "with a slash", changes: map[string]any{"issuer": issuer + "/"}},
		{name: "another issuer", changes: map[string]any{"issuer": evil},
			text: `the metadata of auth.example.com is that of "https://evil.example" instead of "https://auth.example.com"`},
		{name: "another case", changes: map[string]any{"issuer": "https://AUTH.example.com"}, text: "instead of"},
		{name: "no issuer", changes: map[string]any{"issuer": nil}, text: "instead of"},
		{name: "no token endpoint", changes: map[string]any{"token_endpoint": nil}, text: "does not say where tokens are"},
		{name: "no authorization endpoint", changes: map[string]any{"authorization_endpoint": nil}, text: "does not say where people sign in"},
		{name: "no PKCE", changes: map[string]any{"code_challenge_methods_supported": nil}, text: "does not offer PKCE with S256"},
		{name: "no S256", changes: map[string]any{"code_challenge_methods_supported": []string{"plain", "s256"}}, text: "does not offer PKCE with S256"},
		{name: "neither, where nobody signs in", changes: without, noCode: true},
		{name: "javascript:", changes: map[string]any{"authorization_endpoint": "javascript:alert('canary')"}, text: "neither https nor http"},
		{name: "a token endpoint without https", changes: map[string]any{"token_endpoint": "http://auth.example.com/token?canary"},
			text: "leads to auth.example.com without https"},
		{name: "a registration endpoint in a private network", changes: map[string]any{"registration_endpoint": "https://192.168.0.1/"},
			text: "192.168.0.1 in a private network"},
		{name: "a revocation endpoint of a cloud", changes: map[string]any{"revocation_endpoint": "https://169.254.169.254/"}, text: "not the address of a server"},
		{name: "an empty fragment", changes: map[string]any{"token_endpoint": issuer + "/#"}, text: "with a fragment"},
		{name: "an endpoint with a query", changes: map[string]any{"authorization_endpoint": issuer + "/authorize?tenant=a"}},
		{name: "endpoints elsewhere", changes: map[string]any{"token_endpoint": "https://token.example.org/"}},
		{name: "what nobody asks may be anything", changes: map[string]any{"introspection_endpoint": "http://10.0.0.1/", "op_tos_uri": "javascript:x"}},
		{name: "a wrong type", changes: map[string]any{"token_endpoint": 1}, text: `has a number as "token_endpoint"`},
		{name: "an issuer with an empty query", issuer: issuer + "?", text: "has a query or a fragment"},
		{name: "an issuer with a fragment", issuer: issuer + "#a", text: "has a query or a fragment"},
		{name: "an issuer without https", issuer: "http://auth.example.com", text: "without https"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.server(ofIssuer, issuer, test.changes)
			if test.issuer == "" {
				test.issuer = issuer
			}
			n := w.network(endpoint)
			n.noCode = test.noCode
			server, err := n.serverMetadata(t.Context(), test.issuer)
			if test.text != "" {
				wantError(t, err, wire.KindProtocol, test.text)
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
