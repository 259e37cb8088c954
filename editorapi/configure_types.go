package editorapi

import "encoding/json"

// SearchServersParams is what to look for in the registry.
type SearchServersParams struct {
	Words  []string `json:"words"`            // each of them is in the name, the title or the description; one has three characters or more
	Cursor string   `json:"cursor,omitempty"` // `next` of the result before
}

// SearchServersResult is what a registry has. All texts are those of publishers, whom nobody has checked.
type SearchServersResult struct {
	Servers  []FoundServer `json:"servers"`
	Registry string        `json:"registry"`       // its address
	Next     string        `json:"next,omitempty"` // there is more: the `cursor` to get it with
	Age      int           `json:"age,omitzero"`   // seconds since the registry said so, when it does not answer now
}

// FoundServer is a server in a registry.
type FoundServer struct {
	Name        string   `json:"name"` // PUBLISHER/NAME, which `editord/proposeServers` takes
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Version     string   `json:"version"`
	Repository  string   `json:"repository,omitempty"` // the address of its source
	Kinds       []string `json:"kinds"`                // how it can be run: `remote`, `npm`, `pypi`, `oci` and others
	Deprecated  string   `json:"deprecated,omitempty"` // why it should not be used any more
}

// ProposeServersParams is what somebody has of a server. It has `words`, `command` or `from`.
type ProposeServersParams struct {
	Words   []string `json:"words,omitempty"`   // a command line, an address, `npm:PACKAGE`, `pypi:PACKAGE`, `docker:IMAGE`, `PUBLISHER/NAME` of the registry, or the JSON of any program: in one text or in several, where the first may be a name
	Command []string `json:"command,omitempty"` // a program and its arguments
	From    string   `json:"from,omitempty"`    // another program, as `mcp-editord import` names it, `all` of them, or the path of the file of one
	Name    string   `json:"name,omitempty"`    // what to call the server
	Env     []string `json:"env,omitempty"`     // `NAME=VALUE`, or `NAME` to be asked for the value
	Headers []string `json:"headers,omitempty"` // `NAME: VALUE`, or `NAME` to be asked for the value
	Folder  string   `json:"folder,omitempty"`  // the URI of a workspace folder, to add it to the `.mcp.json` of that folder and not to the user's configuration
}

// ProposeServersResult is what could be added.
type ProposeServersResult struct {
	Servers  []ProposedServer `json:"servers"`
	Choose   bool             `json:"choose,omitzero"`    // they are ways to run the same server, the best first: add one of them
	Problems []string         `json:"problems,omitempty"` // what could not be read: each one sentence
}

// ProposedServer is a server that could be added. Show `runs`, `from`, `notes` and `text` before you add it.
type ProposedServer struct {
	Name       string            `json:"name"`
	Definition json.RawMessage   `json:"definition" wire:"object"` // as mcp.json has it
	Inputs     []ProposedInput   `json:"inputs,omitempty"`         // the values that the user is asked for when it is added
	Secrets    map[string]string `json:"secrets,omitempty"`        // values of inputs that are known already, by their ids
	Runs       string            `json:"runs"`                     // the command line or the address, on one line
	From       string            `json:"from"`                     // where it is from, on one line
	Notes      []string          `json:"notes,omitempty"`          // what to know before it is added: each one sentence
	File       string            `json:"file"`                     // the URI of the file that gets it
	Text       string            `json:"text"`                     // what the file gets, without secrets
	State      ProposalState     `json:"state"`                    // what the file has under that name
}

// ProposalState compares a proposed server with what is in the file.
type ProposalState string

// The states of a proposed server.
const (
	ProposalNew       ProposalState = "new"       // the file has no server of that name
	ProposalSame      ProposalState = "same"      // the file has this very server
	ProposalDifferent ProposalState = "different" // the file has another server of that name
)

// ProposedInput is a value that the user is asked for.
type ProposedInput struct {
	ID          string   `json:"id"`
	Description string   `json:"description,omitempty"`
	Default     string   `json:"default,omitempty"`
	Password    bool     `json:"password,omitzero"` // it is kept as a secret and asked for once; any other becomes a part of the definition
	Options     []string `json:"options,omitempty"`
}

// AddServerParams is a server to add.
type AddServerParams struct {
	Server  ProposedServer `json:"server"`           // as `editord/proposeServers` returned it; its `name` may be another one
	Replace bool           `json:"replace,omitzero"` // put it in the place of another server of that name
	Force   bool           `json:"force,omitzero"`   // write it although it does not start
	Trusted bool           `json:"trusted,omitzero"` // write it without starting it, as for one that runs in another program
}

// AddServerResult is what came of adding a server.
type AddServerResult struct {
	Server Server       `json:"server"`          // as it is now; its `error` says why it did not start
	Place  *ConfigPlace `json:"place,omitempty"` // where it is defined; absent when it did not start, and nothing was written
}

// EnableServerParams says whether a server may run.
type EnableServerParams struct {
	Server  string `json:"server"`
	Enabled bool   `json:"enabled"`
}

// ConfigPlaceParams names a server.
type ConfigPlaceParams struct {
	Server string `json:"server,omitempty"` // when absent, the place is the user's configuration
}

// ConfigPlace is a place in a configuration file.
type ConfigPlace struct {
	URI   string `json:"uri"`            // of the file, which need not exist
	Range *Range `json:"range,omitzero"` // of the name of the server
}
