package daemon

import (
	"context"
	"errors"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/oauth"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// SignIn implements [editorapi.Attachment].
func (e *editor) SignIn(server string) editorapi.Change {
	e.Used()
	if err := e.needsPerson(server, "sign in"); err != nil {
		return e.audited(auditSignIn, server, failed(err))
	}
	return e.audited(auditSignIn, server, func(ctx context.Context) (editorapi.Server, error) {
		c, signedIn, err := e.reach(ctx, server)
		if err == nil && !signedIn {
			err = e.signIn(ctx, c)
			switch {
			case !isHopeless(err):
			case c.is(mcpclient.StateReady):
				err = noSignIn(server, "it is ready without that, and its endpoint offers none")
			default: // so it was a password that it refused
				c.forgetRefused()
			}
		}
		if err != nil {
			return editorapi.Server{}, e.signInError(ctx, server, err)
		}
		return e.answer(ctx, server) // of a server that could not be reached, too
	})
}

// isHopeless reports whether err says that nobody can sign in there as the server is defined.
func isHopeless(err error) bool {
	why, ok := errors.AsType[*wire.Error](err)
	return ok && why.Kind == wire.KindUnauthorized && why.Detail != ""
}

// reach returns the connection of a server that you can sign in to. It first starts one that is not ready, because it
// is the server that says where to sign in. signedIn says that it got ready with credentials that are there
// already, such as those of somebody who was a moment faster.
func (e *editor) reach(ctx context.Context, server string) (c *connection, signedIn bool, err error) {
	e.d.mu.Lock()
	def, c, err := e.placed(server)
	if err == nil && !def.SignsIn() {
		err = noSignIn(server, "it has no use for a sign-in: it is a process on this machine, or its configuration has a header Authorization")
	}
	asked := err == nil && (c.account == nil || c.status.State != mcpclient.StateReady && (c.hasCredentials() || !c.wantsSignIn()))
	e.d.mu.Unlock()
	if err != nil || !asked {
		return c, false, err
	}
	if !await(ctx, e.d.start(c, e, false)) {
		return nil, false, ctx.Err()
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	return c, c.status.State == mcpclient.StateReady && c.hasCredentials(), nil
}

// hasCredentials reports whether somebody is signed in to the server. d.mu is held.
func (c *connection) hasCredentials() bool {
	return c.account != nil && c.account.auth.State().Issuer != ""
}

func noSignIn(server, why string) error {
	return &editorapi.Error{Kind: editorapi.KindCapabilityNotSupported, Server: server, Message: "you cannot sign in to this server: " + why}
}

// signIn signs in to the server of c, if it was reached, and starts what waited for that.
func (e *editor) signIn(ctx context.Context, c *connection) error {
	e.d.mu.Lock()
	known := c.account != nil // else its variables have no value, or it was not started
	e.d.mu.Unlock()
	if !known {
		return nil
	}
	w := &waiter{e: e, c: c}
	w.ctx, w.giveUp = context.WithCancelCause(ctx)
	defer w.giveUp(nil)
	f, err := e.d.join(w)
	if err != nil {
		return err
	}
	if await(w.ctx, f.done) {
		err = f.err
	} else {
		err = context.Cause(w.ctx)
	}
	if e.d.leaveFlow(f, w); f.ctx.Err() != nil { // the state of the server says so before the answer does
		await(ctx, f.done)
	}
	if err != nil || c.is(mcpclient.StateReady) {
		return err
	}
	if !await(ctx, e.d.start(c, e, false)) {
		return ctx.Err()
	}
	return nil
}

// FinishSignIn implements [editorapi.Attachment].
func (e *editor) FinishSignIn(server, response string) error {
	e.Used()
	if err := e.needsPerson(server, "sign in"); err != nil {
		return err
	}
	e.d.mu.Lock()
	_, c, err := e.definition(server)
	var a *account
	if err == nil && c != nil {
		a = c.account
	}
	e.d.mu.Unlock()
	if err != nil {
		return err
	}
	if a == nil {
		err = oauth.ErrNoSignIn
	} else {
		err = a.auth.Paste(response)
	}
	switch {
	case errors.Is(err, oauth.ErrNoSignIn):
		return &editorapi.Error{Kind: editorapi.KindSignInFailed, Server: server, Message: "no sign-in to this server is under way; run: " + editorapi.SignInCommand(server)}
	case err != nil:
		return &editorapi.Error{Kind: editorapi.KindInvalidParams, Server: server, Detail: "response", Message: err.Error()}
	}
	return nil
}

// signInError returns the error of a sign-in as the editor gets it.
func (e *editor) signInError(ctx context.Context, server string, err error) error {
	if ours, ok := errors.AsType[*editorapi.Error](err); ok {
		return ours
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, errNobodyWaits) {
		return &editorapi.Error{Kind: editorapi.KindCancelled, Server: server, Message: "the sign-in was cancelled"}
	}
	failed, isFailed := errors.AsType[*oauth.Failed](err)
	why, isWire := errors.AsType[*wire.Error](err)
	switch {
	case isFailed:
		return &editorapi.Error{Kind: editorapi.KindSignInFailed, Server: server, Message: failed.Message}
	case isWire:
		return &editorapi.Error{Kind: editorapi.KindSignInFailed, Server: server, Detail: why.Detail, Message: why.Message}
	}
	return e.asEditorError(ctx, server, err)
}
