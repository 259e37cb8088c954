package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The names of ways. Those of another daemon have its suffix.
const (
	sdkWay    = "go-sdk"
	socketWay = "socket"
	attachWay = "attach"
	hubWay    = "mcp-hub"
	otherSays = " (other)"
)

// turnLimit ends a turn in which nothing arrives any more.
const turnLimit = 20 * time.Second

// A way is one way to call the tools of one server.
type way interface {
	// turn makes calls for so long, and at least one for each that may be in flight.
	turn(w work, length time.Duration) (turn, error)
	close()
}

// A turn is what one way did while it was its turn.
type turn struct {
	each []time.Duration // of each call, where one is in flight
	n    int             // calls
	wall time.Duration   // from the first request to the last answer
}

// sample is what a round adds to its series.
func (t turn) sample(w work) float64 {
	if w.inFlight > 1 {
		return float64(t.n) / t.wall.Seconds()
	}
	slices.Sort(t.each)
	return float64(t.each[(len(t.each)-1)/2]) / 1e3
}

// arguments are those of the tool text.
func (w work) arguments() string { return `{"bytes":` + strconv.Itoa(w.size) + `}` }

// calls measures every work in every way.
func calls(ctx context.Context, p programs, quick bool, d *data) error {
	rounds, length := 24, 60*time.Millisecond
	works := []work{small, smallBusy, large}
	if quick {
		rounds, length = 10, 25*time.Millisecond
	} else {
		works = nil
		for _, server := range []string{"bare", "plain"} {
			for _, size := range []int{100, 64 << 10, 1_000_000} {
				for _, inFlight := range []int{1, 32} {
					if size*inFlight < 4<<20 { // a turn would be so long that a run takes an hour
						works = append(works, work{server, size, inFlight})
					}
				}
			}
		}
	}
	servers := map[string]definition{"plain": {Command: p.server}, "bare": p.bare()}
	o := &opener{p: p, servers: servers, ways: map[string]way{}}
	defer o.close()
	for suffix, daemon := range map[string]string{"": p.daemon, otherSays: p.against} {
		if daemon == "" {
			continue
		}
		place, err := newPlace(daemon, p.folder, servers)
		if err != nil {
			return err
		}
		o.places = append(o.places, place)
		for base, attach := range map[string]bool{socketWay: false, attachWay: true} {
			for server := range servers {
				e, err := place.open(attach)
				if err != nil {
					return err
				}
				o.ways[base+suffix+server] = e
				if err := e.startServer(server); err != nil {
					return err
				}
			}
		}
	}
	names := []string{sdkWay, socketWay, attachWay, hubWay}
	if p.against != "" {
		names = append(names, socketWay+otherSays, attachWay+otherSays)
	}
	for _, w := range works {
		d.calls = append(d.calls, o.measure(ctx, names, w, rounds, length)...)
	}
	return ctx.Err()
}

// measure measures one work. The ways take turns.
func (o *opener) measure(ctx context.Context, names []string, w work, rounds int, length time.Duration) []*series {
	var all []*series
	for _, name := range names {
		all = append(all, &series{work: w, way: name})
	}
	for round := range rounds + 1 { // the first warms up
		for i := range all {
			s := all[(i+round)%len(all)]
			if s.skipped != "" || ctx.Err() != nil {
				continue
			}
			way := o.way(ctx, s.way, w.server)
			runtime.GC() // the garbage of one way is not the next one's concern
			t, err := way.turn(w, length)
			switch {
			case err != nil:
				s.skipped, s.samples = err.Error(), nil
			case round > 0:
				s.samples = append(s.samples, t.sample(w))
			}
		}
	}
	return all
}

// An opener opens ways when they are first needed, and closes them in the end.
type opener struct {
	p       programs
	servers map[string]definition
	ways    map[string]way // by the names of way and server
	places  []*place
}

// way returns a way to a server. What has not opened once is not tried again.
func (o *opener) way(ctx context.Context, name, server string) way {
	if w := o.ways[name+server]; w != nil {
		return w
	}
	var w way
	var err error
	switch name {
	case sdkWay:
		w, err = newSDK(ctx, o.servers[server])
	case hubWay:
		w, err = newHub(o.p.hub, o.servers)
	}
	if err != nil {
		w = broken{err}
	}
	o.ways[name+server] = w
	return w
}

// broken is a way that has not opened.
type broken struct{ err error }

func (b broken) turn(work, time.Duration) (turn, error) { return turn{}, b.err }
func (broken) close()                                   {}

func (o *opener) close() {
	for _, w := range o.ways {
		w.close()
	}
	for _, p := range o.places {
		p.close()
	}
}

// turn makes calls on one connection. Requests that may be sent at the same moment go in one write.
func (e *editor) turn(w work, length time.Duration) (t turn, err error) {
	stopped := time.AfterFunc(turnLimit, e.shut)
	defer stopped.Stop()
	out := bufio.NewWriterSize(e.out, readBuffer)
	add := func() {
		e.last++
		_, _ = out.WriteString(frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"mcp/tools/call","params":{"server":%q,"params":{"name":"text","arguments":%s}}}`,
			e.last, w.server, w.arguments()))) // Flush returns the error
	}
	begin := time.Now()
	sent := begin // the call, where there is one at a time
	for range w.inFlight {
		add()
	}
	for left := w.inFlight; left > 0; {
		if err := out.Flush(); err != nil {
			return t, err
		}
		for more := true; more; more = left > 0 && e.in.Buffered() > 0 {
			size, answer, err := e.skim()
			if err == nil && answer && size < w.size {
				err = fmt.Errorf("an answer of %d bytes to a call whose result has %d", size, w.size)
			}
			if err != nil {
				return t, err
			}
			if !answer {
				continue
			}
			now := time.Now()
			t.n++
			if w.inFlight == 1 {
				t.each = append(t.each, now.Sub(sent))
				sent = now
			}
			if now.Sub(begin) < length {
				add()
			} else {
				left--
			}
		}
	}
	t.wall = time.Since(begin)
	return t, nil
}

// sdk is the SDK's client, with the server as its child.
type sdk struct{ session *mcp.ClientSession }

func newSDK(ctx context.Context, d definition) (way, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(d.Command, d.Args...)}, nil)
	return sdk{session}, err
}

func (s sdk) turn(w work, length time.Duration) (turn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), turnLimit)
	defer cancel()
	params := &mcp.CallToolParams{Name: "text", Arguments: json.RawMessage(w.arguments())}
	return callers(w.inFlight, length, func() error {
		result, err := s.session.CallTool(ctx, params)
		if err == nil && result.IsError {
			err = errors.New("the tool reports an error")
		}
		return err
	})
}

func (s sdk) close() { _ = s.session.Close() } // some servers are killed

// callers makes calls with a function that makes one.
func callers(inFlight int, length time.Duration, do func() error) (turn, error) {
	var (
		mu   sync.Mutex // guards t and errs
		t    turn
		errs error
		wg   sync.WaitGroup
	)
	begin := time.Now()
	for range inFlight {
		wg.Go(func() {
			var each []time.Duration
			var err error
			for sent := begin; err == nil && (each == nil || sent.Sub(begin) < length); {
				err = do()
				now := time.Now()
				each = append(each, now.Sub(sent))
				sent = now
			}
			mu.Lock()
			defer mu.Unlock()
			t.each, t.n, errs = append(t.each, each...), t.n+len(each), errors.Join(errs, err)
		})
	}
	wg.Wait()
	t.wall = time.Since(begin)
	return t, errs
}

// pipes starts a command and returns its standard output and input.
func pipes(cmd *exec.Cmd) (io.Reader, io.Writer, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return out, in, cmd.Start()
}
