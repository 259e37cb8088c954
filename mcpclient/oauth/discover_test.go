package oauth

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	endpoint   = "https://mcp.example.com/mcp"
	ofResource = "https://mcp.example.com/.well-known/oauth-protected-resource"
	issuer     = "https://auth.example.com"
	ofIssuer   = issuer + "/.well-known/oauth-authorization-server"
	ofOpenID   = issuer + "/.well-known/openid-configuration"
	ofEndpoint = "https://mcp.example.com/.well-known/oauth-authorization-server"
)

// bearer is what a refusal says that has no challenge.
var bearer = readChallenge(nil)

func TestDiscover(t *testing.T) {
	tests := []struct {
		name     string
		endpoint string // "": endpoint
		metadata string // of the challenge
		world    func(w *world)

		resource, issuer string
		asked            []string // nil: whatever
	}{
		{
			name: "metadata that the refusal names", metadata: "https://mcp.example.com/meta",
			world: func(w *world) {
				w.resource("https://mcp.example.com/meta", endpoint, issuer)
				w.resource(ofResource, endpoint, "https://wrong.example.com")
				w.server(ofIssuer, issuer, nil)
			},
			resource: endpoint, issuer: issuer, asked: []string{"https://mcp.example.com/meta", ofIssuer},
		},
		{
			name: "metadata that the refusal names, and that is not there", metadata: "https://mcp.example.com/meta",
			world: func(w *world) {
				w.resource(ofResource+"/mcp", endpoint, issuer)
				w.server(ofIssuer, issuer, nil)
			},
			resource: endpoint, issuer: issuer, asked: []string{"https://mcp.example.com/meta", ofResource + "/mcp", ofIssuer},
		},
		{
			name: "metadata that the refusal names, without https", metadata: "http://mcp.example.com/meta",
			world: func(w *world) {
				w.resource("http://mcp.example.com/meta", endpoint, "https://wrong.example.com")
				w.resource(ofResource+"/mcp", endpoint, issuer)
				w.server(ofIssuer, issuer, nil)
			},
			resource: endpoint, issuer: issuer, asked: []string{ofResource + "/mcp", ofIssuer},
		},
		{
			name: "metadata at the path",
			world: func(w *world) {
				w.resource(ofResource+"/mcp", endpoint, issuer)
				w.resource(ofResource, "https://mcp.example.com", "https://wrong.example.com")
				w.server(ofIssuer, issuer, nil)
			},
			resource: endpoint, issuer: issuer, asked: []string{ofResource + "/mcp", ofIssuer},
		},
		{
			name: "metadata at the root, of the origin",
			world: func(w *world) {
				w.resource(ofResource, "https://mcp.example.com/", issuer)
				w.server(ofIssuer, issuer, nil)
			},
			resource: "https://mcp.example.com/", issuer: issuer, asked: []string{ofResource + "/mcp", ofResource, ofIssuer},
		},
		{
			name: "a page for everything where metadata could be",
			world: func(w *world) {
				w.on(ofResource+"/mcp", html)
				w.resource(ofResource, endpoint, issuer)
				w.on(ofIssuer, html)
				w.server(ofOpenID, issuer, nil)
			},
			resource: endpoint, issuer: issuer,
		},
		{
			name: "an error as JSON where metadata could be",
			world: func(w *world) {
				w.json(ofResource+"/mcp", map[string]string{"error": "not found"})
				w.resource(ofResource, endpoint, issuer)
				w.json(ofIssuer, map[string]string{"error": "not found"})
				w.server(ofOpenID, issuer, nil)
			},
			resource: endpoint, issuer: issuer,
		},
		{
			name: "metadata at the path fails, at the root it is there",
			world: func(w *world) {
				w.on(ofResource+"/mcp", status(502))
				w.resource(ofResource, endpoint, issuer)
				w.server(ofIssuer, issuer, nil)
			},
			resource: endpoint, issuer: issuer,
		},
		{
			name: "an endpoint with a trailing slash", endpoint: endpoint + "/",
			world: func(w *world) {
				w.resource(ofResource+"/mcp", endpoint, issuer)
				w.server(ofIssuer, issuer, nil)
			},
			resource: endpoint, issuer: issuer, asked: []string{ofResource + "/mcp/", ofResource + "/mcp", ofIssuer},
		},
		{
			name: "an endpoint without a path", endpoint: "https://mcp.example.com/",
			world: func(w *world) {
				w.resource(ofResource, "https://mcp.example.com", issuer)
				w.server(ofIssuer, issuer, nil)
			},
			resource: "https://mcp.example.com", issuer: issuer, asked: []string{ofResource, ofIssuer},
		},
		{
			name: "an endpoint with a query", endpoint: endpoint + "?key=secret",
			world: func(w *world) {
				w.resource(ofResource+"/mcp", endpoint, issuer)
				w.server(ofIssuer, issuer, nil)
			},
			resource: endpoint, issuer: issuer,
		},
		{
			name: "no authorization server: the origin", world: func(w *world) {
				w.resource(ofResource+"/mcp", endpoint)
				w.server(ofEndpoint, "https://mcp.example.com", nil)
			},
			resource: endpoint, issuer: "https://mcp.example.com",
		},
		{
			name: "the first authorization server cannot be used", world: func(w *world) {
				w.resource(ofResource+"/mcp", endpoint, "http://auth.example.org", "https://10.0.0.1", "https://other.example.com", issuer)
				w.server("https://other.example.com/.well-known/oauth-authorization-server", "https://other.example.com", map[string]any{"code_challenge_methods_supported": []string{"plain"}})
				w.server(ofIssuer, issuer, nil)
			},
			resource: endpoint, issuer: issuer,
		},
		{
			name: "only the origin is an authorization server (2025-03-26)", world: func(w *world) {
				w.server(ofEndpoint, "https://mcp.example.com/", nil)
			},
			resource: endpoint, issuer: "https://mcp.example.com/", asked: []string{ofResource + "/mcp", ofResource, ofEndpoint},
		},
		{
			name: "this machine without https", endpoint: "http://localhost:3000/mcp", world: func(w *world) {
				w.dns["localhost"] = []string{"127.0.0.1"}
				w.resource("http://localhost:3000/.well-known/oauth-protected-resource/mcp", "http://localhost:3000/mcp", "http://localhost:9000")
				w.server("http://localhost:9000/.well-known/oauth-authorization-server", "http://localhost:9000", nil)
			},
			resource: "http://localhost:3000/mcp", issuer: "http://localhost:9000",
		},
		{
			name: "a private network", endpoint: "https://10.0.0.1/mcp", world: func(w *world) {
				w.resource("https://10.0.0.1/.well-known/oauth-protected-resource/mcp", "https://10.0.0.1/mcp", "https://10.0.0.2")
				w.server("https://10.0.0.2/.well-known/oauth-authorization-server", "https://10.0.0.2", nil)
			},
			resource: "https://10.0.0.1/mcp", issuer: "https://10.0.0.2",
		},
		{
			name: "a private network without https, its authorization server with", endpoint: "http://10.0.0.1:3000/mcp", world: func(w *world) {
				w.resource("http://10.0.0.1:3000/.well-known/oauth-protected-resource/mcp", "http://10.0.0.1:3000/mcp", issuer)
				w.server(ofIssuer, issuer, nil)
			},
			resource: "http://10.0.0.1:3000/mcp", issuer: issuer,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			test.world(w)
			if test.endpoint == "" {
				test.endpoint = endpoint
			}
			n := w.network(test.endpoint)
			d, err := n.discover(t.Context(), n.endpoint, challenge{bearer: true, metadata: test.metadata}, "", "")
			if err != nil {
				t.Fatalf("%v, having asked %q", err, w.paths())
			}
			if d.resource != test.resource || d.server.Issuer != test.issuer || d.guessed {
				t.Errorf("got the resource %q at %q, guessed: %v", d.resource, d.server.Issuer, d.guessed)
			}
			if test.asked != nil && !slices.Equal(w.paths(), test.asked) {
				t.Errorf("asked %q, want %q", w.paths(), test.asked)
			}
		})
	}
}

func TestDiscoverRefuses(t *testing.T) {
	tests := []struct {
		name     string
		endpoint string // "": endpoint
		c        challenge
		must     string
		world    func(w *world)

		kind  wire.Kind
		texts []string
	}{
		{"metadata of another host", "", bearer, "", func(w *world) {
			w.resource(ofResource+"/mcp", "https://evil.example/mcp?canary", issuer)
		}, wire.KindProtocol, []string{`mcp.example.com publishes metadata for "https://evil.example/mcp" instead of "https://mcp.example.com/mcp"`}},
		{"metadata of another path, and an authorization server at the origin", "", bearer, "", func(w *world) {
			w.resource(ofResource, "https://mcp.example.com/other", issuer)
			w.server(ofEndpoint, "https://mcp.example.com", nil)
		}, wire.KindProtocol, []string{`"https://mcp.example.com/other" instead of "https://mcp.example.com/mcp"`}},
		{"metadata without a resource", "", bearer, "", func(w *world) {
			w.resource(ofResource+"/mcp", "", issuer)
		}, wire.KindProtocol, []string{"instead of"}},
		{"metadata in a private network, and an authorization server at the origin", "", challenge{bearer: true, metadata: "https://10.0.0.1/meta"}, "", func(w *world) {
			w.server(ofEndpoint, "https://mcp.example.com", nil)
		}, wire.KindProtocol, []string{"leads to 10.0.0.1 in a private network"}},
		{"a redirect into a private network, and an authorization server at the origin", "", bearer, "", func(w *world) {
			w.on(ofResource, redirect("https://10.0.0.1/meta"))
			w.server(ofEndpoint, "https://mcp.example.com", nil)
		}, wire.KindProtocol, []string{"leads to 10.0.0.1 in a private network"}},
		{"metadata of the wrong type", "", bearer, "", func(w *world) {
			w.json(ofResource, map[string]any{"resource": endpoint, "authorization_servers": "canary"})
		}, wire.KindProtocol, []string{`has a string as "authorization_servers"`}},
		{"the endpoint fails", "", bearer, "", func(w *world) {
			w.on(ofResource, status(503))
			w.server(ofEndpoint, "https://mcp.example.com", nil)
		}, wire.KindUnreachable, []string{"mcp.example.com answers 503 Service Unavailable"}},
		{"too many requests", "", bearer, "", func(w *world) {
			w.on(ofResource, status(429))
		}, wire.KindUnreachable, []string{"mcp.example.com answers 429"}},
		{"the authorization server fails", "", bearer, "", func(w *world) {
			w.resource(ofResource, endpoint, issuer)
			w.on(ofOpenID, status(500))
			w.server(ofEndpoint, "https://mcp.example.com", nil)
		}, wire.KindUnreachable, []string{"auth.example.com answers 500 Internal Server Error"}},
		{"the authorization server in a private network", "", bearer, "", func(w *world) {
			w.resource(ofResource, endpoint, "https://auth.corp.example")
			w.dns["auth.corp.example"] = []string{"10.0.0.1"}
		}, wire.KindProtocol, []string{"leads to auth.corp.example in a private network"}},
		{"javascript: as an authorization server", "", bearer, "", func(w *world) {
			w.resource(ofResource, endpoint, "javascript:alert(1)")
		}, wire.KindProtocol, []string{"neither https nor http"}},
		{"the origin is another authorization server", "", bearer, "", func(w *world) {
			w.server(ofEndpoint, "https://evil.example", nil)
			w.on("https://mcp.example.com/authorize", status(400))
		}, wire.KindProtocol, []string{`is that of "https://evil.example" instead of "https://mcp.example.com"`}},
		{"nothing at all", "", bearer, "", func(w *world) {}, wire.KindUnauthorized, []string{"mcp.example.com offers no sign-in; give the server a header with credentials"}},
		{"everything wants credentials", "", bearer, "", func(w *world) {
			for _, address := range []string{ofResource, ofResource + "/mcp", ofEndpoint, "https://mcp.example.com/authorize"} {
				w.on(address, status(401))
			}
		}, wire.KindUnauthorized, []string{"offers no sign-in"}},
		{"a page for everything, and Basic", "", challenge{}, "", func(w *world) {
			for _, address := range []string{ofResource, ofResource + "/mcp", ofEndpoint, "https://mcp.example.com/authorize"} {
				w.on(address, html)
			}
		}, wire.KindUnauthorized, []string{"offers no sign-in"}},
		{"a guess without https", "http://mcp.example.com/mcp", bearer, "", func(w *world) {
			w.on("http://mcp.example.com/authorize", status(400))
		}, wire.KindProtocol, []string{"leads to mcp.example.com without https"}},
		{"nothing at all, without https", "http://mcp.example.com/mcp", bearer, "", func(w *world) {}, wire.KindUnauthorized, []string{"offers no sign-in"}},
		{"not the authorization server that must be", "", bearer, "https://mine.example.com", func(w *world) {
			w.resource(ofResource, endpoint, issuer)
			w.server(ofIssuer, issuer, nil)
		}, wire.KindProtocol, []string{`at "https://auth.example.com" and not at "https://mine.example.com"`}},
		{"hidden characters", "", bearer, "", func(w *world) {
			w.resource(ofResource, "https://mcp.example.com/\u202e"+strings.Repeat("a", 400), issuer)
		}, wire.KindProtocol, []string{"…", "%E2%80%AE"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			test.world(w)
			if test.endpoint == "" {
				test.endpoint = endpoint
			}
			n := w.network(test.endpoint)
			d, err := n.discover(t.Context(), n.endpoint, test.c, "", test.must)
			if err == nil {
				t.Fatalf("got %+v", d)
			}
			wantError(t, err, test.kind, test.texts...)
		})
	}
}

// Nothing is published: the paths of 2025-03-26.
func TestGuess(t *testing.T) {
	for name, page := range map[string]http.HandlerFunc{"it wants parameters": status(400), "a page": html, "a redirect": redirect("https://10.0.0.1/")} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.on("https://mcp.example.com/authorize", page)
			w.json(ofResource, map[string]string{"error": "not found"})
			w.json(ofEndpoint, map[string]string{"error": "not found"})
			n := w.network("https://user@mcp.example.com/v1/mcp/?key=secret#x")
			d, err := n.discover(t.Context(), n.endpoint, bearer, "", "")
			if err != nil {
				t.Fatal(err)
			}
			got := []string{d.resource, d.server.Issuer, d.server.AuthorizationEndpoint, d.server.TokenEndpoint, d.server.RegistrationEndpoint}
			const origin = "https://mcp.example.com"
			if want := []string{origin + "/v1/mcp/", origin, origin + "/authorize", origin + "/token", origin + "/register"}; !d.guessed || !slices.Equal(got, want) {
				t.Errorf("got %q, guessed: %v, want %q", got, d.guessed, want)
			}
		})
	}
}

// Without a person nobody looks for a page.
func TestGuessWithoutCode(t *testing.T) {
	n := newWorld(t).network(endpoint).withoutCode()
	if d, err := n.discover(t.Context(), n.endpoint, bearer, "", ""); err != nil || !d.guessed {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestCheckResource(t *testing.T) {
	tests := []struct {
		endpoint, resource string
		good               bool
	}{
		{endpoint, endpoint, true},
		{endpoint, "HTTPS://MCP.Example.com:443/mcp", true},
		{endpoint, endpoint + "/", true},
		{endpoint + "/", endpoint, true},
		{endpoint, "https://mcp.example.com", true},
		{endpoint, "https://mcp.example.com/", true},
		{"https://mcp.example.com", "https://mcp.example.com/", true},
		{endpoint + "/a/b", endpoint + "/a", true},
		{endpoint + "?a=b", endpoint + "?a=b", true},
		{endpoint + "?a=b", endpoint, true},
		{endpoint, endpoint + "?a=b", false},
		{endpoint, endpoint + "/a", false},
		{endpoint, "https://mcp.example.com/mc", false},
		{endpoint + "2", endpoint, false},
		{endpoint, endpoint + "//", false},
		{endpoint, "http://mcp.example.com/mcp", false},
		{endpoint, "https://mcp.example.com:8443/mcp", false},
		{endpoint, "https://example.com/mcp", false},
		{endpoint, "https://mcp.example.com.evil.example/mcp", false},
		{endpoint, "https://mcp.example.com@evil.example/mcp", false},
		{endpoint, "https://a@mcp.example.com/mcp", false},
		{endpoint, endpoint + "#a", false},
		{endpoint, "mcp.example.com/mcp", false},
		{endpoint, "", false},
		{endpoint, "https://mcp.example.com/%6dcp", false},
		{endpoint, "://", false},
	}
	for _, test := range tests {
		err := checkResource(mustParse(test.endpoint), test.resource)
		if test.good {
			if err != nil {
				t.Errorf("%q for %q: %v", test.resource, test.endpoint, err)
			}
			continue
		}
		wantError(t, err, wire.KindProtocol, "mcp.example.com publishes metadata for")
	}
}

func TestCanonical(t *testing.T) {
	for endpoint, want := range map[string]string{
		"https://MCP.example.com/":                 "https://mcp.example.com",
		"https://mcp.example.com":                  "https://mcp.example.com",
		"https://a:b@mcp.example.com:8443/mcp?c#d": "https://mcp.example.com:8443/mcp",
		"https://mcp.example.com/mcp/":             "https://mcp.example.com/mcp/",
		"https://mcp.example.com/a%2Fb":            "https://mcp.example.com/a%2Fb",
		"http://[::1]:3000/":                       "http://[::1]:3000",
	} {
		if got := canonical(mustParse(endpoint)); got != want {
			t.Errorf("%s: got %s, want %s", endpoint, got, want)
		}
	}
}
