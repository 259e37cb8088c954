package daemon

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient/oauth"
)

// flow is a sign-in that is under way. However many ask, there is one for an account.
type flow struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when it is over
	err    error         // set before

	// Guarded by Daemon.mu.
	waiters []*waiter         // who wait for it; it ends when nobody does
	shown   *editorapi.SignIn // nil before the address is known
}

// waiter is an editor that waits for a flow, to use a server on a connection.
type waiter struct {
	e       *editor
	c       *connection
	ctx     context.Context
	giveUp  context.CancelCauseFunc // ends its wait, and says why
	visited bool                    // it was asked to go to the address; guarded by Daemon.mu
}

var (
	errNobodyWaits = errors.New("nobody waits for it any more")
	errStopped     = &oauth.Failed{Message: "the sign-in was ended, because the server was stopped or signed out"}
	errUndefined   = &oauth.Failed{Message: "the sign-in was ended, because the server is no longer defined as it was; sign in again"}
)

// join has w wait for the sign-in to the server of its connection, which it begins if none is under way. Nobody
// can join one that is ending: join waits for its end, and begins another.
func (d *Daemon) join(w *waiter) (*flow, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		a := w.c.account
		switch {
		case w.ctx.Err() != nil:
			return nil, context.Cause(w.ctx)
		case d.closing:
			return nil, context.Canceled
		case a == nil:
			return nil, errUndefined
		case a.flow == nil:
			f := &flow{done: make(chan struct{})}
			f.ctx, f.cancel = context.WithCancelCause(d.ctx)
			a.flow = f
			d.running.Go(func() { d.run(w.c.name, a, f) })
		}
		f := a.flow
		if f.ctx.Err() == nil {
			f.waiters = append(f.waiters, w)
			d.show(w.c.name, f)
			return f, nil
		}
		d.mu.Unlock()
		await(w.ctx, f.done)
		d.mu.Lock()
	}
}

// leaveFlow ends the wait of w. A flow that nobody waits for ends.
func (d *Daemon) leaveFlow(f *flow, w *waiter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f.waiters = slices.DeleteFunc(f.waiters, func(other *waiter) bool { return other == w })
	if len(f.waiters) == 0 {
		f.cancel(errNobodyWaits)
	}
}

// run is the one goroutine of f, a sign-in to the named server.
func (d *Daemon) run(server string, a *account, f *flow) {
	err := a.auth.SignIn(f.ctx, func(v oauth.Visit) error { return d.visit(server, a, f, v) })
	if err != nil {
		d.log.Info("nobody signed in", zap.String("server", server), zap.Error(err))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a.flow = nil
	for _, c := range d.conns { // of other editors, too
		if c.account != a {
			continue
		}
		c.show()
		if err == nil && c.wantsSignIn() && c.idle() && len(c.members) > 0 {
			d.begin(c, c.members[0], false)
		}
	}
	f.err = err
	f.cancel(nil)
	close(f.done)
}

// visit takes the address of a sign-in: all editors that have the server are told of it.
func (d *Daemon) visit(server string, a *account, f *flow, v oauth.Visit) error {
	u, err := url.Parse(v.URL)
	if err != nil || strings.ContainsFunc(v.URL, unfitForURL) {
		return &oauth.Failed{Message: "the authorization server names an address that is not valid; it is not opened"}
	}
	host, warnings, err := examineHost(u)
	if err != nil {
		return &oauth.Failed{Message: "the authorization server names a host that is not valid; it is not opened"}
	}
	d.mu.Lock()
	f.shown = &editorapi.SignIn{
		URL: v.URL, Host: host, Warning: strings.Join(warnings, ", and "), RedirectURI: v.RedirectURI, Until: v.Until.UTC().Format(time.RFC3339),
	}
	d.show(server, f)
	d.mu.Unlock()
	d.accountChanged(a)
	return nil
}

// show has the editor that began f go to the address, once that is known. Other editors that know of servers find it
// in the state of the server; any other that waits has no other way to learn of it. d.mu is held.
func (d *Daemon) show(server string, f *flow) {
	if f.shown == nil {
		return
	}
	for i, w := range f.waiters {
		if w.visited || i > 0 && w.e.caps.MCP {
			continue
		}
		w.visited = true
		v := editorapi.Visit{Server: server, SignIn: *f.shown}
		d.running.Go(func() { w.visit(v) })
	}
}

// visit has the editor of w go to an address, until its wait is over. Who does not want to go there gives up.
func (w *waiter) visit(v editorapi.Visit) {
	w.e.told(w.ctx) // so that it knows what the address is for
	opened, err := w.e.api.Visit(w.ctx, v)
	if declined, ok := errors.AsType[*editorapi.Error](err); ok {
		w.giveUp(declined)
	}
	w.e.log.Info("an address to sign in at was shown", zap.String("server", v.Server), zap.String("host", v.SignIn.Host), zap.Bool("opened", opened))
}

// endSignIn ends the wait of all who wait for a sign-in to use the server on this connection. d.mu is held.
func (c *connection) endSignIn() {
	if c.account == nil || c.account.flow == nil {
		return
	}
	for _, w := range c.account.flow.waiters {
		if w.c == c {
			w.giveUp(errStopped)
		}
	}
}
