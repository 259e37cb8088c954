package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The figures of processor time.
const (
	cpuOne          = "processor time of the daemon for a call, 1 in flight"
	cpuBusy         = "processor time of the daemon for a call, 32 in flight"
	instructions    = "instructions of the daemon for a call, 32 in flight"
	cpuIdle         = "processor time in 60 s with 10 idle editors and 10 servers"
	idleFor         = time.Minute
	idleConnections = 10
)

// processor measures the processor time that the daemon needs for calls, and for nothing.
func processor(ctx context.Context, p programs, d *Data) error {
	if _, err := used(1); errors.Is(err, errNoProc) {
		for _, name := range []string{cpuOne, cpuBusy, cpuIdle} {
			d.skip(name, "", err.Error())
		}
		return nil
	}
	rounds, length := 7, 2*time.Second
	if d.Quick {
		rounds, length = 3, time.Second
	}
	c := Work{"plain", 100, 1}.call()
	err := inPlace(p.daemon, map[string]definition{"plain": {"command": p.server}}, func(place *place) error {
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
		for _, figure := range []struct {
			name     string
			inFlight int
		}{{cpuOne, 1}, {cpuBusy, 32}} {
			var each []float64
			for range rounds {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				before, err := used(place.pid())
				if err != nil {
					return err
				}
				t, err := e.turn(c, figure.inFlight, turnLength{time: length})
				if err != nil {
					return err
				}
				after, err := used(place.pid())
				if err != nil {
					return err
				}
				each = append(each, micros(after-before)/float64(len(t.each)))
			}
			d.add(figure.name, "µs", each...)
		}
		if err := count(e, place.pid(), c, length, d); err != nil {
			return err
		}
		return e.close()
	})
	if err != nil || d.Quick {
		return err
	}
	return idle(ctx, p, d)
}

// count counts instructions with perf, where that works.
func count(e *editor, pid int, c call, length time.Duration, d *Data) error {
	const event = "instructions"
	if out, err := exec.Command("perf", "stat", "-x", ",", "-e", event, "true").CombinedOutput(); err != nil || strings.Contains(string(out), "<not") {
		d.skip(instructions, "", "perf counts no instructions on this machine")
		return nil
	}
	var text strings.Builder
	cmd := exec.Command("perf", "stat", "-x", ",", "-e", event, "-p", strconv.Itoa(pid))
	cmd.Stderr = &text
	if err := cmd.Start(); err != nil {
		return err
	}
	t, err := e.turn(c, 32, turnLength{time: length})
	if err := errors.Join(err, cmd.Process.Signal(syscall.SIGINT)); err != nil {
		return err
	}
	_ = cmd.Wait() // it ends by the signal
	number, _, _ := strings.Cut(text.String(), ",")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("perf says %q: %w", text.String(), err)
	}
	d.add(instructions, "", n/float64(len(t.each)))
	return nil
}

// idle measures a daemon that has nothing to do.
func idle(ctx context.Context, p programs, d *Data) error {
	servers := map[string]definition{}
	for i := range idleConnections {
		servers["bare"+strconv.Itoa(i)] = definition{"command": p.server, "args": []string{"-bare", "10"}}
	}
	return inPlace(p.daemon, servers, func(place *place) error {
		if _, err := place.serve(); err != nil {
			return err
		}
		var editors []*editor
		for range idleConnections {
			e, err := place.open(editorOptions{})
			if err != nil {
				return err
			}
			editors = append(editors, e)
		}
		for name := range servers {
			if err := editors[0].startServer(name); err != nil {
				return err
			}
		}
		pause(ctx, settle)
		before, err := used(place.pid())
		if err != nil {
			return err
		}
		pause(ctx, idleFor)
		after, err := used(place.pid())
		if err != nil {
			return err
		}
		d.add(cpuIdle, "s", (after - before).Seconds())
		for _, e := range editors {
			_ = e.stream.shut() // hanging up is enough
		}
		return ctx.Err()
	})
}
