package daemon

import (
	"cmp"
	"context"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// SignOut implements [editorapi.Attachment]. It forgets the passwords of the definition, too. The server
// is started anew, to learn what it says without credentials, unless that would ask for the passwords at
// once.
func (e *editor) SignOut(server string) editorapi.Change {
	e.Used()
	if err := e.needsPerson(server, "sign out"); err != nil {
		return e.audited(auditSignOut, server, failed(err))
	}
	return e.audited(auditSignOut, server, func(ctx context.Context) (editorapi.Server, error) {
		if err := e.signOut(ctx, server); err != nil {
			return editorapi.Server{}, e.signInError(ctx, server, err)
		}
		return e.answer(ctx, server)
	})
}

func (e *editor) signOut(ctx context.Context, server string) error {
	d := e.d
	d.mu.Lock()
	def, c, err := e.placed(server)
	if err != nil {
		d.mu.Unlock()
		return err
	}
	passwords := e.passwords(def)
	if !def.SignsIn() && len(passwords) == 0 {
		d.mu.Unlock()
		return noSignIn(server, "the daemon keeps nothing of it")
	}
	definition, vars, env, a := c.def, c.vars(), c.env, c.account
	d.mu.Unlock()

	var unknown error
	if a == nil { // it has not been reached since the daemon was started
		if definition, unknown = definition.Expand(vars); unknown == nil {
			a = c.takeAccount(definition, env)
		}
	}
	if a != nil {
		d.mu.Lock()
		if a.flow != nil {
			a.flow.cancel(errStopped)
		}
		d.mu.Unlock()
		if err := a.auth.SignOut(ctx); err != nil {
			return &editorapi.Error{Kind: editorapi.KindSignInFailed, Server: server, Message: "the credentials may still be kept: " + err.Error()}
		}
	}
	if err := d.forgetPasswords(ctx, def, passwords); err != nil {
		return &editorapi.Error{Kind: editorapi.KindSignInFailed, Server: server, Message: "the passwords may still be kept: " + err.Error()}
	}
	if unknown != nil { // what its variables are decides whose credentials they are
		return &editorapi.Error{Kind: editorapi.KindSignInFailed, Server: server, Message: "the credentials may still be kept: " + unknown.Error() + "; start the server, and sign out again"}
	}
	return e.afterSignOut(ctx, a, len(passwords) > 0)
}

// afterSignOut has the servers of a learn that nobody is signed in, and waits for that.
func (e *editor) afterSignOut(ctx context.Context, a *account, stop bool) error {
	if a == nil {
		return nil
	}
	d := e.d
	d.mu.Lock()
	var running []*connection
	for _, c := range d.conns {
		if c.account == a && len(c.members) > 0 && c.status.State != mcpclient.StateStopped {
			running = append(running, c)
		}
	}
	d.mu.Unlock()
	for _, c := range running {
		if stop {
			d.mu.Lock()
			transition := c.stop()
			d.mu.Unlock()
			if err := transition.Wait(ctx); err != nil {
				return err
			}
			continue
		}
		member := cmp.Or(c.firstMember(), e) // it may have left meanwhile
		if !await(ctx, d.start(c, member, true)) {
			return ctx.Err()
		}
	}
	return nil
}
