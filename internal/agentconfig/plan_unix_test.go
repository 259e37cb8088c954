//go:build unix

package agentconfig

import (
	"os"
	"strings"
	"testing"
)

// The file of another user stays theirs, even when this user may replace it.
func TestApplyFileOfAnotherUser(t *testing.T) {
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
