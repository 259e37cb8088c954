package editorapi

import (
	"encoding/json"
)

// Server is what editors are told of a server (editor protocol, section 4).
type Server struct {
	Name            string          `json:"name"`
	State           string          `json:"state"`     // disabled, needsApproval, needsSignIn, starting, ready, restarting, stopped, failed
	Scope           string          `json:"scope"`     // session, workspace, user
	Transport       string          `json:"transport"` // stdio, http, sse
	Source          string          `json:"source"`    // URI of the file that defines it, builtin or editor
	ProtocolVersion string          `json:"protocolVersion,omitempty"`
	ServerInfo      json.RawMessage `json:"serverInfo,omitempty"`
	Instructions    string          `json:"instructions,omitempty"`
	Capabilities    json.RawMessage `json:"capabilities,omitempty"`
	PID             int             `json:"pid,omitzero"`
	Digest          string          `json:"digest,omitempty"`
	Restarts        int             `json:"restarts"`
	Error           *ServerError    `json:"error,omitempty"`
	Approval        *ApproveParams  `json:"approval,omitempty"` // with needsApproval: what editord/approve asks
	Shadowed        []string        `json:"shadowed,omitempty"` // sources of definitions of the same name that this one wins over
	Muted           bool            `json:"muted,omitzero"`     // what it asks is refused at once
}

// ServerError says why a server is not running.
type ServerError struct {
	Kind    string   `json:"kind"`
	Message string   `json:"message"`
	Stderr  []string `json:"stderr,omitempty"`
}

// ServerCatalog is what one server offers. The values are the server's own, verbatim.
type ServerCatalog struct {
	Server            Server
	Tools             []json.RawMessage
	Prompts           []json.RawMessage
	Resources         []json.RawMessage
	ResourceTemplates []json.RawMessage
}

// Decision is what a person says about a server from a workspace file.
type Decision string

// The decisions.
const (
	DecisionAllow Decision = "allow"
	DecisionDeny  Decision = "deny"
	DecisionLater Decision = "later"
)

// Approval is a decision that is remembered.
type Approval struct {
	Server   string   `json:"server"`
	Source   string   `json:"source"`
	Digest   string   `json:"digest"`
	Decision Decision `json:"decision"`
	At       string   `json:"at"` // RFC 3339
}

// Status is what editord/status returns.
type Status struct {
	Version  string           `json:"version"`
	PID      int              `json:"pid"`
	Socket   string           `json:"socket"`
	Config   string           `json:"config"`
	LogFile  string           `json:"logFile"`
	Uptime   float64          `json:"uptime"` // seconds
	Editors  []EditorStatus   `json:"editors"`
	Servers  []ServerStatus   `json:"servers"` // every connection of the daemon
	Counters map[string]int64 `json:"counters"`
}

// EditorStatus is one attached editor.
type EditorStatus struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Version string   `json:"version,omitempty"`
	Folders []string `json:"folders"`
	You     bool     `json:"you,omitzero"` // it is the editor that asked
}

// ServerStatus is one connection and who is on it.
type ServerStatus struct {
	Server  Server   `json:"server"`
	Folders []string `json:"folders"`
	Editors []int    `json:"editors"` // ids of EditorStatus
}
