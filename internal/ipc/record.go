package ipc

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// record is what a daemon writes down of itself, in two files: one in the state directory and one beside
// the socket. It tells where to look. Whether a daemon runs, the lock decides.
type record struct {
	socket, config, stateDir string
}

func recordOf(p Paths) record { return record{p.Socket, p.Config, p.StateDir} }

// recordForm has a quoted path a line, because a path may have any byte but NUL.
const recordForm = "%q\n%q\n%q\n"

func (r record) encode() []byte { return fmt.Appendf(nil, recordForm, r.socket, r.config, r.stateDir) }

// readRecord reads a file that a daemon has written.
func readRecord(path string) (r record, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		_, err = fmt.Sscanf(string(text), recordForm, &r.socket, &r.config, &r.stateDir)
	}
	return r, err
}

// ensureRecords writes down what the daemon of p has, where that is not written already. The caller
// holds the daemon's lock. When it fails, no record of an earlier daemon is left.
func ensureRecords(p Paths) error {
	ofState, ofSocket := p.recordFiles()
	var failed error
	for _, path := range []string{ofState, ofSocket} {
		if r, err := readRecord(path); err == nil && r == recordOf(p) {
			continue
		}
		if left, err := atomicfile.Leftovers(path); err == nil {
			for _, file := range left {
				_ = os.Remove(file) // the next daemon tries again
			}
		}
		if err := atomicfile.Write(path, recordOf(p).encode()); err != nil {
			_ = os.Remove(path)
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// removeRecords removes the records. The caller holds the daemon's lock. One that stays is no harm.
func removeRecords(p Paths) {
	ofState, ofSocket := p.recordFiles()
	_ = os.Remove(ofState)
	_ = os.Remove(ofSocket)
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
