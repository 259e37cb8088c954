package editorapi

// Values of [ApproveParams.Kind].
const (
	ApproveServer = "server" // may a server of a workspace file run
	ApproveFolder = "folder" // may a server of the user's run in, or by, the opened folder
)

// ApproveParams is the params of editord/approve.
type ApproveParams struct {
	Kind       string              `json:"kind"`
	Server     string              `json:"server"`
	Digest     string              `json:"digest"` // what the decision is about
	Definition ApprovalDefinition  `json:"definition"`
	Reason     string              `json:"reason"` // "new" or "changed"
	Previous   *ApprovalDefinition `json:"previous,omitempty"`
	Text       ApprovalText        `json:"text"` // made by [TextOf]
}

// ApprovalText is a question as a person reads it: plain text that is safe to show.
type ApprovalText struct {
	Title    string `json:"title"`
	Short    string `json:"short"`            // begins and ends with the program
	Whole    string `json:"whole"`            // everything, line by line
	Before   string `json:"before,omitempty"` // with "changed": the same of what was decided on
	Complete bool   `json:"complete"`         // short says all that whole says
}

// Document returns all there is to read, for who reads it as one text.
func (t ApprovalText) Document() string {
	document := t.Title + "\n\n" + t.Whole + "\n"
	if t.Before != "" {
		document += "\nIt has changed. What was decided on before:\n\n" + t.Before + "\n"
	}
	return document
}

// ApprovalDefinition shows exactly what would be run, as the file has it: variables are not put in.
type ApprovalDefinition struct {
	Source       string            `json:"source"`           // URI of the file
	Folder       string            `json:"folder,omitempty"` // that the file belongs to, or that is opened
	Transport    string            `json:"transport"`
	Command      string            `json:"command,omitempty"`
	Program      string            `json:"program,omitempty"` // the file that command leads to now
	Args         []string          `json:"args,omitempty"`
	Env          []string          `json:"env,omitempty"` // the names, sorted
	Environment  map[string]string `json:"environment,omitempty"`
	EnvFile      string            `json:"envFile,omitempty"`
	Cwd          string            `json:"cwd,omitempty"`
	URL          string            `json:"url,omitempty"`
	Headers      []string          `json:"headers,omitempty"` // the names, sorted
	HeaderValues map[string]string `json:"headerValues,omitempty"`

	Takes    []string `json:"takes,omitempty"`    // variables of the environment
	Warnings []string `json:"warnings,omitempty"` // sentences

	// What is as it is built in is left out.
	Scope            string                       `json:"scope,omitempty"`
	Protocol         string                       `json:"protocol,omitempty"`
	Roots            []string                     `json:"roots,omitzero"` // empty: none
	Sampling         string                       `json:"sampling,omitempty"`
	SamplingLimit    string                       `json:"samplingLimit,omitempty"`
	ElicitationLimit string                       `json:"elicitationLimit,omitempty"`
	OAuth            *ApprovalOAuth               `json:"oauth,omitempty"`
	Bind             map[string]map[string]string `json:"bind,omitempty"` // by name or pattern of the tool, then by argument
	Inputs           []ApprovalInput              `json:"inputs,omitempty"`

	// TooLarge tells that a definition that was decided on was too large to be kept.
	TooLarge bool `json:"tooLarge,omitzero"`
}

// ApprovalOAuth is what the file says of signing in.
type ApprovalOAuth struct {
	ClientID          string   `json:"clientId,omitempty"`
	ClientSecret      string   `json:"clientSecret,omitempty"`
	ClientMetadataURL string   `json:"clientMetadataUrl,omitempty"`
	Scopes            []string `json:"scopes,omitempty"`
}

// ApprovalInput is a value that is asked for when the server starts.
type ApprovalInput struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Default string   `json:"default,omitempty"`
	Options []string `json:"options,omitempty"`
}
