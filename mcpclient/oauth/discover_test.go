package oauth

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	origin     = "https://mcp.example.com"
	endpoint   = origin + "/mcp"
	ofResource = origin + "/.well-known/oauth-protected-resource"
	ofEndpoint = origin + "/.well-known/oauth-authorization-server"
	issuer     = "https://auth.example.com"
	ofIssuer   = issuer + "/.well-known/oauth-authorization-server"
	ofOpenID   = issuer + "/.well-known/openid-configuration"
	second     = "https://second.example.com"
	third      = "https://third.example.com/tenant"
	evil       = "https://evil.example"
)

// bearer is what a refusal says that has no challenge.
var bearer = readChallenge(nil)

// pages are what a world has at addresses: documents and handlers.
type pages map[string]any

// publish puts pages into a world, where issuer, second and third are authorization servers.
func (w *world) publish(p pages) {
	for _, issuer := range []string{issuer, second, third} {
		w.server(serverLayouts(mustParse(issuer))[0], issuer, nil)
	}
	for address, page := range p {
		if handler, ok := page.(http.HandlerFunc); ok {
			w.on(address, handler)
		} else {
			w.json(address, page)
		}
	}
}

// resource is the metadata of one.
func resource(resource string, issuers ...string) map[string]any {
	return map[string]any{"resource": resource, "authorization_servers": issuers, "scopes_supported": []string{"read", "write"}}
}

var (
	htmlPage = http.HandlerFunc(html)
	notFound = map[string]string{"error": "not found"}
	origin25 = []string{ofResource + "/mcp", ofResource, ofEndpoint} // what is asked where only 2025-03-26 helps
	noPKCE   = map[string]any{"code_challenge_methods_supported": []string{"plain"}}
)

func TestDiscover(t *testing.T) {
	const local, private = "http://localhost:3000", "https://10.0.0.1"
	for _, test := range []struct {
		name            string
		endpoint, named string // "": endpoint; metadata of the challenge
		prefer, must    string
		pages           pages
		resource        string   // "": the endpoint
		issuer          string   // "": issuer
		asked           []string // nil: whatever
	}{
		{name: "metadata that the refusal names", named: origin + "/meta",
			pages: pages{origin + "/meta": resource(endpoint, issuer), ofResource: resource(endpoint, evil)},
			asked: []string{origin + "/meta", ofIssuer}},
		{name: "metadata that the refusal names, and that is not there", named: origin + "/meta", pages: pages{ofResource + "/mcp": resource(endpoint, issuer)},
			asked: []string{origin + "/meta", ofResource + "/mcp", ofIssuer}},
		{name: "metadata that the refusal names, without https", named: "http://mcp.example.com/meta",
			pages: pages{"http://mcp.example.com/meta": resource(endpoint, evil), ofResource + "/mcp": resource(endpoint, issuer)},
			asked: []string{ofResource + "/mcp", ofIssuer}},
		{name: "metadata at the path", pages: pages{ofResource + "/mcp": resource(endpoint, issuer), ofResource: resource(origin, evil)},
			asked: []string{ofResource + "/mcp", ofIssuer}},
		{name: "metadata at the root, of the origin", pages: pages{ofResource: resource(origin+"/", issuer)}, resource: origin + "/",
			asked: []string{ofResource + "/mcp", ofResource, ofIssuer}},
		{name: "a page for everything where metadata could be", pages: pages{ofResource + "/mcp": htmlPage, ofResource: resource(endpoint, issuer)}},
		{name: "an error as JSON where metadata could be", pages: pages{ofResource + "/mcp": notFound, ofResource: resource(endpoint, issuer),
			ofIssuer: notFound, ofOpenID: serverDocument(issuer, nil)}},
		{name: "an endpoint with a trailing slash", endpoint: endpoint + "/", pages: pages{ofResource + "/mcp": resource(endpoint, issuer)}, resource: endpoint,
			asked: []string{ofResource + "/mcp/", ofResource + "/mcp", ofIssuer}},
		{name: "an endpoint without a path", endpoint: origin + "/", pages: pages{ofResource: resource(origin, issuer)}, resource: origin,
			asked: []string{ofResource, ofIssuer}},
		{name: "an endpoint with a query", endpoint: endpoint + "?key=secret", pages: pages{ofResource + "/mcp": resource(endpoint, issuer)}, resource: endpoint},
		{name: "this machine without https", endpoint: local + "/mcp", pages: pages{local + wellKnown + "/mcp": resource(local+"/mcp", "http://localhost:9000"),
			"http://localhost:9000/.well-known/oauth-authorization-server": serverDocument("http://localhost:9000", nil)}, issuer: "http://localhost:9000"},
		{name: "a private network", endpoint: private + "/mcp", pages: pages{private + wellKnown + "/mcp": resource(private+"/mcp", "https://10.0.0.2"),
			"https://10.0.0.2/.well-known/oauth-authorization-server": serverDocument("https://10.0.0.2", nil)}, issuer: "https://10.0.0.2"},
		{name: "a private network without https, its authorization server with", endpoint: "http://nas.home.example/mcp",
			pages: pages{"http://nas.home.example" + wellKnown + "/mcp": resource("http://nas.home.example/mcp", issuer)}},

		{name: "no authorization server: the origin", pages: pages{ofResource + "/mcp": resource(endpoint), ofEndpoint: serverDocument(origin, nil)}, issuer: origin},
		{name: "only the origin is an authorization server (2025-03-26)", pages: pages{ofEndpoint: serverDocument(origin+"/", nil)}, issuer: origin + "/",
			asked: origin25},
		{name: "a configured issuer is enough", must: issuer, asked: []string{ofResource + "/mcp", ofResource, ofIssuer}},
		{name: "the first authorization servers cannot be used",
			pages: pages{ofResource + "/mcp": resource(endpoint, "http://auth.example.org", "https://10.0.0.1", second, issuer),
				second + "/.well-known/oauth-authorization-server": serverDocument(second, noPKCE)}},
		{name: "the first is down", pages: pages{ofResource: resource(endpoint, issuer, second, third), ofIssuer: status(503)}, issuer: second},
		{name: "the one with credentials, but for a slash", prefer: third + "/", pages: pages{ofResource: resource(endpoint, issuer, second, third)}, issuer: third},
		{name: "credentials for one that is gone", prefer: "https://gone.example.com", pages: pages{ofResource: resource(endpoint, issuer, second)}},
		{name: "the one with credentials has no metadata any more", prefer: issuer,
			pages: pages{ofResource: resource(endpoint, issuer, second), ofIssuer: status(404)}, issuer: second},
		{name: "the one that must be, but for a slash", must: second + "/", prefer: third,
			pages: pages{ofResource: resource(endpoint, issuer, second, third)}, issuer: second},

		{name: "its own metadata, but for a slash", endpoint: endpoint + "/", named: origin + "/meta",
			pages: pages{origin + "/meta": resource(endpoint, issuer)}, resource: endpoint},
		{name: "metadata of the host, for the host", named: ofResource, pages: pages{ofResource: resource(origin, issuer)}, resource: origin},
		{name: "metadata at the host for it, for the host", named: ofResource + "/mcp", pages: pages{ofResource + "/mcp": resource(origin, issuer)},
			resource: origin},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.dns["localhost"], w.dns["nas.home.example"] = []string{"127.0.0.1"}, []string{"192.168.0.2"}
			w.publish(test.pages)
			if test.endpoint == "" {
				test.endpoint = endpoint
			}
			if test.resource == "" {
				test.resource = test.endpoint
			}
			if test.issuer == "" {
				test.issuer = issuer
			}
			n := w.network(test.endpoint)
			d, err := n.discover(t.Context(), challenge{bearer: true, metadata: test.named}, test.prefer, test.must)
			if err != nil {
				t.Fatalf("%v, having asked %q", err, w.paths())
			}
			if d.resource != test.resource || d.server.Issuer != test.issuer {
				t.Errorf("got the resource %q at %q", d.resource, d.server.Issuer)
			}
			if test.asked != nil && !slices.Equal(w.paths(), test.asked) {
				t.Errorf("asked %q, want %q", w.paths(), test.asked)
			}
		})
	}
}

func TestDiscoverRefuses(t *testing.T) {
	own := serverDocument(origin, nil)
	everywhere := func(page http.HandlerFunc) pages {
		return pages{ofResource: page, ofResource + "/mcp": page, ofEndpoint: page, origin + "/authorize": page}
	}
	for _, test := range []struct {
		name            string
		endpoint, named string // "": endpoint; metadata of the challenge
		other           bool   // the challenge is for another scheme
		prefer, must    string
		pages           pages
		kind            wire.Kind
		text            string
	}{
		{name: "metadata of another host", pages: pages{ofResource + "/mcp": resource(evil+"/mcp?canary", issuer)},
			kind: wire.KindProtocol, text: `mcp.example.com publishes metadata for "https://evil.example/mcp" instead of "https://mcp.example.com/mcp"`},
		{name: "metadata of another path, and an authorization server at the origin", pages: pages{ofResource: resource(origin+"/other", issuer), ofEndpoint: own},
			kind: wire.KindProtocol, text: `"https://mcp.example.com/other" instead of "https://mcp.example.com/mcp"`},
		{name: "metadata without a resource", pages: pages{ofResource + "/mcp": resource("", issuer)}, kind: wire.KindProtocol, text: "instead of"},
		{name: "metadata in a private network, and an authorization server at the origin", named: "https://10.0.0.1/meta", pages: pages{ofEndpoint: own},
			kind: wire.KindProtocol, text: "leads to 10.0.0.1 in a private network"},
		{name: "a redirect into a private network, and an authorization server at the origin",
			pages: pages{ofResource: redirect("https://10.0.0.1/meta"), ofEndpoint: own},
			kind:  wire.KindProtocol, text: "leads to 10.0.0.1 in a private network"},
		{name: "metadata of the wrong type", pages: pages{ofResource: map[string]any{"resource": endpoint, "authorization_servers": "canary"}},
			kind: wire.KindProtocol, text: `has a string as "authorization_servers"`},
		{name: "the endpoint fails", pages: pages{ofResource: status(503), ofEndpoint: own},
			kind: wire.KindUnreachable, text: "mcp.example.com answers 503 Service Unavailable"},
		{name: "the authorization server fails", pages: pages{ofResource: resource(endpoint, issuer), ofIssuer: status(404), ofOpenID: status(500), ofEndpoint: own},
			kind: wire.KindUnreachable, text: "auth.example.com answers 500 Internal Server Error"},
		{name: "the authorization server in a private network", pages: pages{ofResource: resource(endpoint, "https://auth.corp.example")},
			kind: wire.KindProtocol, text: "leads to auth.corp.example in a private network"},
		{name: "the origin is another authorization server", pages: pages{ofEndpoint: serverDocument(evil, nil), origin + "/authorize": status(400)},
			kind: wire.KindProtocol, text: `is that of "https://evil.example" instead of "https://mcp.example.com"`},
		{name: "the one with credentials is down", prefer: second,
			pages: pages{ofResource: resource(endpoint, issuer, second), second + "/.well-known/oauth-authorization-server": status(503)},
			kind:  wire.KindUnreachable, text: "second.example.com answers 503"},
		{name: "all are down", pages: pages{ofResource: resource(endpoint, second, issuer), ofIssuer: status(503), second + "/.well-known/oauth-authorization-server": status(404)},
			kind: wire.KindUnreachable, text: "auth.example.com answers 503"},
		{name: "not the authorization server that must be", must: second, pages: pages{ofResource: resource(endpoint, issuer)},
			kind: wire.KindProtocol, text: `at "https://auth.example.com" and not at "https://second.example.com"`},
		{name: "nothing at all", kind: wire.KindUnauthorized, text: "mcp.example.com offers no sign-in; give the server a header with credentials"},
		{name: "everything wants credentials", pages: everywhere(status(401)), kind: wire.KindUnauthorized, text: "offers no sign-in"},
		{name: "a page for everything, and Basic", other: true, pages: everywhere(html), kind: wire.KindUnauthorized, text: "offers no sign-in"},
		{name: "a guess without https", endpoint: "http://mcp.example.com/mcp", pages: pages{"http://mcp.example.com/authorize": status(400)},
			kind: wire.KindProtocol, text: "leads to mcp.example.com without https"},
		{name: "nothing at all, without https", endpoint: "http://mcp.example.com/mcp", kind: wire.KindUnauthorized, text: "offers no sign-in"},
		// A token is not sent over the Internet for everybody to read.
		{name: "an endpoint on the Internet without https", endpoint: "http://93.184.216.34/mcp",
			pages: pages{"http://93.184.216.34" + wellKnown + "/mcp": resource("http://93.184.216.34/mcp", issuer)}, kind: wire.KindProtocol, text: "without https"},
		{name: "hidden characters", pages: pages{ofResource: resource(origin+"/\u202e"+strings.Repeat("a", 400), issuer)},
			kind: wire.KindProtocol, text: `\u{202e}`},
		// An endpoint below a path may belong to somebody else than the origin. It does not get a token for all of it.
		{name: "its own metadata, for the host", named: origin + "/meta", pages: pages{origin + "/meta": resource(origin, issuer)},
			kind: wire.KindProtocol, text: "publishes metadata for"},
		{name: "its own metadata, for a path above", endpoint: origin + "/mallory/mcp", named: origin + "/mallory/meta",
			pages: pages{origin + "/mallory/meta": resource(origin+"/mallory", issuer)}, kind: wire.KindProtocol, text: "publishes metadata for"},
		{name: "metadata elsewhere, for the host", named: evil + wellKnown, pages: pages{evil + wellKnown: resource(origin, issuer)},
			kind: wire.KindProtocol, text: "publishes metadata for"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.dns["auth.corp.example"] = []string{"10.0.0.1"}
			w.publish(test.pages)
			if test.endpoint == "" {
				test.endpoint = endpoint
			}
			n := w.network(test.endpoint)
			d, err := n.discover(t.Context(), challenge{bearer: !test.other, metadata: test.named}, test.prefer, test.must)
			if err == nil {
				t.Fatalf("got %+v", d)
			}
			wantError(t, err, test.kind, test.text)
		})
	}
}

// Nothing is published: the paths of 2025-03-26. Without a person nobody looks for a page.
func TestGuess(t *testing.T) {
	for name, page := range map[string]http.HandlerFunc{"it wants parameters": status(400), "a page": html, "a redirect": redirect(ofIssuer), "nobody signs in": nil} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.publish(pages{ofResource: notFound, ofEndpoint: notFound})
			n := w.network("https://user@mcp.example.com/v1/mcp/?key=secret#x")
			if n.noCode = page == nil; page != nil {
				w.on(origin+"/authorize", page)
			}
			d, err := n.discover(t.Context(), bearer, "", "")
			if err != nil {
				t.Fatal(err)
			}
			got := []string{d.resource, d.server.Issuer, d.server.AuthorizationEndpoint, d.server.TokenEndpoint, d.server.RegistrationEndpoint}
			if want := []string{origin + "/v1/mcp/", origin, origin + "/authorize", origin + "/token", origin + "/register"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A server that says nothing holds nobody longer than the context does, and nobody asks further.
func TestSlowServer(t *testing.T) {
	for _, slow := range []string{ofResource + "/mcp", ofIssuer} {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		w.publish(pages{ofResource + "/mcp": resource(endpoint, issuer, second)})
		w.on(slow, func(rw http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		n := w.network(endpoint)
		_, err := n.discover(ctx, bearer, "", "")
		wantError(t, err, wire.KindUnreachable)
		if asked := w.paths(); asked[len(asked)-1] != slow {
			t.Errorf("asked %q", asked)
		}
	}

	n := newWorld(t).network(endpoint)
	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, err := n.discover(expired, bearer, "", "")
	wantError(t, err, wire.KindUnreachable, "mcp.example.com", "has not answered in time")
}

func TestCheckResource(t *testing.T) {
	for _, test := range []struct {
		endpoint, resource string
		good               bool
	}{
		{endpoint, endpoint, true},
		{endpoint, "HTTPS://MCP.Example.com:443/mcp", true},
		{endpoint, endpoint + "/", true},
		{endpoint, origin, true},
		{origin, origin + "/", true},
		{endpoint + "/a/b", endpoint + "/a", true},
		{endpoint + "?a=b", endpoint + "?a=b", true},
		{endpoint + "?a=b", endpoint, true},
		{endpoint, endpoint + "?a=b", false},
		{endpoint, endpoint + "/a", false},
		{endpoint, origin + "/mc", false},
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
		{endpoint, origin + "/%6dcp", false},
		{endpoint, "://", false},
	} {
		err := checkResource(mustParse(test.endpoint), test.resource, ofResource)
		if test.good && err != nil {
			t.Errorf("%q for %q: %v", test.resource, test.endpoint, err)
		} else if !test.good {
			wantError(t, err, wire.KindProtocol, "mcp.example.com publishes metadata for")
		}
	}
}
