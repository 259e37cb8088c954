package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// Bounds of an answer.
const (
	timeout      = 10 * time.Second // redirects and body included
	maxBody      = 4 << 20
	maxDepth     = 32 // a server.json needs about ten
	maxRedirects = 5
	maxDetail    = 200 // characters of somebody else's text in an error
)

// A refusal is the status of an answer that will be the same the next time.
type refusal int

func (r refusal) Error() string { return fmt.Sprintf("refuses the request with HTTP %d", int(r)) }

// get gets the body of what is at an address, and its media type. Its errors end a sentence that begins
// with the address, which Go's own text would repeat.
func get(
	ctx context.Context, client *http.Client, address, accept string,
) (body []byte, mediaType string, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || !allowed(request.URL) {
		return nil, "", errors.New("is not an https address without a password")
	}
	request.Header.Set("Accept", accept)
	guarded := *cmp.Or(client, http.DefaultClient)
	guarded.CheckRedirect = checkRedirect
	response, err := guarded.Do(request)
	if err != nil {
		return nil, "", fmt.Errorf("cannot be reached: %s", reason(err))
	}
	defer response.Body.Close()
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests || status >= 500:
		return nil, "", fmt.Errorf("is busy or out of order (HTTP %d)", status)
	case status != http.StatusOK:
		return nil, "", refusal(status)
	}
	body, err = io.ReadAll(http.MaxBytesReader(nil, response.Body, maxBody))
	if err != nil {
		return nil, "", fmt.Errorf("breaks off: %s", reason(err))
	}
	mediaType, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	return body, mediaType, nil
}

// allowed reports whether u may be read from: what is not encrypted stays on this machine, and a password
// would end up in messages.
func allowed(u *url.URL) bool {
	addr, err := netip.ParseAddr(u.Hostname())
	own := err == nil && addr.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
	return u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http" && own)
}

// checkRedirect lets nobody send us to what listens on this machine without TLS.
func checkRedirect(next *http.Request, via []*http.Request) error {
	last, to := via[len(via)-1].URL, next.URL
	same := to.Scheme == last.Scheme && to.Host == last.Host
	if len(via) > maxRedirects || to.Scheme != "https" && !same {
		return fmt.Errorf("it redirects too often, or to what is not https: %q", to.Redacted())
	}
	return nil
}

// reason returns why a request failed, without what Go wraps around it.
func reason(err error) string {
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return "no answer in time"
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return safetext.Line(err.Error(), maxDetail)
}

// decode decodes JSON that somebody else wrote.
func decode(b []byte, into any) error {
	if depth, err := rawjson.Measure(b); err != nil || depth > maxDepth {
		return cmp.Or(err, fmt.Errorf("it is nested more than %d deep", maxDepth))
	}
	return json.Unmarshal(b, into)
}
