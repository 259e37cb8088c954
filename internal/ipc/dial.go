package ipc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mcp-editord/mcp-editord/internal/peercred"
)

// ErrNotRunning is returned by [Dial] when nobody listens on the socket.
var ErrNotRunning = errors.New("no daemon is running on this socket")

// Dial connects to the daemon of p. It does not start one: when there is none it returns
// [ErrNotRunning]. It refuses a socket that others can use, a daemon that another user runs, and one
// that has another socket or configuration than p names. The connection has the method TryWrite.
func Dial(ctx context.Context, p Paths) (net.Conn, error) {
	conn, _, err := reach(ctx, p)
	if err != nil {
		return nil, err
	}
	return newConn(conn, func() {}), nil
}

// reach connects to the daemon of p and returns the daemon's own paths. The daemon is the one that runs
// on the state directory of p, whatever its socket, and else the one that listens on the socket of p.
func reach(ctx context.Context, p Paths) (*net.UnixConn, Paths, error) {
	if r, err := readRecord(p.stateLockFile()); err == nil && !samePath(r.socket, p.Socket) {
		switch conn, err := dialSocket(ctx, r.socket); {
		case err == nil:
			// The record may be that of a daemon that was killed, and the socket another's by now.
			its, err := readRecord(Paths{Socket: r.socket}.LockFile())
			if err == nil && samePath(its.stateDir, p.StateDir) {
				return agreed(conn, p, its)
			}
			conn.Close()
		case !errors.Is(err, ErrNotRunning):
			if free, lockErr := daemonLockFree(p); lockErr == nil && !free {
				return nil, Paths{}, err
			}
		}
	}
	conn, err := dialSocket(ctx, p.Socket)
	if err != nil {
		return nil, Paths{}, err
	}
	r, err := readRecord(p.LockFile())
	if err != nil { // the daemon could not write one
		return conn, p, nil
	}
	return agreed(conn, p, r)
}

// agreed returns conn, a connection to the daemon of r, and the paths of that daemon. When p names
// others, it closes conn and says so.
func agreed(conn *net.UnixConn, p Paths, r record) (*net.UnixConn, Paths, error) {
	if err := r.disagrees(p); err != nil {
		conn.Close()
		return nil, Paths{}, err
	}
	p.Socket, p.Config, p.StateDir = r.socket, r.config, r.stateDir
	return conn, p, nil
}

func dialSocket(ctx context.Context, path string) (*net.UnixConn, error) {
	if err := checkSocket(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", path, ErrNotRunning)
		}
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		if notListening(err) {
			return nil, fmt.Errorf("%s: %w", path, ErrNotRunning)
		}
		return nil, fmt.Errorf("connecting to the daemon: %w", err)
	}
	conn := c.(*net.UnixConn)
	peer, err := peercred.Of(conn)
	if err == nil && peer.UID != os.Geteuid() {
		err = fmt.Errorf("%s is served by user %d, not by you; %s", path, peer.UID, chooseSocket)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// checkSocket refuses a socket that is not ours, and whatever else is in its place. The error is
// fs.ErrNotExist when there is nothing.
func checkSocket(path string) error {
	if err := checkDir(filepath.Dir(path), chooseSocket); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s is not a socket; remove it, or %s", path, chooseSocket)
	}
	return checkOwner(info, "the socket "+path, chooseSocket)
}

// notListening reports whether an error of connect means that nobody accepts:
// the file is gone, nobody has it open, or the queue of those who wait is full (unix(7)).
func notListening(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EAGAIN)
}
