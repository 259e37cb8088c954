//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// attachRemote attaches an editor with the server "remote", which wants somebody to sign in. The user of the editor does so
// whenever it is asked.
func attachRemote(t *testing.T, d *Daemon, folder string, auth *authserver.Server) (*editor, *screen) {
	t.Helper()
	s := newScreen()
	s.visit = func(ctx context.Context, v editorapi.Visit) (bool, error) {
		_, err := authserver.Browser{}.Visit(ctx, v.SignIn.URL)
		return err == nil, err
	}
	servers, err := json.Marshal(map[string]any{"remote": map[string]any{"url": auth.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	a := attachWith(t, d, s, editorapi.AttachParams{Folders: opened(folder), Servers: servers, AutoStart: true, DynamicCommands: true})
	s.await(t, "needsSignIn")
	return a.(*editor), s
}

// Who signs in again right after giving up gets a sign-in, not the end of the last one.
func TestSignInAfterOneThatIsEnding(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	e, s := attachRemote(t, d, folder, authserver.New(t, authserver.Options{}))
	d.mu.Lock()
	account := e.on["remote"].account
	ending := &flow{done: make(chan struct{})}
	ending.ctx, ending.cancel = context.WithCancelCause(d.ctx)
	ending.cancel(errNobodyWaits)
	account.flow = ending
	d.mu.Unlock()

	done := begins(t.Context(), e.SignIn("remote"))
	for waits := false; !waits; runtime.Gosched() {
		d.mu.Lock()
		waits = account.flow == ending && len(ending.waiters) == 0
		account.flow = nil
		d.mu.Unlock()
	}
	close(ending.done)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	s.await(t, "ready")
}

// A server that somebody is just stopping stays stopped, though somebody else signs in to it.
func TestSignInStartsNothingThatIsBeingStopped(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	e, _ := attachRemote(t, d, folder, authserver.New(t, authserver.Options{}))
	c := e.connection("remote")
	d.mu.Lock()
	c.halted = true // as stop does; the client has not said yet that it has stopped
	d.mu.Unlock()
	w := &waiter{e: e, c: c}
	w.ctx, w.giveUp = context.WithCancelCause(t.Context())
	f, err := d.join(w)
	if err != nil {
		t.Fatal(err)
	}
	if <-f.done; f.err != nil {
		t.Fatal(f.err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !c.halted {
		t.Error("it was started")
	}
}

// Nothing is said to be forgotten that nobody can find.
func TestSignOutOfAnUnknownAddress(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	s := newScreen()
	a := attachWith(t, d, s, editorapi.AttachParams{
		Folders: opened(folder), Servers: json.RawMessage(`{"remote": {"url": "https://${env:NOT_SET_ANYWHERE}.example/mcp"}}`),
		DynamicCommands: true,
	})
	_, err := a.SignOut("remote")(t.Context())
	failed, ok := errors.AsType[*editorapi.Error](err)
	if !ok || failed.Kind != editorapi.KindSignInFailed || !strings.Contains(failed.Message, "NOT_SET_ANYWHERE") {
		t.Errorf("the error is %v", err)
	}
}

// An editor that knows nothing of the state of servers is told of the address, though somebody else began. Who does
// not want to go there ends the wait of nobody else.
func TestSignInOfSeveral(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	auth := authserver.New(t, authserver.Options{})
	first, s := attachRemote(t, d, folder, auth)
	second, plain := attachRemote(t, d, folder, auth)
	goOn, asked := make(chan struct{}), make(chan editorapi.Visit, 2)
	open := s.visit
	s.visit = func(ctx context.Context, v editorapi.Visit) (bool, error) {
		asked <- v
		<-goOn
		return open(ctx, v)
	}
	plain.visit = func(_ context.Context, v editorapi.Visit) (bool, error) {
		asked <- v
		return false, &editorapi.Error{Kind: editorapi.KindCancelled, Message: "no"}
	}
	done := begins(t.Context(), first.SignIn("remote"))
	address := <-asked
	_, err := second.SignIn("remote")(t.Context())
	if declined, ok := errors.AsType[*editorapi.Error](err); !ok || declined.Kind != editorapi.KindCancelled {
		t.Errorf("who declines gets %v", err)
	}
	if other := <-asked; other.SignIn.URL != address.SignIn.URL {
		t.Errorf("the addresses are %s and %s", address.SignIn.URL, other.SignIn.URL)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Errorf("who goes there gets %v", err)
	}
	plain.await(t, "ready")
}

// A stop ends the wait of those who wait for this connection only.
func TestStopEndsNoSignInOfOthers(t *testing.T) {
	d, _ := newTestDaemon(t, time.Hour)
	c, other := &connection{d: d, name: "remote"}, &connection{d: d, name: "remote"}
	a := &account{flow: &flow{done: make(chan struct{})}}
	a.flow.ctx, a.flow.cancel = context.WithCancelCause(t.Context())
	c.account, other.account = a, a
	wait := func(c *connection) *waiter {
		w := &waiter{c: c, e: &editor{d: d}}
		w.ctx, w.giveUp = context.WithCancelCause(t.Context())
		if _, err := d.join(w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	mine, theirs := wait(c), wait(other)
	d.mu.Lock()
	c.endSignIn()
	d.mu.Unlock()
	if !errors.Is(context.Cause(mine.ctx), errStopped) || theirs.ctx.Err() != nil {
		t.Errorf("they ended for %v and %v", context.Cause(mine.ctx), context.Cause(theirs.ctx))
	}
	d.leaveFlow(a.flow, mine)
	if a.flow.ctx.Err() != nil {
		t.Error("it ended though somebody waits")
	}
	d.leaveFlow(a.flow, theirs)
	if a.flow.ctx.Err() == nil {
		t.Error("it goes on though nobody waits")
	}
}
