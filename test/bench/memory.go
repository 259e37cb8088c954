package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// The figures of memory: what the kernel reports as resident.
const (
	attachResident = "attach, resident"
	memoryServers  = "resident with %d servers"
	memoryEditors  = "resident with %d editors"
	perServer      = "one more server"
	perEditor      = "one more idle editor"
	bigRest        = "10 s after five results of 16 MiB"
)

// settle is how long a daemon is left alone before its memory is read. It gives back what it does
// not need when nothing has happened for three seconds, at the latest after six.
const settle = 7 * time.Second

// memory measures the daemon and attach, each time with a new daemon.
func memory(ctx context.Context, p programs, quick bool, d *data) error {
	if err := inPlace(p.daemon, p.folder, nil, func(place *place, _ *editor) error {
		e, err := place.open(true)
		if err != nil {
			return err
		}
		defer e.close()
		if _, err := e.ask("editord/catalog", "{}"); err != nil {
			return err
		}
		pause(ctx, time.Second)
		return d.resident(attachResident, e.pid)
	}); err != nil || quick {
		return err
	}
	many := map[string]definition{}
	for i := range 50 {
		many[fmt.Sprint("bare", i)] = p.bare()
	}
	if err := inPlace(p.daemon, p.folder, many, func(place *place, e *editor) error {
		return d.grow(ctx, place, e, memoryServers, perServer, []int{0, 10, 50}, func(i int) error {
			return e.startServer(fmt.Sprint("bare", i))
		})
	}); err != nil {
		return err
	}
	if err := inPlace(p.daemon, p.folder, map[string]definition{"bare": p.bare()}, func(place *place, e *editor) error {
		var others []*editor
		defer func() {
			for _, other := range others {
				other.shut() // hanging up is enough
			}
		}()
		if err := e.startServer("bare"); err != nil {
			return err
		}
		return d.grow(ctx, place, e, memoryEditors, perEditor, []int{1, 100, 1000}, func(i int) error {
			if i == 0 {
				return nil // e
			}
			other, err := place.open(false)
			if err == nil {
				others = append(others, other)
			}
			return err
		})
	}); err != nil {
		return err
	}
	return inPlace(p.daemon, p.folder, map[string]definition{"plain": {Command: p.server}}, func(place *place, e *editor) error {
		if err := e.startServer("plain"); err != nil {
			return err
		}
		for range 5 {
			if _, err := e.turn(work{"plain", 16 << 20, 1}, 0); err != nil {
				return err
			}
		}
		pause(ctx, 10*time.Second)
		return d.resident(bigRest, place.cmd.Process.Pid)
	})
}

// grow adds the memory of the daemon with more and more of something. It is read when the daemon is
// idle. Before that the daemon gets a large message, because it may give back what it does not need
// only after it had much to do: else what one figure has and the next has not would be the garbage of
// its start.
func (d *data) grow(ctx context.Context, place *place, e *editor, name, per string, counts []int, more func(i int) error) error {
	var read []float64
	n := 0
	for _, count := range counts {
		for ; n < count; n++ {
			if err := more(n); err != nil {
				return err
			}
		}
		if _, err := e.ask("mcp/tools/call", `{"server":"nobody","params":{"x":"`+strings.Repeat("x", 2<<20)+`"}}`); err == nil {
			return fmt.Errorf("a server that does not exist has answered")
		}
		pause(ctx, settle)
		if err := d.resident(fmt.Sprintf(name, count), place.cmd.Process.Pid); err != nil {
			return err
		}
		read = append(read, d.figures[len(d.figures)-1].samples[0])
	}
	last := len(counts) - 1
	d.add(per, "kB", 1000*(read[last]-read[0])/float64(counts[last]-counts[0]))
	return ctx.Err()
}

// resident adds the resident memory of a process, in MB of 1000 kB (proc_pid_status(5)).
func (d *data) resident(name string, pid int) error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return fmt.Errorf("memory is measured on Linux only: %w", err)
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	value, _, _ := strings.Cut(strings.TrimSpace(after), " kB")
	n, err := strconv.ParseFloat(value, 64)
	d.add(name, "MB", n*1024/1e6)
	return err
}
