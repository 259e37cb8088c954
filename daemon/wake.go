package daemon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// This file has what starts servers for agents: the first call of each, and their attach where nobody knows
// yet what a server offers.

// wake starts a server for a request of an agent, unless it runs. The channel is closed when the server is
// ready, has failed, or was stopped; it is nil when there is nothing to wait for. A server stays as it is
// that a person has stopped, or that waits for a person: the request then fails with what to do. For a
// request on which the rules have a say, [editor.mayCall] calls wake.
func (e *editor) wake(server, method string) <-chan struct{} {
	if e.agent == nil || method == wire.MethodUnsubscribe {
		return nil
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	_, c, err := e.definition(server)
	if err != nil || c == nil || c.needsPerson() || c.status.State == mcpclient.StateReady {
		return nil
	}
	return e.d.begin(c, e, false)
}

// needsPerson reports whether the server runs again only when a person wants it to. d.mu is held.
func (c *connection) needsPerson() bool { return c.halted || c.wantsSignIn() }

// wakeMargin is how much longer than its start timeout a server is waited for: a server that is too slow
// says so itself.
const wakeMargin = time.Second

// wakeProgress is how often somebody who waits for a start gets progress, so that an agent waits on. "The progress value
// MUST increase with each notification" (MCP 2025-11-25, Progress): it leaves room for what the server says.
const wakeProgress = 5 * time.Second

// awaitServer waits until awake is closed, which may be nil, and returns why the server is not ready then. It
// waits no longer than the server has to start, though a person may be asked for an input, or a server
// that ends at once be started again. Whoever wants progress of the call hears now and then what it waits for.
func (e *editor) awaitServer(ctx context.Context, call editorapi.Call, awake <-chan struct{}) error {
	if awake == nil {
		return nil
	}
	e.d.mu.Lock()
	def, _, err := e.definition(call.Server)
	e.d.mu.Unlock()
	if err != nil {
		return err
	}
	late := time.NewTimer(cmp.Or(def.StartTimeout, mcpclient.DefaultStartTimeout) + wakeMargin)
	defer late.Stop()
	said := time.NewTicker(wakeProgress)
	defer said.Stop()
	message := rawjson.Quote(fmt.Sprintf("server %q is starting", call.Server))
	for n, waiting := 1, true; waiting; n++ {
		select {
		case <-awake:
			waiting = false
		case <-late.C:
			waiting = false
		case <-said.C:
			if call.Progress != nil {
				call.Progress(fmt.Appendf(nil, `{"progress":%de-6,"message":%s}`, n, message))
			}
		case <-ctx.Done():
			return e.asEditorError(ctx, call.Server, ctx.Err())
		}
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	var c *connection
	if def, c, err = e.definition(call.Server); err == nil && (c == nil || c.status.State != mcpclient.StateReady) { // one attempt for each request
		err = e.notReady(def)
	}
	return err
}

// beginLate is Begin for a call that may have to wait, for a server that is being started or for a person: it
// has a goroutine.
func (e *editor) beginLate(began time.Time, call editorapi.Call, awake <-chan struct{}, done editorapi.Done) (cancel func()) {
	ctx, cancel := context.WithCancel(e.ctx)
	e.d.running.Go(func() {
		defer cancel()
		result, err := e.route(ctx, call, awake)
		e.d.audit.call(e, began, call, result, err, nil)
		done(result, err, nil)
	})
	return cancel
}

// startUnknown starts those of servers for e of which nothing is known that they offer. All others
// start when somebody calls them.
func (d *Daemon) startUnknown(e *editor, servers []*connection) {
	var readings []*reading
	d.mu.Lock()
	for _, c := range servers {
		readings = append(readings, c.readKept())
	}
	d.mu.Unlock()
	for i, c := range servers {
		if !await(e.ctx, readings[i].done) {
			return
		}
		d.mu.Lock()
		if readings[i].kept.offers == nil && c.said == nil && c.idle() && slices.Contains(c.members, e) {
			d.begin(c, e, false)
		}
		d.mu.Unlock()
	}
}
