package streamable

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Dialer reaches a server over Streamable HTTP (MCP 2025-11-25 and
// 2026-07-28, Transports) or HTTP+SSE (MCP 2024-11-05, Transports).
//
// A body or an event has at most 64 MiB, after decompression; a call whose answer is
// longer fails with [wire.KindTooLarge]. A connection is made within 10 s, and within 10 s
// more by TLS. A call itself has no time limit here. Redirects are followed to the
// same host only, from http to https at most, and only where they keep the method.
type Dialer struct {
	URL    string      // of the MCP endpoint, http or https
	Header http.Header // sent with every request, beside MCP's own, which win

	// SSE says that the endpoint speaks HTTP+SSE. Otherwise it is asked by
	// Streamable HTTP first, and by HTTP+SSE when it knows nothing of that.
	SSE bool

	// Authorizer gives each request its access token, which then takes the place of an Authorization
	// in Header; nil means none.
	Authorizer Authorizer

	// Memory bounds what is being read; nil means no bound.
	Memory *budget.Budget

	// Proxy returns the proxy for a request, as in [http.Transport]; nil means none.
	Proxy func(*http.Request) (*url.URL, error)

	limits *limits // of tests; nil means defaults
}

// limits are smaller in tests.
type limits struct {
	frame int // bytes of a JSON body, and of the data of an event
	calls int // requests at the endpoint at the same time; more wait
	posts int // notifications and responses at the endpoint at the same time
}

var defaults = limits{frame: wire.MaxFrame, calls: 256, posts: 16}

const (
	dialTimeout     = 10 * time.Second       // for a connection, and once more for TLS
	postTimeout     = 30 * time.Second       // for a notification or response to be taken
	endpointTimeout = 20 * time.Second       // for HTTP+SSE to be opened: more than a connection and TLS take
	streamWait      = time.Second            // for the standalone stream to be opened, before all else goes on
	endTimeout      = 5 * time.Second        // for DELETE
	tokenWait       = 250 * time.Millisecond // for the access tokens of DELETE
	othersWait      = 250 * time.Millisecond // for other calls to be refused when the session was lost, or its access token
	linger          = 2 * time.Second        // a stream may outlive its answer for so long

	firstRetry = time.Second            // before a stream is resumed, when the server does not say
	minRetry   = 100 * time.Millisecond // the least that it can say
	maxRetry   = time.Minute            // the most, and the most between two standalone streams
	maxResumes = 5                      // how often in a row a stream is resumed in vain

	maxHeader    = 256 << 10 // bytes of the headers of a response
	maxIdleConns = 8         // kept for later requests

	silence = time.Minute // without a request, after which no connection is used again

	// A connection of HTTP/2 that is silent for so long is probed, so that one that
	// died in a suspend does not hold its calls.
	http2Silence = 30 * time.Second
	http2Ping    = 15 * time.Second
)

// Dial prepares the connection; the endpoint is first asked when something is
// written. The error is a [wire.Error] of [wire.KindSpawn], for a URL or a header that
// cannot be sent.
func (d Dialer) Dial(_ context.Context, log wire.LogSink) (wire.Wire, error) {
	endpoint, err := url.Parse(d.URL)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		// The URL itself may hold a secret.
		return nil, wire.Errorf(wire.KindSpawn, "", "the url of the server is not valid; it must begin with https:// or http://")
	}
	header := http.Header{}
	for name, values := range d.Header {
		for _, value := range values {
			header.Add(name, value)
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				return nil, wire.Errorf(wire.KindSpawn, name, "the header %.80q of the server cannot be sent; correct its name or value", name)
			}
		}
	}
	endpoint.Fragment = ""
	proxy := d.Proxy
	if proxy != nil {
		proxy = func(r *http.Request) (*url.URL, error) {
			u, err := d.Proxy(r)
			if err != nil { // its text may hold the proxy's password
				return nil, wire.Errorf(wire.KindUnreachable, endpoint.Host, "the proxy settings for %s cannot be used; correct them", endpoint.Host)
			}
			return u, nil
		}
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	transport := &http.Transport{
		Proxy:                  proxy,
		DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		MaxIdleConnsPerHost:    maxIdleConns,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: http2Silence, PingTimeout: http2Ping},
	}
	limits := cmp.Or(d.limits, &defaults)
	w := &conn{
		url:        endpoint,
		header:     header,
		transport:  transport,
		client:     &http.Client{Transport: transport, CheckRedirect: checkRedirect},
		log:        log,
		limits:     limits,
		memory:     d.Memory,
		authorizer: d.Authorizer,
		in:         make(chan wire.Message),
		calls:      make(chan struct{}, limits.calls),
		posts:      make(chan struct{}, limits.posts),
		pending:    map[wire.ID]*call{},
		sse:        d.SSE,
	}
	w.ctx, w.abort = context.WithCancel(context.Background())
	w.life, w.end = context.WithCancelCause(context.Background())
	return w, nil
}
