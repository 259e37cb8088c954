package daemon

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
)

// The user is told once of what fails, however often editors attach and daemons start: of a server until it has been ready, of a
// file until it has no error. State and diagnostics always say it.

const (
	maxTold  = 1000            // failures; then all are told once more
	toldTime = 6 * time.Second // a plugin has said by then what failed as it attached
)

// isTold reports whether the user was told this of about before e attached. d.mu is held.
func (e *editor) isTold(about, text string) bool {
	last, told := e.d.told[about+" "+hashOf(text)]
	return told && last < e.id
}

// tells notes that the user is told this of about, in every editor that is attached. d.mu is held.
func (d *Daemon) tells(about, text string) {
	key := about + " " + hashOf(text)
	if _, told := d.told[key]; told || d.closing {
		return
	}
	if len(d.told) >= maxTold {
		clear(d.told)
	}
	d.told[key] = d.lastID
	d.keepsTold()
}

// well forgets what the user was told of about: the next failure is news. d.mu is held.
func (d *Daemon) well(about string) {
	if d.closing {
		return
	}
	before := len(d.told)
	maps.DeleteFunc(d.told, func(key string, _ int) bool { return strings.HasPrefix(key, about+" ") })
	if len(d.told) < before {
		d.keepsTold()
	}
}

// keepsTold has keepTold run, which the end of the daemon waits for. d.mu is held, and the daemon is not closing.
func (d *Daemon) keepsTold() { d.running.Go(func() { <-d.keepingTold.Again() }) }

// readTold reads what editors of earlier daemons were told.
func (d *Daemon) readTold() {
	var keys []string
	if text, err := os.ReadFile(d.opts.Paths.ToldFile()); err == nil && json.Unmarshal(text, &keys) == nil {
		for _, key := range keys[:min(len(keys), maxTold)] {
			d.told[key] = 0
		}
	}
}

// keepTold writes what the user was told. It runs on d.keepingTold.
func (d *Daemon) keepTold() {
	d.mu.Lock()
	keys := slices.Sorted(maps.Keys(d.told))
	d.mu.Unlock()
	text, err := json.Marshal(keys)
	if err == nil {
		err = atomicfile.Write(d.opts.Paths.ToldFile(), text)
	}
	if err != nil {
		d.log.Info("the next daemon tells failures once more", zap.Error(err))
	}
}
