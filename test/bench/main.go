// Command bench measures what the daemon costs, for `make bench`. It prints its goals and what
// became of them, and writes the tables of docs/performance.md:
//
//	go run ./test/bench -write docs/performance.md     measure everything
//	go run ./test/bench -quick                         only what has a wall; less than a minute
//	go run ./test/bench -only calls -against /tmp/before/mcp-editord
//
// The last one takes the socket and attach of another daemon into the same rounds.
//
// The ways of a call:
//
//	go-sdk   the official Go SDK's client, with the server as its child: a program without a daemon
//	socket   frames of LSP on the daemon's socket; nothing is decoded
//	attach   the same through `mcp-editord attach`
//	mcp-hub  REST of mcp-hub from npm; nothing is decoded
//
// The ways take turns in short rounds within one run, so that whatever else the machine does slows
// all of them. Only their ratios mean something. The goals are in goals.go: one that is missed does
// not fail the command.
//
// Everything that is started ends with the run, and listens on nothing but Unix sockets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// limit ends a run that hangs.
const limit = 30 * time.Minute

// options are the command line.
type options struct {
	bin, hub string // directories
	against  string
	only     string
	document string
	quick    bool
}

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin", "the `directory` with mcp-editord")
	flag.StringVar(&o.hub, "hub", filepath.Join(".tools", "bench", "node_modules"), "the `directory` with mcp-hub")
	flag.StringVar(&o.against, "against", "", "calls: also the socket and attach of this other `mcp-editord`")
	flag.StringVar(&o.only, "only", "", "measure only this `part`: calls, memory or roots")
	flag.StringVar(&o.document, "write", "", "put the tables into this `document`")
	flag.BoolVar(&o.quick, "quick", false, "measure only what has a wall, in fewer rounds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := run(ctx, o)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	parts := []struct {
		name string
		run  func(ctx context.Context, p programs, quick bool, d *data) error
	}{{"calls", calls}, {"memory", memory}, {"roots", roots}}
	p, clean, err := o.programs()
	if err != nil {
		return err
	}
	defer clean()
	d := &data{machine: machine(p.daemon)}
	var errs error
	for _, part := range parts {
		if o.only != "" && o.only != part.name {
			continue
		}
		if err := part.run(ctx, p, o.quick, d); err != nil {
			errs = errors.Join(errs, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	for _, name := range []string{"calls", "figures", "goals"} {
		part, err := d.part(name)
		errs = errors.Join(errs, err)
		fmt.Println(part)
	}
	if o.document != "" && errs == nil {
		return writeDocument(o.document, d)
	}
	return errs
}

// programs are the files that are measured, by absolute path.
type programs struct {
	daemon  string // mcp-editord
	against string // another one to compare with; "" for none
	server  string // benchserver
	hub     string // the script of mcp-hub; "" when it is not installed
	folder  string // an empty one to work in
}

// programs finds and builds them, and makes the folder. clean removes what was made.
func (o options) programs() (p programs, clean func(), err error) {
	if p.daemon, err = filepath.Abs(filepath.Join(o.bin, "mcp-editord")); err != nil {
		return p, nil, err
	}
	if o.against != "" {
		if p.against, err = filepath.Abs(o.against); err != nil {
			return p, nil, err
		}
	}
	for _, daemon := range []string{p.daemon, p.against} {
		if _, err := os.Stat(daemon); daemon != "" && err != nil {
			return p, nil, fmt.Errorf("%w; run make build", err)
		}
	}
	hub, err := filepath.Abs(filepath.Join(o.hub, "mcp-hub", "dist", "cli.js"))
	if err != nil {
		return p, nil, err
	}
	if _, err := os.Stat(hub); err == nil {
		p.hub = hub
	}
	dir, err := os.MkdirTemp("", "mcp-editord-bench-bin-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	p.folder = filepath.Join(dir, "folder")
	if err == nil {
		err = os.Mkdir(p.folder, 0o700)
	}
	if err != nil {
		return p, nil, err
	}
	clean = func() { _ = os.RemoveAll(dir) }
	p.server = filepath.Join(dir, "benchserver")
	if out, err := exec.Command("go", "build", "-o", p.server, "./test/bench/benchserver").CombinedOutput(); err != nil {
		clean()
		return p, nil, fmt.Errorf("%w: %s", err, out)
	}
	return p, clean, nil
}

// data is everything that a run has measured.
type data struct {
	machine string
	calls   []*series
	figures []figure
}

// A work is one kind of call.
type work struct {
	server   string
	size     int // bytes of the text in the result
	inFlight int
}

// A series is one way to do one work. Each round has one sample: microseconds of a call where one
// is in flight, else calls a second.
type series struct {
	work
	way     string
	samples []float64
	skipped string // why there are none
}

// A figure is anything else that is measured.
type figure struct {
	name, unit string
	samples    []float64
}

// series returns that of a work and a way, nil if there is none.
func (d *data) series(w work, way string) *series {
	i := slices.IndexFunc(d.calls, func(s *series) bool { return s.work == w && s.way == way })
	if i < 0 {
		return nil
	}
	return d.calls[i]
}

// add adds a sample of a figure.
func (d *data) add(name, unit string, sample float64) {
	i := slices.IndexFunc(d.figures, func(f figure) bool { return f.name == name })
	if i < 0 {
		d.figures = append(d.figures, figure{name: name, unit: unit})
		i = len(d.figures) - 1
	}
	d.figures[i].samples = append(d.figures[i].samples, sample)
}

// machine says what is measured, where and when.
func machine(daemon string) string {
	out, _ := exec.Command(daemon, "version").Output()
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return fmt.Sprintf("%s, on %s: %s.", version, time.Now().Format(time.DateOnly), hardware())
}
