package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// callsPlan says which calls are measured, and for how long.
type callsPlan struct {
	ways    []string // in the order of the tables
	works   []Work
	rounds  int
	turn    time.Duration
	against string // another mcp-editord to compare with; "" for none
}

// slow is how many bytes of results at once make a turn so long that there are fewer rounds.
const (
	slow       = 4 << 20
	slowRounds = 7
)

// call returns the call of a work. The server of npm has only an echo, so there the request is as
// large as the result.
func (w Work) call() call {
	c := call{server: w.Server, tool: "text", arguments: `{"bytes":` + strconv.Itoa(w.Size) + `}`, size: w.Size}
	if w.Server == "everything" {
		const line = `\treturn fmt.Errorf(\"reading %q: %w\", name, err) // a line\n`
		text := strings.Repeat(line, w.Size/(len(line)-4)+1)
		// The result counts the text without the backslashes of JSON.
		c.tool, c.arguments = "echo", `{"message":"`+cutEscaped(text, w.Size)+`"}`
	}
	return c
}

// cutEscaped returns the beginning of a JSON string that stands for so many bytes.
func cutEscaped(text string, size int) string {
	i := 0
	for n := 0; n < size; n++ {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	return text[:i]
}

// calls measures every work in every way. The ways take turns in short rounds, so that whatever
// else the machine does slows all of them.
func calls(ctx context.Context, p programs, plan callsPlan, d *Data) (err error) {
	servers := p.servers()
	open, err := newOpener(p, plan, servers)
	if err != nil {
		return err
	}
	defer open.close()
	for _, w := range plan.works {
		if err := ctx.Err(); err != nil {
			return err
		}
		rounds := plan.rounds
		if w.Size*w.InFlight >= slow {
			rounds = min(rounds, slowRounds)
		}
		d.Calls = append(d.Calls, measure(ctx, open, plan, w, rounds)...)
	}
	return nil
}

// measure measures one work.
func measure(ctx context.Context, open *opener, plan callsPlan, w Work, rounds int) []*Series {
	c, length := w.call(), turnLength{plan.turn, 3}
	if w.Size*w.InFlight >= slow {
		length.least = 1
	}
	var all []*Series
	for _, name := range plan.ways {
		all = append(all, &Series{Work: w, Way: name, P50: []number{}, P95: []number{}, Rate: []number{}})
	}
	for round := range rounds + 1 { // the first warms up
		for i := range all {
			s := all[(i+round)%len(all)]
			if s.Skipped != "" || ctx.Err() != nil {
				continue
			}
			way, err := open.way(ctx, s.Way, w.Server)
			var t turn
			if err == nil {
				runtime.GC() // the garbage of one way is not the next one's concern
				t, err = way.turn(c, w.InFlight, length)
				if err != nil {
					open.drop(s.Way, w.Server)
				}
			}
			if err != nil {
				s.Skipped, s.P50, s.P95, s.Rate = err.Error(), []number{}, []number{}, []number{}
				continue
			}
			if round == 0 {
				continue
			}
			slices.Sort(t.each)
			s.P50 = append(s.P50, number(micros(t.each[(len(t.each)-1)/2])))
			s.P95 = append(s.P95, number(micros(t.each[(len(t.each)-1)*95/100])))
			s.Rate = append(s.Rate, number(float64(len(t.each))/t.wall.Seconds()))
		}
	}
	return all
}

// An opener opens ways when they are first needed, and closes them in the end.
type opener struct {
	p       programs
	servers map[string]definition
	places  map[string]*place // by the suffix of the way's name
	open    map[string]way    // by the names of way and server
	failed  map[string]error
	hub     *hub
}

func newOpener(p programs, plan callsPlan, servers map[string]definition) (*opener, error) {
	o := &opener{p: p, servers: servers, places: map[string]*place{}, open: map[string]way{}, failed: map[string]error{}}
	for suffix, daemon := range map[string]string{"": p.daemon, otherSays: plan.against} {
		if daemon == "" {
			continue
		}
		place, err := newPlace(daemon, servers)
		if err == nil {
			o.places[suffix] = place
			_, err = place.serve()
		}
		if err != nil {
			o.close()
			return nil, err
		}
	}
	return o, nil
}

// way returns a way to a server. What has failed once is not tried again.
func (o *opener) way(ctx context.Context, name, server string) (way, error) {
	key := name + "\x00" + server
	if w := o.open[key]; w != nil {
		return w, nil
	}
	if err := o.failed[key]; err != nil {
		return nil, err
	}
	w, err := o.start(ctx, name, server)
	if err != nil {
		o.failed[key] = err
		return nil, err
	}
	o.open[key] = w
	return w, nil
}

// drop closes a way that has failed, so that it is opened anew for the next work.
func (o *opener) drop(name, server string) {
	key := name + "\x00" + server
	_ = o.open[key].close() // it has failed
	delete(o.open, key)
}

func (o *opener) start(ctx context.Context, name, server string) (way, error) {
	definition, ok := o.servers[server]
	if !ok {
		return nil, fmt.Errorf("the server %q is not installed", server)
	}
	p := o.places[""]
	base, other := strings.CutSuffix(name, otherSays)
	if other {
		p = o.places[otherSays]
	}
	command := definition.command()
	switch base {
	case rawWay:
		return rawClient(p.command(command[0], command[1:]...))
	case directWay:
		return newDirect(ctx, p.command(command[0], command[1:]...))
	case socketWay, attachWay:
		e, err := p.open(editorOptions{attach: base == attachWay})
		if err != nil {
			return nil, err
		}
		return e, e.startServer(server)
	case agentWay:
		folder, err := p.repository("repository")
		if err != nil {
			return nil, err
		}
		return p.agent(folder)
	case hubWay:
		return o.startHub()
	}
	return nil, fmt.Errorf("there is no way %q", name)
}

// startHub starts mcp-hub once, with all servers.
func (o *opener) startHub() (way, error) {
	if o.p.hub == "" {
		return nil, fmt.Errorf("mcp-hub is not installed")
	}
	if o.hub == nil {
		h, err := newHub(o.p.hub, o.servers)
		if err != nil {
			return nil, err
		}
		o.hub = h
	}
	return hubTurns{o.hub}, nil
}

// hubTurns is a way of a hub that somebody else closes.
type hubTurns struct{ *hub }

func (hubTurns) close() error { return nil }

// close ends everything. What does not end well has been measured all the same.
func (o *opener) close() {
	for _, w := range o.open {
		_ = w.close()
	}
	if o.hub != nil {
		_ = o.hub.close()
	}
	for _, p := range o.places {
		if err := p.close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}
}
