package oauth

import (
	"context"
	"net/http"
	"reflect"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestChoiceOfServer(t *testing.T) {
	const second, third = "https://second.example.com", "https://third.example.com/tenant"
	document := func(issuer string) string { return serverLayouts(mustParse(issuer))[0] }
	tests := []struct {
		name         string
		prefer, must string
		broken       map[string]http.HandlerFunc // by issuer
		want         string
		kind         wire.Kind
	}{
		{name: "the first", want: issuer},
		{name: "the one with credentials", prefer: third, want: third},
		{name: "the one with credentials, with a slash", prefer: third + "/", want: third},
		{name: "credentials for one that is gone", prefer: "https://gone.example.com", want: issuer},
		{name: "the one with credentials is down", prefer: second, broken: map[string]http.HandlerFunc{second: status(503)}, kind: wire.KindUnreachable},
		{name: "the one with credentials has no metadata any more", prefer: second, broken: map[string]http.HandlerFunc{second: status(404)}, want: issuer},
		{name: "the first is down", broken: map[string]http.HandlerFunc{issuer: status(503)}, want: second},
		{name: "the one that must be", must: second, prefer: third, want: second},
		{name: "the one that must be, with a slash", must: second + "/", want: second},
		{name: "the one that must be is down", must: second, broken: map[string]http.HandlerFunc{second: status(503)}, kind: wire.KindUnreachable},
		{name: "all are down", broken: map[string]http.HandlerFunc{issuer: status(503), second: status(404), third: status(404)}, kind: wire.KindUnreachable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.resource(ofResource+"/mcp", endpoint, issuer, second, third)
			for _, issuer := range []string{issuer, second, third} {
				w.server(document(issuer), issuer, nil)
				if page := test.broken[issuer]; page != nil {
					w.on(document(issuer), page)
				}
			}
			n := w.network(endpoint)
			d, err := n.discover(t.Context(), n.endpoint, bearer, test.prefer, test.must)
			if test.kind != "" {
				wantError(t, err, test.kind)
			} else if err != nil || d.server.Issuer != test.want || !reflect.DeepEqual(d.scopes, []string{"read", "write"}) {
				t.Errorf("got %+v, %v", d, err)
			}
		})
	}
}

// A configured issuer is enough where the endpoint publishes nothing.
func TestConfiguredIssuer(t *testing.T) {
	w := newWorld(t)
	w.server(ofIssuer, issuer, nil)
	n := w.network(endpoint)
	d, err := n.discover(t.Context(), n.endpoint, bearer, "", issuer)
	if err != nil || d.server.Issuer != issuer || d.guessed || d.resource != endpoint {
		t.Errorf("got %+v, %v", d, err)
	}
}

// A server that says nothing holds nobody longer than the context does, and nobody asks further.
func TestSlowServer(t *testing.T) {
	for _, slow := range []string{ofResource + "/mcp", ofIssuer} {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		w.resource(ofResource+"/mcp", endpoint, issuer, "https://other.example.com")
		w.on(slow, func(rw http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		n := w.network(endpoint)
		_, err := n.discover(ctx, n.endpoint, bearer, "", "")
		wantError(t, err, wire.KindCancelled, "the sign-in was cancelled")
		if asked := w.paths(); asked[len(asked)-1] != slow {
			t.Errorf("asked %q", asked)
		}
	}

	n := newWorld(t).network(endpoint)
	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, err := n.discover(expired, n.endpoint, bearer, "", "")
	wantError(t, err, wire.KindUnreachable, "mcp.example.com", "has not answered in time")
}
