package roots

import "fmt"

// trouble is why roots may be missing or late after one scan. It has an example only where that
// stays the same while folders come and go elsewhere.
type trouble struct {
	glob     string // the first that did not get to all folders
	most     int    // how many folders all went through
	leftRoot string // the first root that is left out
	leftWays bool   // symbolic links were not followed
	full     string // the first folder with too many entries
	polled   int    // folders
	lateWhy  string // why the first of them is polled
}

// first notes an example unless there is one.
func first(to *string, example string) {
	if *to == "" {
		*to = example
	}
}

// sentences returns the trouble for a person: what happened, why, and what to do.
func (t *trouble) sentences() (all []string) {
	add := func(ok bool, format string, args ...any) {
		if ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(t.glob != "", "roots are left out: %q goes through more than %s folders, and does not get to the rest; make the glob narrower",
		t.glob, thousands(t.most))
	add(t.leftRoot != "", "roots are left out, such as %q: a server is told of %s at most; make the globs narrower",
		t.leftRoot, thousands(maxRoots))
	add(t.full != "", "roots may be left out: a glob goes through %q, which has more than %s entries; make the glob narrower",
		t.full, thousands(maxEntries))
	add(t.leftWays, "roots may be left out: the globs lead to more than %s symbolic links, and the rest is not followed; make the globs narrower",
		thousands(maxWatch))
	add(t.polled > 0, "roots change late: some folders are looked at every few seconds only: %s", t.lateWhy)
	return all
}

// thousands writes a limit with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
