// Package candidate makes definitions for mcp.json of what people have of a server: a command line, an
// address, the name of a package, a server.json, or what another program's configuration says.
//
// Invariants:
//
//   - It neither runs nor fetches anything.
//   - A value that looks like a secret, or that a server.json calls one, never stands in a definition:
//     there is a ${input:…} in its place.
//   - What was not understood is an error or a note, never left out silently.
package candidate

import "encoding/json"

// Server is a server that could be added to an mcp.json.
type Server struct {
	Name       string          `json:"name"`
	Definition json.RawMessage `json:"definition"`       // an object as mcp.json has it; no value of a secret
	Inputs     []Input         `json:"inputs,omitempty"` // those that the definition uses, in the order in which they are asked for

	// From says where it is from, as one line for people: "npm", "the registry https://…", a path.
	From string `json:"from"`
	// Notes are what to know before it is added, each one sentence.
	Notes []string `json:"notes,omitempty"`
	// Secrets are the values of inputs that were in what somebody gave, by the ids of [Input].
	Secrets map[string]string `json:"secrets,omitempty"`
}

// Input is a value that is asked for, as in "inputs" of mcp.json.
type Input struct {
	ID          string   `json:"id"`
	Description string   `json:"description,omitempty"`
	Default     string   `json:"default,omitempty"`
	Password    bool     `json:"password,omitempty"` // kept as a secret; everything else becomes part of the definition when it has been given
	Options     []string `json:"options,omitempty"`
}
