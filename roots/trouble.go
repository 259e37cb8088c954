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
	polled   int    // folders
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

func (t *trouble) poll(folder, why string) {
	t.polled++
	if first(&t.late, folder) {
		t.lateWhy = why
	}
}

// steady keeps the examples of an earlier scan as far as they still hold, so that a problem
// stays the same while it lasts. r has done the scan.
func (t *trouble) steady(before *trouble, r *reader) {
	keep := func(now *string, was string, holds bool) bool {
		if *now == "" || was == "" || !holds {
			return false
		}
		*now = was
		return true
	}
	at := func(path string) dir {
		if d := r.dirs[path]; d != nil {
			return *d
		}
		return dir{}
	}
	if before.glob == t.glob {
		keep(&t.left, before.left, !at(before.left).held)
	}
	keep(&t.leftRoot, before.leftRoot, !r.real[before.leftRoot])
	keep(&t.full, before.full, at(before.full).full)
	if d := at(before.late); keep(&t.late, before.late, d.why != "") {
		t.lateWhy = d.why
	}
}

// sentences returns the trouble for a person: what happened, why, and what to do.
func (t *trouble) sentences() (all []string) {
	add := func(ok bool, format string, args ...any) {
		if ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(t.left != "", "roots are left out: %q goes through more than %s folders, and does not get to the rest, such as %q; make the glob narrower",
		t.glob, thousands(t.most), t.left)
	add(t.leftRoot != "", "roots are left out, such as %q: a server is told of %s at most; make the globs narrower",
		t.leftRoot, thousands(maxRoots))
	add(t.full != "", "roots may be left out: a glob goes through %q, which has more than %s entries; make the glob narrower",
		t.full, thousands(maxEntries))
	add(t.leftWay != "", "roots may be left out: the globs lead to more than %s symbolic links, and the rest is not followed, such as %q; make the globs narrower",
		thousands(maxWatch), t.leftWay)
	add(t.polled > 0, "roots change late: some folders are looked at every few seconds only, such as %q: %s", t.late, t.lateWhy)
	return all
}

// thousands writes a limit with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
