package config

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
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
	ScopeSession   Scope = "session"   // each editor has its own
	ScopeWorkspace Scope = "workspace" // editors with the same folders share one
	ScopeUser      Scope = "user"      // all your editors share one
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
	Tools            map[string]ToolRule  // by name or glob (*, ?) of the tool
	Agents           map[string]AgentRule // what agents may do with tools, by name or glob of the tool

	// Digest is a SHA-256 in hex over everything that a person approves, before variables are put
	// in, and over the file: its path, and the target if it is a symbolic link. It decides approval and
	// whether a reload touches the server. White space, comments and the order of members make no difference.
	//
	// Of a workspace file it covers the rules for agents: nobody has seen those that it loosens.
	// Yours take effect at once, and no server is restarted for them. It does not cover Enabled,
	// StartTimeout, CallTimeout and whether tools are hidden, nor what is behind the names: the program
	// that a command leads to, the contents of an envFile, the values of variables.
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
	SamplingAsk  SamplingPolicy = "ask"  // an editor shows each request to you first
	SamplingDeny SamplingPolicy = "deny" // the server is told that nobody can
)

// Rate is a number of events in a duration, written as "10/m".
type Rate struct {
	N   int
	Per time.Duration
}

// OAuth says how to sign in to a server. The zero OAuth leaves everything to the server and to
// its authorization server. Digests are made of its JSON: leave its names alone, and add members at the end with omitempty.
type OAuth struct {
	ClientID          string      // of a client that is registered by hand; "" when there is none
	ClientSecret      string      // needs a ClientID; not together with PrivateKeyFile
	ClientMetadataURL string      // of a client ID metadata document, instead of a ClientID
	Issuer            string      `json:",omitempty"` // the only authorization server to sign in at; "" leaves that to the server, and binds a ClientID to the first one used
	Scopes            []string    // instead of those that the server asks for at first; nil when absent
	RedirectPort      int         `json:",omitempty"` // of the redirect URI http://127.0.0.1:PORT/callback, 1024 to 65535; 0 for a port and a path chosen at random
	Grant             string      `json:",omitempty"` // "" (authorization_code: a person signs in) or GrantClientCredentials
	PrivateKeyFile    string      `json:",omitempty"` // PEM (PKCS#8, EC or RSA) of the client, for private_key_jwt; relative to the folder of the file that defines the server
	KeyID             string      `json:",omitempty"` // the "kid" of that key; "" when it has none
	Enterprise        *Enterprise `json:",omitempty"` // nil when absent
}

// GrantClientCredentials is the [OAuth.Grant] of a client that is the user itself: nobody is asked
// to sign in.
const GrantClientCredentials = "client_credentials"

// Enterprise says where a person signs in once for all servers of an enterprise: at its identity
// provider, which then vouches for the person.
type Enterprise struct {
	Issuer       string // of the identity provider
	ClientID     string // of the daemon, at the identity provider
	ClientSecret string // "" when there is none
}

// ToolRule is what the configuration says about tools.
type ToolRule struct {
	Hidden bool              // not offered as a command
	Bind   map[string]string // values for missing arguments; they may have variables

	shown bool // the file says "hidden": false, which wins over less specific patterns
}

// AgentRule says what agents may do with a tool.
type AgentRule string

// The rules for agents.
const (
	AgentAllow AgentRule = "allow" // call it; the default
	AgentAsk   AgentRule = "ask"   // call it when a person has allowed that call
	AgentNever AgentRule = "never" // neither see it nor call it
)

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

	// Span is the key or the value that the problem is about: of an object or a list, what is on its
	// first line. It is empty when the problem is about the whole file.
	Span textdoc.Span
}

// Place returns the file as people name it, and the line if there is one.
func (p Problem) Place() string {
	place := fileuri.Shown(p.URI)
	if p.Line > 0 {
		place += fmt.Sprintf(": line %d", p.Line)
	}
	return place
}

// File is one parsed file.
type File struct {
	Source   Source
	Servers  []Definition // in the order of the file
	Inputs   []Input
	Problems []Problem // at most 102: the last one then says that there are more
	Places   []Place   // of Servers, in the same order; none in a file that is Broken

	// Repeats means that a key is there twice in one object, or a server twice in the file: what counts
	// is not all that a reader sees.
	Repeats bool

	// Broken means that the file did not parse at all. In a file of a [Store], Servers and
	// Inputs are then from the last good state.
	Broken bool

	// Credentials says where sign-ins are kept; [secrets.Default] when absent. Only the user's file can say it.
	Credentials secrets.Place

	// Registry is the address of the registry in which servers are looked for; "" when absent. Only the user's file can say it.
	Registry string

	defaults settings          // from the user's file
	content  [sha256.Size]byte // of the text, for Is; also of one that did not parse
}

// Place is where a file defines a server, in bytes of its text.
type Place struct {
	Key   textdoc.Span // the name, with its quotes
	Entry textdoc.Span // the name and the definition
}

// Set is what applies to one editor.
type Set struct {
	Servers  []Definition // the winner for each name: the user's, then the editor's, then the folders' in their order
	Shadowed []Definition // the losers to another of the same name
	Inputs   []Input
	Problems []Problem

	broken  map[string]Problem // of files that did not parse, by their URI: what is wrong
	builtin Definition         // with the defaults of the user's file
}
