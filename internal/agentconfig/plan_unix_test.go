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

// The servers in a file of another user can be read: nothing is changed in it.
func TestReadFileOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	u := newUser(t, `{"mcpServers": {"a": {"url": "https://example.com"}}}`)
	if err := os.Chown(u.path, 1, -1); err != nil {
		t.Fatal(err)
	}
	if s, ok := SourceAt(u.path); !ok || s.Program != "cursor" {
		t.Errorf("it is of %q", s.Program)
	}
}
