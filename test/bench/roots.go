package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/test/bench/clock"
)

// The figures of roots.
const (
	eventDelay    = "disk event to list_changed, beyond the debounce of 100 ms"
	burstNotices  = "notifications after 10,000 events"
	treeReady     = "20,000 directories under **, ready"
	treeMemory    = "20,000 directories under **, resident"
	forestReady   = "200,000 directories under **, ready"
	forestMemory  = "200,000 directories under **, resident"
	forestProblem = "200,000 directories under **, problem shown"
)

const (
	debounce    = 100 * time.Millisecond
	burstEvents = 10_000
	treePacks   = 500 // directories of a tree that are roots
	rootsLimit  = 30 * time.Second
)

// rooted is a daemon with one server that records what it is told about its roots.
type rooted struct {
	*place
	editor *editor
	record string // its file
	heard  *bytes.Buffer
}

// rootsDefinition is a server whose roots are the directories that a glob matches.
func rootsDefinition(p programs, record, glob string) map[string]definition {
	return map[string]definition{"bare": {
		"command": p.server, "args": []string{"-bare", "1"}, "env": map[string]string{"BENCH_RECORD": record}, "roots": []string{glob},
	}}
}

// inRooted starts such a server in a folder that prepare has filled.
func inRooted(p programs, glob string, prepare func(folder string) error, do func(r *rooted, started int64) error) error {
	dir, err := os.MkdirTemp("", "mcp-editord-bench-record-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	record := filepath.Join(dir, "record")
	return inPlace(p.daemon, rootsDefinition(p, record, glob), func(place *place) error {
		if err := prepare(place.folder); err != nil {
			return err
		}
		if _, err := place.serve(); err != nil {
			return err
		}
		e, err := place.open(editorOptions{})
		if err != nil {
			return err
		}
		r := &rooted{place: place, editor: e, record: record, heard: &bytes.Buffer{}}
		e.heard = func(message []byte) { r.heard.Write(message) }
		started := clock.Now()
		if err := e.startServer("bare"); err != nil {
			return err
		}
		if err := do(r, started); err != nil {
			return err
		}
		return e.close()
	})
}

// A told is one line of the record.
type told struct {
	what  string
	at    int64
	count int
}

// told returns the lines of the record.
func (r *rooted) told() ([]told, error) {
	text, err := os.ReadFile(r.record)
	if err != nil {
		return nil, err
	}
	var out []told
	for line := range strings.Lines(string(text)) {
		var t told
		if _, err := fmt.Sscan(strings.TrimSpace(line)+" 0", &t.what, &t.at, &t.count); err != nil {
			return nil, fmt.Errorf("the record has %q: %w", line, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// await waits for a line of the record, after the first n, and returns it with the number of
// lines up to it.
func (r *rooted) await(ctx context.Context, n int, limit time.Duration, is func(told) bool) (told, int, error) {
	for end := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		lines, err := r.told()
		if err != nil && !os.IsNotExist(err) {
			return told{}, 0, err
		}
		for i := n; i < len(lines); i++ {
			if is(lines[i]) {
				return lines[i], i + 1, nil
			}
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return told{}, 0, fmt.Errorf("the server is not told within %v; its last lines: %v", limit, lines[max(0, len(lines)-3):])
		}
	}
}

func hasRoots(n int) func(told) bool {
	return func(t told) bool { return t.what == "roots" && t.count == n }
}

func isChange(t told) bool { return t.what == "changed" }

// rootsPart measures how roots follow the disk.
func rootsPart(ctx context.Context, p programs, d *Data) error {
	if err := rootsEvents(ctx, p, d); err != nil {
		return err
	}
	if err := rootsTree(ctx, p, d, 20_000, treeReady, treeMemory, ""); err != nil {
		return err
	}
	if d.Quick {
		return nil
	}
	return rootsTree(ctx, p, d, 200_000, forestReady, forestMemory, forestProblem)
}

// rootsEvents measures the way of one event, and of very many at once.
func rootsEvents(ctx context.Context, p programs, d *Data) error {
	n, bursts := 30, 5
	if d.Quick {
		n, bursts = 8, 1
	}
	first := func(folder string) error { return os.Mkdir(filepath.Join(folder, "pack-first"), 0o700) }
	return inRooted(p, "pack-*", first, func(r *rooted, _ int64) error {
		_, at, err := r.await(ctx, 0, startTimeout, hasRoots(1))
		if err != nil {
			return err
		}
		var delays, notices []float64
		for i := range n {
			pause(ctx, 20*time.Millisecond)
			begin := clock.Now()
			if err := os.Mkdir(filepath.Join(r.folder, fmt.Sprint("pack-", i)), 0o700); err != nil {
				return err
			}
			change, next, err := r.await(ctx, at, rootsLimit, isChange)
			if err != nil {
				return err
			}
			delays = append(delays, millis(time.Duration(change.at-begin)-debounce))
			if _, at, err = r.await(ctx, next, rootsLimit, hasRoots(i+2)); err != nil {
				return err
			}
		}
		d.add(eventDelay, "ms", delays...)
		for i := range bursts {
			if err := burst(r.folder); err != nil {
				return err
			}
			if _, _, err := r.await(ctx, at, rootsLimit, hasRoots(n+2+i)); err != nil {
				return err
			}
			pause(ctx, 1500*time.Millisecond) // what comes later counts too
			lines, err := r.told()
			if err != nil {
				return err
			}
			changes := 0
			for _, line := range lines[at:] {
				if isChange(line) {
					changes++
				}
			}
			at = len(lines)
			notices = append(notices, float64(changes))
		}
		d.add(burstNotices, "", notices...)
		return nil
	})
}

// burst makes 10,000 events of which one root remains.
func burst(folder string) error {
	passing := filepath.Join(folder, "pack-passing")
	for range burstEvents/2 - 1 {
		if err := os.Mkdir(passing, 0o700); err != nil {
			return err
		}
		if err := os.Remove(passing); err != nil {
			return err
		}
	}
	stays, err := os.MkdirTemp(folder, "pack-burst-")
	if err != nil {
		return err
	}
	return os.Chmod(stays, 0o750)
}

// rootsTree measures a glob over a tree of so many directories. problem is "" where every version
// has to manage the whole tree.
func rootsTree(ctx context.Context, p programs, d *Data, directories int, ready, memory, problem string) error {
	plant := func(folder string) error { return plantTree(folder, directories) }
	return inRooted(p, "**/pack-*", plant, func(r *rooted, started int64) error {
		limit := 15 * time.Second
		if problem != "" {
			limit = rootsLimit
		}
		done, _, err := r.await(ctx, 0, limit, hasRoots(treePacks))
		if err == nil {
			d.add(ready, "ms", millis(time.Duration(done.at-started)))
		} else {
			lines, _ := r.told() // there were some, or await has returned an error about them
			told := fmt.Sprintf("%s of %d", rootsTold(lines), treePacks)
			if problem == "" {
				d.skip(ready, "ms", notInVersion+told)
				d.skip(memory, "MB", notInVersion+told) // it would not be that of all directories
				return nil
			}
			d.skip(ready, "ms", told+", because there are more directories than the daemon reads")
		}
		pause(ctx, settle)
		n, err := megabytes(r.pid(), "VmRSS")
		if err != nil {
			d.skip(memory, "MB", err.Error())
		} else {
			d.add(memory, "MB", n)
		}
		if problem == "" {
			return nil
		}
		for range 2 { // the answers bring what came before them
			if _, err := r.editor.ask("editord/catalog", "{}"); err != nil {
				return err
			}
		}
		log, err := r.editor.ask("editord/serverLog", `{"server":"bare"}`)
		if err != nil {
			return err
		}
		shown := 0.0
		text := strings.ToLower(r.heard.String() + string(log))
		if strings.Contains(text, "roots are left out") || strings.Contains(text, "directories") {
			shown = 1
		}
		d.add(problem, "", shown).Note = "1: an editor is told, or the server's log says it"
		return nil
	})
}

func rootsTold(lines []told) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].what == "roots" {
			return fmt.Sprintf("the server is told %d roots", lines[i].count)
		}
	}
	return "the server is told no roots"
}

// plantTree makes so many directories, five deep, of which treePacks are called pack-N.
func plantTree(folder string, directories int) error {
	// 20 a/b/c each have the same number of leaves; a leaf in every so many is a pack.
	const inner = 20
	made := 0
	every := directories / treePacks
	for packs := 0; made < directories; {
		parent := filepath.Join(folder, fmt.Sprint("a", made/every%inner), fmt.Sprint("b", made/every/inner%inner), fmt.Sprint("c", made/every%7))
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return err
		}
		for i := range every {
			name := fmt.Sprintf("d%d-%d", made, i)
			if i == 0 && packs < treePacks {
				name = fmt.Sprint("pack-", packs)
				packs++
			}
			if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
				return err
			}
			made++
		}
	}
	return nil
}
