package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const treeReady = "20,000 directories under **, ready"

// roots measures how long a server waits for its roots: the directories in a large tree that a glob
// matches.
func roots(ctx context.Context, p programs, _ bool, d *data) error {
	const packs = 500
	server := p.bare()
	server.Roots = []string{"**/pack-*"}
	if err := plant(p.folder, packs); err != nil {
		return err
	}
	for range 3 {
		if err := inPlace(p.daemon, p.folder, map[string]definition{"bare": server}, func(_ *place, e *editor) error {
			begin := time.Now()
			if err := e.startServer("bare"); err != nil {
				return err
			}
			if _, err := e.ask("mcp/tools/call", fmt.Sprintf(`{"server":"bare","params":{"name":"roots","arguments":{"roots":%d}}}`, packs)); err != nil {
				return err
			}
			d.add(treeReady, "ms", float64(time.Since(begin))/1e6)
			return ctx.Err()
		}); err != nil {
			return err
		}
	}
	return nil
}

// plant makes 20,000 directories, of which so many are called pack-N.
func plant(folder string, packs int) error {
	for pack := range packs {
		parent := filepath.Join(folder, fmt.Sprint("a", pack%20), fmt.Sprint("b", pack/20), fmt.Sprint("c", pack%7))
		if err := os.MkdirAll(filepath.Join(parent, fmt.Sprint("pack-", pack)), 0o700); err != nil {
			return err
		}
		for i := range 20_000/packs - 1 {
			if err := os.Mkdir(filepath.Join(parent, fmt.Sprintf("d%d-%d", pack, i)), 0o700); err != nil {
				return err
			}
		}
	}
	return nil
}
