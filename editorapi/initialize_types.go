package editorapi

import "encoding/json"

// What the editor protocol adds to initialize.

// InitializationOptions is what initialize may have in initializationOptions.
//
//protocolgen:type
type InitializationOptions struct {
	Environment json.RawMessage `json:"environment,omitzero" wire:"map[string]string"` // the environment that servers get
	Umask       *string         `json:"umask,omitempty"`                               // the umask that servers get: up to four octal digits; 0022 when absent
	Cwd         json.RawMessage `json:"cwd,omitzero" wire:"string"`                    // accepted but without effect: see configuration.md, Where a server runs
	Servers     json.RawMessage `json:"servers,omitzero" wire:"object"`                // more servers by name, as in mcp.json; trusted
	Trusted     *bool           `json:"trusted,omitempty"`                             // whether the user trusts these folders; absent where the editor has not asked
	AutoStart   *bool           `json:"autoStart,omitempty"`                           // false: nothing starts until asked
	OwnClient   *OwnClient      `json:"ownClient,omitempty"`                           // the editor's own MCP client; absent where it has none that is in use
	InlineLimit int             `json:"inlineLimit,omitzero"`                          // how many bytes a result may have before its largest parts come as files; absent for no such limit
	Agent       *Agent          `json:"agent,omitempty"`                               // absent for an editor; there where a program attaches for an agent
}

// Agent says that a program attaches for an agent: for a model that calls tools by itself. An agent is
// asked for no approval and gives none, the rules for agents hold for its calls, and its first call
// starts a server. Questions that it cannot answer go to the editor of the same folder.
type Agent struct {
	Name   string `json:"name"`             // as people know it, such as `Claude Code`: 1 to 64 bytes without control characters
	Within string `json:"within,omitempty"` // where it works, an absolute path, when it did not choose its folders itself: it gets those of the editor that has this path open, if there is one
}

// OwnClient is an MCP client that an editor has beside the daemon. The daemon runs none of its servers
// for this editor; it does for others.
type OwnClient struct {
	Name  string   `json:"name"`  // its name as people know it, such as `VS Code`: 1 to 64 bytes without control characters
	Files []string `json:"files"` // the files whose servers it runs, relative to a workspace folder and with slashes, such as `.vscode/mcp.json`; at most 16, of 1 to 256 bytes each
}

// EditorCapabilities is what an editor can do. The daemon asks for nothing else.
//
//protocolgen:type
type EditorCapabilities struct {
	Sampling    json.RawMessage `json:"sampling,omitzero" wire:"object"`    // it answers `mcp/sampling/createMessage`, such as `{"tools": {}}`; MCP's ClientCapabilities.sampling
	Elicitation json.RawMessage `json:"elicitation,omitzero" wire:"object"` // it answers `mcp/elicitation/create`, such as `{"form": {}, "url": {}}`; MCP's ClientCapabilities.elicitation
	Extensions  json.RawMessage `json:"extensions,omitzero" wire:"object"`  // extensions of MCP that it knows, such as `{"io.example/x": {}}`; servers are told
	Approval    json.RawMessage `json:"approval,omitzero" wire:"object"`    // it answers `editord/approve`: `{}`
	Roots       json.RawMessage `json:"roots,omitzero" wire:"object"`       // it answers `mcp/roots/list` for its own calls, which is only for programs that pass the question on: `{}`
}

// DaemonCapabilities is what the answer to initialize has in capabilities.experimental.mcp.
//
//protocolgen:type
type DaemonCapabilities struct {
	Version int    `json:"version"`         // of the editor protocol
	Files   string `json:"files,omitempty"` // for an editor with an `inlineLimit`: the `file:` URI of the folder that has the files
}
