package streamable

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// An Authorizer gives the requests to one endpoint their access token (MCP 2026-07-28, Authorization).
// It is called concurrently. Both methods return when ctx ends; what they have begun goes on.
type Authorizer interface {
	// Token returns the access token of the next request, "" for none. It may wait for a refresh. No token has
	// characters that a header must not have.
	Token(ctx context.Context) string

	// Refused hears that the endpoint has refused a request unread: with 401, or with 403. token is
	// what the request carried, "" for none; again says that the request was repeated already.
	//
	// It returns true if there is another token to repeat the request with. With false and nil it is
	// none of its business, and the refusal is like any other. Else the error says why there is
	// none: a [*wire.Error] of [wire.KindSignInNeeded], [wire.KindScope], [wire.KindUnreachable] (the
	// authorization server cannot be asked) or [wire.KindHTTP].
	Refused(ctx context.Context, token string, status int, header http.Header, again bool) (retry bool, err error)
}

// maxRefusal is how many bytes of a refusal are read to keep its connection for others.
const maxRefusal = 64 << 10

// do sends one HTTP request with the access token that there is for it. A request that the endpoint
// has refused unread for its token is sent once more with another one, if there is another one. The
// body of the response must be closed. The error is a [wire.Error]: one of attempt or of the
// Authorizer.
func (w *conn) do(ctx context.Context, q request) (*http.Response, error) {
	if w.authorizer == nil {
		return w.attempt(ctx, q, "")
	}
	asking := ctx
	if q.method == http.MethodDelete { // the end of a session does not wait for a refresh
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, tokenWait)
		defer cancel()
	}
	for again := false; ; again = true {
		token := w.authorizer.Token(asking)
		resp, err := w.attempt(ctx, q, token)
		if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
			return resp, err
		}
		retry, err := w.refused(asking, q, token, resp, again)
		if err == nil && (!retry || again) {
			return resp, nil
		}
		w.discard(resp)
		if err != nil {
			return nil, err
		}
	}
}

// refused asks what becomes of q, which resp has refused unread.
func (w *conn) refused(ctx context.Context, q request, token string, resp *http.Response, again bool) (retry bool, err error) {
	if q.call != nil {
		w.hold(q.call)
	}
	retry, err = w.authorizer.Refused(ctx, token, resp.StatusCode, resp.Header, again)
	switch {
	case err == nil:
		return retry, nil
	case ctx.Err() != nil:
		return false, wire.Errorf(wire.KindGone, "", "the access token for %s did not come in time", w.url.Host)
	}
	return false, wire.AsError(err, wire.KindGone, "there is no access token for %s", w.url.Host)
}

// discard drops a response. It reads a short body, which leaves the connection for others.
func (w *conn) discard(resp *http.Response) {
	late := time.AfterFunc(linger, func() { _ = resp.Body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, maxRefusal)
	_ = resp.Body.Close()
}
