//go:build linux || darwin

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// readFile reads a file with server-filesystem.
func readFile(e *fakeeditor.Editor, path string) toolResult {
	return call(e, "filesystem", "read_text_file", map[string]any{"path": path})
}

// allowed returns the directories that server-filesystem says it may read.
func allowed(e *fakeeditor.Editor) []string {
	lines := strings.Split(call(e, "filesystem", "list_allowed_directories", map[string]any{}).text(), "\n")
	return slices.DeleteFunc(lines[1:], func(line string) bool { return line == "" }) // the first is a heading
}

// The server gets no arguments: all that it knows of the editor's folder it
// has from its roots.
func TestFilesystemFollowsTheEditorsFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"filesystem": npmServer(t, "server-filesystem")}.String())
	one, two := w.folder("one"), w.folder("two")
	w.write(filepath.Join(one, "a.txt"), "text of one")
	w.write(filepath.Join(two, "a.txt"), "text of two")

	e := w.attach(in(mcpCapabilities, one))
	pid := awaitReady(e, "filesystem").PID
	await(t, "the server has asked for its roots", func() bool { return slices.Equal(allowed(e), []string{one}) })
	if got := readFile(e, filepath.Join(one, "a.txt")); got.IsError || got.text() != "text of one" {
		t.Errorf("the file in the editor's folder: %+v", got)
	}
	if got := readFile(e, filepath.Join(two, "a.txt")); !got.IsError {
		t.Errorf("the file in a folder that the editor does not have: %+v", got)
	}

	changeFolders(e, []string{two}, []string{one})
	await(t, "the server has heard of the other folder", func() bool { return slices.Equal(allowed(e), []string{two}) })
	if got := readFile(e, filepath.Join(two, "a.txt")); got.IsError || got.text() != "text of two" {
		t.Errorf("the file in the editor's new folder: %+v", got)
	}
	if got := readFile(e, filepath.Join(one, "a.txt")); !got.IsError {
		t.Errorf("the file in the editor's old folder: %+v", got)
	}
	if got := server(e, "filesystem").PID; got != pid {
		t.Errorf("an editor that is alone on its server keeps it: process %d is now %d", pid, got)
	}
}
