package config

import (
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
)

// A group is the files of a [Store] that are read together: the user's, or those of one folder. One
// goroutine reads and parses them, with no lock held.
type group struct {
	folder  string // "" for the user's file
	files   []*tracked
	reading *rerun.Runner       // runs Store.read
	reload  *debounce.Debouncer // has them read when they may have changed
	watch   watch

	// Guarded by Store.mu.
	opens  int          // how many Workspaces there are
	opened []*Workspace // those that wait for their first reading
	known  bool         // the files were read once
}

// newGroup returns files that it watches already but has not read yet: no change gets lost
// between.
func (s *Store) newGroup(folder string, files ...*tracked) *group {
	g := &group{folder: folder, files: files}
	g.reading = rerun.New(func() { s.read(g) })
	g.reload = debounce.New(reloadQuiet, reloadMax, func() { g.reading.Again() })
	var paths []string
	for _, t := range files {
		paths = append(paths, t.path)
	}
	g.watch = s.watch(g.reload.Trigger, paths...)
	return g
}

// end stops watching.
func (g *group) end() {
	g.watch.Close()
	g.reload.Stop()
}

// read reads the files of g again, and tells of it when one of them has
// changed. A Workspace that was just opened waits for its own first reading. read forgets a
// folder that nobody holds any more.
func (s *Store) read(g *group) {
	s.mu.Lock()
	opened := g.opened
	g.opened = nil
	held := g.opens > 0
	if !held && s.folders[g.folder] == g {
		delete(s.folders, g.folder)
	}
	s.mu.Unlock()
	if !held {
		g.end()
		return
	}

	real := ""
	if len(opened) > 0 {
		real = fileuri.Canonical(g.folder)
	}
	found := map[*tracked]*File{} // the files that have changed
	for _, t := range g.files {
		if file, changed := t.read(s.disk); changed {
			found[t] = file
		}
	}

	s.mu.Lock()
	for t, file := range found {
		t.file = file
	}
	for _, w := range opened {
		w.real = real
	}
	news := g.known && len(found) > 0
	g.known = true
	s.mu.Unlock()
	for t, file := range found {
		s.say(t, file)
	}
	if news {
		s.telling.Again()
	}
}

// say logs what read has found.
func (s *Store) say(t *tracked, file *File) {
	if file == nil {
		s.log.Info("configuration file is gone", zap.String("file", t.source.URI))
		return
	}
	s.log.Info("configuration file read", zap.String("file", t.source.URI), zap.Int("servers", len(file.Servers)), zap.Bool("broken", file.Broken))
	for _, p := range file.Problems {
		s.log.Warn("configuration problem", zap.String("file", p.URI), zap.Int("line", p.Line),
			zap.Int("column", p.Column), zap.String("severity", p.Severity), zap.String("problem", p.Message))
	}
}
