//go:build linux || darwin

package peercred

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestOf(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	us := Credentials{UID: os.Geteuid(), PID: os.Getpid()}
	for name, end := range map[string]net.Conn{"who connected": accepted, "who listens": c} {
		if got, err := Of(end.(*net.UnixConn)); err != nil || got != us {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, us)
		}
	}
	accepted.Close()
	if _, err := Of(accepted.(*net.UnixConn)); err == nil {
		t.Error("a closed connection has credentials")
	}
}
