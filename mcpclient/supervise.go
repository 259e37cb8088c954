package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
)

// never is the wait of a server that is started by somebody or not at all.
const never = time.Duration(-1)

// drainTimeout is how long [Client.Stop] waits for calls under way.
const drainTimeout = 5 * time.Second

// life is the time from Start to the end of Stop, with all restarts in it. One
// goroutine lives it, and only that goroutine changes the status of the Client.
type life struct {
	stop    context.Context // ends when the server is to stop
	endStop context.CancelFunc
	kill    context.Context // ends when it is to stop at once
	endKill context.CancelFunc

	wake chan struct{} // one token: start now, whatever the back-off
	done chan struct{} // closed when nothing is left of the server

	outcome *outcome // for those who start the server now; guarded by Client.mu
}

// outcome is what a start comes to. Those who wait for it keep it, so that they
// learn of it however short it was true.
type outcome struct {
	done chan struct{} // closed by the first of ready, failed, stopped and unreachable, once the host knows
	err  *Error        // set before; nil for ready
}

func newOutcome() *outcome { return &outcome{done: make(chan struct{})} }

func (o *outcome) settle(err *Error) {
	o.err = err
	close(o.done)
}

// Start starts the server, unless it runs, and waits until it is ready; the
// [*Error] says why it failed, was stopped or could not be reached, in which case it
// is tried again. A server that waits for its back-off is started at once, one that
// is being stopped when that is over. ctx bounds only the wait.
func (c *Client) Start(ctx context.Context) error {
	for {
		o, stopping := c.begin()
		if stopping == nil {
			select {
			case <-o.done:
				if o.err != nil {
					return o.err
				}
				return nil
			case <-ctx.Done():
				return gaveUp(ctx, "starting")
			}
		}
		select {
		case <-stopping:
		case <-ctx.Done():
			return gaveUp(ctx, "starting")
		}
	}
}

// begin makes sure that the server is starting or ready and returns the outcome, or
// a channel that is closed when the stop under way is over.
func (c *Client) begin() (o *outcome, stopping <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.life
	switch {
	case l != nil && l.stop.Err() != nil:
		return nil, l.done
	case c.closed:
		o := newOutcome()
		o.settle(notReady(c.opts.Name, StateStopped, nil))
		return o, nil
	case l == nil:
		l = &life{wake: make(chan struct{}, 1), done: make(chan struct{}), outcome: newOutcome()}
		l.kill, l.endKill = context.WithCancel(context.Background())
		l.stop, l.endStop = context.WithCancel(l.kill)
		c.life = l
		go c.live(l)
	case c.status.State == StateFailed, c.status.State == StateRestarting:
		l.poke()
	}
	return l.outcome, nil
}

// poke has the server started now, if it waits for its back-off or for somebody to start it.
func (l *life) poke() {
	select {
	case l.wake <- struct{}{}:
	default: // somebody else has done it
	}
}

// Stop stops the server and returns when nothing is left of it: no new calls are
// taken, those under way have 5 s, then the wire is closed in the orderly way. A
// second Stop while one is under way stops at once. ctx bounds only the wait.
func (c *Client) Stop(ctx context.Context) error {
	c.mu.Lock()
	l := c.life
	if l == nil {
		c.mu.Unlock()
		return nil
	}
	if l.stop.Err() != nil {
		l.endKill()
	}
	l.endStop()
	c.session = nil
	c.mu.Unlock()
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return gaveUp(ctx, "stopping")
	}
}

// Restart stops the server if it runs and starts it, as [Client.Stop] and
// [Client.Start] do. When ctx ends before it has stopped, it stays stopped.
func (c *Client) Restart(ctx context.Context) error {
	if err := c.Stop(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	c.restarts++
	c.mu.Unlock()
	return c.Start(ctx)
}

// Close stops the server at once and returns when nothing is left of it. After it
// everything that needs the server fails.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.session = nil
	l := c.life
	c.mu.Unlock()
	if l != nil {
		l.endKill()
		<-l.done
	}
	c.catalog.close()
}

// live keeps the server alive until l is to stop.
func (c *Client) live(l *life) {
	var b backoff
	for l.stop.Err() == nil {
		s, readyAt, err := c.open(l)
		if err == nil {
			err = c.stay(l, s)
		}
		wait := never
		if l.stop.Err() == nil {
			// What is shown is what is: the end is told before the leavings are cleared.
			wait = c.ended(l, &b, readyAt, err)
		}
		if s != nil {
			c.clear(l, s, err)
		}
		if l.stop.Err() == nil && c.rest(l, wait) {
			b = backoff{} // somebody has started it
		}
	}
	c.become(l, Status{State: StateStopped}, nil)
	l.endKill() // releases the contexts
	c.mu.Lock()
	c.life = nil
	c.mu.Unlock()
	close(l.done)
}

// open starts the server and makes it ready. The session is nil when there is no
// wire; when there is one it must be cleared, whatever the error.
func (c *Client) open(l *life) (s *session, readyAt time.Time, err *Error) {
	c.become(l, Status{State: StateStarting}, nil)
	if wrong := c.opts.checkProtocol(); wrong != nil {
		return nil, readyAt, wrong
	}
	ctx, cancel := context.WithTimeout(l.stop, c.opts.StartTimeout)
	defer cancel()
	log := c.log.newLife()
	wire, dialErr := c.opts.Dialer.Dial(ctx, log)
	if dialErr != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, readyAt, errorf(KindStartTimeout, "", "server %q could not be reached within %v: raise startTimeout if it needs more", c.opts.Name, c.opts.StartTimeout)
		}
		return nil, readyAt, asError(dialErr, KindSpawn, "server %q cannot be started", c.opts.Name)
	}
	c.become(l, Status{State: StateStarting, PID: wire.PID()}, nil)
	c.counts.begin(wire)
	s = c.newSession(wire, log)
	order := c.opts.eras(wire.Streamable(), c.lastVersion)
	if failure := s.handshake(ctx, order); failure != nil {
		e := c.notStarted(ctx, s, failure)
		if order[0] == modern && (e.Kind == KindExit || s.probeLost) {
			c.lastVersion = Version20251125 // a server that ends over server/discover is asked the other way next time
		}
		return s, readyAt, e
	}
	c.lastVersion = s.peer.version
	if s.peer.era == modern {
		s.listener = newListener(s)
		s.listener.start(ctx)
		s.running.Go(s.listener.keep)
	} else {
		s.running.Go(s.restore)
	}
	dropped := c.catalog.begin(s.peer)
	news := append(c.catalog.first(ctx, s), dropped...)
	if reason := s.reason(); reason != nil {
		return s, readyAt, reason
	}
	readyAt = time.Now()
	c.become(l, Status{
		State: StateReady, PID: wire.PID(), ProtocolVersion: s.peer.version,
		ServerInfo: s.peer.info, Capabilities: s.peer.capabilities, Instructions: s.peer.instructions,
	}, s)
	s.running.Go(func() { c.catalog.keep(s, news) })
	return s, readyAt, nil
}

// notStarted returns why a handshake came to nothing.
func (c *Client) notStarted(ctx context.Context, s *session, failure error) *Error {
	e, ok := errors.AsType[*Error](failure)
	if reason := s.reason(); reason != nil && !(ok && e.Kind == KindProtocol) {
		return reason // it is dead, and the wire says of what
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		state := ""
		if pid := s.wire.PID(); pid != 0 {
			state = fmt.Sprintf("runs (process %d) but ", pid)
		}
		e = errorf(KindStartTimeout, "", "server %q %shas not finished the handshake within %v: raise startTimeout if it needs more",
			c.opts.Name, state, c.opts.StartTimeout)
	case !ok:
		e = errorf(KindProtocol, "", "the handshake with server %q failed: %v", c.opts.Name, failure)
	case e.Kind == KindProtocol, e.Kind == KindHTTP:
	case e.Kind == KindUnreachable, e.Kind == KindUnauthorized, e.Kind == KindSessionLost: // the wire is about to end with it
	case e.Kind == KindGone: // the connection was lost, and not for a reason that will be the same again
		e = errorf(KindUnreachable, "", "the connection to server %q was lost during the handshake: %s", c.opts.Name, e.Message)
	default: // an answer that is no result
		e = errorf(KindProtocol, e.Detail, "the handshake with server %q failed: %s", c.opts.Name, e.Message)
	}
	e.Stderr = s.log.stderr.Last(maxErrorLines)
	return e
}

// stay waits until the session ends, and returns why, or l is to stop: then calls
// under way are waited for and the reason is nil.
func (c *Client) stay(l *life, s *session) *Error {
	select {
	case <-s.ctx.Done():
		return s.reason()
	case <-l.stop.Done():
	}
	ctx, cancel := context.WithTimeout(l.kill, drainTimeout)
	defer cancel()
	s.drain(ctx)
	return nil
}

// clear ends the session and its wire and returns when nothing is left of them. A
// server that has not ended by itself and that cannot be talked to is killed.
func (c *Client) clear(l *life, s *session, err *Error) {
	s.end(errorf(KindGone, "", "server %q was stopped", c.opts.Name))
	defer context.AfterFunc(l.kill, s.wire.Kill)()
	if err != nil && l.stop.Err() == nil && err.Kind != KindExit {
		s.wire.Kill()
	}
	if err := s.wire.Close(); err != nil {
		c.opts.Log.Debug("closing the wire", zap.Error(err))
	}
	s.running.Wait()
	c.counts.end()
}

// ended decides what becomes of a server that has ended, and returns how long to
// wait before it is started again.
func (c *Client) ended(l *life, b *backoff, readyAt time.Time, err *Error) time.Duration {
	ready := time.Duration(0)
	if !readyAt.IsZero() {
		ready = time.Since(readyAt)
	}
	wait, again := time.Duration(0), true
	switch {
	case err.Kind == KindSpawn, err.Kind == KindStartTimeout, err.Kind == KindNotMCP, err.Kind == KindProtocol, err.Kind == KindUnauthorized,
		err.Kind == KindHTTP && !err.temporary():
		c.become(l, Status{State: StateFailed, Err: err}, nil)
		return never
	case err.Kind == KindSessionLost && ready >= firstBackoff:
		// "It MUST start a new session" (MCP 2025-11-25, Streamable HTTP, Session
		// Management). One that loses them as fast as they are had is not hurried.
	case err.Kind == KindSessionLost, err.Kind == KindUnreachable, err.Kind == KindHTTP:
		// Nothing of ours is started over and over again, so there is no reason to give up.
		wait = max(b.next(ready), err.RetryAfter)
	default:
		wait, again = b.ended(time.Now(), ready)
	}
	if !again {
		last := *err
		last.Message += fmt.Sprintf("; it has ended %d times within %v and is not started again by itself", maxEnds, endsWithin)
		c.become(l, Status{State: StateFailed, Err: &last}, nil)
		return never
	}
	c.become(l, Status{State: StateRestarting, Err: err}, nil)
	return wait
}

// rest waits until the server is to be started again or to stop, and tells whether
// somebody has asked for it. 0 waits until then.
func (c *Client) rest(l *life, wait time.Duration) (asked bool) {
	var over <-chan time.Time
	if wait != never {
		over = time.After(wait)
	}
	select {
	case <-over:
		return false
	case <-l.wake:
		return true
	case <-l.stop.Done():
		return false
	}
}

// become changes the status, in this one place, and tells the host. It is called
// on the goroutine of l only, so that the host is told in order. takes is the
// session for calls, if the state is ready.
func (c *Client) become(l *life, to Status, takes *session) {
	c.mu.Lock()
	from := c.status.State
	if to.State == StateStarting {
		if from == StateRestarting {
			c.restarts++
		}
		select { // who wanted it now has it
		case <-l.wake:
		default:
		}
	}
	to.Restarts = c.restarts
	c.status = to
	switch to.State {
	case StateStarting: // as it was
	case StateRestarting:
		k := to.Err.Kind
		c.reopening = k == KindSessionLost || k == KindUnreachable || k == KindHTTP
	default:
		c.reopening = false
	}
	close(c.changed)
	c.changed = make(chan struct{})
	c.session = nil
	if l.stop.Err() == nil && !c.closed {
		c.session = takes
	}
	if from == StateReady {
		l.outcome = newOutcome() // the one before is settled
	}
	o := l.outcome
	// A server that cannot be reached is tried for ever; who starts it is told the first time.
	vain := to.State == StateFailed || to.State == StateRestarting && c.reopening && from == StateStarting
	if vain {
		l.outcome = newOutcome() // of the start that somebody asks for next
	}
	c.mu.Unlock()

	fields := []zap.Field{zap.String("state", string(to.State)), zap.Int("pid", to.PID)}
	text := string(to.State)
	if to.Err != nil {
		fields = append(fields, zap.String("kind", string(to.Err.Kind)), zap.String("reason", to.Err.Message))
		text += ": " + to.Err.Message
	}
	c.opts.Log.Info("state", fields...)
	if to.State != from || to.Err != nil {
		c.log.say("%s", text)
	}
	c.opts.Host.StatusChanged(to)

	switch {
	case to.State == StateReady:
		o.settle(nil)
	case vain:
		o.settle(to.Err)
	case to.State == StateStopped:
		o.settle(notReady(c.opts.Name, StateStopped, nil))
	}
}
