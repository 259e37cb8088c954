// Command conformance runs the client side of MCP's conformance suite through the daemon,
// for `make conformance`. The suite is pinned in suite/ and installed by
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
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := start(ctx, *binary, *suite)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, binary, suite string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	a := assignment{name: os.Getenv(envScenario), version: os.Getenv(envVersion), context: os.Getenv(envContext)}
	if a.name == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		return runAll(ctx, newRunner(suite, self, binary))
	}
	if flag.NArg() != 1 {
		return errors.New("expected one argument, the URL of the suite's server")
	}
	return act(ctx, binary, flag.Arg(0), a)
}
