package rawjson

import (
	"bytes"
	"hash/maphash"

	"github.com/go-json-experiment/json/jsontext"
)

// names are the names of the members so far of the objects around one place, those of the
// outermost object first.
type names struct {
	spans []span
	// unescaped has the names that have escapes, without them, also those of objects that are over.
	unescaped []byte
	// tables are of those objects that have more than fewNames, the innermost last.
	tables []table
	spare  table // for the next such object, or nil
	seed   maphash.Seed
}

// A span is where a name is: from start to end in what is scanned, or from ^start to end in unescaped.
type span struct{ start, end int }

// fewNames is up to how many names of an object are compared one by one.
const fewNames = 16

// What names that are not in use have room for at most: 16 KiB of spans, and 8 KiB each of the rest.
const (
	maxKeptSpans     = 1024
	maxKeptUnescaped = 8 << 10
	maxKeptTables    = 340
	maxKeptSlots     = 1024
)

func newNames() names { return names{seed: maphash.MakeSeed()} }

// reset forgets all names.
func (n *names) reset() {
	for len(n.tables) > 0 {
		n.popTable()
	}
	n.spans, n.unescaped = n.spans[:0], n.unescaped[:0]
	if cap(n.spans) > maxKeptSpans {
		n.spans = nil
	}
	if cap(n.unescaped) > maxKeptUnescaped {
		n.unescaped = nil
	}
	if cap(n.tables) > maxKeptTables {
		n.tables = nil
	}
}

func (n *names) len() int { return len(n.spans) }

// text returns the name that is at s, b being what is scanned.
func (n *names) text(b []byte, s span) []byte {
	if s.start < 0 {
		return n.unescaped[^s.start:s.end]
	}
	return b[s.start:s.end]
}

// last returns the last name of the innermost object.
func (n *names) last(b []byte) []byte { return n.text(b, n.spans[len(n.spans)-1]) }

// add adds the string b[start:end] to the names of the innermost object, which are those from
// first. It reports whether the name is new there.
func (n *names) add(b []byte, start, end int, escaped bool, first int) bool {
	s := span{start + 1, end - 1}
	if escaped {
		from := len(n.unescaped)
		n.unescaped, _ = jsontext.AppendUnquote(n.unescaped, b[start:end]) // it is valid
		s = span{^from, len(n.unescaped)}
	}
	name := n.text(b, s)
	known := n.spans[first:]
	n.spans = append(n.spans, s)
	if len(known) < fewNames {
		for _, k := range known {
			if bytes.Equal(n.text(b, k), name) {
				return false
			}
		}
		return true
	}
	if len(known) == fewNames {
		n.pushTable(b, known)
	}
	return n.enter(b, name, first)
}

// drop forgets the names of the innermost object, which are those from first.
func (n *names) drop(first int) {
	if len(n.spans)-first > fewNames {
		n.popTable()
	}
	n.spans = n.spans[:first]
}
