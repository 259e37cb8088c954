package agentconfig

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Place returns the first path whose beginning is known: a variable that has an absolute path, "home" for the home
// directory, "config" for the folder of configurations in it, or "data" for the folder in which programs that are built
// on Electron have theirs.
func Place(names ...string) (string, error) {
	for _, name := range names {
		begin, below, _ := strings.Cut(name, "/")
		at := os.Getenv(strings.TrimPrefix(begin, "$"))
		switch begin {
		case "home":
			at, _ = os.UserHomeDir()
		case "config":
			at, _ = Place("$XDG_CONFIG_HOME", "home/.config")
		case "data":
			at, _ = os.UserConfigDir()
		}
		if filepath.IsAbs(at) {
			return filepath.Join(at, below), nil
		}
	}
	return "", errors.New("the home directory is unknown; set HOME, or on Windows USERPROFILE, to an absolute path")
}

// Installed reports whether the agent is there: its program is in PATH, or the folder of its
// configuration exists.
func (a Agent) Installed() bool {
	for _, program := range a.programs {
		if _, err := exec.LookPath(program); err == nil {
			return true
		}
	}
	mark := a.mark
	if mark == nil {
		mark = a.folders
	}
	at, err := Place(mark...)
	if err != nil {
		return false
	}
	info, err := os.Stat(at)
	return err == nil && info.IsDir()
}

// path returns the agent's file: the first one that exists, else the usual one.
func (a Agent) path() (string, error) {
	dir, err := Place(a.folders...)
	if err != nil {
		return "", err
	}
	for _, name := range a.files {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return path, nil
		}
	}
	return filepath.Join(dir, a.files[0]), nil
}
