//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/testkit/fakeserver"
)

// TestFakeServerProcess is the server that these tests run: this binary again.
func TestFakeServerProcess(t *testing.T) {
	if os.Getenv(fakeserver.Env) == "" {
		t.Skip("not a server")
	}
	fakeserver.Main()
}

// screen is an editor as the daemon sees it: it keeps what it is told.
type screen struct {
	mu      sync.Mutex // guards the fields that follow
	servers []editorapi.Server
	told    chan struct{} // closed and replaced whenever something was
}

func newScreen() *screen { return &screen{told: make(chan struct{})} }

func (s *screen) Ask(ctx context.Context, _ string, _ any) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s *screen) Notify(_ string, params any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := params.(editorapi.Server); ok {
		s.servers = append(s.servers, server)
	}
	close(s.told)
	s.told = make(chan struct{})
	return nil
}

func (s *screen) Relay(string, any) error { return nil }

func (s *screen) Approve(context.Context, editorapi.ApproveParams) (editorapi.Decision, error) {
	return editorapi.DecisionLater, nil
}

func (s *screen) ShowMessage(editorapi.Severity, string) error { return nil }
func (s *screen) CatalogChanged(string, []string)              {}

// await waits for a server to be shown in a state.
func (s *screen) await(t *testing.T, state string) editorapi.Server {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		s.mu.Lock()
		told := s.told
		i := slices.IndexFunc(s.servers, func(v editorapi.Server) bool { return v.State == state })
		if i >= 0 {
			defer s.mu.Unlock()
			return s.servers[i]
		}
		shown := fmt.Sprint(s.servers)
		s.mu.Unlock()
		select {
		case <-told:
		case <-deadline:
			t.Fatalf("never %s; shown was %s", state, shown)
		}
	}
}

// newTestDaemon returns a daemon without a socket, and a folder.
func newTestDaemon(t *testing.T, linger time.Duration) (d *Daemon, folder string) {
	t.Helper()
	dir := t.TempDir()
	d, err := newDaemon(Options{
		Paths:  Paths{Socket: filepath.Join(dir, "s"), Config: filepath.Join(dir, "mcp.json"), StateDir: filepath.Join(dir, "state")},
		Linger: linger,
	}, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	return d, dir
}

// attachEditor attaches an editor with one server.
func attachEditor(t *testing.T, d *Daemon, folder string) (editorapi.Attachment, *screen) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	servers, err := json.Marshal(map[string]any{"fake": map[string]any{
		"command": exe, "args": []string{"-test.run=^TestFakeServerProcess$"}, "env": map[string]string{fakeserver.Env: `{"plain":true}`},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := newScreen()
	a, err := d.Attach(t.Context(), s, editorapi.AttachParams{
		Folders: []editorapi.Folder{{URI: fileuri.FromPath(folder)}}, Servers: servers, AutoStart: true, DynamicCommands: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Initialized()
	return a, s
}

// awaitConnections waits until so many are there.
func (d *Daemon) awaitConnections(t *testing.T, n int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		d.mu.Lock()
		have := len(d.conns)
		d.mu.Unlock()
		switch {
		case have == n:
			return
		case time.Now().After(deadline):
			t.Fatalf("there are %d connections, want %d", have, n)
		}
		<-time.After(time.Millisecond)
	}
}

// The last editor gone, a connection stays for a while, then ends.
func TestLinger(t *testing.T) {
	t.Run("an editor that comes back finds its server", func(t *testing.T) {
		d, folder := newTestDaemon(t, time.Hour)
		first, s := attachEditor(t, d, folder)
		pid := s.await(t, "ready").PID
		first.Close()
		second, s := attachEditor(t, d, folder)
		defer second.Close()
		if got := s.await(t, "ready").PID; got != pid {
			t.Errorf("the server is process %d, was %d", got, pid)
		}
	})
	t.Run("after that it ends", func(t *testing.T) {
		d, folder := newTestDaemon(t, time.Millisecond)
		first, s := attachEditor(t, d, folder)
		s.await(t, "ready")
		first.Close()
		d.awaitConnections(t, 0)
	})
}

// An editor that is alone on a connection takes it along to its new folders; one
// that is not leaves it to the others.
func TestFoldersAndConnections(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	other := t.TempDir()
	alone, s := attachEditor(t, d, folder)
	defer alone.Close()
	pid := s.await(t, "ready").PID
	alone.ChangeFolders([]editorapi.Folder{{URI: fileuri.FromPath(other)}})
	if got := alone.Servers()[0]; got.PID != pid {
		t.Errorf("alone: the server is process %d, was %d", got.PID, pid)
	}
	d.awaitConnections(t, 1)

	second, _ := attachEditor(t, d, other)
	defer second.Close()
	alone.ChangeFolders([]editorapi.Folder{{URI: fileuri.FromPath(folder)}})
	if got := second.Servers()[0]; got.PID != pid {
		t.Errorf("the one that stayed has process %d, had %d", got.PID, pid)
	}
	d.awaitConnections(t, 2)
}
