package fswatch

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// Limits of one look.
const (
	maxLinks   = 40   // symbolic links on the way to one path, like Linux
	maxEntries = 1000 // entries of a polled directory to compare

	// tick is how far apart two changes must be, at least, to have different
	// times on today's filesystems.
	tick = 20 * time.Millisecond
)

// entry is one name in a directory; anyName stands for its whole content.
type entry struct{ dir, name string }

// state describes an entry at one look; same compares two of them.
type state struct {
	info    fs.FileInfo // nil when there is nothing; the directory itself for anyName
	inside  time.Time   // when the directory last gained or lost an entry
	content uint64      // hash of the entries, for anyName
	young   bool        // so new that the next change may leave the same times
}

// look follows each path on the disk, has the directories on the way watched, and gives
// up those that are no longer on it. It reports whether something that was polled before has
// changed or is no longer polled. It takes as long as the disk does; only run calls it.
func (w *Watch) look() (news bool) {
	w.mu.Lock()
	paths := w.paths // replaced as a whole
	w.mu.Unlock()
	l := looking{watch: w, wanted: map[string]names{}, seen: map[entry]state{}, infos: map[string]fs.FileInfo{}}
	for _, path := range paths {
		l.follow(path)
	}
	w.hub.keep(w, l.wanted)
	for e, old := range w.seen {
		if now, ok := l.seen[e]; !ok || !same(old, now) {
			news = true
			break
		}
	}
	w.seen = l.seen
	return news
}

// looking is one look under way.
type looking struct {
	watch  *Watch
	wanted map[string]names
	seen   map[entry]state        // of entries that must be polled
	infos  map[string]fs.FileInfo // Lstat by path, as several paths share it; nil when there is nothing
}

// follow walks path from the root, through symbolic links, as far as it exists. The
// walk never cleans a path that is not resolved yet: a/.. is not . when a is a link.
func (l *looking) follow(path string) {
	root, rest := cut(path)
	at := root
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		polled := !l.want(at, name)
		info := l.lstat(next)
		if polled {
			l.seen[entry{at, name}] = newState(l.lstat(at), info, 0)
		}
		switch {
		case info == nil:
			return
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(next)
			if links++; err != nil || links > maxLinks {
				return
			}
			_, way := cut(target)
			if filepath.IsAbs(target) {
				at, way = cut(target)
			}
			rest = append(way, rest...)
		case info.IsDir():
			at = next
		default:
			return
		}
	}
	inside := entry{at, anyName}
	if _, done := l.seen[inside]; !l.want(at, anyName) && !done {
		l.seen[inside] = newState(l.lstat(at), l.lstat(at), content(at))
	}
}

// want has the directory at dir watched for name, before anybody looks at name.
// It returns false when the directory must be polled.
func (l *looking) want(dir, name string) (watched bool) {
	if l.wanted[dir] == nil {
		l.wanted[dir] = names{}
	}
	l.wanted[dir][name] = true
	return l.watch.hub.want(l.watch, dir, name, l.lstat(dir))
}

func (l *looking) lstat(path string) fs.FileInfo {
	info, ok := l.infos[path]
	if !ok {
		info, _ = os.Lstat(path) // nil: it cannot be reached, whatever the reason
		l.infos[path] = info
	}
	return info
}

// cut returns the root of path ("/", or the root of a volume) and the names that follow. The
// root of a relative path has no volume.
func cut(path string) (root string, rest []string) {
	volume := filepath.VolumeName(path)
	rest = strings.FieldsFunc(path[len(volume):], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	return volume + string(filepath.Separator), rest
}

// newState returns the state of an entry of dir. The time of dir reveals an entry
// that came and went, or went and came, between two looks: the caller of Watch may have looked
// in between.
func newState(dir, info fs.FileInfo, content uint64) state {
	s := state{info: info, content: content}
	if dir != nil {
		s.inside = dir.ModTime()
		s.young = time.Since(s.inside).Abs() < tick
	}
	if info != nil && !info.IsDir() {
		s.young = s.young || time.Since(info.ModTime()).Abs() < tick
	}
	return s
}

// same reports whether nothing has happened between a state and a later one.
func same(old, now state) bool {
	if old.young || !old.inside.Equal(now.inside) || old.content != now.content {
		return false
	}
	a, b := old.info, now.info
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	// The time and size of a directory change with every entry in it.
	return os.SameFile(a, b) && a.Mode() == b.Mode() &&
		(a.IsDir() || a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()))
}

// content hashes the first maxEntries entries of a directory. It reads them
// because only opening a directory makes network filesystems ask the other side.
func content(dir string) uint64 {
	f, err := safeopen.Folder(dir)
	if err != nil {
		return 0
	}
	defer f.Close()
	var sum uint64 // the entries come in any order
	entries, _ := f.ReadDir(maxEntries)
	for _, e := range entries {
		h := fnv.New64a()
		fmt.Fprintf(h, "%q %v", e.Name(), e.Type())
		if info, err := e.Info(); err == nil && !info.IsDir() {
			fmt.Fprintf(h, " %v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		sum += h.Sum64()
	}
	if len(entries) == maxEntries { // the time represents the entries that were not read
		if info, err := f.Stat(); err == nil {
			sum += uint64(info.ModTime().UnixNano())
		}
	}
	return sum
}
