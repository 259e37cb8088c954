package editorapi

import "encoding/json"

// The envelopes of mcp/…, which name the server, and what the daemon adds to MCP's own params.

// MCPRequest is the envelope of a request to a server.
type MCPRequest struct {
	Server        string          `json:"server"`
	Params        json.RawMessage `json:"params,omitzero" wire:"object"`              // MCP's, passed on as they are
	Context       *Context        `json:"context,omitempty"`                          // where the user is: see Commands
	Timeout       *float64        `json:"timeout,omitempty"`                          // milliseconds without a sign of life, above 0 and up to a day; progress restarts it
	WorkDoneToken json.RawMessage `json:"workDoneToken,omitzero" wire:"int | string"` // progress arrives as `$/progress` with this token
	ProgressToken json.RawMessage `json:"progressToken,omitzero" wire:"int | string"` // progress arrives as `mcp/notifications/progress` with this token, and otherwise as the server sent it; not together with `workDoneToken`

	// What the editor can answer for this request, as in `capabilities.experimental.mcp`, where that
	// differs from what it declared there. A server of 2026-07-28 is told so; any other was told before.
	Capabilities json.RawMessage `json:"capabilities,omitzero" wire:"object"`
}

// MCPNotification is the envelope of a notification to a server, or of one from it.
type MCPNotification struct {
	Server string          `json:"server"`
	Params json.RawMessage `json:"params,omitzero" wire:"object"` // MCP's, passed on as they are

	// Only in `mcp/notifications/resources/updated` to an editor: the URIs that the update is for
	// and that this editor subscribed to.
	Subscribed []string `json:"subscribed,omitempty"`
}

// Question is the envelope of a server's request to an editor.
type Question struct {
	Server  string          `json:"server"`
	Params  json.RawMessage `json:"params" wire:"object"` // MCP's
	Cause   *Cause          `json:"cause,omitempty"`      // the editor's request that led to it, when that is certain
	Caller  *Caller         `json:"caller,omitempty"`     // whose request led to it, when that is certain and it was not this editor's
	Key     string          `json:"key,omitempty"`        // the server's own name for the question, where it has one: the key among the `inputRequests` of 2026-07-28
	Refused int             `json:"refused,omitzero"`     // how many questions of this server in a row were declined, cancelled or failed before this one
}

// Cause names the editor's request that led to a question.
type Cause struct {
	Command string          `json:"command,omitempty"`      // the id of the command, when it was one
	ID      json.RawMessage `json:"id" wire:"int | string"` // the request's id, as the editor wrote it
}

// Caller is another program in the same folder, such as an agent, whose request led to a question that
// it cannot answer.
type Caller struct {
	Name string `json:"name"`           // of the program, in its own words
	Tool string `json:"tool,omitempty"` // the name of the tool that it called, when it was one
}

// InputNote is the member `mcp-editord/input` of the `_meta` of an elicitation that asks for a
// value that the configuration takes from `inputs`. Its one property is the string `value`.
//
//protocolgen:type
type InputNote struct {
	ID       string `json:"id"`
	Password bool   `json:"password"` // show no characters
}

// URLNote is the member `mcp-editord/url` of the `_meta` of an elicitation whose URL may lead
// elsewhere than it seems to. Show both members, and the whole URL.
//
//protocolgen:type
type URLNote struct {
	Host    string `json:"host"`    // as it reads, with its ASCII form where that differs
	Warning string `json:"warning"` // a sentence
}

// FileNote is the member `mcp-editord/file` of the `_meta` of a `resource_link` that stands for a part of
// a result. The file is in the folder that the daemon named in `capabilities.experimental.mcp.files`;
// a link to anywhere else is the server's own.
//
//protocolgen:type
type FileNote struct {
	Part string `json:"part"`         // the type of the content, such as `text` or `image`; `structuredContent`; or `list`, when several are in one file, as a list
	URI  string `json:"uri,omitzero"` // of the resource, when it is the contents of one
}
