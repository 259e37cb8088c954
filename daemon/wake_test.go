//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// wantKind fails the test unless err is one of the daemon's own, of that kind and detail.
func wantKind(t *testing.T, what string, err error, kind editorapi.Kind, detail string) {
	t.Helper()
	var own *editorapi.Error
	if !errors.As(err, &own) || own.Kind != kind || own.Detail != detail || own.Message == "" {
		t.Errorf("%s: the error is %v, want %s %s", what, err, kind, detail)
	}
}

// An outcome is what a call that was begun came to.
type outcome struct {
	result string
	err    error
}

// begin begins a call of a tool.
func begin(a editorapi.Attachment, tool string) (cancel func(), done <-chan outcome) {
	return beginCall(a, `{"name":"`+tool+`","arguments":{}}`)
}

// beginCall is begin with the params as text.
func beginCall(a editorapi.Attachment, params string) (cancel func(), done <-chan outcome) {
	over := make(chan outcome, 2)
	cancel = a.Begin(editorapi.Call{Server: "fake", Method: "tools/call", Params: json.RawMessage(params), Cause: editorapi.Cause{ID: json.RawMessage("1")}}, nil,
		func(result json.RawMessage, err error, _ *cork.Cork) { over <- outcome{string(result), err} })
	return cancel, over
}

// newHeldDaemon returns a daemon whose servers start when release is called.
func newHeldDaemon(t *testing.T) (d *Daemon, folder string, release func()) {
	t.Helper()
	held := make(chan struct{})
	release = sync.OnceFunc(func() { close(held) })
	p := tempPaths(t)
	d = startDaemon(t, p, func() ([]int, error) {
		<-held
		return nil, nil
	})
	t.Cleanup(release)
	return d, filepath.Dir(p.Config), release
}

// The requests of an agent to a server that does not run start it, once, and wait for it. Those of an
// editor do not.
func TestFirstCallStartsTheServer(t *testing.T) {
	d, folder, release := newHeldDaemon(t)
	servers := fakeDefinition(t, plainScript)
	editor := attachWith(t, d, newScreen(), editorapi.AttachParams{Folders: opened(folder), Servers: servers})
	_, err := call(t.Context(), editor, "tools/list", `{}`)
	wantKind(t, "an editor", err, editorapi.KindServerNotReady, "stopped")

	agent, s := attachKnowing(t, d, folder, false, servers)
	var begun []<-chan outcome
	for range 20 {
		_, done := begin(agent, "echo")
		begun = append(begun, done)
	}
	waiting := make(chan outcome, 3)
	for _, request := range [][2]string{{"tools/list", `{}`}, {"resources/subscribe", `{"uri":"file:///r"}`}, {"completion/complete", `{}`}} {
		go func() {
			result, err := call(t.Context(), agent, request[0], request[1])
			waiting <- outcome{result, err}
		}()
	}
	s.await(t, "starting")
	select {
	case o := <-begun[0]:
		t.Errorf("before the server runs, a call came to %+v", o)
	default:
	}
	release()
	for _, done := range begun {
		if o := <-done; o.err != nil {
			t.Errorf("a call failed: %v", o.err)
		}
	}
	for range 3 {
		var theirs *editorapi.RPCError
		if o := <-waiting; o.err != nil && !errors.As(o.err, &theirs) {
			t.Errorf("a request did not reach the server: %v", o.err)
		}
	}
	if ready := s.await(t, "ready"); ready.Restarts != 0 {
		t.Errorf("it was started %d times more", ready.Restarts)
	}
	if result, err := call(t.Context(), editor, "tools/list", `{}`); err != nil || result == "" {
		t.Errorf("the editor's call came to %s, %v", result, err)
	}
}

// A server that a person has stopped stays stopped, whatever agents want of it.
func TestNoCallStartsWhatAPersonStopped(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	servers := fakeDefinition(t, plainScript)
	agent, s := attachKnowing(t, d, folder, true, servers)
	s.await(t, "ready")
	editor := attachWith(t, d, newScreen(), editorapi.AttachParams{Folders: opened(folder), Servers: servers})
	does(t, editor.StopServer("fake"))
	_, err := call(t.Context(), agent, "tools/list", `{}`)
	wantKind(t, "a request", err, editorapi.KindServerNotReady, "stopped")
	_, done := begin(agent, "echo")
	wantKind(t, "a call", (<-done).err, editorapi.KindServerNotReady, "stopped")
	if _, err := agent.StartServer("fake")(t.Context()); refusal(err) != "agent" {
		t.Errorf("an agent starts it: %v", err)
	}
	does(t, editor.StartServer("fake"))
	if _, err := call(t.Context(), agent, "tools/list", `{}`); err != nil {
		t.Errorf("after it was started again: %v", err)
	}
	if _, err := agent.StartServer("fake")(t.Context()); err != nil {
		t.Errorf("an agent starts what runs: %v", err)
	}
}

// Fault command-missing: each call of an agent tries a server that has failed once more, and fails with why.
func TestEachCallTriesOnce(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	agent, s := attachKnowing(t, d, folder, false, json.RawMessage(`{"fake":{"command":"/nowhere/at/all"}}`))
	for n := 1; n <= 2; n++ {
		_, done := begin(agent, "echo")
		wantKind(t, "a call", (<-done).err, editorapi.KindServerNotReady, "failed")
		s.await(t, "failed")
		lines := readLog(t, agent, 100, "", nil).Lines
		if tries := strings.Count(strings.Join(lines, "\n"), "daemon: failed"); tries != n {
			t.Errorf("after %d calls it was tried %d times", n, tries)
		}
	}
}

// A call that waits for its server can be cancelled, and ends with its agent. The server starts all the same.
func TestCallsThatWaitForTheirServerEnd(t *testing.T) {
	d, folder, release := newHeldDaemon(t)
	servers := fakeDefinition(t, plainScript)
	agent, s := attachKnowing(t, d, folder, false, servers)
	cancel, cancelled := begin(agent, "echo")
	_, left := begin(agent, "echo")
	s.await(t, "starting")
	cancel()
	wantKind(t, "a call that was cancelled", (<-cancelled).err, editorapi.KindCancelled, "")
	ctx, stop := context.WithCancel(t.Context())
	waits := make(chan error, 1)
	go func() {
		_, err := call(ctx, agent, "tools/list", `{}`)
		waits <- err
	}()
	stop()
	wantKind(t, "a request that was cancelled", <-waits, editorapi.KindCancelled, "")
	stays, s2 := attachKnowing(t, d, folder, false, servers)
	agent.Close()
	wantKind(t, "a call whose agent has gone", (<-left).err, editorapi.KindCancelled, "")
	release()
	s2.await(t, "ready")
	if _, err := call(t.Context(), stays, "tools/list", `{}`); err != nil {
		t.Errorf("another agent: %v", err)
	}
	cancel() // of a call that is over
	select {
	case o := <-cancelled:
		t.Errorf("a call ended twice: %+v", o)
	default:
	}
}

// An agent hears what it waits for, with progress that increases and leaves room for the server's own, and waits
// no longer than the server may take to start.
func TestProgressWhileAServerStarts(t *testing.T) {
	for _, tt := range []struct {
		name         string
		starts       time.Duration // 0 for never
		wanted       bool
		waits        time.Duration
		wantProgress []string
	}{
		{"at once", time.Second, true, time.Second, nil},
		{"after a while", 12 * time.Second, true, 12 * time.Second, []string{"1e-6", "2e-6"}},
		{"after a while, without progress", 12 * time.Second, false, 12 * time.Second, nil},
		{"never", 0, true, 13*time.Second + wakeMargin, []string{"1e-6", "2e-6"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				def := config.Definition{Name: "slow", StartTimeout: 13 * time.Second}
				e := &editor{d: &Daemon{}, set: &config.Set{Servers: []config.Definition{def}}}
				awake := make(chan struct{})
				if tt.starts > 0 {
					time.AfterFunc(tt.starts, func() { close(awake) })
				}
				var got []string
				call := editorapi.Call{Server: "slow"}
				if tt.wanted {
					call.Progress = func(params json.RawMessage) {
						if message := rawjson.String(params, "message"); message != `server "slow" is starting` {
							t.Errorf("the message is %q", message)
						}
						got = append(got, string(rawjson.Get(params, "progress")))
					}
				}
				began := time.Now()
				if err := e.awaitServer(t.Context(), call, awake); err == nil {
					t.Error("it is ready, though it is on no connection")
				}
				if waited := time.Since(began); waited != tt.waits {
					t.Errorf("it waited for %v", waited)
				}
				if !slices.Equal(got, tt.wantProgress) {
					t.Errorf("progress %q", got)
				}
			})
		})
	}
}
