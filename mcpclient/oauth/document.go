package oauth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxName is how many characters a message has of a name that others chose, or of what they say.
const maxName = 200

// clip returns a text of others for a message.
func clip(s string) string { return safetext.Line(s, maxName) }

// hostOf returns the host of a URL for a message.
func hostOf(u *url.URL) string { return clip(u.Host) }

// quoted returns a text of others in quotes.
func quoted(s string) string { return `"` + clip(s) + `"` }

// absent is the error of a document that is not there, so that others may be asked for.
type absent struct{ error }

func (e absent) Unwrap() error { return e.error }

func isAbsent(err error) bool {
	_, ok := errors.AsType[absent](err)
	return ok
}

// read GETs a JSON document of metadata into v. The error is a [wire.Error], within [absent] when the
// server has something else there: 4xx, or what is not JSON.
//
// oauthex wants the media type to be application/json to the letter. Here the document decides: files
// without an ending often have another type.
func (n *network) read(ctx context.Context, address string, v any) error {
	host := hostIn(address)
	status, body, err := n.get(ctx, address)
	switch {
	case err != nil:
		return err
	case mayPass(status):
		return wire.Errorf(wire.KindUnreachable, "", "%s answers %s; try again later", host, statusText(status))
	case status != http.StatusOK:
		return absent{wire.Errorf(wire.KindProtocol, "", "%s publishes no metadata for the sign-in (%s); tell those who run it", host, statusText(status))}
	}
	err = json.Unmarshal(body, v)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return wire.Errorf(wire.KindProtocol, "", "the metadata of %s has a %s as %s; tell those who run it", host, clip(e.Value), quoted(e.Field))
	}
	if err != nil {
		return noMetadata(host)
	}
	return nil
}

// get sends a GET to an address that others name.
func (n *network) get(ctx context.Context, address string) (status int, body []byte, err error) {
	req, err := n.request(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, err
	}
	return n.send(req)
}

// request returns a request for an address that others name. The error is a [wire.Error].
func (n *network) request(ctx context.Context, method, address string, body io.Reader) (*http.Request, error) {
	if _, err := n.parse(address); err != nil {
		return nil, err
	}
	return http.NewRequestWithContext(ctx, method, address, body)
}

// send sends a request. The error is a [wire.Error]: what the guard says, of [wire.KindProtocol] for a body that is
// too large, or of [wire.KindUnreachable] when there is no whole response. The status is 0 when there is none at all.
func (n *network) send(req *http.Request) (status int, body []byte, err error) {
	host := hostOf(req.URL)
	req.Header.Set("Accept", "application/json")
	resp, err := n.client().Do(req)
	if err != nil {
		return 0, nil, noAnswer(host, err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return resp.StatusCode, nil, wire.Errorf(wire.KindProtocol, "", "the answer of %s is larger than 1 MiB; tell those who run it", host)
	}
	if err != nil {
		return resp.StatusCode, nil, noAnswer(host, err)
	}
	return resp.StatusCode, body, nil
}

// noMetadata is the error of a host whose answer is not metadata, in absent.
func noMetadata(host string) error {
	return absent{wire.Errorf(wire.KindUnreachable, "", "%s answers with something else than metadata for the sign-in; tell those who run it", host)}
}

// mayPass reports whether a request that is answered so may succeed later.
func mayPass(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// statusText returns a status for a message.
func statusText(status int) string { return fmt.Sprintf("%d %s", status, http.StatusText(status)) }

// noAnswer returns the error of a request that got no answer: what the guard has said, or one of
// [wire.KindUnreachable]. The text of err is not used: it has the whole URL, or a part of what came
// back.
func noAnswer(host string, err error) *wire.Error {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e
	}
	return wire.Errorf(wire.KindUnreachable, "", "%s cannot be reached: %s", host, whyUnreachable(err))
}

// whyUnreachable says why there was no answer, and what to do.
func whyUnreachable(err error) string {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "proxyconnect" {
		return "the proxy does not answer; check the proxy settings"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "its name cannot be looked up; check the network"
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "nothing listens there; try again later"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
			return "its certificate is not valid at this time; check the clock"
		}
		if _, ok := errors.AsType[x509.HostnameError](err); ok {
			return "its certificate is for another name; tell those who run it"
		}
		return "its certificate is not trusted; have the system trust the one who issued it"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "it does not speak TLS; tell those who run it"
	}
	if e, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) || ok && e.Timeout() {
		return "it has not answered in time; try again later"
	}
	return "the connection broke; try again later"
}
