package streamable

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxRetryAfter is the longest Retry-After that is obeyed.
const maxRetryAfter = time.Hour

// refusal returns what a response without success says: a [wire.Error], of
// [wire.KindRPC] when its body is one. inSession says that the request carried a session
// id. The body is read.
func (w *conn) refusal(resp *http.Response, inSession bool) error {
	claim := w.memory.Claim()
	defer claim.Release()
	body, _ := readUpTo(resp.Body, w.limits.frame, &claim)
	status := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	host := w.url.Host
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return wire.Errorf(wire.KindUnauthorized, "401", "%s requires authentication (%s); give the server a header with valid credentials", host, status)
	case inSession && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest && ofSession(body)):
		// "When a client receives HTTP 404 in response to a request containing an
		// MCP-Session-Id, it MUST start a new session" (MCP 2025-11-25, Transports,
		// Session Management). Some servers say it with 400.
		return wire.Errorf(wire.KindSessionLost, strconv.Itoa(resp.StatusCode), "%s no longer knows the session (%s); it has to be opened again", host, status)
	}
	if e := wire.ErrorOf(body); e != nil {
		return e
	}
	if text := bytes.TrimSpace(body); len(text) > 0 {
		w.log.Line(wire.LogDaemon, host+" answered "+status+": "+wire.Clip(text))
	}
	e := wire.Errorf(wire.KindHTTP, strconv.Itoa(resp.StatusCode), "%s answered %s; %s", host, status, statusAdvice(resp.StatusCode))
	if e.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now()); e.RetryAfter > 0 {
		e.Message += fmt.Sprintf(" (it asks you to wait %s)", wire.Span(e.RetryAfter))
	}
	return e
}

// statusAdvice says what can be done about a status.
func statusAdvice(status int) string {
	switch {
	case status == http.StatusForbidden:
		return "check that the credentials of the server may do this"
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return "check the url and the type of the server"
	case status == http.StatusProxyAuthRequired:
		return "give the proxy its credentials"
	case status == http.StatusTooManyRequests:
		return "try again later, and less often"
	case status >= 500:
		return "try again later or look into its log"
	default:
		return "check the url and the headers of the server"
	}
}

// ofSession reports whether the body of a refusal mentions the session.
func ofSession(body []byte) bool {
	text := strings.ToLower(string(body[:min(len(body), wire.MaxNoise)]))
	return strings.Contains(text, "session") || strings.Contains(text, "not initialized")
}

// retryAfter reads a Retry-After (RFC 9110, section 10.2.3): seconds, or a date. A number that is
// out of range counts as the longest.
func retryAfter(value string, now time.Time) time.Duration {
	var d time.Duration
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, _ := strconv.ParseUint(value, 10, 64) // the largest there is when it is out of range
		d = time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		d = date.Sub(now).Round(time.Second)
	}
	return min(max(d, 0), maxRetryAfter)
}

// passing reports whether the reason of err may be over at the next request.
func passing(err error) bool {
	e, ok := errors.AsType[*wire.Error](err)
	return ok && (e.Kind == wire.KindGone || e.Kind == wire.KindUnreachable || e.Temporary())
}

// noResponse returns why a request got no response. ctx is that of the request;
// connected says that it went to the server.
func (w *conn) noResponse(ctx context.Context, err error, connected bool) *wire.Error {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e // of checkRedirect
	}
	host := w.url.Host
	if ctx.Err() != nil {
		return wire.Errorf(wire.KindGone, "", "%s has not answered in time", host)
	}
	// The text of a url.Error has the whole URL, which may hold a secret.
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if connected {
		return wire.Errorf(wire.KindGone, "", "the connection to %s was lost before it answered: %v", host, err)
	}
	return wire.Errorf(wire.KindUnreachable, host, "%s", unreachable(host, err))
}

// unreachable says why there is no connection to host.
func unreachable(host string, err error) string {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "proxyconnect" {
		return fmt.Sprintf("the proxy for %s cannot be reached (%v); check the proxy settings", host, e.Err)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		if e.IsNotFound {
			return fmt.Sprintf("the name %q is not known; correct the url of the server", e.Name)
		}
		return fmt.Sprintf("the name %q cannot be looked up (%s); check the network", e.Name, e.Err)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Sprintf("nothing listens at %s; start the server or correct its url", host)
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
			return fmt.Sprintf("the certificate of %s is not valid at this time (%v); renew it or check the clock", host, e.Err)
		}
		if _, ok := errors.AsType[x509.HostnameError](err); ok {
			return fmt.Sprintf("the certificate of %s is for another name (%v); correct the url of the server", host, e.Err)
		}
		return fmt.Sprintf("the certificate of %s is not trusted (%v); have the system trust the one who issued it", host, e.Err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return fmt.Sprintf("%s does not speak TLS; use http:// if the server is on this machine, or correct the port", host)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return fmt.Sprintf("%s does not take a connection in time; check that it runs and that the network lets it through", host)
	}
	return fmt.Sprintf("there is no connection to %s (%v); check the url of the server and the network", host, err)
}
