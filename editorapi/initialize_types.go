package editorapi

import "encoding/json"

// What initialize has of the editor protocol's own.

// InitializationOptions is initializationOptions.
type InitializationOptions struct {
	Environment json.RawMessage `json:"environment,omitzero" wire:"map[string]string"` // what servers get
	Umask       *string         `json:"umask,omitempty"`                               // what servers get: up to four octal digits; 0022 when absent
	Servers     json.RawMessage `json:"servers,omitzero" wire:"object"`                // more servers by name, as in mcp.json; trusted
	Trusted     *bool           `json:"trusted,omitempty"`                             // whether the person trusts these folders; left out where the editor has not asked
	AutoStart   *bool           `json:"autoStart,omitempty"`                           // false: nothing starts until asked
}

// EditorCapabilities is what an editor can do: capabilities.experimental.mcp of its initialize.
type EditorCapabilities struct {
	Sampling    json.RawMessage `json:"sampling,omitzero" wire:"object"`    // it answers `mcp/sampling/createMessage`; MCP's ClientCapabilities.sampling
	Elicitation json.RawMessage `json:"elicitation,omitzero" wire:"object"` // it answers `mcp/elicitation/create`; MCP's ClientCapabilities.elicitation
	Extensions  json.RawMessage `json:"extensions,omitzero" wire:"object"`  // the extensions of MCP that it knows, which servers are told; MCP's ClientCapabilities.extensions
	Approval    json.RawMessage `json:"approval,omitzero" wire:"object"`    // it answers `editord/approve`
}

// DaemonCapabilities is what the daemon can do: capabilities.experimental.mcp of its answer to initialize.
type DaemonCapabilities struct {
	Version int `json:"version"` // of the editor protocol
}
