package oauth

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// An endpoint below a path may belong to somebody else than the origin. It does not get a token for all of it.
func TestTokenForAllOfAHost(t *testing.T) {
	const host, endpoint, issuer = "https://host.example", "https://host.example/mallory/mcp", "https://as.example"
	for _, tt := range []struct {
		name, named, resource string
		refused               bool
	}{
		{"its own metadata, for itself", host + "/mallory/meta", endpoint, false},
		{"its own metadata, for itself with a slash", host + "/mallory/meta", endpoint + "/", false},
		{"its own metadata, for the host", host + "/mallory/meta", host, true},
		{"its own metadata, for a path above", host + "/mallory/meta", host + "/mallory", true},
		{"metadata elsewhere, for the host", "https://mallory.example" + wellKnown, host, true},
		{"metadata of the host, for the host", host + wellKnown, host, false},
		{"metadata at the host for it, for the host", host + wellKnown + "/mallory/mcp", host, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.resource(tt.named, tt.resource, issuer)
			w.server(issuer+"/.well-known/oauth-authorization-server", issuer, nil)
			at := endpoint
			if tt.resource == endpoint+"/" {
				at += "/"
			}
			d, err := w.network(at).discover(t.Context(), mustParse(at), challenge{bearer: true, metadata: tt.named}, "", "")
			if tt.refused {
				wantError(t, err, wire.KindProtocol, "speak for all of", host)
			} else if err != nil || d.resource != tt.resource {
				t.Errorf("it is for %+v: %v", d, err)
			}
		})
	}
}

// A token is not sent over the Internet for everybody to read. In a network of its own, a person may do that.
func TestNoTokenWithoutTLS(t *testing.T) {
	const issuer = "https://as.example"
	for endpoint, refused := range map[string]bool{
		"http://mcp.example.com/mcp": true, "http://93.184.216.34/mcp": true,
		"https://mcp.example.com/mcp": false, "http://nas.home.example/mcp": false, "http://192.168.0.2/mcp": false, "http://127.0.0.1:1/mcp": false,
	} {
		t.Run(endpoint, func(t *testing.T) {
			w := newWorld(t)
			w.dns["nas.home.example"] = []string{"192.168.0.2"}
			w.resource(originOf(mustParse(endpoint))+wellKnown+"/mcp", endpoint, issuer)
			w.server(issuer+"/.well-known/oauth-authorization-server", issuer, nil)
			_, err := w.network(endpoint).discover(t.Context(), mustParse(endpoint), readChallenge(nil), "", "")
			if refused {
				wantError(t, err, wire.KindProtocol, "without https")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
