package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// editors is how many of them the memory is measured for.
const editors = 8

// memory compares editors that each have a server of their own with editors
// behind the daemon, which has one for all, and prints what the processes cost that are
// not the editor's own.
func memory(ctx context.Context, p *place) error {
	if runtime.GOOS != "linux" {
		fmt.Print("memory is measured on Linux only\n\n")
		return nil
	}
	direct, err := occupied(func() (*way, error) { return p.direct(ctx, p.everything) })
	if err != nil {
		return fmt.Errorf("direct: %w", err)
	}
	shared, err := occupied(func() (*way, error) { return p.attached(ctx, "everything") })
	if err != nil {
		return fmt.Errorf("through the daemon: %w", err)
	}
	fmt.Printf("memory of %d editors with server-everything: %.0f MB direct, %.0f MB through the daemon: %.2fx\n\n",
		editors, float64(direct)/1000, float64(shared)/1000, float64(shared)/float64(direct))
	return nil
}

// occupied returns the memory of the processes of as many ways as there are editors, in kB.
func occupied(open func() (*way, error)) (total int, err error) {
	pids := map[int]bool{}
	for range editors {
		w, openErr := open()
		if openErr != nil {
			return 0, openErr
		}
		defer func() { err = errors.Join(err, w.close()) }()
		for _, pid := range w.pids {
			pids[pid] = true
		}
	}
	for pid := range pids {
		n, err := proportional(pid)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// proportional returns the memory of a process in kB. Pages that processes
// share count in equal parts for each of them (Pss, proc_pid_smaps(5)).
func proportional(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var n int
		if _, err := fmt.Sscanf(line, "Pss: %d kB", &n); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("process %d: there is no Pss in its smaps_rollup", pid)
}
