package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The owner of a file can lease it, and then opening it takes 45 seconds.
func TestPromise4LeasesAreNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".mcp.json")
	write(t, path, server("a"))
	leased, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer leased.Close()
	if _, err := unix.FcntlInt(leased.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip("no leases:", err)
	}
	file, _ := track(path, Source{Folder: filepath.Dir(path)}).read(readRegular)
	if !file.Broken || !strings.Contains(file.Problems[0].Message, "another program") {
		t.Errorf("got %+v", file)
	}
}
