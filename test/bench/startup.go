package main

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// The figures of startup.
const (
	startToSocket   = "start to socket"
	coldAttach      = "cold attach to catalogue"
	warmAttach      = "warm attach to catalogue"
	oneServerReady  = "attach to one server ready"
	fiveServerReady = "attach to five servers ready"
)

// startup measures how long a daemon, an attach and servers need to start.
func startup(ctx context.Context, p programs, d *Data) error {
	n := 30
	if d.Quick {
		n = 8
	}
	servers := map[string]definition{"bare": {"command": p.server, "args": []string{"-bare", "10"}}}
	return inPlace(p.daemon, servers, func(place *place) error {
		var socket, cold, warm []float64
		for range n {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			took, err := place.serve()
			if err != nil {
				return err
			}
			socket = append(socket, millis(took))
			first, err := place.open(editorOptions{})
			if err != nil {
				return err
			}
			if err := first.startServer("bare"); err != nil {
				return err
			}
			for range 3 {
				if took, err = place.attachToCatalog(); err != nil {
					return err
				}
				warm = append(warm, millis(took))
			}
			if err := first.close(); err != nil {
				return err
			}
			if err := place.stop(); err != nil {
				return err
			}
			if took, err = place.attachToCatalog(); err != nil {
				return err
			}
			cold = append(cold, millis(took))
			if err := place.stop(); err != nil {
				return err
			}
		}
		d.add(startToSocket, "ms", socket...)
		d.add(coldAttach, "ms", cold...)
		d.add(warmAttach, "ms", warm...)
		return sideBySide(ctx, p, n/4, d)
	})
}

// attachToCatalog runs attach until editord/catalog is answered, and returns how long that took.
func (p *place) attachToCatalog() (time.Duration, error) {
	begin := time.Now()
	e, err := p.open(editorOptions{attach: true})
	if err != nil {
		return 0, err
	}
	_, err = e.ask("editord/catalog", "{}")
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	return took, e.close()
}

// sideBySide measures how long five servers need that start at the same time, and one.
func sideBySide(ctx context.Context, p programs, n int, d *Data) error {
	for _, figure := range []struct {
		name    string
		servers int
	}{{oneServerReady, 1}, {fiveServerReady, 5}} {
		servers := map[string]definition{}
		for i := range figure.servers {
			servers[fmt.Sprint("plain", i)] = definition{"command": p.server}
		}
		var took []float64
		for range n {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := inPlace(p.daemon, servers, func(place *place) error {
				if _, err := place.serve(); err != nil {
					return err
				}
				begin := time.Now()
				e, err := place.open(editorOptions{autoStart: true})
				if err != nil {
					return err
				}
				if err := e.untilReady(figure.servers); err != nil {
					return err
				}
				took = append(took, millis(time.Since(begin)))
				return e.close()
			}); err != nil {
				return err
			}
		}
		d.add(figure.name, "ms", took...)
	}
	return nil
}

// untilReady waits until the editor has been told of so many servers that are ready.
func (e *editor) untilReady(n int) error {
	stopped := time.AfterFunc(startTimeout, func() { _ = e.stream.shut() })
	defer stopped.Stop()
	for n > 0 {
		message, err := e.stream.whole()
		if err != nil {
			return fmt.Errorf("waiting for servers: %w", err)
		}
		if bytes.Contains(message, []byte(`"editord/serverChanged"`)) && bytes.Contains(message, []byte(`"state":"ready"`)) {
			n--
		}
	}
	return nil
}
