package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestCheckAddress(t *testing.T) {
	w := newWorld(t)
	w.dns["mcp.corp.example"] = []string{"10.0.0.2"}
	w.dns["mcp.both.example"] = []string{"93.184.216.34", "10.0.0.2"}
	tests := []struct {
		endpoint, visit string
		refused         string // what the error says; "" when it is allowed
	}{
		{"https://mcp.example.com/mcp", "https://auth.example.com/authorize?client_id=a", ""},
		{"https://mcp.example.com/mcp", "https://mcp.example.com:8443/authorize", ""},
		{"https://mcp.example.com/mcp", "http://auth.example.com/authorize", "auth.example.com without https"},
		{"https://mcp.example.com/mcp", "http://localhost:8080/authorize", "without https"},
		{"https://mcp.example.com/mcp", "https://localhost/authorize", "this machine"},
		{"https://mcp.example.com/mcp", "https://192.168.1.1/authorize", "a private network"},
		{"https://mcp.example.com/mcp", "https://169.254.169.254/latest", "not the address of a server"},
		{"https://mcp.example.com/mcp", "javascript:alert(1)", "neither https nor http"},
		{"https://mcp.example.com/mcp", "file:///etc/passwd", "neither https nor http"},
		{"https://mcp.example.com/mcp", "//auth.example.com/authorize", "neither https nor http"},
		{"https://mcp.example.com/mcp", "https:auth.example.com", "without a host"},
		{"https://mcp.example.com/mcp", "https://user:canary@auth.example.com/", "a user or a password"},
		{"https://mcp.example.com/mcp", "https://auth.example.com/a b", "characters"},
		{"https://mcp.example.com/mcp", "https://auth.example.com\\@evil.example/", "characters"},
		{"https://mcp.example.com/mcp", "https://auth.example.com/\u202egpj", "characters"},
		{"https://mcp.example.com/mcp", "https://auth.example.com/\xff", "characters"},
		{"https://mcp.example.com/mcp", "https://auth.example.com/%zz", "not valid"},
		{"https://mcp.example.com/mcp", "https://auth.example.com/" + strings.Repeat("a", maxURL), "8 KiB"},

		{"https://mcp.corp.example/mcp", "https://10.0.0.3/authorize", ""},
		{"https://mcp.corp.example/mcp", "https://127.0.0.1/authorize", "this machine"},
		{"https://mcp.corp.example/mcp", "http://10.0.0.3/authorize", "without https"},
		{"https://mcp.both.example/mcp", "https://10.0.0.3/authorize", "a private network"},
		{"https://10.0.0.2/mcp", "https://192.168.0.1/authorize", ""},
		{"http://10.0.0.2/mcp", "http://10.0.0.2/authorize", "without https"},

		{"http://localhost:3000/mcp", "http://localhost:3000/authorize", ""},
		{"http://localhost:3000/mcp", "http://127.0.0.1:9000/authorize", ""},
		{"http://127.0.0.1:3000/mcp", "https://192.168.0.1/authorize", ""},
		{"http://127.0.0.1:3000/mcp", "https://auth.example.com/authorize", ""},
		{"http://127.0.0.1:3000/mcp", "http://auth.example.com/authorize", "without https"},
		{"http://127.0.0.1:3000/mcp", "https://169.254.169.254/", "not the address of a server"},
		{"https://169.254.7.7/mcp", "https://169.254.7.7/authorize", ""}, // its own
		{"https://169.254.7.7/mcp", "https://169.254.169.254/authorize", "not the address of a server"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s to %.60q", test.endpoint, test.visit), func(t *testing.T) {
			err := w.network(test.endpoint).checkAddress(t.Context(), test.visit)
			if test.refused == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantError(t, err, wire.KindProtocol, test.refused)
		})
	}
}

// The address that is dialled is checked, whatever the name promised.
func TestDialledAddress(t *testing.T) {
	tests := []struct {
		name     string
		endpoint string
		dns      map[string][]string
		get      string
		refused  string
	}{
		{"public", "https://mcp.example.com/", nil, "https://auth.example.com/", ""},
		{"a name for this machine", "https://mcp.example.com/", map[string][]string{"auth.example.com": {"127.0.0.1"}}, "https://auth.example.com/", "this machine"},
		{"a name in a private network", "https://mcp.example.com/", map[string][]string{"auth.example.com": {"192.168.1.1"}}, "https://auth.example.com/", "a private network"},
		{"both in one private network", "https://mcp.corp.example/", map[string][]string{"mcp.corp.example": {"10.0.0.1"}, "auth.corp.example": {"10.0.0.2"}}, "https://auth.corp.example/", ""},
		{"its own host and port", "https://mcp.example.com/", map[string][]string{"mcp.example.com": {"127.0.0.1"}}, "https://MCP.example.com:443/", ""},
		{"its own host and port, wherever it is", "https://mcp.example.com/", map[string][]string{"mcp.example.com": {"169.254.7.7"}}, "https://mcp.example.com/", ""},
		{"its own host, another port", "https://mcp.example.com:8443/", map[string][]string{"mcp.example.com": {"127.0.0.1", "8.8.8.8"}}, "https://mcp.example.com/", "this machine"},
		{"localhost that is not", "http://localhost:3000/", map[string][]string{"app.localhost": {"8.8.8.8"}}, "http://app.localhost:3000/", "not the address of a server"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.dns = test.dns
			resp, err := w.network(test.endpoint).client().Get(test.get)
			if test.refused == "" {
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				return
			}
			if err == nil {
				t.Fatal("it was reached")
			}
			wantError(t, noAnswer("", err), wire.KindProtocol, test.refused)
			if len(w.connections) > 0 {
				t.Errorf("connected to %q", w.connections)
			}
		})
	}
}

// The real dialer asks the guard for the address that it has looked up.
func TestRealDialer(t *testing.T) {
	listener := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(listener.Close)
	_, port, _ := net.SplitHostPort(listener.Listener.Addr().String())
	n := newNetwork(mustParse("https://93.184.216.34/mcp"), nil, "1.2")
	t.Cleanup(n.close)
	conn, err := n.dial(t.Context(), "tcp4", net.JoinHostPort("localhost", port))
	if err == nil {
		_ = conn.Close()
	}
	if !strings.Contains(fmt.Sprint(err), "in this machine") {
		t.Errorf("got %v", err)
	}
	n = newNetwork(mustParse("http://localhost:1/mcp"), nil, "1.2")
	t.Cleanup(n.close)
	resp, err := n.client().Get("http://localhost:" + port)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

// Through a proxy only the text can be checked; the proxy itself may be anywhere.
func TestProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.Host)
		http.Error(rw, "no", http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	through := func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	n := newNetwork(mustParse("https://mcp.example.com/mcp"), through, "1.2")
	t.Cleanup(n.close)
	n.lookup = func(context.Context, string, string) ([]netip.Addr, error) { return nil, errors.New("no DNS here") }
	for _, address := range []string{"https://auth.example.com/", "https://10.0.0.1/", "https://\uff11\uff12\uff17.0.0.1/"} {
		if resp, err := n.client().Get(address); err == nil {
			_ = resp.Body.Close()
		}
	}
	if got := fmt.Sprint(asked); got != "[CONNECT auth.example.com:443]" {
		t.Errorf("the proxy was asked %s", got)
	}

	n = newNetwork(mustParse("https://mcp.example.com/mcp"), func(*http.Request) (*url.URL, error) { return nil, errors.New("canary") }, "1.2")
	t.Cleanup(n.close)
	wantError(t, n.read(t.Context(), "https://auth.example.com/", new(any)), wire.KindUnreachable, "the proxy settings for auth.example.com")
}

func TestRedirects(t *testing.T) {
	const start = "https://auth.example.com/0"
	tests := []struct {
		name, to string
		refused  string
	}{
		{"elsewhere", "https://login.example.net/", ""},
		{"relative", "/x", ""},
		{"http", "http://auth.example.com/", "leads away from https"},
		{"this machine", "https://localhost/", "this machine"},
		{"a private network", "https://10.0.0.1/", "a private network"},
		{"a name in a private network", "https://inner.example.com/", "a private network"},
		{"a password", "https://a:canary@auth.example.com/", "a user or a password"},
		{"itself", start, "5 redirects"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.dns["inner.example.com"] = []string{"10.1.1.1"}
			w.on(start, redirect(test.to))
			for _, page := range []string{"https://login.example.net/", "https://auth.example.com/x", "http://auth.example.com/", "https://localhost/", "https://inner.example.com/"} {
				w.json(page, "there")
			}
			var there string
			err := w.network("https://mcp.example.com/mcp").read(t.Context(), start, &there)
			if test.refused != "" {
				wantError(t, err, wire.KindProtocol, test.refused)
			} else if err != nil || there != "there" {
				t.Errorf("got %q, %v", there, err)
			}
			if asked := len(w.paths()); asked > maxRedirects+1 {
				t.Errorf("%d requests", asked)
			}
		})
	}
}

// What is wrong with a connection is said without what came over it.
func TestNoAnswer(t *testing.T) {
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tlsServer.Close)
	plain, closed := httptest.NewServer(http.NotFoundHandler()), httptest.NewServer(nil)
	t.Cleanup(plain.Close)
	closed.Close()
	for name, test := range map[string]struct{ address, says string }{
		"closed":      {closed.URL, "nothing listens there"},
		"not TLS":     {"https://" + plain.Listener.Addr().String(), "does not speak TLS"},
		"certificate": {tlsServer.URL, "not trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(mustParse("http://127.0.0.1:1/mcp"), nil, "1.2")
			t.Cleanup(n.close)
			wantError(t, n.read(t.Context(), test.address+"/?q=canary", new(any)), wire.KindUnreachable, "127.0.0.1:", test.says)
		})
	}
}
