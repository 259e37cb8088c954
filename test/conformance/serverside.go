package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// The server side: a server is asked by the suite directly, on stdio behind the bridge, and through
// `mcp-editord mcp` behind the same bridge. What passes on stdio must pass through, and what passes
// directly must pass on stdio, unless it is about HTTP.

// revisions are the versions at which it is asked.
var revisions = []string{"2025-11-25", modernVersion}

// ofHTTP are the checks that pass directly and not on stdio, by how their keys begin: they ask about
// HTTP itself, which nothing here serves but the bridge.
var ofHTTP = []string{
	"dns-rebinding", "localhost-host", // the headers Host and Origin
	"sep-2243-",                                       // headers that say what the body says
	"sep-2575-http-", "sep-2575-request-meta-invalid", // a header says that the request is of 2026-07-28, and the request does not
	"server-sse-streams-functional", "server-sse-", "server-accepts-multiple-post-streams", // streams where JSON will do
}

// A comparison is one scenario at one version: the names of the checks that passed each way, and what
// is lost on the way with the reasons.
type comparison struct {
	run
	direct, stdio, through []string
	lost                   []string
}

// compareAll asks about every scenario at every version, and prints the results.
func compareAll(ctx context.Context, r runner, binary, everything string) error {
	var found []comparison
	for _, version := range revisions {
		direct, err1 := r.checksAt(ctx, version, func(ctx context.Context) (string, func() error, error) {
			return serveDirectly(ctx, everything, version)
		})
		stdio, err2 := r.checksAt(ctx, version, func(ctx context.Context) (string, func() error, error) {
			return serveBridged(ctx, func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, everything) })
		})
		through, err3 := r.checksAt(ctx, version, func(ctx context.Context) (string, func() error, error) {
			return serveThrough(ctx, binary, everything, version)
		})
		if err := errors.Join(err1, err2, err3); err != nil {
			return fmt.Errorf("asking servers at %s: %w", version, err)
		}
		for scenario, checks := range direct {
			found = append(found, compare(run{scenario, version}, checks, stdio[scenario], through[scenario]))
		}
	}
	return reportServers(os.Stdout, found)
}

// compare says what passed, and what is lost.
func compare(what run, direct, stdio, through []check) comparison {
	c := comparison{run: what, direct: passed(direct), stdio: passed(stdio), through: passed(through)}
	for _, key := range c.direct {
		if !slices.Contains(c.stdio, key) && !isOfHTTP(key) {
			c.lost = append(c.lost, "on stdio: "+reason(key, stdio))
		}
	}
	for _, key := range c.stdio {
		if !slices.Contains(c.through, key) && !isOfHTTP(key) {
			c.lost = append(c.lost, "through mcp-editord: "+reason(key, through))
		}
	}
	return c
}

func isOfHTTP(key string) bool {
	return slices.ContainsFunc(ofHTTP, func(begin string) bool { return strings.HasPrefix(key, begin) })
}

// passed returns the keys of the checks that passed. Checks with the same key have passed together.
func passed(checks []check) (keys []string) {
	for _, c := range checks {
		if c.Status == success && !slices.ContainsFunc(checks, func(o check) bool { return o.key() == c.key() && o.Status != success }) {
			keys = append(keys, c.key())
		}
	}
	return slices.Compact(keys)
}

// reason says why a check did not pass.
func reason(key string, checks []check) string {
	for _, c := range checks {
		if c.key() == key && c.Status != success {
			return fmt.Sprintf("%s: %s: %s", key, c.Status, cmp.Or(c.ErrorMessage, c.Description))
		}
	}
	return key + ": it was not checked"
}

// A serve starts a server, and returns its URL and what ends it.
type serve func(context.Context) (url string, end func() error, err error)

// checksAt has the suite ask a server about all that version has, and returns the checks by scenario.
func (r runner) checksAt(ctx context.Context, version string, serve serve) (found map[string][]check, err error) {
	ctx, cancel := context.WithTimeout(ctx, suiteLimit)
	defer cancel()
	url, end, err := serve(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	all, printed, _, err := r.ask(ctx, "server", "--url", url, "--suite", "all", "--spec-version", version)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("the suite left no results; it printed:\n%s", printed)
	}
	found = map[string][]check{}
	for _, left := range all {
		found[strings.TrimPrefix(left.scenario, "server-")] = left.checks
	}
	return found, err
}

// serveDirectly starts the server with HTTP of its own.
func serveDirectly(ctx context.Context, everything, version string) (url string, end func() error, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil { // the server has no way to say which port it chose
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, everything, "-http", address, fmt.Sprint("-stateless=", version == modernVersion))
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := net.Dial("tcp", address)
		if err == nil {
			return "http://" + address + "/mcp", func() error {
				_ = cmd.Process.Kill() // it may have ended
				<-ended                // it was killed
				return nil
			}, c.Close()
		}
		select { // with ctx it ends, too
		case why := <-ended:
			return "", nil, fmt.Errorf("the server has ended (%v) before it was there: %w", why, err)
		case <-tick.C:
		}
	}
}

// serveThrough serves `mcp-editord mcp` with a bridge. The server behind it speaks the era of version.
func serveThrough(ctx context.Context, binary, everything, version string) (url string, end func() error, err error) {
	p, err := newPlace(binary)
	if err != nil {
		return "", nil, err
	}
	if err := define(p, map[string]any{"command": everything, "protocol": version}); err != nil {
		return "", nil, err
	}
	// The first agent of all does not know yet what the server offers; the suite looks only once.
	if out, err := p.Command(ctx, "tools", server).CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("starting the server: %w: %s", err, out)
	}
	url, endBridge, err := serveBridged(ctx, func(ctx context.Context) *exec.Cmd { return p.Command(ctx, "mcp", "--server", server) })
	return url, func() error { return errors.Join(endBridge(), p.Close(stopLimit)) }, err
}

// serveBridged serves a command that speaks MCP on stdio.
func serveBridged(ctx context.Context, command func(context.Context) *exec.Cmd) (url string, end func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	web := &http.Server{Handler: newBridge(ctx, command), ReadHeaderTimeout: limit}
	go func() { _ = web.Serve(listener) }() // it ends with an error when it is closed
	return "http://" + listener.Addr().String() + "/mcp", func() error {
		cancel()
		return web.Close()
	}, nil
}

// reportServers prints a table with a row for each scenario, and what is lost.
func reportServers(w io.Writer, found []comparison) error {
	slices.SortFunc(found, func(a, b comparison) int {
		return cmp.Or(cmp.Compare(a.scenario, b.scenario), cmp.Compare(a.version, b.version))
	})
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "checks that pass\tversion\tdirectly\ton stdio\tthrough mcp-editord mcp")
	passed, lost := 0, 0
	for _, c := range found {
		passed, lost = passed+len(c.through), lost+len(c.lost)
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\n", c.scenario, c.version, len(c.direct), len(c.stdio), len(c.through))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, c := range found {
		for _, l := range c.lost {
			fmt.Fprintf(w, "%s at %s is lost %s\n", c.scenario, c.version, safetext.Line(l, 1000))
		}
	}
	switch {
	case lost > 0:
		return fmt.Errorf("%d checks are lost", lost)
	case passed == 0:
		return errors.New("no check passed")
	}
	_, err := fmt.Fprintf(w, "\nAll %d checks of servers on stdio pass through mcp-editord.\n", passed)
	return err
}
