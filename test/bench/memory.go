package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// The figures of memory.
const (
	memoryServers  = "resident with %d connections"
	memoryEditors  = "resident with %d editors"
	perConnection  = "one more connection"
	perEditor      = "one more idle editor"
	perSupervisor  = "one supervisor of a server, shared pages in parts"
	attachResident = "attach, resident"
	attachShare    = "attach, shared pages in parts"
	bigPeak        = "most during five results of 16 MiB"
	bigRest        = "10 s after five results of 16 MiB"
)

// The numbers of connections and editors with which the daemon is measured.
var (
	memoryServerCounts = []int{0, 10, 50}
	memoryEditorCounts = []int{1, 20, 100, 1000}
)

// settle is how long a daemon is left alone before its memory is read. It gives back what it does
// not need when nothing has happened for three seconds, at the latest after six.
const settle = 7 * time.Second

// memory measures the resident memory of the daemon and of attach, each time with a new daemon.
func memory(ctx context.Context, p programs, d *Data) error {
	if _, err := used(1); errors.Is(err, errNoProc) {
		for _, f := range memoryFigures() {
			d.skip(f[0], f[1], err.Error())
		}
		return nil
	}
	rounds := 3
	if d.Quick {
		rounds = 1
	}
	m := &collected{samples: map[string][]float64{}, skipped: map[string]string{}}
	var errs error
	for range rounds {
		// At the same time: they mostly wait.
		ended := make(chan error)
		measures := []func(context.Context, programs, *collected) error{memoryOfServers, memoryOfEditors, memoryOfResults}
		for _, measure := range measures {
			go func() { ended <- measure(ctx, p, m) }()
		}
		for range measures {
			errs = errors.Join(errs, <-ended)
		}
	}
	m.addTo(d)
	return errs
}

// memoryFigures returns the names and units of all figures of memory, in the order of the tables.
func memoryFigures() [][2]string {
	var all [][2]string
	for _, n := range memoryServerCounts {
		all = append(all, [2]string{fmt.Sprintf(memoryServers, n), "MB"})
	}
	for _, n := range memoryEditorCounts {
		all = append(all, [2]string{fmt.Sprintf(memoryEditors, n), "MB"})
	}
	return append(all, [][2]string{{perConnection, "kB"}, {perEditor, "kB"}, {perSupervisor, "kB"},
		{attachResident, "MB"}, {attachShare, "MB"}, {bigPeak, "MB"}, {bigRest, "MB"}}...)
}

// collected are figures of which a sample comes at a time.
type collected struct {
	mu      sync.Mutex // guards the fields that follow
	samples map[string][]float64
	skipped map[string]string
}

func (c *collected) add(name string, sample float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.samples[name] = append(c.samples[name], sample)
}

func (c *collected) skip(name, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skipped[name] = why
}

// addTo puts the figures into the data. What has neither samples nor a reason was not reached.
func (c *collected) addTo(d *Data) {
	for _, f := range memoryFigures() {
		name, unit := f[0], f[1]
		switch {
		case len(c.samples[name]) > 0:
			d.add(name, unit, c.samples[name]...)
		case c.skipped[name] != "":
			d.skip(name, unit, c.skipped[name])
		}
	}
}

// resident adds the resident memory of the daemon when it is idle. The daemon gets a large message
// before, because it may give back what it does not need only after it had much to do: else what
// one figure has and the next has not would be the garbage of its start.
func (c *collected) resident(ctx context.Context, name string, place *place, e *editor) (float64, error) {
	_, err := e.ask("mcp/tools/call", `{"server":"nobody","params":{"x":"`+strings.Repeat("x", nudge)+`"}}`)
	if refused := (refusal)(""); !errors.As(err, &refused) {
		return 0, fmt.Errorf("a call of a server that does not exist: %w", err)
	}
	return c.rest(ctx, name, place)
}

// nudge is the size of that message, in bytes.
const nudge = 2 << 20

// rest adds the resident memory of the daemon once it has had time to settle.
func (c *collected) rest(ctx context.Context, name string, place *place) (float64, error) {
	pause(ctx, settle)
	n, err := megabytes(place.pid(), "VmRSS")
	if err == nil {
		c.add(name, n)
	}
	return n, err
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// memoryOfServers measures the daemon with one editor and more and more connections.
func memoryOfServers(ctx context.Context, p programs, m *collected) error {
	counts := memoryServerCounts
	last := counts[len(counts)-1]
	servers := map[string]definition{}
	for i := range last {
		servers[fmt.Sprint("bare", i)] = definition{"command": p.server, "args": []string{"-bare", "10"}}
	}
	return inPlace(p.daemon, servers, func(place *place) error {
		if _, err := place.serve(); err != nil {
			return err
		}
		e, err := place.open(editorOptions{})
		if err != nil {
			return err
		}
		started, first, now := 0, 0.0, 0.0
		for _, count := range counts {
			for ; started < count; started++ {
				if err := e.startServer(fmt.Sprint("bare", started)); err != nil {
					return err
				}
			}
			if now, err = m.resident(ctx, fmt.Sprintf(memoryServers, count), place, e); err != nil {
				return err
			}
			if count == counts[0] {
				first = now
			}
		}
		m.add(perConnection, 1000*(now-first)/float64(last-counts[0]))
		if err := supervisors(place.pid(), m); err != nil {
			return err
		}
		return e.close()
	})
}

// supervisors measures the processes that watch over those of the servers.
func supervisors(pid int, m *collected) error {
	pids, err := children(pid)
	if err != nil || len(pids) == 0 {
		return err
	}
	total := 0.0
	for _, pid := range pids {
		n, err := kilobytes(pid, "Pss")
		if err != nil {
			return err
		}
		total += n
	}
	m.add(perSupervisor, total/float64(len(pids)))
	return nil
}

// memoryOfEditors measures the daemon with one server and more and more editors that are idle,
// and one attach.
func memoryOfEditors(ctx context.Context, p programs, m *collected) (err error) {
	servers := map[string]definition{"bare": {"command": p.server, "args": []string{"-bare", "10"}}}
	return inPlace(p.daemon, servers, func(place *place) error {
		if _, err := place.serve(); err != nil {
			return err
		}
		var editors []*editor
		defer func() {
			for _, e := range editors {
				_ = e.stream.shut() // hanging up is enough
			}
		}()
		first, last, counted := 0.0, 0.0, 1
		for _, count := range memoryEditorCounts {
			name := fmt.Sprintf(memoryEditors, count)
			for len(editors) < count {
				e, err := place.open(editorOptions{})
				if err != nil {
					m.skip(name, fmt.Sprintf(notInVersion+"with %d editors the next one gets: %v", len(editors), err))
					break
				}
				editors = append(editors, e)
				if len(editors) == 1 {
					if err := e.startServer("bare"); err != nil {
						return err
					}
				}
			}
			if len(editors) < count {
				continue // the larger numbers say the same
			}
			now, err := m.resident(ctx, name, place, editors[0])
			if err != nil {
				return err
			}
			if count == 1 {
				first = now
			}
			last, counted = now, count
		}
		if counted > 1 {
			m.add(perEditor, 1000*(last-first)/float64(counted-1))
		}
		for _, e := range editors[1:] {
			_ = e.stream.shut() // hanging up is enough; attach needs room
		}
		editors = editors[:1]
		pause(ctx, time.Second)
		return memoryOfAttach(ctx, place, m)
	})
}

func memoryOfAttach(ctx context.Context, place *place, m *collected) error {
	e, err := place.open(editorOptions{attach: true})
	if err != nil {
		return err
	}
	if _, err := e.ask("editord/catalog", "{}"); err != nil {
		return err
	}
	pause(ctx, time.Second)
	for _, figure := range []struct{ name, field string }{{attachResident, "VmRSS"}, {attachShare, "Pss"}} {
		n, err := megabytes(e.pid, figure.field)
		if err != nil {
			return err
		}
		m.add(figure.name, n)
	}
	return e.close()
}

// memoryOfResults measures what large results leave behind.
func memoryOfResults(ctx context.Context, p programs, m *collected) error {
	return inPlace(p.daemon, map[string]definition{"plain": {"command": p.server}}, func(place *place) error {
		if _, err := place.serve(); err != nil {
			return err
		}
		e, err := place.open(editorOptions{})
		if err != nil {
			return err
		}
		if err := e.startServer("plain"); err != nil {
			return err
		}
		if _, err := e.turn(Work{"plain", 16 << 20, 1}.call(), 1, turnLength{least: 5}); err != nil {
			return err
		}
		peak, err := megabytes(place.pid(), "VmHWM")
		if err != nil {
			return err
		}
		m.add(bigPeak, peak)
		pause(ctx, 10*time.Second-settle)
		if _, err := m.rest(ctx, bigRest, place); err != nil {
			return err
		}
		return e.close()
	})
}
