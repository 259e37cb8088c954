package editorapi

import (
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// ConfigFile is what there is to know about the text of a configuration file that an editor shows. The
// text may differ from what is on the disk.
type ConfigFile struct {
	Own      bool            // it is the user's own file; else one of a workspace folder
	Schema   json.RawMessage // JSON Schema of such a file; not to be changed
	Problems []textdoc.Problem
	Servers  []ConfigServer // in the order of the text; none where the text is not valid JSON

	// What the text says, or the file on the disk where the text is not valid JSON.
	Inputs      []string // the ids of the inputs of the file
	Environment []string // the names of the variables of the environment that the file uses, sorted
}

// SourceEditor is the source of a server that the editor itself defines, as in [Server.Source].
const SourceEditor = "editor"

// ConfigServer is a server that the text of a configuration file defines.
type ConfigServer struct {
	Name  string
	Key   textdoc.Span // its name, with quotes
	Entry textdoc.Span // its name and its definition

	// Server is the server as the editor has it; nil where a definition in another file counts, or where
	// the daemon does not know the one in the text yet.
	Server *Server
	// Instead is the URI of the file whose definition of that name counts, or SourceEditor; "" for this one.
	Instead string
	// Approval is what would be asked about Server now; nil where nothing waits for a decision, and where
	// the editor has decided by not trusting the folder.
	Approval *ApproveParams
	// Saved means that the text is what is on the disk, as far as the daemon knows, and that Approval is
	// about the definition in it.
	Saved bool
	// Apart means that the definition has parts elsewhere: a key of the file is there twice, the server
	// uses inputs, or the file is a symbolic link.
	Apart bool
}
