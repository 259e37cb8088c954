package ipc

import (
	"fmt"
	"os"
	"strings"

	"github.com/gofrs/flock"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// record is what a daemon writes down of itself, in the files of its two locks. It tells where to
// look, also long after the daemon has ended. Whether a daemon runs, the lock decides.
type record struct {
	socket, config, stateDir string
}

func recordOf(p Paths) record { return record{p.Socket, p.Config, p.StateDir} }

// recordForm has a quoted path a line, because a path may have any byte but NUL.
const recordForm = "%q\n%q\n%q\n"

// readRecord reads the file of a lock.
func readRecord(path string) (r record, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		_, err = fmt.Sscanf(string(text), recordForm, &r.socket, &r.config, &r.stateDir)
	}
	return r, err
}

// write writes r into the file of a lock that this process holds. A full disk must not keep the
// daemon from running: who names another socket or configuration is not told then.
func (r record) write(lock *flock.Flock) {
	_ = os.WriteFile(lock.Path(), fmt.Appendf(nil, recordForm, r.socket, r.config, r.stateDir), 0o600)
}

// disagrees returns an error when p names another socket or configuration than the daemon of r has.
func (r record) disagrees(p Paths) error {
	for _, place := range []struct{ what, has, wanted, from string }{
		{"socket", r.socket, p.Socket, p.SocketFrom},
		{"configuration", r.config, p.Config, p.ConfigFrom},
		{"state directory", r.stateDir, p.StateDir, p.StateFrom},
	} {
		if place.from == "" || samePath(place.has, place.wanted) {
			continue
		}
		instead := "leave out " + place.from
		if !strings.HasPrefix(place.from, "--") {
			instead = "unset " + place.from
		}
		return fmt.Errorf("the daemon that runs has the %s %s, and %s names %s; %s, or end that daemon: %s",
			place.what, place.has, place.from, place.wanted, instead, r.stopCommand())
	}
	return nil
}

// stopCommand returns the command that ends the daemon of r, whatever the environment names.
func (r record) stopCommand() string {
	return "mcp-editord stop --socket " + safetext.ShellWord(r.socket) + " --config " + safetext.ShellWord(r.config)
}
