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
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if script := os.Getenv(insideEnv); script != "" {
		if err := hubInside(script); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// limits end a run that hangs.
const (
	quickLimit = 5 * time.Minute
	fullLimit  = 30 * time.Minute
)

// flags are the command line.
type flags struct {
	bin, servers, hub   string
	only, ways, sizes   string
	inFlight, against   string
	server              string
	rounds              int
	quick               bool
	raw, from, document string
}

func parseFlags() flags {
	var f flags
	flag.StringVar(&f.bin, "bin", "bin", "the `directory` with mcp-editord")
	flag.StringVar(&f.servers, "servers", filepath.Join(".tools", "servers", "node_modules"), "the `directory` with server-everything")
	flag.StringVar(&f.hub, "hub", filepath.Join(".tools", "bench", "node_modules"), "the `directory` with mcp-hub")
	flag.StringVar(&f.only, "only", "", "measure only these `parts`: "+strings.Join(partNames(), ","))
	flag.StringVar(&f.ways, "ways", "", "calls: only these `ways`: raw,direct,socket,attach,hub")
	flag.StringVar(&f.sizes, "sizes", "", "calls: only results of these sizes in `bytes`")
	flag.StringVar(&f.server, "server", "", "calls: only this `server`: plain, bare or everything")
	flag.StringVar(&f.inFlight, "inflight", "", "calls: only so many at a time: `1,32`")
	flag.StringVar(&f.against, "against", "", "calls: also the socket, attach and mcp of this other `mcp-editord`")
	flag.IntVar(&f.rounds, "rounds", 0, "calls: `rounds` of each work")
	flag.BoolVar(&f.quick, "quick", false, "take about a minute, with fewer rounds and only the calls that have a goal")
	flag.StringVar(&f.raw, "raw", "", "write what was measured to this `file`")
	flag.StringVar(&f.from, "from", "", "measure nothing; read this `file` that -raw has written")
	flag.StringVar(&f.document, "write", "", "put the tables into this `document`, and the plots into images/ beside it")
	flag.Parse()
	return f
}

func run(ctx context.Context) error {
	f := parseFlags()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	d := &Data{}
	var err error
	if f.from != "" {
		d, err = readData(f.from)
	} else {
		err = f.measure(ctx, d)
	}
	if err != nil {
		return err
	}
	fmt.Print(text(d))
	if f.raw != "" {
		if err := d.write(f.raw); err != nil {
			return err
		}
	}
	if f.document != "" {
		if err := writeDocument(f.document, d); err != nil {
			return err
		}
	}
	if len(d.Problems) > 0 {
		return errors.New(strings.Join(d.Problems, "; "))
	}
	return nil
}

// A part is measured on its own.
type part struct {
	name string
	run  func(ctx context.Context, p programs, d *Data) error
}

// partNames returns the names for -only.
func partNames() []string {
	var names []string
	for _, p := range (flags{}).parts(callsPlan{}) {
		names = append(names, p.name)
	}
	return names
}

// parts returns everything that can be measured, in order.
func (f flags) parts(plan callsPlan) []part {
	return []part{
		{"calls", func(ctx context.Context, p programs, d *Data) error { return calls(ctx, p, plan, d) }},
		{"startup", startup},
		{"memory", memory},
		{"agents", agents},
		{"roots", rootsPart},
		{"catalog", catalog},
		{"cpu", processor},
		{"benchmarks", benchmarks},
	}
}

func (f flags) measure(ctx context.Context, d *Data) error {
	limit := fullLimit
	if f.quick {
		limit = quickLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	plan, err := f.plan()
	if err != nil {
		return err
	}
	parts := f.parts(plan)
	if f.only != "" {
		only := strings.Split(f.only, ",")
		for _, name := range only {
			if !slices.Contains(partNames(), name) {
				return fmt.Errorf("-only: %q is not one of %s", name, strings.Join(partNames(), ","))
			}
		}
		parts = slices.DeleteFunc(parts, func(p part) bool { return !slices.Contains(only, p.name) })
	}
	p, clean, err := f.programs()
	if err != nil {
		return err
	}
	defer clean()
	*d = Data{At: time.Now().UTC().Format(time.RFC3339), Quick: f.quick, Machine: machine(), Daemon: version(p.daemon), Figures: []*Figure{}, Calls: []*Series{}}
	for _, part := range parts {
		begin := time.Now()
		if err := ctx.Err(); err != nil {
			d.Problems = append(d.Problems, fmt.Sprintf("%s: %v", part.name, err))
			break
		}
		if err := part.run(ctx, p, d); err != nil {
			d.Problems = append(d.Problems, fmt.Sprintf("%s: %v", part.name, err))
		}
		fmt.Fprintf(os.Stderr, "%s: %.0f s\n", part.name, time.Since(begin).Seconds())
	}
	return nil
}

// plan returns the calls to measure.
func (f flags) plan() (callsPlan, error) {
	plan := callsPlan{rounds: 24, turn: 60 * time.Millisecond}
	together := maxTogether
	sizes, inFlight := []int{100, 64 << 10, 1_000_000, 16 << 20}, []int{1, 32}
	servers := []string{"plain", "bare", "everything"}
	if f.quick {
		plan.rounds, plan.turn = 10, 25*time.Millisecond
		sizes, servers, together = []int{100, 1_000_000}, servers[:2], slow
	}
	if f.rounds > 0 {
		plan.rounds = f.rounds
	}
	var err error
	if f.against != "" {
		if plan.against, err = filepath.Abs(f.against); err != nil {
			return plan, err
		}
		if _, err := os.Stat(plan.against); err != nil {
			return plan, fmt.Errorf("-against: %w", err)
		}
	}
	if sizes, err = chosen(f.sizes, sizes); err != nil {
		return plan, fmt.Errorf("-sizes: %w", err)
	}
	if inFlight, err = chosen(f.inFlight, inFlight); err != nil {
		return plan, fmt.Errorf("-inflight: %w", err)
	}
	switch {
	case f.server != "":
		servers = []string{f.server}
	case f.sizes != "":
		servers = servers[:1]
	}
	for _, server := range servers {
		for _, size := range sizes {
			for _, n := range inFlight {
				if f.sizes != "" || size*n <= together && (server != "everything" || size <= maxEcho) {
					plan.works = append(plan.works, Work{server, size, n})
				}
			}
		}
	}
	known := map[string]string{"raw": rawWay, "direct": directWay, "socket": socketWay, "attach": attachWay, "mcp": agentWay, "hub": hubWay}
	names := []string{"raw", "direct", "socket", "attach", "mcp", "hub"}
	if f.ways != "" {
		names = strings.Split(f.ways, ",")
	}
	for _, name := range names {
		way, ok := known[name]
		if !ok {
			return plan, fmt.Errorf("-ways: there is no way %q", name)
		}
		plan.ways = append(plan.ways, way)
		if f.against != "" && (way == socketWay || way == attachWay || way == agentWay) {
			plan.ways = append(plan.ways, way+otherSays)
		}
	}
	return plan, nil
}

const (
	maxTogether = 64 << 20 // bytes of results at once; the daemon holds at most 128 MiB for an editor
	maxEcho     = 1 << 20  // bytes; server-everything ends when a request has 16 MiB
)

// chosen reads a list of numbers, or returns all when there is none.
func chosen(list string, all []int) ([]int, error) {
	if list == "" {
		return all, nil
	}
	var out []int
	for item := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(item)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number above 0", item)
		}
		out = append(out, n)
	}
	return out, nil
}

// programs finds and builds what is measured, and what it is measured with. clean removes what was
// built.
func (f flags) programs() (p programs, clean func(), err error) {
	if p.daemon, err = filepath.Abs(filepath.Join(f.bin, "mcp-editord")); err != nil {
		return p, nil, err
	}
	if _, err := os.Stat(p.daemon); err != nil {
		return p, nil, fmt.Errorf("%w; run make build", err)
	}
	for _, found := range []struct {
		path *string
		dir  string
		file string
	}{
		{&p.everything, f.servers, "@modelcontextprotocol/server-everything/dist/index.js"},
		{&p.hub, f.hub, "mcp-hub/dist/cli.js"},
	} {
		path, err := filepath.Abs(filepath.Join(found.dir, filepath.FromSlash(found.file)))
		if err != nil {
			return p, nil, err
		}
		if _, err := os.Stat(path); err == nil {
			*found.path = path
		}
	}
	dir, err := os.MkdirTemp("", "mcp-editord-bench-bin-")
	if err != nil {
		return p, nil, err
	}
	clean = func() { _ = os.RemoveAll(dir) }
	p.server = filepath.Join(dir, "benchserver")
	if out, err := exec.Command("go", "build", "-o", p.server, "./test/bench/benchserver").CombinedOutput(); err != nil {
		clean()
		return p, nil, errors.Join(err, errors.New(string(out)))
	}
	return p, clean, nil
}
