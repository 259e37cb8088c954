package oauth

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	maxBody      = 1 << 20  // bytes of a response, after decompression
	maxHeader    = 64 << 10 // bytes of the headers of a response
	maxURL       = 8 << 10  // bytes of an address that a browser gets
	maxRedirects = 5

	connectTime = 10 * time.Second // for a connection, and once more for TLS
	requestTime = 30 * time.Second // for a request in all
	idleTime    = 15 * time.Second // a connection is kept for so long
)

// A network makes the HTTP requests of one [Authorizer]. It is safe for concurrent use.
//
// Whom to ask is said by the MCP server and by those that it names, so every request is checked,
// each redirect too. The text of its URL is checked first, and then the address that is dialled, which
// the DNS says. Through a proxy, which looks up the name itself, only the text is checked. The guard
// of go-sdk knows one rule for all: it refuses a private address to a server that is in the same
// network, and lets a server on the Internet lead to this machine.
type network struct {
	endpoint *url.URL
	proxy    func(*http.Request) (*url.URL, error) // nil: none
	agent    string                                // the User-Agent

	direct, proxied *http.Transport

	noCode bool // nobody signs in at the authorization server: it needs neither PKCE nor a page for that

	// Replaced in tests.
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	dialer func(control controlFunc) func(ctx context.Context, network, address string) (net.Conn, error)
}

// controlFunc is that of [net.Dialer.ControlContext]; nil allows everything.
type controlFunc func(ctx context.Context, network, address string, c syscall.RawConn) error

// newNetwork returns the network for an endpoint. proxy is as in [http.Transport]; version is that of
// this program.
func newNetwork(endpoint *url.URL, proxy func(*http.Request) (*url.URL, error), version string) *network {
	n := &network{
		endpoint: endpoint,
		proxy:    proxy,
		agent:    "mcp-editord/" + version,
		lookup:   net.DefaultResolver.LookupNetIP,
		dialer: func(control controlFunc) func(context.Context, string, string) (net.Conn, error) {
			return (&net.Dialer{Timeout: connectTime, ControlContext: control}).DialContext
		},
	}
	n.direct, n.proxied = newTransport(n.dial), newTransport((&net.Dialer{Timeout: connectTime}).DialContext)
	n.proxied.Proxy = proxy
	return n
}

func newTransport(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext:            dial,
		TLSHandshakeTimeout:    connectTime,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: maxHeader,
		Protocols:              protocols,
	}
}

// client returns a client for GETs of metadata and for POSTs of credentials. A request takes
// [requestTime] at most. The body of a response fails after [maxBody] bytes. Redirects of a GET are
// followed, those of a POST are errors. It keeps no cookies. What the guard refuses fails with a
// [wire.Error] of [wire.KindProtocol], within a [url.Error] as always.
func (n *network) client() *http.Client {
	return &http.Client{Transport: n, CheckRedirect: checkRedirect, Timeout: requestTime}
}

// close closes the connections that no request uses.
func (n *network) close() {
	n.direct.CloseIdleConnections()
	n.proxied.CloseIdleConnections()
}

// RoundTrip implements [http.RoundTripper].
func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	transport := n.direct
	err := n.check(req.Context(), req.URL, req.Method == http.MethodGet)
	if err == nil && n.proxy != nil {
		proxy, failed := n.proxy(req)
		if failed != nil { // its text may hold the proxy's password
			err = wire.Errorf(wire.KindUnreachable, "", "the proxy settings for %s cannot be used; correct them", hostOf(req.URL))
		}
		if proxy != nil {
			transport = n.proxied
		}
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", n.agent)
	resp, err := transport.RoundTrip(req)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)
	}
	return resp, err
}

// checkRedirect follows the redirect of a GET, which has no credentials. The guard checks where it leads.
func checkRedirect(next *http.Request, via []*http.Request) error {
	before := via[len(via)-1]
	refuse := func(why string) error {
		return wire.Errorf(wire.KindProtocol, "", "%s redirects to %s, which is not followed because %s; tell those who run it",
			hostOf(before.URL), hostOf(next.URL), why)
	}
	switch {
	case via[0].Method != http.MethodGet:
		return refuse("the request has credentials")
	case len(via) > maxRedirects:
		return refuse("there were 5 redirects before")
	case before.URL.Scheme == "https" && next.URL.Scheme != "https":
		return refuse("it leads away from https")
	}
	return nil
}

// checkAddress returns why a browser must not be sent to an address, nor credentials, a [wire.Error] of
// [wire.KindProtocol]: it is neither https nor http on this machine, it leads from a public network
// into a private one, or it is not what others should name at all.
func (n *network) checkAddress(ctx context.Context, address string) error {
	u, err := n.parse(address)
	if err != nil {
		return err
	}
	if u.Fragment != "" || strings.HasSuffix(address, "#") {
		// "The endpoint URI MUST NOT include a fragment component" (RFC 6749, sections 3.1 and 3.2).
		return n.misled("an address of " + hostOf(u) + " with a fragment")
	}
	return n.check(ctx, u, false)
}

// misled is the error of an address that others name and that is not used.
func (n *network) misled(where string) error {
	return wire.Errorf(wire.KindProtocol, "", "the sign-in of %s leads to %s; tell those who run it", hostOf(n.endpoint), where)
}

// parse parses an address that others name.
func (n *network) parse(address string) (*url.URL, error) {
	if len(address) > maxURL {
		return nil, n.misled("an address that is longer than 8 KiB")
	}
	if strings.ContainsAny(address, ` \`) || safetext.Line(address, maxURL) != address { // browsers take \ for /
		return nil, n.misled("an address that has characters that no address has")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, n.misled("an address that is not valid")
	}
	return u, nil
}

// check returns why a URL must not be used, a [wire.Error] of [wire.KindProtocol]. reading says that
// it is only asked for metadata, without credentials.
func (n *network) check(ctx context.Context, u *url.URL, reading bool) error {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return n.misled("an address that is neither https nor http")
	case u.Hostname() == "":
		return n.misled("an address without a host")
	case u.User != nil:
		return n.misled("an address of " + hostOf(u) + " with a user or a password")
	case u.Scheme == "http" && !(isLoopback(u) && isLoopback(n.endpoint)) && !(reading && sameOrigin(u, n.endpoint)):
		// "All authorization server endpoints MUST be served over HTTPS" (MCP 2026-07-28, Authorization,
		// Communication Security). What the endpoint says of itself is as safe as the endpoint.
		return n.misled(hostOf(u) + " without https")
	}
	if address(u) == address(n.endpoint) {
		return nil
	}
	z, _ := zoneOfHost(u.Hostname())
	return n.checkZone(ctx, z, hostOf(u))
}

// checkZone returns why the endpoint must not lead to a zone.
func (n *network) checkZone(ctx context.Context, z zone, host string) error {
	where := ""
	switch z {
	case public:
		return nil
	case nowhere:
		return n.misled(host + ", which is not the address of a server")
	case private:
		where = "a private network"
	case loopback:
		where = "this machine"
	}
	if z <= n.home(ctx) {
		return nil
	}
	return n.misled(host + " in " + where + ", where the server itself is not")
}

// home returns the zone of the endpoint. A name is looked up, and the most public of its addresses
// counts. It is not kept, since the machine may move to another network.
func (n *network) home(ctx context.Context) zone {
	z, named := zoneOfHost(n.endpoint.Hostname())
	if !named || z == loopback {
		return z
	}
	ips, err := n.lookup(ctx, "ip", n.endpoint.Hostname())
	if err != nil || len(ips) == 0 {
		return public
	}
	z = loopback
	for _, ip := range ips {
		z = min(z, zoneOf(ip))
	}
	return z
}

// dial connects without a proxy, to addresses that the guard allows.
func (n *network) dial(ctx context.Context, network, to string) (net.Conn, error) {
	if strings.EqualFold(to, address(n.endpoint)) {
		return n.dialer(nil)(ctx, network, to)
	}
	host, _, err := net.SplitHostPort(to)
	if err != nil {
		return nil, err
	}
	return n.dialer(func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		z := zoneOf(to.Addr())
		if text, _ := zoneOfHost(host); text == loopback && z != loopback {
			z = nowhere // http is only allowed because the name says that it stays here
		}
		return n.checkZone(ctx, z, clip(host))
	})(ctx, network, to)
}
