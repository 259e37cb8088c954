package config

import (
	"time"
)

// Transport says how to reach a server.
type Transport string

// The transports, as `type` in mcp.json names them.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Scope says who shares a connection.
type Scope string

// The scopes. The default is ScopeWorkspace for stdio and ScopeUser for the rest.
const (
	ScopeSession   Scope = "session"
	ScopeWorkspace Scope = "workspace"
	ScopeUser      Scope = "user"
)

// Definition is one server as a file defines it, before variables are put in.
// Defaults are filled in: no field means "unset" unless it says so. Files and sets
// share definitions: do not change what they hold.
type Definition struct {
	Name      string
	Source    Source
	Transport Transport

	// For stdio servers.
	Command string // in [File.Servers] "" refers to the built-in server; never in a [Set]
	Args    []string
	Env     map[string]string
	EnvFile string // "" when absent; relative to the folder of the file that defines it
	Cwd     string // "" when absent: the folder of the file, else a directory of the server's own

	// For http and sse servers.
	URL     string
	Headers map[string]string
	OAuth   *OAuth // nil when absent

	Scope            Scope
	Protocol         string // "auto" or a version
	Roots            Roots
	Enabled          bool
	StartTimeout     time.Duration // 0 when absent
	CallTimeout      time.Duration // 0 when absent
	Sampling         SamplingPolicy
	SamplingLimit    Rate
	ElicitationLimit Rate
	Tools            map[string]ToolRule // by name or glob (*, ?) of the tool

	// Digest is a SHA-256 in hex over the canonical definition and the path of
	// its file. It decides approval and whether a reload touches the server.
	//
	// It covers everything that a person approves: name, transport, command,
	// arguments, environment with its values, envFile, cwd, URL, headers with
	// their values, oauth, roots, scope, protocol, sampling, samplingLimit,
	// elicitationLimit, the bindings of tools and the inputs in use, all before
	// variables are put in. It also covers the file, and the target of a file that is a symbolic
	// link. White space, comments and the order of members make no difference.
	//
	// It does not cover Enabled, StartTimeout, CallTimeout and whether tools are
	// hidden, nor what is behind the names: the program that a command leads to, the contents
	// of an envFile, the values of variables.
	Digest string

	// Asks is the digest that a decision must name before d may run; "" when nobody is
	// asked. For a server of a workspace file it is the Digest. A server of the user's that
	// enters a folder has another one.
	Asks string
	// Enters is the workspace folder that a server of the user's would run in, or run things
	// from; "" for none. See [Set.In].
	Enters string

	// RunBy is the name of the MCP client that runs d instead of the daemon, for one editor; ""
	// for none. See [File.RunBy].
	RunBy string

	own    settings   // what its entry says itself; [Merge] fills in the rest
	inputs []Input    // the inputs of its file that it uses
	size   int        // bytes of its entry in the file
	used   *variables // the variables in its texts, found while reading; nil: not looked for yet
}

// Source is where a definition comes from.
type Source struct {
	// URI is a file: URI, or one of SourceBuiltin and SourceEditor.
	URI string
	// Folder is the workspace folder that the file belongs to; "" for all other files.
	Folder string
	// Trusted is false for workspace files: each of their servers needs approval.
	Trusted bool
	// Resolved is the path of the file without symbolic links; "" when that
	// is the path in URI. Pointing a link elsewhere makes its servers new ones.
	Resolved string
}

// The values of [Source.URI] that are not files.
const (
	SourceBuiltin = "builtin"
	SourceEditor  = "editor"
)

// Roots says which roots a server gets.
type Roots struct {
	None    bool     // "none": it gets an empty list
	Entries []string // paths and globs, before variables are put in; nil means the workspace's folders
}

// SamplingPolicy says what happens to sampling/createMessage.
type SamplingPolicy string

// The policies.
const (
	SamplingAsk  SamplingPolicy = "ask"
	SamplingDeny SamplingPolicy = "deny"
)

// Rate is a number of events in a duration, written as "10/m".
type Rate struct {
	N   int
	Per time.Duration
}

// OAuth says how to sign in to a server. This package reads it; sign-in uses it.
type OAuth struct {
	ClientID          string
	ClientSecret      string
	ClientMetadataURL string
	Scopes            []string
}

// ToolRule is what the configuration says about tools.
type ToolRule struct {
	Hidden bool              // not offered as a command
	Bind   map[string]string // values for missing arguments; they may have variables

	shown bool // the file says "hidden": false, which wins over less specific patterns
}

// Input is a value that the user is asked for when it is first needed.
type Input struct {
	ID          string
	Type        string // promptString or pickString
	Description string
	Default     string
	Password    bool
	Options     []string // for pickString
	Source      Source   // where it is defined: only definitions from the same source see it
}

// Problem is something wrong in a file, and its place. Severity "error" means
// that the part it names has no effect.
type Problem struct {
	URI      string // of the file
	Line     int    // from 1; 0 when the problem is about the whole file
	Column   int    // from 1, in bytes
	Severity string // "error" or "warning"
	Message  string
}

// File is one parsed file.
type File struct {
	Source   Source
	Servers  []Definition // in the order of the file
	Inputs   []Input
	Problems []Problem // at most 102: the last one then says that there are more

	// Broken means that the file did not parse at all. In a file of a [Store], Servers and
	// Inputs are then from the last good state.
	Broken bool

	defaults settings // from the user's file
}

// Set is what applies to one editor.
type Set struct {
	Servers  []Definition // the winner for each name: the user's, then the editor's, then the folders' in their order
	Shadowed []Definition // the losers to another of the same name
	Inputs   []Input
	Problems []Problem
}
