package config

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"
)

// A folder whose disk hangs, or whose files take for ever to read, holds up only those who wait
// for it: other folders open and reload, it can be closed and opened again, and the
// Store ends. However often it is opened, only one goroutine waits for the disk.
func TestPromise4FolderThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead, live := filepath.Join(t.TempDir(), "dead"), t.TempDir()
		userFile := filepath.Join(t.TempDir(), "mcp.json")
		write(t, filepath.Join(dead, ".mcp.json"), server("late"))
		write(t, filepath.Join(live, ".mcp.json"), server("first"))
		answer := make(chan struct{})
		var waiting atomic.Int64
		disk := func(path string) ([]byte, error) {
			if strings.HasPrefix(path, dead) {
				waiting.Add(1)
				<-answer
				waiting.Add(-1)
			}
			return readRegular(path)
		}
		var h hints
		s := newStore(userFile, h.watch, disk, zap.NewNop())
		told := make(chan struct{})
		s.Subscribe(func() { told <- struct{}{} })

		hanging := s.Open(dead)
		if files := hanging.Files(); len(files) != 0 || hanging.Real() != dead {
			t.Errorf("before it was read it has %+v, and is %s", files, hanging.Real())
		}
		other := s.Open(live)
		<-other.Read()
		if got := command(other.Files()); got != "first" {
			t.Errorf("got %q", got)
		}
		write(t, filepath.Join(live, ".mcp.json"), server("second"))
		h.give()
		<-told
		if got := command(other.Files()); got != "second" {
			t.Errorf("got %q after a change", got)
		}
		write(t, userFile, server("user"))
		h.give()
		<-told
		if got := command([]*File{s.User()}); got != "user" {
			t.Errorf("got %q after a change of the user's file", got)
		}
		for range 10 {
			hanging.Close()
			hanging = s.Open(dead)
		}
		synctest.Wait()
		if n := waiting.Load(); n != 1 {
			t.Errorf("%d goroutines wait for the disk", n)
		}

		close(answer)
		<-hanging.Read()
		if got := command(hanging.Files()); got != "late" {
			t.Errorf("got %q when the disk has answered", got)
		}
		hanging.Close()
		other.Close()
		s.Close()
	})
}

// The Store ends while a folder hangs.
func TestPromise4StoreEndsWhileAFolderHangs(t *testing.T) {
	folder := t.TempDir()
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	defer close(answer)
	disk := func(path string) ([]byte, error) {
		if strings.HasPrefix(path, folder) {
			asked <- struct{}{}
			<-answer
		}
		return readRegular(path)
	}
	var h hints
	s := newStore(filepath.Join(t.TempDir(), "mcp.json"), h.watch, disk, zap.NewNop())
	s.Open(folder)
	<-asked
	s.Close()
}
