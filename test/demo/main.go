// Command demo shows what the daemon does, as the readable transcript that `make run`
// prints. It builds nothing and touches nothing of the user's: workspace, configuration,
// state and socket are in a temporary directory.
//
// It checks everything that it shows, and exits 1 when a check fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// limit ends a demonstration that hangs. Otherwise it takes a few seconds.
const limit = time.Minute

func main() {
	binary := flag.String("binary", filepath.Join("bin", "mcp-editord"), "the mcp-editord to demonstrate")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := show(ctx, *binary)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo failed:", err)
		os.Exit(1)
	}
}

// show runs the demonstration on a stage of its own.
func show(ctx context.Context, binary string) (err error) {
	s, err := newStage(binary)
	if err != nil {
		return fmt.Errorf("making the sample workspace: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close(20*time.Second)) }()
	d := &demo{stage: s, out: newTranscript(os.Stdout, s.Dir)}
	return d.run(ctx)
}
