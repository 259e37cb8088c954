package ipc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	want := record{"/s/odd \xff\n\"name", "/c", "/state"}
	want.write(flock.New(path))
	if got, err := readRecord(path); err != nil || got != want {
		t.Errorf("read %+v, %v", got, err)
	}
	for _, text := range []string{"", "\n\n\n", "/s\n/c\n/state\n", `"/s"` + "\n" + `"/c"` + "\n", `"/s"` + "\n" + `"/c"` + "\n" + `"/sta`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readRecord(path); err == nil {
			t.Errorf("%.20q gives %+v", text, got)
		}
	}
}

// Fault other-daemon: what is named must be what the daemon has, and what is not named is as it has it.
func TestDialAnotherDaemon(t *testing.T) {
	has := tempPaths(t)
	l, _ := openListener(t, has)
	dir := filepath.Dir(has.StateDir)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	elsewhere, other := filepath.Join(dir, "elsewhere"), filepath.Join(dir, "other.sock")

	tests := []struct {
		name string
		p    Paths
		want []string // in the error; nil: the daemon is reached
	}{
		{"the same", has, nil},
		{"the same, named", Paths{Socket: has.Socket, Config: has.Config, StateDir: has.StateDir, SocketFrom: "--socket", ConfigFrom: "--config"}, nil},
		{"the same in another spelling", Paths{Socket: filepath.Join(link, "run", "daemon.sock"), Config: has.Config, StateDir: has.StateDir, SocketFrom: "--socket"}, nil},
		{"another socket by default", Paths{Socket: other, Config: has.Config, StateDir: has.StateDir}, nil},
		{"another configuration by default", Paths{Socket: has.Socket, Config: elsewhere, StateDir: has.StateDir}, nil},
		{"another state directory: they meet on the socket", Paths{Socket: has.Socket, Config: has.Config, StateDir: elsewhere}, nil},
		{"another socket", Paths{Socket: other, Config: has.Config, StateDir: has.StateDir, SocketFrom: "--socket"},
			[]string{has.Socket, "--socket names " + other, "leave out --socket", "mcp-editord stop --socket " + has.Socket + " --config " + has.Config}},
		{"another configuration", Paths{Socket: has.Socket, Config: elsewhere, StateDir: has.StateDir, ConfigFrom: "MCP_EDITORD_CONFIG"},
			[]string{has.Config, "MCP_EDITORD_CONFIG names " + elsewhere, "unset MCP_EDITORD_CONFIG", "mcp-editord stop"}},
		{"another configuration and state directory", Paths{Socket: has.Socket, Config: elsewhere, StateDir: elsewhere, ConfigFrom: "--config"},
			[]string{has.Config, "--config names " + elsewhere}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			conn, at, err := reach(context.Background(), test.p)
			if err == nil {
				defer conn.Close()
				defer acceptOne(t, l).Close()
				if test.want != nil {
					t.Fatal("no error")
				}
				if at.Socket != has.Socket || at.Config != has.Config || at.StateDir != has.StateDir {
					t.Errorf("the daemon is at %+v", at)
				}
				return
			}
			if errors.Is(err, ErrNotRunning) || errors.Is(err, ErrAlreadyRunning) || test.want == nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

// Fault other-daemon: a state directory has one daemon, whatever its socket, and a socket has one,
// whatever its state directory.
func TestListenBesideAnotherDaemon(t *testing.T) {
	t.Parallel()
	has := tempPaths(t)
	openListener(t, has)
	other := tempPaths(t)
	for _, p := range []Paths{
		{Socket: other.Socket, Config: other.Config, StateDir: has.StateDir},
		{Socket: has.Socket, Config: other.Config, StateDir: other.StateDir},
	} {
		l, err := Listen(p)
		if err == nil {
			l.Close()
		}
		if !errors.Is(err, ErrAlreadyRunning) || !strings.Contains(err.Error(), has.Socket) || !strings.Contains(err.Error(), has.Config) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	openListener(t, other) // what failed holds nothing
}

// Fault other-daemon: the record of a killed daemon stops nobody, and leads nobody to a daemon that has
// nothing to do with it.
func TestRecordOfAKilledDaemon(t *testing.T) {
	killed := tempPaths(t)
	if err := ensureDirs(killed); err != nil {
		t.Fatal(err)
	}
	lock, err := acquireDaemonLock(killed, 0)
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
	p := killed
	p.Socket, p.SocketFrom = filepath.Join(filepath.Dir(p.Socket), "other.sock"), "--socket"
	if _, _, err := reach(context.Background(), p); !errors.Is(err, ErrNotRunning) {
		t.Errorf("nobody runs: %v", err)
	}

	stranger := tempPaths(t)
	stranger.Socket = killed.Socket
	strangers, _ := openListener(t, stranger)
	if _, _, err := reach(context.Background(), p); !errors.Is(err, ErrNotRunning) {
		t.Errorf("a stranger has the socket: %v", err)
	}
	acceptOne(t, strangers)

	own, _ := openListener(t, p)
	exchange(t, mustDial(t, p), acceptOne(t, own))
	checkRecords(t, p)
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
}

// A socket that cannot be used is an error while its daemon runs, and nothing once it has ended.
func TestRecordOfAnUnsafeSocket(t *testing.T) {
	has := tempPaths(t)
	l, _ := openListener(t, has)
	p := has
	p.Socket = filepath.Join(filepath.Dir(has.StateDir), "own", "daemon.sock")
	if err := os.Chmod(filepath.Dir(has.Socket), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(context.Background(), p); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("while it runs: %v", err)
	}
	if err := errors.Join(l.Close(), ensureDirs(p)); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(context.Background(), p); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after its end: %v", err)
	}
}
