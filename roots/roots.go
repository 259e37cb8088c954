// Package roots keeps the folders of one workspace true to the disk.
//
// A [Set] is told which folders and globs a workspace consists of, and knows at
// any time which of them exist: a folder that is deleted, renamed away or
// unmounted leaves the list and comes back with the folder; a glob gains and
// loses roots as directories come and go. What it says is read from the disk
// when a watch hints that something changed, never taken from the event.
//
// Invariants:
//
//   - [Set.Roots] is free of duplicates, in the order of the entries, and each
//     root was a directory when it was last looked at.
//   - The changed function is called only when the list differs from the last one
//     that was reported or read by [New] and [Set.Update]; many events are one call.
//   - Where no watch can be had the truth is at most 5 s old.
package roots

// Root is one root as MCP lists it (MCP 2025-11-25, Client, Roots).
type Root struct {
	URI  string `json:"uri"`  // a canonical file: URI, without a trailing slash
	Name string `json:"name"` // for people: the base name of the folder
}

// Config says what a workspace consists of. It is copied.
type Config struct {
	// Folders are absolute paths, in the editor's order.
	Folders []string

	// Entries are paths and globs (with *, ?, [a-z], {a,b} and **), relative ones under
	// the first folder. Only directories match. nil means Folders; an empty slice
	// that is not nil means no roots.
	Entries []string
}
