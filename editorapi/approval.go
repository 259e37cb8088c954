package editorapi

import "encoding/json"

// ApprovalKind is what a question is about.
type ApprovalKind string

// The kinds of questions.
const (
	ApproveServer ApprovalKind = "server" // whether a server of a workspace file may run
	ApproveFolder ApprovalKind = "folder" // whether one of the user's servers may run in, or by, the opened folder
	ApproveTools  ApprovalKind = "tools"  // whether agents may use tools that have changed
	ApproveCall   ApprovalKind = "call"   // whether an agent may make one call
)

// ApprovalReason is why a question is asked.
type ApprovalReason string

// The reasons for a question.
const (
	ApprovalNew     ApprovalReason = "new"     // nothing has been decided yet
	ApprovalChanged ApprovalReason = "changed" // the last decision was about another definition
)

// ApproveParams asks whether a server may run, or what agents may do.
type ApproveParams struct {
	Kind       ApprovalKind        `json:"kind"`
	Server     string              `json:"server"`
	Digest     string              `json:"digest"`     // identifies what is decided on: send it back in `editord/approveServer`
	Definition ApprovalDefinition  `json:"definition"` // exactly what runs, as written in the file
	Reason     ApprovalReason      `json:"reason"`
	Previous   *ApprovalDefinition `json:"previous,omitempty"` // the definition that was decided on
	Tools      []ToolChange        `json:"tools,omitempty"`    // with kind `tools`: those that have changed
	Call       *AgentCall          `json:"call,omitempty"`     // with kind `call`: what the agent wants
	Text       ApprovalText        `json:"text"`
}

// ToolChange is a tool as a person last knew it, and as it is now.
type ToolChange struct {
	Name   string          `json:"name"`
	Before json.RawMessage `json:"before" wire:"mcp.Tool"`
	After  json.RawMessage `json:"after" wire:"mcp.Tool"`
}

// AgentCall is a call that an agent wants to make.
type AgentCall struct {
	Agent     string          `json:"agent"` // its name
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitzero" wire:"object"`
}

// ApproveResult is what the person said.
type ApproveResult struct {
	Decision Decision `json:"decision"`
}

// ApprovalText is a question as the user reads it: plain text that is safe to show.
type ApprovalText struct {
	Title    string `json:"title"`            // such as: May the MCP server "name" run?
	Short    string `json:"short"`            // about 8 lines of 76 characters; begins with the program, which is never cut, and ends with it too where more is left out
	Whole    string `json:"whole"`            // everything, line by line, on lines of at most 76 characters
	Before   string `json:"before,omitempty"` // with `changed`: the same for the definition that was decided on
	Complete bool   `json:"complete"`         // `short` says all that `whole` says
}

// Document returns the whole question as one text.
func (t ApprovalText) Document() string {
	document := t.Title + "\n\n" + t.Whole + "\n"
	if t.Before != "" {
		document += "\nIt has changed. What was decided on before:\n\n" + t.Before + "\n"
	}
	return document
}

// ApprovalDefinition is exactly what would run, as written in the file: variables such as
// `${env:HOME}` are not expanded. From `scope` on, a member is present only where it differs from
// the built-in default.
type ApprovalDefinition struct {
	Source       string            `json:"source"`           // URI of the file
	Folder       string            `json:"folder,omitempty"` // the folder that the file belongs to, or the folder that is opened
	Transport    string            `json:"transport"`        // one of [ServerTransport]
	Command      string            `json:"command,omitempty"`
	Program      string            `json:"program,omitempty"` // the file that `command` leads to now
	Args         []string          `json:"args,omitempty"`
	Env          []string          `json:"env,omitempty"`         // the names of the environment variables that it sets, sorted
	Environment  map[string]string `json:"environment,omitempty"` // the same with their values
	EnvFile      string            `json:"envFile,omitempty"`
	Cwd          string            `json:"cwd,omitempty"`
	URL          string            `json:"url,omitempty"`
	Headers      []string          `json:"headers,omitempty"`      // the names, sorted
	HeaderValues map[string]string `json:"headerValues,omitempty"` // the same with their values

	Takes    []string `json:"takes,omitempty"`    // the variables that it takes from the environment
	Warnings []string `json:"warnings,omitempty"` // sentences about what the user should look at twice

	Scope            string                       `json:"scope,omitempty"`    // one of [ServerScope]
	Protocol         string                       `json:"protocol,omitempty"` // the version of MCP to speak
	Roots            []string                     `json:"roots,omitzero"`     // the folders that it is told of; `[]`: none
	Sampling         string                       `json:"sampling,omitempty"`
	SamplingLimit    string                       `json:"samplingLimit,omitempty"`
	ElicitationLimit string                       `json:"elicitationLimit,omitempty"`
	OAuth            *ApprovalOAuth               `json:"oauth,omitempty"`
	Bind             map[string]map[string]string `json:"bind,omitempty"` // by name or pattern of the tool, then by argument
	Inputs           []ApprovalInput              `json:"inputs,omitempty"`
	Agents           map[string]string            `json:"agents,omitempty"` // what agents may do, by name or pattern of the tool: `allow`, `ask` or `never`

	TooLarge bool `json:"tooLarge,omitzero"` // only in `previous`: it was too large, and only source, folder and transport were kept
}

// ApprovalOAuth is what the file says about signing in.
type ApprovalOAuth struct {
	ClientID          string              `json:"clientId,omitempty"`
	ClientSecret      string              `json:"clientSecret,omitempty"`
	ClientMetadataURL string              `json:"clientMetadataUrl,omitempty"`
	Issuer            string              `json:"issuer,omitempty"` // the authorization server; absent: the one that the server names
	Scopes            []string            `json:"scopes,omitempty"`
	RedirectPort      int                 `json:"redirectPort,omitempty"`   // the port of this machine that the browser comes back to
	Grant             string              `json:"grant,omitempty"`          // `client_credentials`: nobody is asked to sign in
	PrivateKeyFile    string              `json:"privateKeyFile,omitempty"` // the key that the client signs with
	KeyID             string              `json:"keyId,omitempty"`
	Enterprise        *ApprovalEnterprise `json:"enterprise,omitempty"`
}

// ApprovalEnterprise is the identity provider of an enterprise where a person signs in.
type ApprovalEnterprise struct {
	Issuer       string `json:"issuer"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitempty"`
}

// ApprovalInput is a value that the daemon asks for when the server starts.
type ApprovalInput struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Default string   `json:"default,omitempty"`
	Options []string `json:"options,omitempty"`
}
