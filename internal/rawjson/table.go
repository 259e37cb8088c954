package rawjson

import (
	"bytes"
	"hash/maphash"
)

// A table finds the names of one object by their hash, from which its length, a power of two, takes
// the place of a name; that, or the next one that was free. A slot has the index of the name among
// those of the object, plus 1, and the upper bits of the hash. 0 is free. A table is at most half
// full.
type table []uint64

const (
	indexBits = 1<<40 - 1 // for more names than fit into memory
	hashBits  = ^uint64(indexBits)
	minSlots  = 4 * fewNames
)

// put enters the index of a name with this hash, which must be new.
func (t table) put(hash uint64, index int) {
	slot := int(hash) & (len(t) - 1)
	for t[slot] != 0 {
		slot = (slot + 1) & (len(t) - 1)
	}
	t[slot] = hash&hashBits | uint64(index+1)
}

// pushTable begins the table of the innermost object, which has these names.
func (n *names) pushTable(b []byte, known []span) {
	t := n.spare
	n.spare = nil
	if t == nil {
		t = make(table, minSlots)
	}
	n.fill(t, b, known)
	n.tables = append(n.tables, t)
}

// fill enters the names of an object into t, which is empty.
func (n *names) fill(t table, b []byte, known []span) {
	for i, k := range known {
		t.put(maphash.Bytes(n.seed, n.text(b, k)), i)
	}
}

// enter adds name, the last one, to the table of the innermost object, whose names are those from
// first. It reports whether the name is new there.
func (n *names) enter(b, name []byte, first int) bool {
	t := &n.tables[len(n.tables)-1]
	known := n.spans[first : len(n.spans)-1]
	if 2*(len(known)+1) > len(*t) {
		*t = make(table, 2*len(*t))
		n.fill(*t, b, known)
	}
	hash := maphash.Bytes(n.seed, name)
	slot := int(hash) & (len(*t) - 1)
	for ; (*t)[slot] != 0; slot = (slot + 1) & (len(*t) - 1) {
		if s := (*t)[slot]; s&hashBits == hash&hashBits && bytes.Equal(n.text(b, known[s&indexBits-1]), name) {
			return false
		}
	}
	(*t)[slot] = hash&hashBits | uint64(len(known)+1)
	return true
}

// popTable ends the table of the innermost object.
func (n *names) popTable() {
	last := len(n.tables) - 1
	if t := n.tables[last]; len(t) <= maxKeptSlots {
		clear(t)
		n.spare = t
	}
	n.tables[last] = nil
	n.tables = n.tables[:last]
}
