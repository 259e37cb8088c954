package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// The figures of 20 servers with 1000 tools in all.
const (
	catalogAnswer   = "1000 tools: editord/catalog"
	catalogBytes    = "1000 tools: bytes of the catalogue"
	catalogAttach   = "1000 tools: attach to catalogue"
	catalogChange   = "1000 tools: one tool changed to catalogChanged"
	catalogSent     = "1000 tools: bytes sent to an editor for one changed tool"
	catalogPrefill  = "1000 tools: editord/prefill"
	catalogServers  = 20
	toolsPerServer  = 50
	toolOfCommand   = `"command":"mcp.tool.`
	catalogChanged  = `"method":"editord/catalogChanged"`
	changeArguments = `{"server":"bare0","params":{"name":"change","arguments":{}}}`
)

// catalog measures what editors learn of many tools.
func catalog(ctx context.Context, p programs, d *Data) error {
	n := 60
	if d.Quick {
		n = 20
	}
	servers := map[string]definition{}
	for i := range catalogServers {
		servers["bare"+strconv.Itoa(i)] = definition{"command": p.server, "args": []string{"-bare", strconv.Itoa(toolsPerServer)}}
	}
	return inPlace(p.daemon, servers, func(place *place) error {
		if _, err := place.serve(); err != nil {
			return err
		}
		e, err := place.open(editorOptions{})
		if err != nil {
			return err
		}
		for name := range servers {
			if err := e.startServer(name); err != nil {
				return err
			}
		}
		var answered, attached, size []float64
		for range n {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			begin := time.Now()
			answer, err := e.ask("editord/catalog", "{}")
			if err != nil {
				return err
			}
			answered = append(answered, millis(time.Since(begin)))
			size = append(size, float64(len(answer)))
			if err := whole(answer); err != nil {
				return err
			}
			took, err := place.attachToWhole()
			if err != nil {
				return err
			}
			attached = append(attached, millis(took))
		}
		d.add(catalogAnswer, "ms", answered...)
		d.add(catalogBytes, "bytes", size...)
		d.add(catalogAttach, "ms", attached...)
		if err := prefill(e, n, d); err != nil {
			return err
		}
		if err := typing(place, e, n, d); err != nil {
			return err
		}
		if err := changes(ctx, place, e, n, d); err != nil {
			return err
		}
		return e.close()
	})
}

// whole checks that a catalogue has all tools.
func whole(answer []byte) error {
	if n := bytes.Count(answer, []byte(toolOfCommand)); n < catalogServers*toolsPerServer {
		return fmt.Errorf("the catalogue has %d tools of %d", n, catalogServers*toolsPerServer)
	}
	return nil
}

// attachToWhole is attachToCatalog until the catalogue has all tools.
func (p *place) attachToWhole() (took time.Duration, err error) {
	begin := time.Now()
	e, err := p.open(editorOptions{attach: true})
	if err != nil {
		return 0, err
	}
	for {
		answer, err := e.ask("editord/catalog", "{}")
		if err != nil {
			return 0, err
		}
		took = time.Since(begin)
		err = whole(answer)
		if err == nil {
			return took, e.close()
		}
		if took > startTimeout {
			return 0, errors.Join(err, e.close())
		}
	}
}

func prefill(e *editor, n int, d *Data) error {
	var took []float64
	for range n {
		begin := time.Now()
		if _, err := e.ask("editord/prefill", `{"command":"mcp.tool.bare7.tool_30","context":{}}`); err != nil {
			return err
		}
		took = append(took, millis(time.Since(begin)))
	}
	d.add(catalogPrefill, "ms", took...)
	return nil
}

// changes has one editor call a tool that changes the tools of its server, and another hear of it.
func changes(ctx context.Context, place *place, e *editor, n int, d *Data) error {
	listener, err := place.open(editorOptions{})
	if err != nil {
		return err
	}
	if _, err := listener.ask("editord/catalog", "{}"); err != nil {
		return err
	}
	var took, sent []float64
	for range n {
		pause(ctx, 30*time.Millisecond) // below 50 notifications a second nothing is thinned
		before := listener.stream.received
		begin := time.Now()
		if _, err := e.ask("mcp/tools/call", changeArguments); err != nil {
			return err
		}
		if err := listener.until(catalogChanged); err != nil {
			return err
		}
		took = append(took, millis(time.Since(begin)))
		sent = append(sent, float64(listener.stream.received-before))
	}
	d.add(catalogChange, "ms", took...)
	d.add(catalogSent, "bytes", sent...)
	return listener.close()
}

// until reads up to a message with this text.
func (e *editor) until(text string) error {
	stopped := time.AfterFunc(turnLimit, func() { _ = e.stream.shut() })
	defer stopped.Stop()
	for {
		message, err := e.stream.whole()
		if err != nil {
			return fmt.Errorf("waiting for %s: %w", text, err)
		}
		if bytes.Contains(message, []byte(text)) {
			return nil
		}
	}
}
