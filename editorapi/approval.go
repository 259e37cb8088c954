package editorapi

// ApprovalKind is what a question is about.
type ApprovalKind string

// The kinds of questions.
const (
	ApproveServer ApprovalKind = "server" // may a server of a workspace file run
	ApproveFolder ApprovalKind = "folder" // may a server of the user's run in, or by, the opened folder
)

// ApprovalReason is why a question is asked.
type ApprovalReason string

// The reasons of questions.
const (
	ApprovalNew     ApprovalReason = "new"     // nothing was decided yet
	ApprovalChanged ApprovalReason = "changed" // something else was decided before
)

// ApproveParams asks whether a server may run.
type ApproveParams struct {
	Kind       ApprovalKind        `json:"kind"`
	Server     string              `json:"server"`
	Digest     string              `json:"digest"`     // what the decision is about: it goes back in `editord/approveServer`
	Definition ApprovalDefinition  `json:"definition"` // exactly what runs, as the file has it
	Reason     ApprovalReason      `json:"reason"`
	Previous   *ApprovalDefinition `json:"previous,omitempty"` // the definition that was decided on
	Text       ApprovalText        `json:"text"`
}

// ApproveResult is what the person said.
type ApproveResult struct {
	Decision Decision `json:"decision"`
}

// ApprovalText is a question as a person reads it: plain text that is safe to show.
type ApprovalText struct {
	Title    string `json:"title"`            // such as: May the MCP server "name" run?
	Short    string `json:"short"`            // about 8 lines of 76 characters; begins and ends with the program, which is never cut
	Whole    string `json:"whole"`            // everything, line by line, on lines of at most 76 characters
	Before   string `json:"before,omitempty"` // with `changed`: the same of what was decided on
	Complete bool   `json:"complete"`         // `short` says all that `whole` says
}

// Document returns all there is to read, for who reads it as one text.
func (t ApprovalText) Document() string {
	document := t.Title + "\n\n" + t.Whole + "\n"
	if t.Before != "" {
		document += "\nIt has changed. What was decided on before:\n\n" + t.Before + "\n"
	}
	return document
}

// ApprovalDefinition is exactly what would run, as the file has it: variables such as `${env:HOME}`
// are not expanded. Members from `scope` on are there only where they differ from what is built in.
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
	Warnings []string `json:"warnings,omitempty"` // sentences about what a person should look at twice

	Scope            string                       `json:"scope,omitempty"`    // one of [ServerScope]
	Protocol         string                       `json:"protocol,omitempty"` // the version of MCP that is spoken
	Roots            []string                     `json:"roots,omitzero"`     // the folders that it is told; `[]`: none
	Sampling         string                       `json:"sampling,omitempty"`
	SamplingLimit    string                       `json:"samplingLimit,omitempty"`
	ElicitationLimit string                       `json:"elicitationLimit,omitempty"`
	OAuth            *ApprovalOAuth               `json:"oauth,omitempty"`
	Bind             map[string]map[string]string `json:"bind,omitempty"` // by name or pattern of the tool, then by argument
	Inputs           []ApprovalInput              `json:"inputs,omitempty"`

	TooLarge bool `json:"tooLarge,omitzero"` // only in `previous`: it was too large, and only source, folder and transport were kept
}

// ApprovalOAuth is what the file says about signing in.
type ApprovalOAuth struct {
	ClientID          string   `json:"clientId,omitempty"`
	ClientSecret      string   `json:"clientSecret,omitempty"`
	ClientMetadataURL string   `json:"clientMetadataUrl,omitempty"`
	Scopes            []string `json:"scopes,omitempty"`
}

// ApprovalInput is a value that the daemon asks for when the server starts.
type ApprovalInput struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Default string   `json:"default,omitempty"`
	Options []string `json:"options,omitempty"`
}
