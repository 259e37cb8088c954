package daemon

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// stopBudget bounds how long an editor waits for a server to stop: the calls under
// way get drainTimeout, the process its grace periods.
const stopBudget = drainTimeout + 10*time.Second

// start starts the server for e, whose environment and umask it gets, and asks e for the
// inputs that are missing first; with again, a server that runs is stopped before. It
// returns at once. The channel is closed when the server is ready or has failed.
func (d *Daemon) start(c *connection, e *editor, again bool) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := c.starting
	// A server that is ready has been started, which may only not be noted yet: a restart
	// is then one more, not the same.
	if before != nil && (!again || c.restarting || c.status.State != mcpclient.StateReady) {
		return before
	}
	over := make(chan struct{})
	if d.closing {
		close(over)
		return over
	}
	c.starting, c.restarting, c.halted = over, again, false
	if again || c.status.State != mcpclient.StateReady {
		c.env, c.umask = e.env, e.umask
	}
	c.show()
	d.running.Go(func() {
		if before != nil {
			<-before
		}
		d.askInputs(c, e)
		d.mu.Lock()
		wanted := !d.closing && !c.halted
		d.mu.Unlock()
		if wanted {
			begin := c.client.Start
			if again {
				begin = c.client.Restart
			}
			if err := begin(d.ctx); err != nil {
				c.log.Info("not started", zap.Error(err))
			}
		}
		d.mu.Lock()
		if c.starting == over {
			c.starting = nil
		}
		close(over)
		c.show()
		d.mu.Unlock()
	})
	return over
}

// StartServer implements [editorapi.Attachment].
func (e *editor) StartServer(ctx context.Context, server string) (editorapi.Server, error) {
	return e.audited(auditStart, server, func() (editorapi.Server, error) { return e.startServer(ctx, server, false) })
}

// RestartServer implements [editorapi.Attachment].
func (e *editor) RestartServer(ctx context.Context, server string) (editorapi.Server, error) {
	return e.audited(auditRestart, server, func() (editorapi.Server, error) { return e.startServer(ctx, server, true) })
}

// startServer asks about a server that waits for approval, starts it and waits
// until it is ready or failed. Failing is an answer, not an error: the view says why.
func (e *editor) startServer(ctx context.Context, server string, again bool) (editorapi.Server, error) {
	e.Used()
	e.d.mu.Lock()
	def, c, err := e.definition(server)
	var asked *approvalQuestion
	if err == nil && c == nil && e.undecided(def) {
		asked = e.d.askNow(e, def)
	}
	e.d.mu.Unlock()
	if err != nil {
		return editorapi.Server{}, err
	}
	if asked != nil {
		select {
		case <-asked.done:
		case <-ctx.Done():
			e.d.mu.Lock()
			asked.unwait()
			e.d.mu.Unlock()
			return editorapi.Server{}, e.asEditorError(ctx, server, ctx.Err())
		}
	}
	e.d.mu.Lock()
	if def, c, err = e.definition(server); err == nil && c == nil {
		err = e.notReady(def)
	}
	if err == nil && (again || c.status.State != mcpclient.StateReady) {
		c.asked.unmute()
	}
	e.d.mu.Unlock()
	if err != nil {
		return editorapi.Server{}, err
	}
	select {
	case <-e.d.start(c, e, again):
		return e.answer(ctx, server)
	case <-ctx.Done():
		return editorapi.Server{}, e.asEditorError(ctx, server, ctx.Err())
	}
}

// StopServer implements [editorapi.Attachment]. The server stays stopped for
// all editors that share it until one of them starts it.
func (e *editor) StopServer(ctx context.Context, server string) (editorapi.Server, error) {
	return e.audited(auditStop, server, func() (editorapi.Server, error) { return e.stopServer(ctx, server) })
}

// stopServer is StopServer without the audit.
func (e *editor) stopServer(ctx context.Context, server string) (editorapi.Server, error) {
	e.Used()
	e.d.mu.Lock()
	_, c, err := e.definition(server)
	if c != nil {
		c.halted = true
	}
	e.d.mu.Unlock()
	if err != nil {
		return editorapi.Server{}, err
	}
	if c != nil {
		// The editor may go or lose patience; what was begun is ended all the same.
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopBudget)
		defer cancel()
		if err := c.client.Stop(stop); err != nil {
			return editorapi.Server{}, e.asEditorError(ctx, server, err)
		}
	}
	return e.answer(ctx, server)
}
