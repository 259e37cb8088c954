package ipc

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Paths are the files and directories of one daemon, all absolute. The socket identifies the daemon;
// daemons may share the rest.
type Paths struct {
	Socket   string // the Unix socket that editors connect to
	Config   string // the user's mcp.json, which need not exist
	StateDir string // logs, audit and approvals
}

// ResolvePaths chooses the places of the daemon (editor protocol, section 1).
// The flags win over the environment; "" is a flag that was not given. Relative
// paths in the flags and in MCP_EDITORD_* start at the working directory; XDG_*
// variables that are not absolute count as unset (XDG Base Directory
// Specification). Nothing is created. A socket path that is too long for the
// operating system is an error.
func ResolvePaths(socketFlag, configFlag string, getenv func(string) string) (Paths, error) {
	state, err := xdgDir(getenv, "XDG_STATE_HOME", ".local", "state")
	if err != nil {
		return Paths{}, err
	}
	p := Paths{StateDir: state}

	switch {
	case socketFlag != "":
		p.Socket, err = filepath.Abs(socketFlag)
	case getenv("MCP_EDITORD_SOCKET") != "":
		p.Socket, err = filepath.Abs(getenv("MCP_EDITORD_SOCKET"))
	case usableRuntimeDir(getenv("XDG_RUNTIME_DIR")):
		p.Socket = filepath.Join(getenv("XDG_RUNTIME_DIR"), "mcp-editord", "daemon.sock")
	default:
		p.Socket = filepath.Join(p.StateDir, "run", "daemon.sock")
	}
	if err != nil {
		return Paths{}, fmt.Errorf("choosing the path of the socket: %w", err)
	}
	if limit := maxSocketPath(runtime.GOOS); len(p.Socket) > limit {
		return Paths{}, fmt.Errorf("the path of the socket, %s, is %d bytes long and this system allows %d; choose a shorter one with --socket", p.Socket, len(p.Socket), limit)
	}

	switch {
	case configFlag != "":
		p.Config, err = filepath.Abs(configFlag)
	case getenv("MCP_EDITORD_CONFIG") != "":
		p.Config, err = filepath.Abs(getenv("MCP_EDITORD_CONFIG"))
	default:
		var dir string
		dir, err = xdgDir(getenv, "XDG_CONFIG_HOME", ".config")
		p.Config = filepath.Join(dir, "mcp.json")
	}
	if err != nil {
		return Paths{}, fmt.Errorf("finding the configuration file: %w", err)
	}
	return p, nil
}

// LogFile returns the file of the daemon's log. Older ones lie beside it.
func (p Paths) LogFile() string { return filepath.Join(p.StateDir, "daemon.log") }

// AuditFile returns the file that records who did what. Older ones lie beside it.
func (p Paths) AuditFile() string { return filepath.Join(p.StateDir, "audit.jsonl") }

// ErrorFile returns the file for the standard error of a daemon in the background: what it
// says before it has a log, and its panics.
func (p Paths) ErrorFile() string { return filepath.Join(p.StateDir, "daemon.err") }

// ApprovalsFile returns the file of the decisions on servers of workspace files.
func (p Paths) ApprovalsFile() string { return filepath.Join(p.StateDir, "approvals.json") }

// ServersDir returns the directory that has a directory for each server without a cwd.
func (p Paths) ServersDir() string { return filepath.Join(p.StateDir, "servers") }

// QuestionDir returns the directory of the files that an editor shows while a question is open.
func (p Paths) QuestionDir() string { return filepath.Join(p.StateDir, "questions") }

// LockFile returns the file whose lock the daemon of this socket holds for as
// long as it lives. It is never removed: a lock on a removed file excludes nobody.
func (p Paths) LockFile() string { return p.Socket + ".lock" }

// startLockFile returns the file whose lock is held by whoever starts a daemon.
func (p Paths) startLockFile() string { return p.Socket + ".start" }

// ownerID names the daemon of p in the marker of its processes. Two spellings of
// one directory give the same name once the directory exists.
func ownerID(p Paths) string {
	path := p.Socket
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// xdgDir returns our directory under the one that the variable names, or under
// the home directory followed by fallback.
func xdgDir(getenv func(string) string, variable string, fallback ...string) (string, error) {
	base := getenv(variable)
	if !filepath.IsAbs(base) {
		home := getenv(homeVariable(runtime.GOOS))
		if !filepath.IsAbs(home) {
			return "", errors.New("the home directory is unknown; set " + homeVariable(runtime.GOOS) + " or " + variable + " to an absolute path")
		}
		base = filepath.Join(append([]string{home}, fallback...)...)
	}
	return filepath.Join(base, "mcp-editord"), nil
}

// homeVariable returns the name of the variable that names the home directory.
func homeVariable(goos string) string {
	if goos == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// usableRuntimeDir reports whether the socket can live under XDG_RUNTIME_DIR. su and sudo may leave
// the directory of another user in the environment.
func usableRuntimeDir(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	uid, err := ownerOf(info)
	return err == nil && uid == os.Geteuid() && writable(dir)
}

// maxSocketPath returns how many bytes the path of a socket may have: sun_path
// holds 108 on Linux and 104 on the BSDs and macOS, the last of them a NUL.
func maxSocketPath(goos string) int {
	if goos == "linux" {
		return 107
	}
	return 103
}
