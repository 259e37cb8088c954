// Command conformance runs MCP's conformance suite through the daemon, for `make conformance`: the
// side of clients with the suite's servers, and the side of servers, where the daemon stands before
// a server that the suite also asks directly. The suite is pinned in suite/ and installed by
// scripts/install-conformance.sh.
//
// It is two programs in one. Started by `make`, it is the runner: it has the suite run each
// scenario, and judges the results more strictly than the suite does. Started by the suite,
// it is an editor: it attaches to its own daemon, whose only server is the suite's, and
// does what the scenario asks for.
//
// It touches nothing of the user's, and exits 1 when a scenario does not pass.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

// How the suite tells its client what to do (its README, "Client Testing"). The URL of
// the server is the last argument.
const (
	envScenario = "MCP_CONFORMANCE_SCENARIO"
	envVersion  = "MCP_CONFORMANCE_PROTOCOL_VERSION"
	envContext  = "MCP_CONFORMANCE_CONTEXT" // JSON; not set for most scenarios
)

func main() {
	binary := flag.String("binary", filepath.Join("bin", "mcp-editord"), "the mcp-editord to test")
	suite := flag.String("suite", filepath.Join(".tools", "conformance"), "the directory where the suite is installed")
	everything := flag.String("everything", filepath.Join(".tools", "servers", "bin", "everything-server"), "the server for the server side")
	side := flag.String("side", "", "client or server; both when empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := start(ctx, *binary, *suite, *everything, *side)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, binary, suite, everything, side string) error {
	binary, err1 := filepath.Abs(binary)
	everything, err2 := filepath.Abs(everything)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	a := assignment{name: os.Getenv(envScenario), version: os.Getenv(envVersion), context: os.Getenv(envContext)}
	if a.name == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		r := newRunner(suite, self, binary)
		var clients, servers error
		if side != "server" {
			clients = runAll(ctx, r)
		}
		if side != "client" {
			servers = compareAll(ctx, r, binary, everything)
		}
		return errors.Join(clients, servers)
	}
	if flag.NArg() != 1 {
		return errors.New("expected one argument, the URL of the suite's server")
	}
	return act(ctx, binary, flag.Arg(0), a)
}
