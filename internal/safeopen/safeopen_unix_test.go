//go:build unix

package safeopen

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// A pipe has nobody at its other end, and a terminal would become ours. If a test opened the
// pipe, it would hang.
func TestPromise4OpeningDoesNotWait(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/null", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, "/dev/null", "/dev/tty"} {
		if f, err := File(path); err == nil {
			f.Close()
			t.Errorf("%s was opened", path)
		} else if !errors.Is(err, ErrNotRegular) && path != "/dev/tty" {
			t.Errorf("%s: %v", path, err)
		}
		if f, err := Folder(path); err == nil {
			f.Close()
			t.Errorf("%s was opened as a folder", path)
		}
	}
}

// Nobody waits for a file that looks regular at first and is a pipe when it is opened.
func TestPromise4OpeningDoesNotWaitForWhatIsSwapped(t *testing.T) {
	dir := t.TempDir()
	file, pipe, path := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "x")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(file, path); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		next := filepath.Join(dir, "next")
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Link([]string{pipe, file}[i%2], next)
			_ = os.Rename(next, path)
		}
	})
	for range 20_000 {
		f, err := File(path)
		if err == nil {
			f.Close()
		} else if !errors.Is(err, ErrNotRegular) && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("opening: %v", err)
		}
	}
	close(stop)
	swapping.Wait()
	f, err := os.OpenFile(pipe, Flags, 0) // what a swap at the last moment leads to
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Regular(f); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
}
