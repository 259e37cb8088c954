package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// never is the wait of a server that starts only when somebody starts it.
const never = time.Duration(-1)

// open starts the server and makes it ready. The session is nil when there is no
// wire; when there is one it must be cleared, whatever the error.
func (c *Client) open(l *life, r *run) (s *session, readyAt time.Time, err *wire.Error) {
	c.become(l, Status{State: StateStarting}, nil)
	if wrong := c.opts.checkProtocol(); wrong != nil {
		return nil, readyAt, wrong
	}
	ctx, cancel := context.WithTimeout(r.stop, c.opts.StartTimeout)
	defer cancel()
	log := c.log.newLife(&c.counts)
	w, dialErr := c.opts.Dialer.Dial(ctx, log)
	if dialErr != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, readyAt, wire.Errorf(wire.KindStartTimeout, "", "server %q could not be reached within %s; raise startTimeout if it needs more", c.opts.Name, wire.Span(c.opts.StartTimeout))
		}
		return nil, readyAt, wire.AsError(dialErr, wire.KindSpawn, "server %q cannot be started", c.opts.Name)
	}
	c.become(l, Status{State: StateStarting, PID: w.PID()}, nil)
	s = c.newSession(w, log)
	order := c.opts.eras(w.Streamable(), c.lastVersion)
	if failure := s.handshake(ctx, order); failure != nil {
		e := c.notStarted(ctx, s, failure)
		if order[0] == modern && (e.Kind == wire.KindExit || s.probeLost) {
			c.lastVersion = wire.Version20251125 // ask a server that ends over server/discover the other way next time
		}
		return s, readyAt, e
	}
	c.lastVersion = s.peer.version
	c.watched.handTo(s)
	if s.modern.Load() {
		s.watcher = newWatcher(s)
		s.awaitEnd(ctx, s.watcher.openFirst(ctx))
		s.running.Go(s.watcher.keep)
	} else {
		s.running.Go(s.restore)
	}
	dropped := c.catalog.prepare(s.peer)
	news := append(c.catalog.first(ctx, s), dropped...)
	s.awaitEnd(ctx, c.catalog.failures()...)
	if reason := s.reason(); reason != nil {
		return s, readyAt, reason
	}
	readyAt = time.Now()
	c.become(l, Status{
		State: StateReady, PID: w.PID(), ProtocolVersion: s.peer.version,
		ServerInfo: s.peer.info, Capabilities: s.peer.capabilities, Instructions: s.peer.instructions, Told: s.told(Call{}),
	}, s)
	s.running.Go(func() { c.catalog.keep(s, news) })
	return s, readyAt, nil
}

// notStarted returns why a handshake failed.
func (c *Client) notStarted(ctx context.Context, s *session, failure error) *wire.Error {
	e, ok := errors.AsType[*wire.Error](failure)
	printed := s.log.printed.Load()
	if reason := s.reason(); reason != nil && !(ok && e.Kind == wire.KindProtocol) {
		if printed != nil && reason.Kind == wire.KindExit {
			told := *reason
			told.Message = wording.Adding(reason.Message, fmt.Sprintf(" and had written %q, which is not MCP", *printed))
			return &told
		}
		return reason // it is dead, and the wire says why
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && printed != nil:
		e = wire.Errorf(wire.KindStartTimeout, "", "server %q wrote %q to its standard output, which is not MCP, and did not answer within %s; check that the command runs an MCP server on stdio",
			c.opts.Name, *printed, wire.Span(c.opts.StartTimeout))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		state := ""
		if pid := s.wire.PID(); pid != 0 {
			state = fmt.Sprintf("runs (process %d) but ", pid)
		}
		e = wire.Errorf(wire.KindStartTimeout, "", "server %q %shas not finished the handshake within %s; raise startTimeout if it needs more",
			c.opts.Name, state, wire.Span(c.opts.StartTimeout))
	case !ok:
		e = wire.Errorf(wire.KindProtocol, "", "the handshake with server %q failed: %v", c.opts.Name, failure)
	case e.Kind == wire.KindProtocol, e.Kind == wire.KindHTTP:
	case wire.EndsWire(e): // it is about to
	case e.Kind == wire.KindScope: // without a handshake there is nothing that this access token is good for
		e = wire.Errorf(wire.KindSignInNeeded, e.Detail, "%s", e.Message)
	case e.Kind == wire.KindGone: // the connection was lost, for a reason that may not come again
		e = wire.Errorf(wire.KindUnreachable, "", "%s", wording.Adding(wording.OfServer(c.opts.Name, e.Message), " during the handshake"))
	default: // an answer that is not a result
		e = wire.Errorf(wire.KindProtocol, e.Detail, "the handshake with server %q failed: %s", c.opts.Name, e.Message)
	}
	why := *e // which may be the wire's too
	why.Stderr = s.log.stderr.Last(maxErrorLines)
	return &why
}

// awaitEnd waits for the end of s if one of errs says that it is about to come, so that a server that
// has refused us is not ready for a moment. Any of errs may be nil; ctx bounds the wait.
func (s *session) awaitEnd(ctx context.Context, errs ...error) {
	if !slices.ContainsFunc(errs, func(err error) bool { return err != nil && s.endsWith(err) }) {
		return
	}
	select {
	case <-s.ctx.Done():
	case <-ctx.Done():
	}
}

// untilEnd waits until the session ends, and returns why; nil when stop ends first.
func (s *session) untilEnd(stop context.Context) *wire.Error {
	select {
	case <-s.ctx.Done():
		return s.reason()
	case <-stop.Done():
		return nil
	}
}

// clear ends the session and its wire and returns when nothing is left of them. When the server is
// to end, it waits for calls under way. It kills a server that has not ended by itself and cannot be
// talked to.
func (c *Client) clear(r *run, s *session, err *wire.Error) {
	if err == nil {
		ctx, cancel := context.WithTimeout(r.kill, drainTimeout)
		s.drain(ctx)
		cancel()
	}
	s.end(wire.Errorf(wire.KindGone, "", "server %q was stopped", c.opts.Name))
	defer context.AfterFunc(r.kill, s.wire.Kill)()
	if err != nil && r.stop.Err() == nil && err.Kind != wire.KindExit {
		s.wire.Kill()
	}
	if err := s.wire.Close(); err != nil {
		c.opts.Log.Debug("closing the wire", zap.Error(err))
	}
	s.running.Wait()
}

// ended decides what becomes of a server that has ended, and returns how long to
// wait before it starts again.
func (c *Client) ended(l *life, b *backoff, readyAt time.Time, err *wire.Error) time.Duration {
	ready := time.Duration(0)
	if !readyAt.IsZero() {
		ready = time.Since(readyAt)
	}
	wait, again := time.Duration(0), true
	switch {
	case err.Kind == wire.KindSpawn, err.Kind == wire.KindStartTimeout, err.Kind == wire.KindNotMCP, err.Kind == wire.KindProtocol,
		err.Kind == wire.KindUnauthorized, err.Kind == wire.KindSignInNeeded, err.Kind == wire.KindHTTP && !err.Temporary():
		c.become(l, Status{State: StateFailed, Err: err}, nil)
		return never
	case err.Kind == wire.KindSessionLost && ready >= firstBackoff:
		// "It MUST start a new session" (MCP 2025-11-25, Streamable HTTP, Session
		// Management). One that loses sessions as fast as it opens them is not hurried.
	case err.Kind == wire.KindSessionLost, err.Kind == wire.KindUnreachable, err.Kind == wire.KindHTTP:
		// No process is started over and over again, so there is no reason to give up.
		wait = max(b.next(ready), err.RetryAfter)
	default:
		wait, again = b.ended(time.Now(), ready)
	}
	if !again {
		last := *err
		last.Message = endedTooOften(last.Message)
		c.become(l, Status{State: StateFailed, Err: &last}, nil)
		return never
	}
	c.become(l, Status{State: StateRestarting, Err: err}, nil)
	return wait
}

// rest waits until the server is to start again or to stop, and reports whether somebody has asked
// for the start. With never it waits for nothing else.
func (c *Client) rest(l *life, r *run, wait time.Duration) (asked bool) {
	var over <-chan time.Time
	if wait != never {
		over = time.After(wait)
	}
	select {
	case <-over:
		return false
	case <-l.wake:
		return true
	case <-r.stop.Done():
		return false
	}
}
