//go:build unix

package mcpserver

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The home directory is no project, under whatever name.
func TestHomeByAnotherName(t *testing.T) {
	real := t.TempDir()
	plant(t, real, "homes/user/work/.git/", "elsewhere/")
	link := filepath.Join(real, "elsewhere", "link")
	if err := os.Symlink(filepath.Join(real, "homes"), link); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{{real + "/homes", link}, {link, real + "/homes"}} {
		home := filepath.Join(names[0], "user")
		for _, dir := range []string{names[1], filepath.Join(names[1], "user")} {
			if got := project(dir, home); got != nil {
				t.Errorf("with the home directory %s, %s is in the project %q", home, dir, got)
			}
		}
		work := filepath.Join(names[1], "user", "work")
		if got := project(work, home); !slices.Equal(got, []string{work}) {
			t.Errorf("with the home directory %s, %s is in the project %q", home, work, got)
		}
	}
}

// What another user puts into a folder above makes no project of that folder.
func TestProjectOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files to others")
	}
	shared := t.TempDir()
	dir := filepath.Join(shared, "mine", "src")
	marks := []string{".mcp.json", ".git", "package.json", ".vscode"}
	plant(t, shared, "mine/src/")
	plant(t, shared, marks[:3]...)
	own := t.TempDir()
	plant(t, own, "mcp.json")
	if err := os.Symlink(own, filepath.Join(shared, ".vscode")); err != nil {
		t.Fatal(err)
	}
	for _, mark := range marks {
		if err := os.Lchown(filepath.Join(shared, mark), 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	if got := project(dir, ""); !slices.Equal(got, []string{dir}) {
		t.Errorf("the project is %q", got)
	}
	plant(t, shared, "mine/.git/")
	if got := project(dir, ""); !slices.Equal(got, []string{filepath.Dir(dir)}) {
		t.Errorf("with a mark of this user, the project is %q", got)
	}
}
