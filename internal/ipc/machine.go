package ipc

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// machine is what the places of a daemon depend on beside flags and environment.
type machine struct {
	runtimeDirs string // has a directory for each user who is logged in, named by the user's id
	uid         int    // of this user
	host        string // its name
	maxSocket   int    // bytes that the path of a socket may have
}

// runtimeDir returns the directory that the system keeps for this user's sockets, "" when there is none
// or it cannot be trusted. XDG_RUNTIME_DIR does not count: many programs do not pass it on, and then
// two parts of one session would look for the daemon in two places.
func (m machine) runtimeDir() string {
	dir := filepath.Join(m.runtimeDirs, strconv.Itoa(m.uid))
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return ""
	}
	if uid, err := ownerOf(info); err != nil || uid != m.uid || !writable(dir) {
		return ""
	}
	return dir
}

// hostDir returns the name of this host's directory in runs. It is the host's own name where that can
// be the name of a file and leaves room for a socket; else its beginning, with a hash of the whole.
func (m machine) hostDir(runs string) string {
	const hashed = 8 // hexadecimal digits
	if m.host == "" {
		return "localhost"
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, m.host)
	name = strings.TrimLeft(name, ".")
	room := m.maxSocket - len(filepath.Join(runs, "x", socketName)) + len("x")
	if name == m.host && len(name) <= room {
		return name
	}
	sum := sha256.Sum256([]byte(m.host))
	hash := hex.EncodeToString(sum[:hashed/2])
	if keep := min(len(name), room-len("-")-hashed); keep > 0 {
		return name[:keep] + "-" + hash
	}
	return hash
}
