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
// be the name of a file and leaves room for a socket, else a hash of it.
func (m machine) hostDir(runs string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	fits := len(filepath.Join(runs, m.host, socketName)) <= m.maxSocket
	if fits && m.host != "" && m.host[0] != '.' && strings.Trim(m.host, plain) == "" {
		return m.host
	}
	sum := sha256.Sum256([]byte(m.host))
	return hex.EncodeToString(sum[:4])
}
