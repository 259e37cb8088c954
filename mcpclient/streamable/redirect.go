package streamable

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const maxRedirects = 5

// checkRedirect follows a redirect only to the same server, and only if it keeps the method.
// The headers that are configured for an endpoint may be credentials, and its answers are
// data: neither decides where we go.
func checkRedirect(next *http.Request, via []*http.Request) error {
	status := next.Response.StatusCode
	before := via[len(via)-1].URL
	refuse := func(why string) error {
		return wire.Errorf(wire.KindHTTP, strconv.Itoa(status), "%s redirects to %.200s, which is not followed because %s; correct its url",
			before.Host, next.URL.Scheme+"://"+next.URL.Host, why)
	}
	switch {
	case len(via) > maxRedirects:
		return refuse("there were " + strconv.Itoa(maxRedirects) + " redirects before")
	case via[0].Method != http.MethodGet && status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect:
		// Any other would make a GET of the request (RFC 9110, section 15.4).
		return refuse("with status " + strconv.Itoa(status) + " the message would be lost")
	case !sameServer(before, next.URL):
		return refuse("it is another server")
	}
	return nil
}

// sameServer reports whether from and to are one origin, or the same host without and with TLS, at
// the default ports. A server at another port may belong to somebody else.
func sameServer(from, to *url.URL) bool {
	upgrade := from.Scheme == "http" && port(from) == "80" && to.Scheme == "https" && port(to) == "443"
	return upgrade && strings.EqualFold(from.Hostname(), to.Hostname()) || sameOrigin(from, to)
}

// sameOrigin reports whether a and b have scheme, host and port in common.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}
