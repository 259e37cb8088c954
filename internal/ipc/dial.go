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
// [ErrNotRunning]. It refuses a socket that others can use, and a daemon that another user runs.
func Dial(ctx context.Context, p Paths) (net.Conn, error) {
	conn, err := dial(ctx, p)
	if err != nil {
		return nil, err
	}
	return conn, nil
}

func dial(ctx context.Context, p Paths) (*net.UnixConn, error) {
	if err := checkSocket(p); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", p.Socket, ErrNotRunning)
		}
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", p.Socket)
	if err != nil {
		if notListening(err) {
			return nil, fmt.Errorf("%s: %w", p.Socket, ErrNotRunning)
		}
		return nil, fmt.Errorf("connecting to the daemon: %w", err)
	}
	conn := c.(*net.UnixConn)
	peer, err := peercred.Of(conn)
	if err == nil && peer.UID != os.Geteuid() {
		err = fmt.Errorf("%s is served by user %d, not by you; %s", p.Socket, peer.UID, chooseSocket)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// checkSocket refuses a socket that is not ours, and whatever else is in its
// place. When there is nothing it returns fs.ErrNotExist.
func checkSocket(p Paths) error {
	dir := filepath.Dir(p.Socket)
	if _, err := os.Lstat(dir); err != nil {
		return err
	}
	if err := checkDir(dir, chooseSocket); err != nil {
		return err
	}
	info, err := os.Lstat(p.Socket)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s is not a socket; remove it, or %s", p.Socket, chooseSocket)
	}
	uid, err := ownerOf(info)
	if err != nil {
		return err
	}
	if uid != os.Geteuid() {
		return fmt.Errorf("the socket %s belongs to user %d, not to you; %s", p.Socket, uid, chooseSocket)
	}
	return nil
}

// notListening reports whether an error of connect means that nobody accepts:
// the file is gone, nobody has it open, or the queue of those who wait is full (unix(7)).
func notListening(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EAGAIN)
}
