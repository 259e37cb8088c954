package fakeeditor

import (
	"net"
	"strings"
	"testing"
)

// A script ends where it fails, and its cleanups run all the same.
func TestRun(t *testing.T) {
	var did []string
	err := Run(func(s T) {
		near, far := net.Pipe()
		s.Cleanup(func() { did = append(did, "the first") })
		s.Cleanup(func() { s.Fatalf("a cleanup that fails") })
		far.Close()
		New(s, near, Options{}).Call("never", nil, nil)
		did = append(did, "more")
	})
	if err == nil || !strings.Contains(err.Error(), "the connection has ended") || !strings.Contains(err.Error(), "a cleanup that fails") {
		t.Errorf("the error is %v", err)
	}
	if strings.Join(did, ", ") != "the first" {
		t.Errorf("it did %q", did)
	}
	if err := Run(func(T) {}); err != nil {
		t.Errorf("a script that does nothing: %v", err)
	}
}
