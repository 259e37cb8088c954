package streamable

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// request is one HTTP request. It may be sent more than once.
type request struct {
	method, url string
	header      http.Header // without the access token
	body        []byte
	call        *call // whose POST it is, nil for all others
}

// attempt sends q with this access token, "" for none. The body of the response must be closed. The
// error is a [wire.Error]: of [wire.KindUnreachable] when there was no connection, of [wire.KindHTTP]
// for a redirect that is not followed, else of [wire.KindGone].
func (w *conn) attempt(ctx context.Context, q request, token string) (*http.Response, error) {
	sent := func() {}
	if q.call != nil {
		sent = w.leave(q.call)
	}
	defer sent()
	// The hooks may run on other goroutines.
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { connected.Store(false) },
		GotConn:      func(httptrace.GotConnInfo) { connected.Store(true) },
		WroteRequest: func(httptrace.WroteRequestInfo) { sent() },
	})
	req, err := http.NewRequestWithContext(ctx, q.method, q.url, bytes.NewReader(q.body))
	if err != nil {
		return nil, wire.Errorf(wire.KindGone, "", "the request to %s cannot be made", w.url.Host)
	}
	w.freshen()
	req.Header = q.header.Clone()
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Host = q.header.Get("Host") // net/http takes it from nowhere else; "" means that of the URL
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, w.noResponse(ctx, err, connected.Load())
	}
	return resp, nil
}

// freshen drops the connections that are kept for later requests, if no request was made for a
// while by the clock on the wall: no timer runs while the machine sleeps, and a request on a
// connection that died meanwhile would wait for its time limit.
func (w *conn) freshen() {
	now := time.Now().Round(0) // without the monotonic clock
	w.mu.Lock()
	stale := !w.used.IsZero() && now.Sub(w.used) >= silence
	w.used = now
	w.mu.Unlock()
	if stale {
		w.transport.CloseIdleConnections()
	}
}

// get opens an event stream, which goes on after the event lastID; "" is none. The error is one of
// do or of refusal.
func (w *conn) get(ctx context.Context, lastID string) (*http.Response, error) {
	header := w.headers()
	// "The client MUST include an Accept header, listing text/event-stream as a
	// supported content type" (MCP 2025-11-25, Transports, Listening).
	header.Set("Accept", streamType)
	if lastID != "" {
		header.Set("Last-Event-ID", lastID)
	}
	resp, err := w.do(ctx, request{method: http.MethodGet, url: w.url.String(), header: header})
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, w.refusal(resp, header.Get(headerSession) != "")
	}
	if kind := mediaType(resp); kind != streamType {
		_ = resp.Body.Close()
		return nil, wire.Errorf(wire.KindInvalidResult, kind, "%s answered a GET with %.80q, which is not an event stream; check the url and the type of the server", w.url.Host, kind)
	}
	return resp, nil
}

// mediaType returns the type of the response's body without its parameters.
func mediaType(resp *http.Response) string {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// errTooLarge is the error of a body over the limit.
var errTooLarge = errors.New("the body is over the limit")

// readUpTo reads r to its end. It stops at the limit, or where there is no memory left, and then
// fails with errTooLarge. Its memory is bounded by one and a half times the limit, and claim holds
// it.
func readUpTo(r io.Reader, limit int, claim *budget.Claim) ([]byte, error) {
	var body []byte
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		if len(body)+n > limit {
			return nil, errTooLarge
		}
		var ok bool
		if body, ok = claim.Append(body, chunk[:n], limit); !ok {
			return nil, errTooLarge
		}
		switch err {
		case nil:
		case io.EOF:
			return body, nil
		default:
			return nil, err
		}
	}
}
