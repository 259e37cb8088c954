package streamable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// sseCursor is the position in one event stream, over all its connections.
type sseCursor struct {
	lastID    string        // "" when it cannot be resumed
	retry     time.Duration // what the server asks to wait before that
	fruitless int           // connections in a row without a message or an id
}

// readStream hands on the messages of one connection of a stream until it ends, and closes it.
// The error is that of a skipped message that might have been an answer, nil when there was
// none.
func (w *conn) readStream(body io.ReadCloser, cursor *sseCursor) (skipped error) {
	defer body.Close()
	before := cursor.lastID
	events := newSSEReader(body, w.limits.frame, cursor, w.memory)
	defer events.release()
	fruitful, skipped := w.readEvents(events)
	if cursor.fruitless++; fruitful || cursor.lastID != before {
		cursor.fruitless = 0
	}
	if !httpguts.ValidHeaderFieldValue(cursor.lastID) {
		cursor.lastID = "" // it cannot be given back
	}
	return skipped
}

// readEvents hands on the messages of events until they end. fruitful says that
// there were any.
func (w *conn) readEvents(events *sseReader) (fruitful bool, skipped error) {
	for w.failure() == nil {
		event, err := events.next()
		if tooLong, ok := errors.AsType[*wire.TooLong](err); ok {
			fruitful = true
			if !w.skipLong(tooLong) {
				skipped = w.tooLarge()
			}
			continue
		}
		if err != nil {
			break
		}
		if event.name != "" && event.name != "message" {
			continue
		}
		fruitful = true
		wire.Each(bytes.Clone(event.data), w.deliver, func(part []byte, why error) {
			skipped = w.refuse(part, why)
		})
	}
	return fruitful, skipped
}

// skipLong skips a message over the limit: the call that it answers fails. It returns false when
// nobody can tell which one that is.
func (w *conn) skipLong(message *wire.TooLong) bool {
	w.log.Skipped(true)
	id, ok := message.Answers()
	if ok {
		w.deliver(&wire.Response{ID: id, Error: w.tooLarge()})
		return true
	}
	w.log.Line(wire.LogDaemon, fmt.Sprintf("skipped a message of %s, which is over the limit of %s: %s",
		wording.Size(message.Size), wording.Size(int64(w.limits.frame)), wire.Clip(message.Head)))
	return false
}

// follow hands on the messages of the stream that answers c, and resumes it when it ends before the
// answer. It returns why there is no answer.
//
// "If the client wishes to resume after a disconnection […] it SHOULD issue an HTTP
// GET to the MCP endpoint, and include the Last-Event-ID header". "The client MUST
// respect the retry field, waiting the given number of milliseconds before
// attempting to reconnect" (MCP 2025-11-25, Transports). At 2026-07-28 "resumable
// SSE streams via Last-Event-ID are not supported" (Streamable HTTP).
func (w *conn) follow(ctx context.Context, c *call, resp *http.Response) error {
	cursor := sseCursor{retry: firstRetry}
	skipped := w.readStream(resp.Body, &cursor)
	for {
		switch {
		case w.answered(c) || ctx.Err() != nil || w.failure() != nil:
			return nil
		case skipped != nil:
			return skipped
		case c.modern || cursor.lastID == "" || cursor.fruitless >= maxResumes:
			return w.noAnswer(c)
		}
		if !pause(ctx, cursor.retry) {
			return nil
		}
		resp, err := w.get(ctx, cursor.lastID)
		switch {
		case err == nil:
			skipped = w.readStream(resp.Body, &cursor)
		case passing(err):
			cursor.fruitless++
			cursor.retry = max(cursor.retry, askedPatience(err))
		default:
			// The request may have been carried out, so it is not sent again, unlike one that
			// a lost session has refused.
			w.answer(c, w.noAnswer(c))
			return err
		}
	}
}

// noAnswer is the error of a call whose stream has ended without its answer.
func (w *conn) noAnswer(c *call) *wire.Error {
	return wire.Errorf(wire.KindGone, c.method, "the connection to %s ended before %s was answered, which is not repeated", w.url.Host, c.method)
}

// askedPatience returns the Retry-After of err, 0 when it has none.
func askedPatience(err error) time.Duration {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// keepStandalone keeps the standalone stream open, on which a server speaks
// unasked: "the client MAY issue an HTTP GET to the MCP endpoint". "The server MUST
// either return Content-Type: text/event-stream […] or else return HTTP 405 Method
// Not Allowed" (MCP 2025-11-25, Transports, Listening for Messages from the Server).
// answered is called when the server has said which. If a stream has worked and then the connection
// or the session is lost, the wire ends: it is dead, and must not look alive.
func (w *conn) keepStandalone(answered func()) {
	defer answered()
	var cursor sseCursor
	worked := false
	for {
		resp, err := w.get(w.ctx, cursor.lastID)
		answered()
		switch {
		case err == nil:
			worked = true
			_ = w.readStream(resp.Body, &cursor)
		case worked && wire.EndsWire(err):
			w.lose(err)
			return
		case passing(err):
			cursor.fruitless++
		default: // it has none, or no longer has one, or not for this access token
			if kind := wire.KindOf(err); kind == wire.KindSignInNeeded || kind == wire.KindScope {
				w.log.Line(wire.LogDaemon, "the server cannot speak unasked: "+err.Error())
			}
			return
		}
		// The longer, the oftener the stream has brought nothing in a row.
		backoff := min(firstRetry<<max(0, min(cursor.fruitless-1, 16)), maxRetry)
		wait := max(backoff, cursor.retry, askedPatience(err))
		if w.failure() != nil || !pause(w.ctx, wait) {
			return
		}
	}
}

// pause waits for d. It returns false when ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
