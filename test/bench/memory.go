package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The figures of memory. Those with a number are made by figureOf.
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

// settle is how long a daemon is left alone before its memory is read.
const settle = 2 * time.Second

// memory measures the resident memory of the daemon and of attach, each time with a new daemon.
func memory(ctx context.Context, p programs, d *Data) error {
	if _, err := used(1); errors.Is(err, errNoProc) {
		d.skip("memory", "MB", err.Error())
		return nil
	}
	rounds := 3
	if d.Quick {
		rounds = 1
	}
	m := newCollected(d)
	for range rounds {
		for _, measure := range []func(context.Context, programs, *collected) error{memoryOfServers, memoryOfEditors, memoryOfResults} {
			if err := measure(ctx, p, m); err != nil {
				return err
			}
		}
	}
	m.addAll()
	return nil
}

// collected are figures of which a sample comes at a time.
type collected struct {
	d       *Data
	names   []string
	units   map[string]string
	samples map[string][]float64
	skipped map[string]string
}

func newCollected(d *Data) *collected {
	return &collected{d: d, units: map[string]string{}, samples: map[string][]float64{}, skipped: map[string]string{}}
}

func (c *collected) note(name, unit string) {
	if _, ok := c.units[name]; !ok {
		c.units[name] = unit
		c.names = append(c.names, name)
	}
}

func (c *collected) add(name, unit string, sample float64) {
	c.note(name, unit)
	c.samples[name] = append(c.samples[name], sample)
}

func (c *collected) skip(name, unit, why string) {
	c.note(name, unit)
	c.skipped[name] = why
}

// addAll puts the figures into the data.
func (c *collected) addAll() {
	for _, name := range c.names {
		if len(c.samples[name]) == 0 {
			c.d.skip(name, c.units[name], c.skipped[name])
			continue
		}
		c.d.add(name, c.units[name], c.samples[name]...)
	}
}

// resident adds the resident memory of the daemon, once it has had time to settle.
func (c *collected) resident(ctx context.Context, name string, pid int) (float64, error) {
	pause(ctx, settle)
	n, err := megabytes(pid, "VmRSS")
	if err == nil {
		c.add(name, "MB", n)
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
			if now, err = m.resident(ctx, fmt.Sprintf(memoryServers, count), place.pid()); err != nil {
				return err
			}
			if count == counts[0] {
				first = now
			}
		}
		m.add(perConnection, "kB", 1000*(now-first)/float64(last-counts[0]))
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
	m.add(perSupervisor, "kB", total/float64(len(pids)))
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
					m.skip(name, "MB", fmt.Sprintf(notInVersion+"with %d editors the next one gets: %v", len(editors), err))
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
			now, err := m.resident(ctx, name, place.pid())
			if err != nil {
				return err
			}
			switch {
			case count == 1:
				first = now
			case count <= 100:
				last, counted = now, count
			}
		}
		if counted > 1 {
			m.add(perEditor, "kB", 1000*(last-first)/float64(counted-1))
		}
		for _, e := range editors[1:] {
			_ = e.stream.shut() // hanging up is enough; attach needs room
		}
		editors = editors[:1]
		pause(ctx, settle)
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
	pause(ctx, settle)
	for _, figure := range []struct{ name, field string }{{attachResident, "VmRSS"}, {attachShare, "Pss"}} {
		n, err := megabytes(e.pid, figure.field)
		if err != nil {
			return err
		}
		m.add(figure.name, "MB", n)
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
		m.add(bigPeak, "MB", peak)
		pause(ctx, 10*time.Second-settle)
		if _, err := m.resident(ctx, bigRest, place.pid()); err != nil {
			return err
		}
		return e.close()
	})
}
