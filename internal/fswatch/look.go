package fswatch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// maxLinks is how many symbolic links there may be on the way to one path, like Linux.
const maxLinks = 40

// look follows each path on the disk, has the directories on the way watched, and gives
// up those that are no longer on it. It reports whether some of them are not watched. It takes as long as
// the disk does; only run calls it.
func (w *Watch) look() (polled bool) {
	w.mu.Lock()
	paths := w.paths
	w.mu.Unlock()
	l := looking{watch: w, wanted: map[string]names{}, infos: map[string]fs.FileInfo{}}
	for _, path := range paths {
		l.follow(path)
	}
	w.keep(l.wanted)
	return l.polled
}

// looking is one look under way.
type looking struct {
	watch  *Watch
	wanted map[string]names
	polled bool                   // something is not watched
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
		l.want(at, name)
		info := l.lstat(next)
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
	l.want(at, anyName)
}

// want has the directory at dir watched for name, before anybody looks at name.
func (l *looking) want(dir, name string) {
	first := l.wanted[dir] == nil
	if first {
		l.wanted[dir] = names{}
	}
	l.wanted[dir][name] = true
	if l.watch.want(dir, name, l.lstat(dir)) {
		return
	}
	l.polled = true
	if !first {
		return
	}
	if f, err := safeopen.Folder(dir); err == nil { // only that makes network filesystems ask the other side
		f.Close()
	}
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
