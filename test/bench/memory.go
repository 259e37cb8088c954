package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// editors is the number of editors whose memory is measured.
const editors = 8

// memory compares editors that each have their own server with editors behind the daemon,
// which has one server for all. It prints what all processes but the editors' own cost.
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

// occupied opens one way for each editor and returns the memory of their processes, in kB.
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

// proportional returns the memory of a process in kB. A shared page counts in equal parts
// for each process that shares it (Pss, proc_pid_smaps(5)).
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
	return 0, fmt.Errorf("process %d has no Pss in its smaps_rollup", pid)
}
