package roots

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// Limits of what a workspace may say about itself.
const (
	maxRules    = 1 << 20       // bytes of all the files that say what git ignores
	maxPatterns = 20_000        // in all of them
	maxWork     = 1_000_000_000 // comparisons of one scan: seconds, where a usual tree takes milliseconds
)

// The files that say what git ignores. git follows no symbolic link to the first either.
const (
	ignoreFile  = ".gitignore"
	gitFolder   = ".git"
	excludeFile = ".git/info/exclude"
)

// private are the names under which version control keeps what is its own. A glob does not
// go through them, whatever git says.
var private = []string{gitFolder, ".hg", ".jj", ".sl", ".svn", "CVS"}

// A rules is one file that says what git ignores, and those that count where it says nothing. It does
// not change.
type rules struct {
	above    *rules // nil: there are no more
	folder   string // where the file counts
	text     string
	patterns []pattern // the last one that matches counts
}

// ignored reports whether r, which may be nil, says that path is ignored.
func (r *rules) ignored(path string, isDir bool, work *int) bool {
	for ; r != nil; r = r.above {
		below := path[min(len(path), len(r.folder)):]
		if below != "" && below[0] == filepath.Separator {
			below = below[1:]
		}
		below = filepath.ToSlash(below)
		for _, p := range slices.Backward(r.patterns) {
			if p.matches(below, isDir, work) {
				return !p.negated
			}
		}
	}
	return false
}

// A rulebook has read the files that say what git ignores. What they say changes only when they do:
// as long as a file and those above it are the same, so is its rules.
type rulebook struct {
	sheets   map[string]*rules // by path of the file
	text     int               // bytes of all
	patterns int               // of all
}

// file returns what counts below folder, where the file name is and above counts too. problem says
// why the file does not count; "" when it does, or is not there.
func (b *rulebook) file(folder, name string, above *rules) (r *rules, problem string) {
	path := filepath.Join(folder, name)
	text, err := readRules(folder, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problem = err.Error()
	}
	old := b.sheets[path]
	if old != nil && old.above == above && old.text == text {
		return old, problem
	}
	b.drop(path)
	if text == "" {
		return above, problem
	}
	if b.text+len(text) > maxRules {
		return above, "the files that say what git ignores have more than 1 MiB together"
	}
	r = &rules{above: above, folder: folder, text: text}
	if old != nil && old.text == text {
		r.patterns = old.patterns
	} else {
		r.patterns = parsePatterns(text)
	}
	if b.patterns+len(r.patterns) > maxPatterns {
		return above, "the files that say what git ignores have more than 20,000 patterns together"
	}
	b.sheets[path] = r
	b.text, b.patterns = b.text+len(text), b.patterns+len(r.patterns)
	return r, problem
}

// drop forgets the file at path.
func (b *rulebook) drop(path string) {
	if old := b.sheets[path]; old != nil {
		delete(b.sheets, path)
		b.text, b.patterns = b.text-len(old.text), b.patterns-len(old.patterns)
	}
}

// own returns what counts below folder. above is what counts for folder itself, and ignored whether
// that ignores it: a pattern has asked for the folder then, and only the files inside of it count.
// A repository of its own begins anew.
func (b *rulebook) own(folder string, above *rules, ignored, repository, file bool) (r *rules, problem string) {
	if ignored || repository {
		above = nil
	}
	if repository {
		above, problem = b.file(folder, excludeFile, above)
	}
	if file {
		var other string
		if above, other = b.file(folder, ignoreFile, above); other != "" {
			problem = other
		}
	}
	return above, problem
}

// outside returns what counts for folder by the folders around it in its repository, whether that
// ignores it, and the files on which this depends.
func (b *rulebook) outside(folder string, work *int) (above *rules, ignored bool, files []string, problem string) {
	var around []string // the innermost first
	found := false
	for at := folder; !found && filepath.Dir(at) != at; {
		at = filepath.Dir(at)
		around = append(around, at)
		files = append(files, filepath.Join(at, excludeFile))
		_, err := os.Lstat(filepath.Join(at, gitFolder))
		found = err == nil
	}
	if !found {
		return nil, false, files, ""
	}
	for i, at := range slices.Backward(around) {
		files = append(files, filepath.Join(at, ignoreFile))
		var other string
		if above, other = b.own(at, above, ignored, i == len(around)-1, true); other != "" {
			problem = other
		}
		next := folder
		if i > 0 {
			next = around[i-1]
		}
		ignored = isPrivate(filepath.Base(next)) || above.ignored(next, true, work)
	}
	return above, ignored, files, problem
}

func isPrivate(name string) bool { return slices.Contains(private, name) }

// readRules returns the text of the file name in folder, which a stranger may have written.
func readRules(folder, name string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	f, err := safeopen.In(root, filepath.FromSlash(name))
	if err != nil {
		if errors.Is(err, safeopen.ErrNotRegular) {
			return "", safeopen.ErrNotRegular
		}
		return "", fs.ErrNotExist // nothing that git would read either
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRules+1))
	if err == nil && len(text) > maxRules {
		return "", errors.New("it has more than 1 MiB")
	}
	if err != nil {
		return "", err
	}
	return string(text), nil
}
