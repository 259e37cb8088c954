package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// Decision is what a person said about a definition.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
)

// Record is a decision that is remembered. The source is in its Definition.
type Record struct {
	Server     string    `json:"server"`
	Digest     string    `json:"digest"`
	Decision   Decision  `json:"decision"`
	At         time.Time `json:"at"`
	Definition Shown     `json:"definition"`
}

// ErrNotFound is returned for a digest about which nothing was decided.
var ErrNotFound = errors.New("nothing was decided about this definition")

// maxRecords is how many decisions are kept. The oldest are forgotten, and asked again.
const maxRecords = 1000

// Approvals remembers decisions in a file that all daemons and commands of the user
// share. What another process wrote counts from the next [Approvals.Records] on. It is made by
// [OpenApprovals]; its methods are safe for concurrent use.
//
// A file that is damaged is moved aside, and one that cannot be read counts as
// empty: nothing is approved then, and [Records.Problems] says why.
type Approvals struct {
	path string

	mu         sync.Mutex // guards the fields that follow
	records    []Record   // the oldest first; each digest once; replaced, never changed
	read       os.FileInfo
	damaged    string // where the last damaged file was moved
	unreadable error  // of the last attempt to read
}

// OpenApprovals opens the file at path, which need not exist: it is made with the
// first decision, and its folder now, for this user alone. The error tells that it cannot be
// used at all; a damaged file is no error.
func OpenApprovals(path string) (*Approvals, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the approvals: %w", err)
	}
	a := &Approvals{path: path}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refresh()
	if a.unreadable != nil {
		return nil, a.unreadable
	}
	return a, nil
}

// Records are the decisions as of one look at the file.
type Records struct {
	list     []Record // the oldest first; each digest once
	problems []Problem
}

// Records looks at the file, which is read again when it has changed, and returns what it says.
func (a *Approvals) Records() Records {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refresh()
	return Records{list: a.records, problems: a.problems()}
}

// Lookup returns what was decided about the definition of this digest.
func (r Records) Lookup(digest string) (Record, bool) {
	if i := slices.IndexFunc(r.list, func(known Record) bool { return known.Digest == digest }); i >= 0 {
		return r.list[i], true
	}
	return Record{}, false
}

// Previous returns the last decision about the same server of the same file, whatever its
// definition was, or about its entering the same folder: what to show the difference to.
func (r Records) Previous(d Definition) (Record, bool) {
	for _, known := range slices.Backward(r.list) {
		if known.Definition.Source == d.Source.URI && known.Server == d.Name && (d.Enters == "" || known.Definition.Folder == d.Enters) {
			return known, true
		}
	}
	return Record{}, false
}

// All returns all decisions, the oldest first.
func (r Records) All() []Record { return slices.Clone(r.list) }

// Problems returns what is wrong with the file.
func (r Records) Problems() []Problem { return r.problems }

// Decide remembers a decision about d, which must not be expanded: values that
// variables stand for do not belong in the file. When it fails nothing has changed.
func (a *Approvals) Decide(d Definition, decision Decision) error {
	if decision != Allow && decision != Deny {
		return fmt.Errorf("deciding about server %q: the decision must be %q or %q", d.Name, Allow, Deny)
	}
	if d.Asks == "" {
		return fmt.Errorf("deciding about server %q: there is nothing to decide", d.Name)
	}
	err := a.update(func(records []Record) ([]Record, error) {
		records, _ = without(records, d.Asks)
		return append(records, Record{
			Server:     d.Name,
			Digest:     d.Asks,
			Decision:   decision,
			At:         time.Now().UTC().Truncate(time.Second),
			Definition: d.Shown().kept(),
		}), nil
	})
	if err != nil {
		return fmt.Errorf("remembering the decision about server %q: %w", d.Name, err)
	}
	return nil
}

// Revoke forgets the decision about the definition of this digest. The error is
// [ErrNotFound] when there is none. When it fails nothing has changed.
func (a *Approvals) Revoke(digest string) error {
	err := a.update(func(records []Record) ([]Record, error) {
		records, found := without(records, digest)
		if !found {
			return nil, ErrNotFound
		}
		return records, nil
	})
	if err != nil {
		return fmt.Errorf("revoking the decision about %.12s: %w", digest, err)
	}
	return nil
}

// problems returns what is wrong with the file. mu is held.
func (a *Approvals) problems() []Problem {
	var problems []Problem
	report := func(message string) {
		problems = append(problems, Problem{URI: fileuri.FromPath(a.path), Severity: severityError, Message: message})
	}
	if a.unreadable != nil {
		report(fmt.Sprintf("nothing is approved until the approvals can be read: %v", a.unreadable))
	}
	if a.damaged != "" {
		report(fmt.Sprintf("the approvals were damaged and are now in %s; approve your servers again", a.damaged))
	}
	return problems
}

// without returns records without that of digest, and whether there was one.
func without(records []Record, digest string) (rest []Record, found bool) {
	rest = slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.Digest == digest })
	return rest, len(rest) < len(records)
}
