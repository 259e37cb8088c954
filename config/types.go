package config

import (
	"time"
)

// Transport is how a server is reached.
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

// Definition is one server as a file defines it, variables not yet put in.
// Defaults are filled in: no field means "unset" unless it says so. Definitions
// are shared between files and sets: what they hold is not to be changed.
type Definition struct {
	Name      string
	Source    Source
	Transport Transport

	// Of stdio servers.
	Command string // in [File.Servers] "" refers to the built-in server; never in a [Set]
	Args    []string
	Env     map[string]string
	EnvFile string // "" when absent; relative to the folder of the file that defines it
	Cwd     string // "" when absent: the folder of the file, else a directory of the server's own

	// Of http and sse servers.
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
	// elicitationLimit, the bindings of tools and the inputs that are used, all before
	// variables are put in; and the file, with where it leads to when it is a symbolic link. White
	// space, comments and the order of members make no difference.
	//
	// It does not cover Enabled, StartTimeout, CallTimeout and whether tools are
	// hidden, nor what stands behind the names: the program that a command leads to, what an
	// envFile contains, the values of variables.
	Digest string

	// Asks is the digest of what a person decides on before d may run, "" when nobody is
	// asked: the Digest for a server of a workspace file, another one where a server of
	// the user's enters a folder.
	Asks string
	// Enters is the workspace folder in, or by, which a server of the user's would run; "" for
	// none. See [Set.In].
	Enters string

	own    settings   // what its entry says itself; [Merge] fills in the rest
	inputs []Input    // those of its file that it uses
	size   int        // bytes of its entry in the file
	used   *variables // the variables in its texts, found when it was read; nil: not looked for yet
}

// Source is where a definition comes from.
type Source struct {
	// URI is a file: URI, or one of SourceBuiltin and SourceEditor.
	URI string
	// Folder is the workspace folder whose file it is; "" for all others.
	Folder string
	// Trusted is false for workspace files: each of their servers needs approval.
	Trusted bool
	// Resolved is the path that the file has without symbolic links, "" when that
	// is the path in URI. A link that is re-pointed makes its servers new ones.
	Resolved string
}

// Values of [Source.URI] that are not files.
const (
	SourceBuiltin = "builtin"
	SourceEditor  = "editor"
)

// Roots says what a server is told to be the roots.
type Roots struct {
	None    bool     // "none": it is told an empty list
	Entries []string // paths and globs, variables not yet put in; nil means the workspace's folders
}

// SamplingPolicy says what becomes of sampling/createMessage.
type SamplingPolicy string

// The policies.
const (
	SamplingAsk  SamplingPolicy = "ask"
	SamplingDeny SamplingPolicy = "deny"
)

// Rate is a number of events in a duration, as "10/m" says it.
type Rate struct {
	N   int
	Per time.Duration
}

// OAuth is how to sign in to a server. It is read here and used by sign-in.
type OAuth struct {
	ClientID          string
	ClientSecret      string
	ClientMetadataURL string
	Scopes            []string
}

// ToolRule is what the configuration says about tools.
type ToolRule struct {
	Hidden bool              // not offered as a command
	Bind   map[string]string // arguments that are filled in when missing; values may have variables

	shown bool // "hidden": false was said, which wins over less specific patterns
}

// Input is a value that is asked of the person when it is first needed.
type Input struct {
	ID          string
	Type        string // promptString or pickString
	Description string
	Default     string
	Password    bool
	Options     []string // of pickString
	Source      Source   // where it is defined: only definitions of the same source see it
}

// Problem is something wrong in a file, with where it is. Severity "error" means
// that the part it names has no effect.
type Problem struct {
	URI      string // of the file
	Line     int    // from 1; 0 when it is about the whole file
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

	// Broken tells that the file did not parse at all. In a file of a [Store] it means that
	// Servers and Inputs are of the last good state.
	Broken bool

	defaults settings // of the user's file
}

// Set is what applies to one editor.
type Set struct {
	Servers  []Definition // the one that wins of each name: the user's, then the editor's, then the folders' in their order
	Shadowed []Definition // those that lost to another of the same name
	Inputs   []Input
	Problems []Problem
}
