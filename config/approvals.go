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

// Decision is what the user decided about a definition.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
)

// Record is a remembered decision. The source is in its Definition.
type Record struct {
	Server     string    `json:"server"`
	Digest     string    `json:"digest"`
	Decision   Decision  `json:"decision"`
	At         time.Time `json:"at"`
	Definition Shown     `json:"definition"`
}

// ErrNotFound means that there is no decision for a digest.
var ErrNotFound = errors.New("there is no decision about this definition")

// maxRecords is the number of decisions to keep. The oldest are forgotten and asked for again.
const maxRecords = 1000

// Approvals remembers decisions in a file of the daemon, of which there is one on a host. Where hosts share
// it, the next [Approvals.Records] sees what another daemon wrote. [OpenApprovals] makes
// one; its methods are safe for concurrent use.
//
// A damaged file is moved aside, and a file that cannot be read counts as
// empty: nothing is approved then, and [Records.Problems] says why.
type Approvals struct {
	path string

	mu         sync.Mutex // guards the fields that follow
	records    []Record   // the oldest first; each digest once; replaced, never changed
	read       os.FileInfo
	damaged    string // where the last damaged file is now
	unreadable error  // from the last attempt to read
}

// OpenApprovals opens the file at path, which need not exist. It makes the folder, for this
// user alone; the first decision makes the file. It fails when the file cannot be used at all; a
// damaged file is not an error.
func OpenApprovals(path string) (*Approvals, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the approvals: %w", err)
	}
	a := &Approvals{path: path}
	if a.refresh(); a.unreadable != nil {
		return nil, a.unreadable
	}
	return a, nil
}

// Records are the decisions as of one look at the file.
type Records struct {
	list     []Record // the oldest first; each digest once
	problems []Problem
}

// Records returns what the file says. It reads the file again when it has changed.
func (a *Approvals) Records() Records {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refresh()
	r := Records{list: a.records}
	report := func(format string, what any) {
		r.problems = append(r.problems, Problem{URI: fileuri.FromPath(a.path), Severity: severityError, Message: fmt.Sprintf(format, what)})
	}
	if a.unreadable != nil {
		report("nothing is approved until the approvals can be read: %v", a.unreadable)
	}
	if a.damaged != "" {
		report("the approvals file was damaged and is now %q; approve your servers again", a.damaged)
	}
	return r
}

// Lookup returns the decision about the definition with this digest.
func (r Records) Lookup(digest string) (Record, bool) {
	if i := slices.IndexFunc(r.list, func(known Record) bool { return known.Digest == digest }); i >= 0 {
		return r.list[i], true
	}
	return Record{}, false
}

// Previous returns the last decision about the same server of the same file, whatever its
// definition was, or about its entering the same folder. The question shows the difference to it.
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

// Decide remembers a decision about d, a definition that asks for one. d must not be expanded: the values of
// variables do not belong in the file. When it fails, nothing has changed.
func (a *Approvals) Decide(d Definition, decision Decision) error {
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

// Revoke forgets the decision about the definition with this digest. The error is
// [ErrNotFound] when there is none. When it fails, nothing has changed.
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

// without returns records without the one for digest, and whether there was one.
func without(records []Record, digest string) (rest []Record, found bool) {
	rest = slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.Digest == digest })
	return rest, len(rest) < len(records)
}
