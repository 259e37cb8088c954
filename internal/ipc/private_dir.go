package ipc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// What to do about a directory that cannot be used, for [ensureDir].
const (
	chooseSocket = "choose a socket in a directory of your own with --socket"
	chooseState  = "choose another place with XDG_STATE_HOME"
)

// ensureDir makes dir, with its parents, if it is missing, and checks that it is ours alone. instead
// says what to do when it is not and chmod does not help.
func ensureDir(dir, instead string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("making the directory %s: %w; %s", dir, err, instead)
		}
	}
	return checkDir(dir, instead)
}

// ensureDirs makes the directories in which the daemon of p has its lock and its socket.
func ensureDirs(p Paths) error {
	if err := ensureDir(p.StateDir, chooseState); err != nil {
		return err
	}
	if err := ensureDir(p.runDir(), chooseState); err != nil {
		return err
	}
	return ensureDir(filepath.Dir(p.Socket), chooseSocket)
}

// EnsureStateDir makes dir, a directory in [Paths.StateDir], with its parents, if it is missing. It
// fails when somebody else can get at its files; the error says what to do.
func EnsureStateDir(dir string) error { return ensureDir(dir, chooseState) }

// checkDir refuses a directory in which somebody else could put or replace
// files: it must be a directory itself, ours, and closed to all others.
// Whoever owns it may trust the names in it.
func checkDir(dir, instead string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("looking at the directory %s: %w", dir, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link, which somebody could point elsewhere; remove it, or %s", dir, instead)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory; remove it, or %s", dir, instead)
	}
	if err := checkOwner(info, "the directory "+dir, instead); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSticky != 0 {
		// A directory like /tmp: chmod would take it away from everybody else.
		return fmt.Errorf("the directory %s is for all users; %s", dir, instead)
	}
	if info.Mode().Perm() != 0o700 {
		return fmt.Errorf("the directory %s has mode %04o, so others could get at its files; run: chmod 700 %s", dir, info.Mode().Perm(), safetext.ShellWord(dir))
	}
	return nil
}

// checkOwner refuses a file, which what names, of another user.
func checkOwner(info fs.FileInfo, what, instead string) error {
	uid, err := ownerOf(info)
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("%s belongs to user %d, not to you; %s", what, uid, instead)
	}
	return err
}
