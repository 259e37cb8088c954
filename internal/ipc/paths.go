package ipc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Paths are the files and directories of one daemon, all absolute. On one host there is one daemon for
// a socket, and one for a state directory.
type Paths struct {
	Socket   string // the Unix socket that editors connect to
	Config   string // the user's mcp.json, which need not exist
	StateDir string // logs, audit and approvals
	Host     string // names this host in the state directory, which several hosts may share

	// The flag or variable that names the place, "" when nothing does. What is named must be what the
	// daemon has; what is not is as the daemon has it.
	SocketFrom string
	ConfigFrom string
	StateFrom  string
}

// Flags are the places that flags name; "" is a flag that was not given.
type Flags struct{ Socket, Config, State string }

const (
	socketName     = "daemon.sock"
	socketVariable = "MCP_EDITORD_SOCKET"
	configVariable = "MCP_EDITORD_CONFIG"
)

// ResolvePaths chooses the places of the daemon (editor protocol, section 1).
// The flags win over the environment. Relative
// paths in the flags and in MCP_EDITORD_* start at the working directory; XDG_*
// variables that are not absolute count as unset (XDG Base Directory
// Specification). Nothing is created. A socket path that is too long for the
// operating system is an error.
func ResolvePaths(flags Flags, getenv func(string) string) (Paths, error) {
	host, _ := os.Hostname() // "" is a name too
	return resolvePaths(flags, getenv, machine{
		runtimeDirs: "/run/user", uid: os.Geteuid(), host: host, maxSocket: maxSocketPath(runtime.GOOS),
	})
}

func resolvePaths(flags Flags, getenv func(string) string, m machine) (p Paths, err error) {
	if p.StateDir, p.StateFrom, err = named("--state", flags.State, "", getenv); err != nil {
		return Paths{}, fmt.Errorf("choosing the state directory: %w", err)
	}
	if p.StateDir == "" {
		if p.StateDir, err = xdgDir(getenv, "XDG_STATE_HOME", ".local", "state"); err != nil {
			return Paths{}, err
		}
	}
	p.Host = m.hostDir(filepath.Join(p.StateDir, runsName))

	if p.Socket, p.SocketFrom, err = named("--socket", flags.Socket, socketVariable, getenv); err != nil {
		return Paths{}, fmt.Errorf("choosing the path of the socket: %w", err)
	}
	if p.Socket == "" {
		if dir := m.runtimeDir(); dir != "" {
			p.Socket = filepath.Join(dir, "mcp-editord", socketName)
		} else {
			p.Socket = filepath.Join(p.runDir(), socketName)
		}
	}
	if len(p.Socket) > m.maxSocket {
		return Paths{}, fmt.Errorf("the path of the socket, %s, is %d bytes long and this system allows %d; choose a shorter one with --socket", p.Socket, len(p.Socket), m.maxSocket)
	}

	if p.Config, p.ConfigFrom, err = named("--config", flags.Config, configVariable, getenv); err != nil {
		return Paths{}, fmt.Errorf("finding the configuration file: %w", err)
	}
	if p.Config == "" {
		dir, err := xdgDir(getenv, "XDG_CONFIG_HOME", ".config")
		if err != nil {
			return Paths{}, fmt.Errorf("finding the configuration file: %w", err)
		}
		p.Config = filepath.Join(dir, "mcp.json")
	}
	return p, nil
}

// named returns the path that a flag or else a variable names, absolute, and which of the two it was.
// It returns "" when neither does. Without a variable, there is only the flag.
func named(flag, value, variable string, getenv func(string) string) (path, from string, err error) {
	from = flag
	if value == "" && variable != "" {
		from, value = variable, getenv(variable)
	}
	if value == "" {
		return "", "", nil
	}
	path, err = filepath.Abs(value)
	return path, from, err
}

// LogFile returns the file of the daemon's log. Older ones lie beside it.
func (p Paths) LogFile() string { return filepath.Join(p.StateDir, "daemon.log") }

// AuditFile returns the file that records who did what. Older ones lie beside it.
func (p Paths) AuditFile() string { return filepath.Join(p.StateDir, "audit.jsonl") }

// ErrorFile returns the file for the standard error of a daemon in the background: what it
// says before it has a log, and its panics.
func (p Paths) ErrorFile() string { return filepath.Join(p.StateDir, "daemon.err") }

// ToolsDir returns the folder with the tools of servers as agents know them.
func (p Paths) ToolsDir() string { return filepath.Join(p.StateDir, "tools") }

// ApprovalsFile returns the file of the decisions on servers of workspace files.
func (p Paths) ApprovalsFile() string { return filepath.Join(p.StateDir, "approvals.json") }

// ToldFile returns the file with the failures that the user was told of.
func (p Paths) ToldFile() string { return filepath.Join(p.StateDir, "told.json") }

// ServersDir returns the directory that has a directory for each server without a cwd.
func (p Paths) ServersDir() string { return filepath.Join(p.StateDir, "servers") }

// CatalogsDir returns the directory that has a file for what each server offered last.
func (p Paths) CatalogsDir() string { return filepath.Join(p.StateDir, "catalogs") }

// QuestionDir returns the directory of the files that an editor shows while a question is open.
func (p Paths) QuestionDir() string { return filepath.Join(p.StateDir, "questions") }

// TextDir returns the directory of long texts that an editor shows.
func (p Paths) TextDir() string { return filepath.Join(p.StateDir, "texts") }

// runsName is the directory in the state directory that has a directory for each host.
const runsName = "run"

// runDir returns the directory of what only this host's daemon has.
func (p Paths) runDir() string { return filepath.Join(p.StateDir, runsName, p.Host) }

// stateLockFile returns the file whose lock the daemon of this state directory holds on this host, for
// as long as it lives. Like [Paths.LockFile] it is never removed, and has the daemon's record.
func (p Paths) stateLockFile() string { return filepath.Join(p.runDir(), "lock") }

// LockFile returns the file whose lock the daemon of this socket holds for as
// long as it lives. It is never removed: a lock on a removed file excludes nobody.
func (p Paths) LockFile() string { return p.Socket + ".lock" }

// startLockFile returns the file whose lock is held by whoever starts a daemon.
func (p Paths) startLockFile() string { return p.Socket + ".start" }

// canonical returns the one spelling of a path whose directory exists: a link in the directory's path is
// resolved, and the file itself need not be there.
func canonical(path string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return filepath.Clean(path)
}

// samePath reports whether two paths are one.
func samePath(a, b string) bool { return a == b || canonical(a) == canonical(b) }

// xdgDir returns our directory under the one that the variable names, or under
// the home directory followed by fallback.
func xdgDir(getenv func(string) string, variable string, fallback ...string) (string, error) {
	base := getenv(variable)
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return "", errors.New("the home directory is unknown; set HOME or " + variable + " to an absolute path")
		}
		base = filepath.Join(append([]string{home}, fallback...)...)
	}
	return filepath.Join(base, "mcp-editord"), nil
}

// maxSocketPath returns how many bytes the path of a socket may have: sun_path
// holds 108 on Linux and 104 on the BSDs and macOS, the last of them a NUL.
func maxSocketPath(goos string) int {
	if goos == "linux" {
		return 107
	}
	return 103
}
