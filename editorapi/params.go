package editorapi

import "encoding/json"

// The params and results of the requests editord/…, and the params of its notifications.

// Nothing has no members. Those that a peer sends are ignored.
type Nothing struct{}

// UnmarshalJSON implements [json.Unmarshaler]. Some editors write {} as [] or null.
func (*Nothing) UnmarshalJSON([]byte) error { return nil }

// ServersResult lists the servers of the editor's workspace.
type ServersResult struct {
	Servers []Server `json:"servers"`
}

// ServerParams names a server.
type ServerParams struct {
	Server string `json:"server"`
}

// FinishSignInParams is what the browser ended with.
type FinishSignInParams struct {
	Server   string `json:"server"`
	Response string `json:"response"` // the whole address that the browser ended on, or the code alone where the authorization server shows one
}

// MuteParams says whether a server is muted.
type MuteParams struct {
	Server string `json:"server"`
	Muted  *bool  `json:"muted,omitempty"` // true by default
}

// ApproveServerParams is a decision on a definition.
type ApproveServerParams struct {
	Server   string   `json:"server"`
	Digest   string   `json:"digest"`   // the digest of the definition that the user looked at
	Decision Decision `json:"decision"` // `allow` or `deny`
}

// ApprovalsResult lists the remembered decisions.
type ApprovalsResult struct {
	Approvals []Approval `json:"approvals"`
}

// RevokeParams names the decision to forget.
type RevokeParams struct {
	Digest string `json:"digest"` // the digest that was decided on
}

// CatalogParams names the server whose catalog you want.
type CatalogParams struct {
	Server string `json:"server,omitempty"` // when absent, all servers that are ready
	Known  bool   `json:"known,omitzero"`   // with true, also what the servers that are not ready offered last; those of which nothing is known come with empty lists
}

// CatalogResult is what servers offer. The user's servers come before those of a project.
type CatalogResult struct {
	Servers []CatalogServer `json:"servers"`
}

// CatalogServer is what one server offers, without the tools that the configuration hides.
type CatalogServer struct {
	Server            Server            `json:"server"`
	Earlier           bool              `json:"earlier,omitzero"` // what it offered when it last ran, perhaps for another editor; `server` then has what it said of itself
	Tried             bool              `json:"tried,omitzero"`   // with `known`: it has run before, has failed to, or has been starting for long: nobody needs to wait for its lists
	Tools             []CatalogTool     `json:"tools"`
	Prompts           []CatalogPrompt   `json:"prompts"`
	Resources         []json.RawMessage `json:"resources" wire:"[]mcp.Resource"`
	ResourceTemplates []json.RawMessage `json:"resourceTemplates" wire:"[]mcp.ResourceTemplate"`
}

// CatalogTool is a tool and its command.
type CatalogTool struct {
	Command string          `json:"command"`
	Tool    json.RawMessage `json:"tool" wire:"mcp.Tool"` // as the server sent it
}

// CatalogPrompt is a prompt and its command.
type CatalogPrompt struct {
	Command string          `json:"command"`
	Prompt  json.RawMessage `json:"prompt" wire:"mcp.Prompt"` // as the server sent it
}

// PrefillParams names the command whose arguments you want.
type PrefillParams struct {
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments,omitzero" wire:"object"` // what the user has given already, which is not proposed again
	Context   *Context        `json:"context,omitempty"`
}

// PrefillResult proposes arguments for a form that the user sees before the call.
type PrefillResult struct {
	Arguments json.RawMessage `json:"arguments" wire:"object"` // with those that were given
	Missing   []string        `json:"missing"`                 // the names of required arguments without a proposal
	Bound     []string        `json:"bound"`                   // the names of those of arguments that the configuration binds; all others that were not given are guesses
	Strangers []Stranger      `json:"strangers,omitempty"`     // those that were given, that the schema does not know, and of which another one is probably meant or none is allowed
}

// Stranger is an argument that a tool or a prompt does not have.
type Stranger struct {
	Name  string `json:"name"`
	Meant string `json:"meant,omitempty"` // the one that probably is
}

// CatalogChanged tells which lists of a server have changed.
type CatalogChanged struct {
	Server string   `json:"server"`
	Kinds  []string `json:"kinds"` // `tools`, `prompts`, `resources`, `resourceTemplates`
}

// ServerRemoved tells that a server is no longer defined.
type ServerRemoved struct {
	Server string `json:"server"`
}

// SubscriptionEnded tells that no more updates of a resource come.
type SubscriptionEnded struct {
	Server string `json:"server"`
	URI    string `json:"uri"`    // as it was subscribed to
	Reason string `json:"reason"` // one sentence that the user can act on
}
