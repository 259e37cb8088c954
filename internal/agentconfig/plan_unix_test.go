//go:build unix

package agentconfig

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe that nobody writes to does not keep connect waiting.
func TestConnectPipe(t *testing.T) {
	t.Parallel()
	u := newUser(t, "")
	if err := os.Remove(u.path); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(u.path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := u.connect(); err == nil {
		t.Error("no error")
	}
}

// The file of another user stays theirs, even when this user may replace it.
func TestApplyFileOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	u := newUser(t, "{}")
	if err := os.Chown(u.path, 1, -1); err != nil {
		t.Fatal(err)
	}
	plan, err := u.connect()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Apply(); err == nil || !strings.Contains(err.Error(), "another user") || u.read() != "{}" {
		t.Errorf("error %v; the file has %s", err, u.read())
	}
}
