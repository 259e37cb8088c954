package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A world is an Internet on this machine: every name and address in it leads to one listener with
// TLS, or at any port but 443 to one without. Names have the addresses of dns, so that the guard
// sees those and not 127.0.0.1.
type world struct {
	t           *testing.T
	tls, plain  *httptest.Server
	dns         map[string][]string // a name without is 93.184.216.34
	mu          sync.Mutex
	pages       map[string]http.HandlerFunc // by URL, without a query
	asked       []string                    // URLs, in order
	connections []string                    // host:port
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, dns: map[string][]string{}, pages: map[string]http.HandlerFunc{}}
	w.tls, w.plain = httptest.NewTLSServer(w.handler("https")), httptest.NewServer(w.handler("http"))
	t.Cleanup(w.tls.Close)
	t.Cleanup(w.plain.Close)
	return w
}

func (w *world) handler(scheme string) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		address := scheme + "://" + r.Host + r.URL.EscapedPath()
		w.mu.Lock()
		w.asked = append(w.asked, address)
		page := w.pages[address]
		w.mu.Unlock()
		if page == nil {
			http.NotFound(rw, r)
			return
		}
		page(rw, r)
	})
}

// network returns the network of an endpoint in this world.
func (w *world) network(endpoint string) *network {
	n := newNetwork(mustParse(endpoint), nil, "1.2")
	n.direct.TLSClientConfig = w.tls.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	n.direct.TLSClientConfig.InsecureSkipVerify = true // the certificate has one name
	n.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
		var ips []netip.Addr
		for _, ip := range w.addresses(host) {
			ips = append(ips, netip.MustParseAddr(ip))
		}
		return ips, nil
	}
	n.dialer = func(control controlFunc) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			host, port, _ := net.SplitHostPort(address)
			for _, ip := range w.addresses(host) {
				if control == nil {
					break
				}
				if err := control(ctx, network, net.JoinHostPort(ip, port), nil); err != nil {
					return nil, &net.OpError{Op: "dial", Net: network, Err: err}
				}
			}
			w.mu.Lock()
			w.connections = append(w.connections, address)
			w.mu.Unlock()
			to := w.plain
			if port == "443" {
				to = w.tls
			}
			return new(net.Dialer).DialContext(ctx, "tcp", to.Listener.Addr().String())
		}
	}
	w.t.Cleanup(n.close)
	return n
}

func (w *world) addresses(host string) []string {
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{host}
	}
	if ips := w.dns[host]; ips != nil {
		return ips
	}
	return []string{"93.184.216.34"}
}

// on sets what is at a URL.
func (w *world) on(address string, page http.HandlerFunc) { w.pages[address] = page }

// json sets a document.
func (w *world) json(address string, document any) { w.on(address, answer(document)) }

// server publishes the metadata of an issuer at an address. Members of changes win; nil deletes one.
func (w *world) server(address, issuer string, changes map[string]any) {
	w.json(address, serverDocument(issuer, changes))
}

func serverDocument(issuer string, changes map[string]any) map[string]any {
	base := strings.TrimSuffix(issuer, "/")
	document := map[string]any{
		"issuer": issuer, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
		"registration_endpoint": base + "/register", "code_challenge_methods_supported": []string{"plain", "S256"},
	}
	for name, value := range changes {
		if document[name] = value; value == nil {
			delete(document, name)
		}
	}
	return document
}

// paths returns what was asked.
func (w *world) paths() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

func answer(document any) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(document)
	}
}

func html(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "text/html")
	fmt.Fprint(rw, "<!doctype html><title>Welcome</title>")
}

func status(code int) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "canary", code) }
}

func redirect(to string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Location", to)
		rw.WriteHeader(http.StatusFound)
	}
}

func mustParse(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

// wantError fails unless err is a [wire.Error] of a kind, "" for any, whose message has all texts and no canary.
func wantError(t *testing.T, err error, kind wire.Kind, texts ...string) {
	t.Helper()
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		t.Fatalf("got %v, want a wire.Error of kind %s", err, kind)
	}
	if kind != "" && e.Kind != kind {
		t.Errorf("got kind %s, want %s: %v", e.Kind, kind, err)
	}
	for _, text := range texts {
		if !strings.Contains(e.Message, text) {
			t.Errorf("%q does not say %q", e.Message, text)
		}
	}
	if strings.Contains(e.Message, "canary") {
		t.Errorf("%q has what came back", e.Message)
	}
}
