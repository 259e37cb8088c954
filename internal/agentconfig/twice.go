package agentconfig

import "bytes"

// Shared is a server that mcp-editord runs.
type Shared struct {
	Name string
	File string // the mcp.json that defines it
}

// Twice is a server that an agent starts itself, although mcp-editord runs it too.
type Twice struct {
	Place string `json:"place"` // in the agent's configuration
	Name  string `json:"name"`  // the name for which mcp-editord runs it
}

// Others reports whether the agent's configuration has servers that are not ours. A configuration that
// cannot be read has none.
func (a Agent) Others(env Environment) bool { return len(a.others(env)) > 0 }

// Twice returns the servers that both an agent and mcp-editord run: those with the same command and
// arguments, or the same address, as they are written. A file that cannot be read has none.
func (a Agent) Twice(env Environment, shared []Shared) []Twice {
	others := a.others(env)
	var found []Twice
	for _, s := range shared {
		for _, d := range definitions(s.File) {
			for _, other := range others {
				if d.Name == s.Name && d.same(other) {
					found = append(found, Twice{dotted(a.place, other.Name), s.Name})
				}
			}
		}
	}
	return found
}

// others returns the servers in the agent's configuration that are not ours.
func (a Agent) others(env Environment) []server {
	if a.Printed() {
		return nil
	}
	path, err := a.path(env)
	if err != nil {
		return nil
	}
	var others []server
	for _, s := range contents(path, a.format, a.place) {
		if !s.ours() {
			others = append(others, s)
		}
	}
	return others
}

// definitions returns the servers of an mcp.json, in either of its spellings.
func definitions(path string) []server {
	return append(contents(path, jsonFormat{}, []string{"servers"}), contents(path, jsonFormat{}, []string{"mcpServers"})...)
}

func contents(path string, f format, place []string) []server {
	is, err := ReadFile(path)
	if err != nil {
		return nil
	}
	config, err := f.decode(bytes.TrimPrefix(is.Content, byteOrderMark))
	if err != nil {
		return nil
	}
	return servers(config, place)
}
