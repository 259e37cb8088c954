package streamable

import (
	"context"
	"net/url"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// link is the stream of HTTP+SSE (MCP 2024-11-05, Transports, HTTP with SSE).
type link struct {
	opened chan struct{} // closed when the following are set
	post   string        // where messages are POSTed to
	err    *wire.Error   // why there is no stream; nil when there is
}

// endpoint returns where to POST messages, and whether with Streamable HTTP. It opens the stream of
// HTTP+SSE first.
func (w *conn) endpoint(ctx context.Context) (post string, streamable bool, err error) {
	w.mu.Lock()
	if w.sse && w.link == nil && w.failure() == nil {
		w.link = w.openLink()
	}
	sse, link := w.sse, w.link
	w.mu.Unlock()
	switch {
	case !sse:
		return w.url.String(), true, nil
	case link == nil:
		return "", false, wire.Gone(w.failure())
	}
	select {
	case <-link.opened:
		if link.err != nil {
			return "", false, link.err
		}
		return link.post, false, nil
	case <-ctx.Done():
		return "", false, wire.Errorf(wire.KindGone, "", "%s has not opened a stream in time", w.url.Host)
	}
}

// fallBack tries HTTP+SSE at the same URL: "issue a GET request to the server URL,
// expecting that this will open an SSE stream and return an endpoint event as the
// first event. When the endpoint event arrives, the client can assume this is a
// server running the old HTTP+SSE transport, and should use that transport for all
// subsequent communication" (MCP 2025-11-25, Transports, Backwards Compatibility). The error says
// why there is no such stream.
func (w *conn) fallBack(ctx context.Context) error {
	w.mu.Lock()
	if w.failure() != nil {
		w.mu.Unlock()
		return wire.Gone(w.failure())
	}
	link := w.openLink()
	w.mu.Unlock()
	select {
	case <-link.opened:
	case <-ctx.Done():
		return ctx.Err()
	}
	if link.err != nil {
		w.log.Line(wire.LogDaemon, "it does not speak HTTP+SSE either: "+link.err.Error())
		return link.err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sse, w.link = true, link
	return nil
}

// openLink opens the stream. w.mu is held, and the wire has not ended.
func (w *conn) openLink() *link {
	link := &link{opened: make(chan struct{})}
	w.running.Go(func() { w.runLink(link) })
	return link
}

// runLink reads the stream until it ends, and with it the wire.
func (w *conn) runLink(link *link) {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	late := time.AfterFunc(endpointTimeout, cancel)
	var events *sseReader
	resp, err := w.get(ctx, "")
	if err == nil {
		defer resp.Body.Close()
		events = newSSEReader(resp.Body, w.limits.frame, &sseCursor{}, w.memory)
		defer events.release()
		link.post, err = w.readEndpoint(events, resp.Request.URL)
	}
	if !late.Stop() {
		err = wire.Errorf(wire.KindUnreachable, "", "%s has not sent the endpoint event of HTTP+SSE in %v; check the url and the type of the server", w.url.Host, endpointTimeout)
	}
	if err != nil {
		link.err = noLink(err)
		close(link.opened)
		return
	}
	close(link.opened)
	_, _ = w.readEvents(events)
	w.fail(wire.Errorf(wire.KindUnreachable, "", "%s ended its event stream, and the session with it", w.url.Host))
}

// readEndpoint reads the first event, which "MUST" be the endpoint, "containing a
// URI for the client to use for sending messages" (MCP 2024-11-05, Transports). It refuses one of
// another origin than the stream's, because messages carry the headers that are configured for
// this one.
func (w *conn) readEndpoint(events *sseReader, stream *url.URL) (string, error) {
	event, err := events.next()
	if err != nil || event.name != "endpoint" {
		return "", wire.Errorf(wire.KindUnreachable, "", "%s opened an event stream that is not HTTP+SSE; check the url and the type of the server", w.url.Host)
	}
	post, err := stream.Parse(string(event.data))
	if err != nil || !sameOrigin(stream, post) {
		return "", wire.Errorf(wire.KindUnreachable, "", "%s wants its messages sent to another server, %.200q, which is refused", w.url.Host, event.data)
	}
	post.User = stream.User
	return post.String(), nil
}

// noLink returns err as the reason why there is no wire.
func noLink(err error) *wire.Error {
	e := *wire.AsError(err, wire.KindUnreachable, "the stream of HTTP+SSE cannot be read")
	switch e.Kind {
	case wire.KindUnauthorized, wire.KindSignInNeeded:
	case wire.KindScope: // without this stream nothing else can be asked
		e.Kind = wire.KindSignInNeeded
	case wire.KindRPC: // which answers no request here
		return wire.Errorf(wire.KindUnreachable, "", "the stream of HTTP+SSE was refused: %s", e.Message)
	default:
		e.Kind = wire.KindUnreachable
	}
	return &e
}
