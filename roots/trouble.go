package roots

import "fmt"

// trouble is why roots may be missing or late after one scan. Of everything it has the first
// example: the order of a scan is always the same.
type trouble struct {
	left     string // the first folder that no glob went through
	glob     string // which would have
	most     int    // how many folders they went through
	leftRoot string // the first root that is left out
	leftWay  string // the first link that was not followed
	full     string // the first folder with too many entries
	bad      string // the first folder whose rules do not count
	badWhy   string
	slow     bool // comparing with what git ignores takes too long
	polled   int  // folders
	late     string
	lateWhy  string
}

func first(to *string, path string) bool {
	if *to != "" {
		return false
	}
	*to = path
	return true
}

func (t *trouble) folder(e *entry, path string, most int) {
	if first(&t.left, path) {
		t.glob, t.most = e.text, most
	}
}
func (t *trouble) root(path string)    { first(&t.leftRoot, path) }
func (t *trouble) way(path string)     { first(&t.leftWay, path) }
func (t *trouble) entries(path string) { first(&t.full, path) }

func (t *trouble) rules(folder, why string) {
	if first(&t.bad, folder) {
		t.badWhy = why
	}
}

func (t *trouble) poll(folder, why string) {
	t.polled++
	if first(&t.late, folder) {
		t.lateWhy = why
	}
}

// sentences returns the trouble for a person: what happened, why, and what to do.
func (t *trouble) sentences() (all []string) {
	add := func(ok bool, format string, args ...any) {
		if ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(t.left != "", "roots are left out: %q goes through more than %s folders, and %q and those after it are left out; make the glob narrower",
		t.glob, thousands(t.most), t.left)
	add(t.leftRoot != "", "roots are left out: there are more than %s, and %q and those after it are left out; make the globs narrower",
		thousands(maxRoots), t.leftRoot)
	add(t.full != "", "roots may be left out: %q has more than %s entries, and the rest of them is left out; make the glob narrower",
		t.full, thousands(maxEntries))
	add(t.leftWay != "", "roots may be left out: the globs lead to more than %s symbolic links, and %q and those after it are left out; make the globs narrower",
		thousands(maxWatch), t.leftWay)
	add(t.slow, "roots are left out: comparing folders with what git ignores takes too long; simplify the .gitignore files or make the globs narrower")
	add(t.bad != "", "globs go through what git ignores below %q: %s", t.bad, t.badWhy)
	add(t.polled > 0, "roots change late: %d folders are looked at every few seconds, such as %q: %s", t.polled, t.late, t.lateWhy)
	return all
}

// thousands writes a limit with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
