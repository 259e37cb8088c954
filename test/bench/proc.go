package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// errNoProc is why memory and processor time are not measured elsewhere.
var errNoProc = errors.New("measured on Linux only")

// tick is the unit of the times in /proc/PID/stat, on every architecture that Go runs on.
const tick = 10 * time.Millisecond

// kilobytes returns a figure of a process: VmRSS, its resident memory now; VmHWM, the most that
// it was (proc_pid_status(5)); Pss, where a page that n processes share counts for 1/n
// (proc_pid_smaps(5)).
func kilobytes(pid int, field string) (float64, error) {
	if runtime.GOOS != "linux" {
		return 0, errNoProc
	}
	file := "status"
	if field == "Pss" {
		file = "smaps_rollup"
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		}
	}
	return 0, fmt.Errorf("process %d has no %s", pid, field)
}

// megabytes is kilobytes in MB of 1000 kB.
func megabytes(pid int, field string) (float64, error) {
	n, err := kilobytes(pid, field)
	return n * 1024 / 1e6, err
}

// used returns the processor time of a process, in user and in kernel mode (proc_pid_stat(5)).
func used(pid int) (time.Duration, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick, err
}

// stat returns the fields of /proc/PID/stat from the third on, the state.
func stat(pid int) ([]string, error) {
	if runtime.GOOS != "linux" {
		return nil, errNoProc
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return nil, fmt.Errorf("process %d has a stat of %d fields", pid, len(fields))
	}
	return fields, nil
}

// children returns the processes whose parent is pid.
func children(pid int) ([]int, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var out []int
	for _, dir := range dirs {
		child, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if fields, err := stat(child); err == nil && fields[1] == strconv.Itoa(pid) {
			out = append(out, child)
		}
	}
	return out, nil
}
