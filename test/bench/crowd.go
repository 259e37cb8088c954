package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The figures of hundreds that are attached at once.
const (
	crowdAlone    = "an agent's start to its list, alone"
	crowdList     = "300 at once, no daemon: an agent's start to its list"
	crowdEditor   = "300 at once, no daemon: an editor's start to its handshake"
	crowdRefused  = "300 at once, no daemon: refused"
	crowdBusy     = "300 at once: processor time of the daemon until it is quiet"
	crowdDaemon   = "300 attached, 81 servers: the daemon, resident"
	crowdFiles    = "300 attached, 81 servers: descriptors of the daemon"
	crowdWatches  = "300 attached, 40 folders: inotify watches"
	crowdAgent    = "200 agents: mcp, resident"
	crowdShare    = "200 agents: mcp, shared pages in parts"
	crowdChange   = "200 agents: processor time of the daemon for one changed tool"
	crowdRenewed  = "200 agents: daemon killed to the result of the next call"
	crowdUnserved = "200 agents: calls that fail after the daemon was killed"
)

const (
	crowdSize    = 300 // a third of them are editors
	crowdFolders = 40
)

// A gathering is agents and editors that are attached at once.
type gathering struct {
	place   *place
	folders []string

	mu      sync.Mutex // guards the fields that follow
	agents  []*agent
	editors []*editor
	joined  []float64 // how long the editors took, in milliseconds
	err     error     // of those that were refused
	refused int
}

// crowd measures hundreds of agents and editors.
func crowd(ctx context.Context, p programs, d *Data) error {
	bare := func(scope string) definition {
		return definition{"command": p.server, "args": []string{"-bare", "20"}, "scope": scope}
	}
	servers := map[string]definition{"everywhere": bare("user"), "one": bare("workspace"), "two": bare("workspace")}
	return inPlace(p.daemon, servers, func(place *place) error {
		g := &gathering{place: place}
		defer g.leave()
		var alone []float64
		for i := range 2 * crowdFolders { // the first time in a folder, an agent waits for what nobody has seen
			folder, err := place.repository(fmt.Sprint("repository", i%crowdFolders))
			if err != nil {
				return err
			}
			a, err := place.agent(folder)
			if err != nil {
				return err
			}
			if i < crowdFolders {
				g.folders = append(g.folders, folder)
			} else {
				alone = append(alone, millis(a.listed))
			}
			if err := a.close(); err != nil {
				return err
			}
		}
		if err := place.stop(); err != nil {
			return err
		}
		d.add(crowdAlone, "ms", alone...)
		g.join()
		var listed []float64
		for _, a := range g.agents {
			listed = append(listed, millis(a.listed))
		}
		d.addSpread(crowdList, "ms", listed)
		d.addSpread(crowdEditor, "ms", g.joined)
		d.add(crowdRefused, "", float64(g.refused))
		if g.err != nil {
			return g.err
		}
		return errors.Join(g.measure(ctx, d), g.outlive(d))
	})
}

// join attaches all at once.
func (g *gathering) join() {
	var wg sync.WaitGroup
	for i := range crowdSize {
		wg.Go(func() {
			folder, begin := g.folders[i%crowdFolders], time.Now()
			var a *agent
			var e *editor
			var err error
			if i%3 == 0 {
				e, err = g.place.open(editorOptions{attach: true, autoStart: true, folder: folder})
			} else {
				a, err = g.place.agent(folder)
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			switch {
			case err != nil:
				g.refused++
				g.err = errors.Join(g.err, err)
			case e != nil:
				g.editors, g.joined = append(g.editors, e), append(g.joined, millis(time.Since(begin)))
			default:
				g.agents = append(g.agents, a)
			}
		})
	}
	wg.Wait()
}

// measure measures the daemon and the agents while they wait, and when one tool changes.
func (g *gathering) measure(ctx context.Context, d *Data) error {
	pid, err := g.place.daemonPID(g.editors[0])
	if err != nil {
		return err
	}
	if _, err := used(pid); errors.Is(err, errNoProc) {
		for _, f := range [][2]string{{crowdBusy, "ms"}, {crowdDaemon, "MB"}, {crowdFiles, ""}, {crowdWatches, ""}, {crowdAgent, "MB"}, {crowdShare, "MB"}, {crowdChange, "ms"}} {
			d.skip(f[0], f[1], err.Error())
		}
		return nil
	}
	pause(ctx, 2*settle) // servers start first
	busy, err := used(pid)
	if err != nil {
		return err
	}
	resident, err := megabytes(pid, "VmRSS")
	if err != nil {
		return err
	}
	files, watches, err := descriptors(pid)
	if err != nil {
		return err
	}
	var each, share []float64
	for _, a := range g.agents {
		own, err := megabytes(a.pid, "VmRSS")
		if err != nil {
			return err
		}
		part, err := megabytes(a.pid, "Pss")
		if err != nil {
			return err
		}
		each, share = append(each, own), append(share, part)
	}
	if _, err := g.agents[0].ask("tools/call", `{"name":"everywhere__change","arguments":{}}`); err != nil {
		return err
	}
	pause(ctx, settle)
	after, err := used(pid)
	if err != nil {
		return err
	}
	d.add(crowdBusy, "ms", millis(busy))
	d.add(crowdDaemon, "MB", resident)
	d.add(crowdFiles, "", float64(files))
	d.add(crowdWatches, "", float64(watches))
	d.add(crowdAgent, "MB", each...)
	d.add(crowdShare, "MB", share...)
	d.add(crowdChange, "ms", millis(after-busy))
	return nil
}

// outlive kills the daemon and has all agents call at once.
func (g *gathering) outlive(d *Data) error {
	pid, err := g.place.daemonPID(g.editors[0])
	if err != nil {
		return err
	}
	daemon, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := daemon.Kill(); err != nil {
		return err
	}
	for _, a := range g.agents { // before they call: a call that was sent to it is lost
		_, _ = a.ask("ping", "{}")
	}
	var wg sync.WaitGroup
	var took []float64
	failed := 0
	for _, a := range g.agents {
		wg.Go(func() {
			result, err := a.ask("tools/call", `{"name":"one__tool_5","arguments":{}}`)
			g.mu.Lock()
			defer g.mu.Unlock()
			took = append(took, millis(time.Since(begin)))
			if err != nil || strings.Contains(string(result), `"isError":true`) {
				failed++
			}
		})
	}
	wg.Wait()
	d.addSpread(crowdRenewed, "ms", took)
	d.add(crowdUnserved, "", float64(failed))
	return nil
}

// leave ends all that are attached. How they end is no concern here.
func (g *gathering) leave() {
	var wg sync.WaitGroup
	for _, a := range g.agents {
		wg.Go(func() { _ = a.close() })
	}
	for _, e := range g.editors {
		wg.Go(func() { _ = e.stream.shut() })
	}
	wg.Wait()
}

// descriptors returns how many a process has, and how many inotify watches (proc_pid_fdinfo(5)).
func descriptors(pid int) (files, watches int, err error) {
	infos, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	if err != nil {
		return 0, 0, err
	}
	for _, info := range infos {
		text, err := os.ReadFile(info)
		if err != nil {
			continue // it was closed
		}
		files++
		watches += strings.Count(string(text), "inotify wd:")
	}
	return files, watches, nil
}
