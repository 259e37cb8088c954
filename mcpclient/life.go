package mcpclient

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// drainTimeout is how long [Client.Stop] and [Client.Restart] wait for calls under way.
const drainTimeout = 5 * time.Second

// life is the time from Start until the server is stopped, with all restarts in it. One goroutine
// lives it, and only that goroutine changes the status of the Client. The last request holds:
// Start, Stop and Restart note what is wanted and end what is in its way, and the goroutine makes
// it true.
type life struct {
	wake chan struct{} // one token: start now, whatever the back-off

	// Guarded by Client.mu.
	wanted  bool        // the server is to be up; false once a stop was asked for
	again   bool        // by request: the next start counts as a restart
	run     *run        // what Stop and Restart end
	upwards *Transition // the way to ready, for those who start the server
	decided bool        // the outcome of upwards is decided, though it may not be told yet
}

// run is a part of a life: from a start that somebody asked for until somebody asks for a stop
// or a restart. A server that ends by itself meanwhile starts again in the same run.
type run struct {
	stop    context.Context // ends when the server is to end
	endStop context.CancelFunc
	kill    context.Context // ends when it is to end at once
	endKill context.CancelFunc
	stops   int         // how often Stop was asked for; guarded by Client.mu
	over    *Transition // nothing is left of the server
}

func (c *Client) newRun() *run {
	r := &run{over: newTransition(fmt.Sprintf("stopping server %q", c.opts.Name))}
	r.kill, r.endKill = context.WithCancel(context.Background())
	r.stop, r.endStop = context.WithCancel(r.kill)
	return r
}

// upwardsAnew returns a way to ready that is not decided yet. Client.mu is held.
func (c *Client) upwardsAnew(l *life) *Transition {
	if l.upwards == nil || l.decided {
		l.upwards, l.decided = newTransition(fmt.Sprintf("starting server %q", c.opts.Name)), false
	}
	return l.upwards
}

// A Transition is a change of a server's life that somebody asked for. It goes on whether or not
// anybody waits for it.
type Transition struct {
	doing string
	done  chan struct{} // closed once the host knows the outcome
	err   *wire.Error   // set before; nil when it succeeded
}

func newTransition(doing string) *Transition {
	return &Transition{doing: doing, done: make(chan struct{})}
}

func (t *Transition) end(err *wire.Error) {
	t.err = err
	close(t.done)
}

// Wait waits until the transition is over and returns its [*wire.Error]. ctx bounds only the wait.
func (t *Transition) Wait(ctx context.Context) error {
	select {
	case <-t.done:
		if t.err != nil {
			return t.err
		}
		return nil
	case <-ctx.Done():
		return gaveUp(ctx, t.doing)
	}
}

// Start starts the server unless it runs. The transition is over when the server is ready. Its error
// says why the server failed, was stopped or could not be reached; a server that could not be
// reached is tried again. One that waits for its back-off starts at once, one that is being stopped
// starts after that.
func (c *Client) Start() *Transition { return c.up(false) }

// Restart ends the server if it runs, as [Client.Stop] does, and starts it. The transition is over
// when the server is ready again; its error is as with [Client.Start]. A Stop that comes meanwhile
// cancels it. Two restarts are one while the first still waits for the server to end.
func (c *Client) Restart() *Transition { return c.up(true) }

// Renew is [Client.Restart] for a server that is ready and has to be told what [Client.Declare] changed.
// Calls wait for it instead of failing. It returns nil, and does nothing, when the server is not ready.
func (c *Client) Renew() *Transition {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return nil
	}
	c.renewing = true
	c.counts.renewed.Add(1)
	return c.upLocked(true)
}

// up notes that the server is wanted. again makes it a restart.
func (c *Client) up(again bool) *Transition {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.upLocked(again)
}

// upLocked is up with Client.mu held.
func (c *Client) upLocked(again bool) *Transition {
	l := c.life
	switch {
	case c.closed:
		t := newTransition(fmt.Sprintf("starting server %q", c.opts.Name))
		t.end(notReady(c.opts.Name, StateStopped, nil))
		return t
	case l == nil:
		l = &life{wake: make(chan struct{}, 1), run: c.newRun()}
		c.life = l
		go c.live(l)
	case again && l.run.stop.Err() == nil:
		l.run.endStop()
		c.session = nil
	case l.run.stop.Err() != nil: // it is ending, and starts after that
	case c.status.State == StateReady:
		return l.upwards
	case c.status.State == StateFailed, c.status.State == StateRestarting:
		poke(l.wake)
	}
	l.wanted, l.again = true, l.again || again
	return c.upwardsAnew(l)
}

// poke gives a channel its one token, if it has none.
func poke(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default: // somebody else has done it
	}
}

// Stop stops the server: it takes no new calls, gives those under way 5 s, then closes the wire in
// the orderly way. The transition is over when nothing is left of the server. A second Stop while
// one is under way stops at once.
func (c *Client) Stop() *Transition {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.life
	if l == nil {
		t := newTransition(fmt.Sprintf("stopping server %q", c.opts.Name))
		t.end(nil)
		return t
	}
	if l.run.stops++; l.run.stops > 1 {
		l.run.endKill()
	}
	l.run.endStop()
	l.wanted, l.again, c.session, c.renewing = false, false, nil, false
	c.upwardsAnew(l) // who asks for a start from now on wants another one
	return l.run.over
}

// Close stops the server at once and returns when nothing is left of it. Afterwards
// everything that needs the server fails.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.session, c.renewing = nil, false
	l := c.life
	var r *run
	if l != nil {
		r = l.run
		l.wanted = false
		r.endKill()
	}
	c.mu.Unlock()
	if r != nil {
		<-r.over.done
	}
	c.catalog.close()
}

// live keeps the server up while it is wanted, and returns when it no longer is.
func (c *Client) live(l *life) {
	for r := l.run; r != nil; {
		c.runOnce(l, r)
		r = c.turn(l, r)
	}
}

// runOnce keeps the server alive until r is to end, and returns when nothing is left of it.
func (c *Client) runOnce(l *life, r *run) {
	var b backoff
	for r.stop.Err() == nil {
		s, readyAt, err := c.open(l, r)
		if err == nil {
			err = s.untilEnd(r.stop)
		}
		wait := never
		// The status stays true: the host is told of the end before the remains are cleared.
		if r.stop.Err() == nil {
			wait = c.ended(l, &b, readyAt, err)
		} else if c.wants(l) {
			c.become(l, Status{State: StateRestarting}, nil)
		}
		if s != nil {
			close(s.left)
			c.clear(r, s, err)
		}
		if r.stop.Err() == nil && c.rest(l, r, wait) {
			b = backoff{} // somebody has started it
		}
	}
}

// turn returns the run after r, which is over. It is nil when the server is to stay stopped; the
// host is told of that first.
func (c *Client) turn(l *life, r *run) (next *run) {
	defer r.endKill() // releases the contexts
	if !c.wants(l) {
		c.become(l, Status{State: StateStopped}, nil)
	}
	c.mu.Lock()
	if l.wanted { // also when it was asked for while the host was told
		next = c.newRun()
		l.run = next
		c.mu.Unlock()
		r.over.end(nil)
		return next
	}
	upwards := c.upwardsAnew(l)
	c.life = nil
	c.mu.Unlock()
	upwards.end(notReady(c.opts.Name, StateStopped, nil))
	r.over.end(nil)
	return nil
}

// wants reports whether the server is to be up.
func (c *Client) wants(l *life) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return l.wanted
}

// become changes the status and tells the host. Nothing else changes the status. Only
// the goroutine of l calls it, so that the host is told in order. takes is the session
// for calls, if the state is ready.
func (c *Client) become(l *life, to Status, takes *session) {
	c.mu.Lock()
	from := c.status.State
	if to.State == StateStarting {
		if (from == StateRestarting || l.again) && !c.renewing {
			c.restarts++
		}
		l.again = false
		select { // whoever wanted it now has it
		case <-l.wake:
		default:
		}
	}
	to.Restarts = c.restarts
	c.status = to
	switch to.State {
	case StateStarting: // as it was
	case StateRestarting:
		c.reopening = to.Err != nil && (to.Err.Kind == wire.KindSessionLost || to.Err.Kind == wire.KindUnreachable || to.Err.Kind == wire.KindHTTP)
	default:
		c.reopening = false
	}
	if to.State != StateStarting && l.run.stop.Err() == nil && (to.State != StateRestarting || to.Err != nil) {
		c.renewing = false // it is ready, or something has come between
	}
	close(c.changed)
	c.changed = make(chan struct{})
	c.session = nil
	if l.run.stop.Err() == nil && !c.closed {
		c.session = takes
	}
	if from == StateReady {
		c.upwardsAnew(l)
	}
	// A server that cannot be reached is tried for ever; whoever starts it is told the first time.
	vain := to.State == StateFailed || to.State == StateRestarting && c.reopening && from == StateStarting
	var upwards *Transition // that this ends
	if vain || c.session != nil {
		upwards = c.upwardsAnew(l)
		l.decided = true
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

	if upwards != nil {
		upwards.end(to.Err)
	}
}
