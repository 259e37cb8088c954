package daemon

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// stopBudget bounds how long an editor waits for a server to stop: calls under way get
// drainTimeout, and the process gets its grace periods.
const stopBudget = drainTimeout + 10*time.Second

// start is a requested start or restart.
type start struct {
	ctx    context.Context // of the questions about inputs; ends when the start is cancelled
	cancel context.CancelFunc
	over   chan struct{} // closed when the server is ready, has failed, or will not be started

	// Guarded by d.mu.
	again  bool           // end a server that runs first
	asking bool           // inputs are being asked for; the client knows nothing of the start yet
	input  *inputQuestion // what it waits for; nil for nothing
}

// start starts the server for e. It asks e for missing inputs first; with again, it also ends a server that runs. It returns at once. The channel is closed when
// the server is ready, has failed, or was stopped.
func (d *Daemon) start(c *connection, e *editor, again bool) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.begin(c, e, again)
}

// begin is start with d.mu held.
func (d *Daemon) begin(c *connection, e *editor, again bool) <-chan struct{} {
	if s := c.starting; s != nil && (s.asking || !again) {
		s.again = s.again || again
		return s.over
	}
	s := &start{again: again, asking: true, over: make(chan struct{})}
	if d.closing {
		close(s.over)
		return s.over
	}
	s.ctx, s.cancel = context.WithCancel(e.ctx)
	c.starting, c.halted = s, false
	c.show()
	d.running.Go(func() {
		defer s.cancel()
		d.askInputs(c, e, s)
		if transition := d.tellClient(c, s); transition != nil {
			if err := transition.Wait(d.ctx); err != nil {
				c.log.Info("not started", zap.Error(err))
			}
			d.awaitRenewal(c)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if c.starting == s {
			c.starting = nil
		}
		close(s.over)
		c.show()
	})
	return s.over
}

// awaitRenewal waits until the server has been initialized anew, if that is under way.
func (d *Daemon) awaitRenewal(c *connection) {
	d.mu.Lock()
	renewing := c.renewing
	d.mu.Unlock()
	if renewing == nil {
		return
	}
	if err := renewing.Wait(d.ctx); err != nil {
		c.log.Info("not initialized anew", zap.Error(err))
	}
}

// tellClient passes s on to the client. It returns nil when s was cancelled. It holds d.mu, so the
// client hears of starts and stops in the order in which they were asked for.
func (d *Daemon) tellClient(c *connection, s *start) *mcpclient.Transition {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch s.asking = false; {
	case c.starting != s, d.closing:
		return nil
	case s.again:
		return c.client.Restart()
	default:
		return c.client.Start()
	}
}

// stop stops the server and cancels a start that is under way. d.mu is held.
func (c *connection) stop() *mcpclient.Transition {
	c.halted = true
	c.endSignIn()
	if c.starting != nil {
		c.starting.cancel()
		c.starting = nil
		c.show()
	}
	return c.client.Stop()
}

// StartServer implements [editorapi.Attachment].
func (e *editor) StartServer(server string) editorapi.Change {
	return e.audited(auditStart, server, e.bringUp(server, false))
}

// RestartServer implements [editorapi.Attachment].
func (e *editor) RestartServer(server string) editorapi.Change {
	if err := e.needsPerson(server, "restart a server"); err != nil {
		return e.audited(auditRestart, server, failed(err))
	}
	return e.audited(auditRestart, server, e.bringUp(server, true))
}

// bringUp asks about a server that waits for approval, and starts it. A server that fails is an
// answer, not an error: the view says why. An agent is not asked.
func (e *editor) bringUp(server string, again bool) editorapi.Change {
	e.Used()
	e.d.mu.Lock()
	def, c, err := e.definition(server)
	var asked *approvalQuestion
	if err == nil && c == nil && e.undecided(def) && e.agent == nil {
		asked = e.d.askNow(e, e.mayRun(def))
	}
	e.d.mu.Unlock()
	if asked == nil {
		return e.startNow(server, again)
	}
	return func(ctx context.Context) (editorapi.Server, error) {
		if !await(ctx, asked.done) {
			e.d.mu.Lock()
			asked.unwait()
			e.d.mu.Unlock()
			return editorapi.Server{}, e.asEditorError(ctx, server, ctx.Err())
		}
		return e.startNow(server, again)(ctx)
	}
}

// startNow starts a server that may run.
func (e *editor) startNow(server string, again bool) editorapi.Change {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	_, c, err := e.placed(server)
	if err == nil {
		err = e.mayStart(c)
	}
	if err != nil {
		return failed(err)
	}
	if e.agent == nil && (again || c.status.State != mcpclient.StateReady) {
		c.asked.unmute()
	}
	over := e.d.begin(c, e, again)
	return func(ctx context.Context) (editorapi.Server, error) {
		if !await(ctx, over) {
			return editorapi.Server{}, e.asEditorError(ctx, server, ctx.Err())
		}
		return e.answer(ctx, server)
	}
}

// failed returns the change that fails with err.
func failed(err error) editorapi.Change {
	return func(context.Context) (editorapi.Server, error) { return editorapi.Server{}, err }
}

// StopServer implements [editorapi.Attachment]. The server stays stopped for all editors that share
// it until one of them starts it.
func (e *editor) StopServer(server string) editorapi.Change {
	e.Used()
	if err := e.needsPerson(server, "stop a server"); err != nil {
		return e.audited(auditStop, server, failed(err))
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	_, c, err := e.definition(server)
	if err != nil {
		return e.audited(auditStop, server, failed(err))
	}
	var stopping *mcpclient.Transition
	if c != nil {
		stopping = c.stop()
	}
	return e.audited(auditStop, server, func(ctx context.Context) (editorapi.Server, error) {
		if stopping != nil {
			waiting, cancel := context.WithTimeout(ctx, stopBudget)
			defer cancel()
			if err := stopping.Wait(waiting); err != nil {
				return editorapi.Server{}, e.asEditorError(ctx, server, err)
			}
		}
		return e.answer(ctx, server)
	})
}
