package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The figures of the benchmarks in the packages.
const (
	callAllocations = "allocations of the daemon for a call"
	callAllocated   = "bytes that the daemon allocates for a call"
)

// hotPath is which benchmarks are run.
const hotPath = "Call|Scan"

var declaration = regexp.MustCompile(`(?m)^func Benchmark\w*(` + hotPath + `)`)

// wholeCall is the benchmark of a call through all rooms.
const wholeCall = "BenchmarkCall"

// benchmarks runs the benchmarks of the hot path in the packages that have them.
func benchmarks(ctx context.Context, _ programs, d *Data) error {
	packages, err := withBenchmarks(".")
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		d.skip(callAllocations, "", "no package has a benchmark "+hotPath)
		d.skip(callAllocated, "bytes", "no package has a benchmark "+hotPath)
		return nil
	}
	length := "1s"
	if d.Quick {
		length = "100ms"
	}
	var failed bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-run", "^$", "-bench", hotPath, "-benchmem", "-benchtime", length, "-timeout", "5m"}, packages...)...)
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return errors.Join(err, fmt.Errorf("%s%s", out, failed.Bytes()))
	}
	d.Benchmarks = []string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		if line := lines.Text(); strings.HasPrefix(line, "Benchmark") || strings.HasPrefix(line, "pkg:") {
			d.Benchmarks = append(d.Benchmarks, strings.Join(strings.Fields(line), " "))
		}
	}
	for name, unit := range map[string]string{callAllocations: "allocs/op", callAllocated: "B/op"} {
		value, ok := benchmarked(d.Benchmarks, unit)
		if !ok {
			d.skip(name, "", "no package has "+wholeCall)
			continue
		}
		d.add(name, map[string]string{"B/op": "bytes"}[unit], value)
	}
	return nil
}

// benchmarked finds the figure of the first benchmark of a whole call.
func benchmarked(lines []string, unit string) (float64, bool) {
	for _, line := range lines {
		fields := strings.Fields(line)
		name, _, _ := strings.Cut(fields[0], "/")
		name, _, _ = strings.Cut(name, "-")
		at := slices.Index(fields, unit)
		if name != wholeCall || at < 1 {
			continue
		}
		value, err := strconv.ParseFloat(fields[at-1], 64)
		return value, err == nil
	}
	return 0, false
}

// withBenchmarks returns the packages below a directory whose tests have such benchmarks.
func withBenchmarks(root string) ([]string, error) {
	var packages []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if dir := "./" + filepath.ToSlash(filepath.Dir(path)); declaration.Match(text) && !slices.Contains(packages, dir) {
			packages = append(packages, dir)
		}
		return nil
	})
	return packages, err
}
