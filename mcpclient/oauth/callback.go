package oauth

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const (
	requestPatience = 10 * time.Second // for a request to arrive

	maxBrowserHeader = 16 << 10 // bytes
	maxBrowsers      = 8        // connections at once
)

// callback listens for the browser at the end of one sign-in (RFC 8252, section 7.3). Anybody on
// this machine can reach it, and so can web pages: only a response with the state of the sign-in
// ends it. It is safe for concurrent use.
type callback struct {
	server  string // its name, for the page
	address string // where the browser ends
	host    string // what a browser sends as Host for address
	path    string

	// Which responses belong to the sign-in.
	state       string // never ""
	issuer      string // of the authorization server, exactly as in its metadata
	issRequired bool   // its metadata has authorization_response_iss_parameter_supported

	http   *http.Server
	served chan struct{} // closed when nothing is accepted any more
	pages  sync.RWMutex  // is read while a request is answered

	responses chan response // gets the one that belongs to the sign-in

	ctx    context.Context // ends with close; its cause is what came of the sign-in
	cancel context.CancelCauseFunc

	mu    sync.Mutex // guards the field that follows
	taken bool       // responses has got its one
}

// listen returns a callback for a sign-in at an authorization server. It is at uri, which is http://127.0.0.1:PORT/PATH,
// where port 0 is a random one, or "" for a random port and path. server is the name for the page. The error is a
// [*Failed] when PORT is taken, or nothing can listen. The caller closes the callback.
//
// "MUST record the issuer value from the selected authorization server's validated metadata document and associate it
// with the same per-request record used to store the PKCE code verifier" (MCP 2026-07-28, Authorization Response
// Validation).
func listen(uri, server string, at *oauthex.AuthServerMeta) (*callback, error) {
	port, path := "0", "/"+rand.Text()
	if u, err := url.Parse(uri); err == nil && uri != "" {
		port, path = u.Port(), u.EscapedPath()
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
	switch {
	case portTaken(err):
		return nil, &Failed{fmt.Sprintf("signing in to %q needs port %s of this machine, and another program has it; end that program, or give the server another redirectPort", server, port)}
	case err != nil:
		return nil, &Failed{fmt.Sprintf("listening for the browser failed: %v; see whether a firewall or a sandbox forbids it", err)}
	}
	authority := listener.Addr().String()
	c := &callback{
		server: server, address: "http://" + authority + path, path: path,
		host:        strings.TrimSuffix(authority, ":80"), // browsers leave it out
		state:       rand.Text(),
		issuer:      at.Issuer,
		issRequired: at.AuthorizationResponseIssParameterSupported,
		served:      make(chan struct{}),
		responses:   make(chan response, 1),
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.http = &http.Server{
		Handler:                      c,
		ReadTimeout:                  requestPatience,
		MaxHeaderBytes:               maxBrowserHeader,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0), // what strangers send belongs in no log
	}
	c.http.SetKeepAlivesEnabled(false)
	go func() {
		defer close(c.served)
		c.http.Serve(netutil.LimitListener(listener, maxBrowsers))
	}()
	return c, nil
}

// portTaken reports whether err says so. 10048 is Windows' WSAEADDRINUSE, for which syscall has no name.
func portTaken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.Errno(10048))
}

// wait returns the code of the first response that belongs to the sign-in, or why there is none: a
// [*Failed], or that of ctx. It is called once.
func (c *callback) wait(ctx context.Context) (code string, err error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-c.responses:
		return r.code, r.err
	}
}

// close ends the listening, and has the browser show what came of the sign-in; nil is that somebody is signed in. The
// first time counts. It waits for the pages that are on their way, which fit into the buffer of their connection.
func (c *callback) close(outcome error) {
	c.cancel(cmp.Or(outcome, errSignedIn))
	c.pages.Lock()
	defer c.pages.Unlock()
	c.http.Close()
	<-c.served
}

// ServeHTTP answers a browser, or whoever else asks.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.pages.RLock()
	defer c.pages.RUnlock()
	if c.ctx.Err() != nil {
		panic(http.ErrAbortHandler) // closes the connection
	}
	c.answer(r).send(w, c.server)
}

// answer returns the page for r. A request that does not belong to the sign-in changes nothing: one for a name that
// leads here (DNS rebinding), one that only looks whether there is something, or one that a browser makes before the
// person does, which it repeats when that was refused.
//
// The page says what came of the sign-in. The address bar keeps the code, which is of no use by then: it works once,
// and only with the verifier of this sign-in (RFC 7636). Leading the browser on to an address without it would need a
// listener that outlives the sign-in.
func (c *callback) answer(r *http.Request) page {
	early := strings.Contains(r.Header.Get("Sec-Purpose")+r.Header.Get("Purpose"), "prefetch")
	if r.Host != c.host || r.URL.EscapedPath() != c.path || r.Method != http.MethodGet || early {
		return page{Kind: pageForeign}
	}
	switch err := c.take(r.URL.RawQuery); {
	case errors.Is(err, errUsed):
		return page{Kind: pageUsed}
	case err != nil:
		return page{Kind: pageForeign}
	}
	<-c.ctx.Done()
	return finished(context.Cause(c.ctx))
}
