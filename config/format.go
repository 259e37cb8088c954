package config

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// This file says what a configuration file may have, in the words that people read while they write
// one. internal/protocolgen makes mcp.schema.json from these types, their comments and their tags:
// `default` and `example` (JSON, or a text), `enum` (separated by commas), `pattern`, `minimum`,
// `maximum` and `maxLength`. A test holds them against what [ParseFile] reads.

// FileFormat is a file with MCP servers: your own mcp.json, or `.mcp.json`, `.vscode/mcp.json` or
// `.cursor/mcp.json` of a workspace folder. Comments and trailing commas are allowed.
//
//protocolgen:type
type FileFormat struct {
	// Where the schema of this file is, for other programs. mcp-editord ignores it.
	Schema string `json:"$schema,omitempty"`
	// The servers, by name. A name becomes part of each command: `mcp.tool.<server>.<tool>`.
	Servers map[string]ServerFormat `json:"servers,omitempty"`
	// The servers, by name: another spelling of `servers`. For a name in both, `servers` counts.
	MCPServers map[string]ServerFormat `json:"mcpServers,omitempty"`
	// Values that you are asked for when a server that uses `${input:ID}` starts.
	Inputs []InputFormat `json:"inputs,omitempty"`
	// What applies to every server that does not say otherwise. Only in your own mcp.json.
	Defaults *SettingsFormat `json:"defaults,omitempty"`
	// Where sign-ins and passwords are kept: in the system's keyring (the default), in a file that only you can
	// read, or in memory until the daemon ends. Only in your own mcp.json.
	Credentials string `json:"credentials,omitempty" enum:"keyring,file,memory"`
	// The registry in which servers are looked for, an `https:` URL. Without it: the official MCP registry. Only in your
	// own mcp.json.
	Registry string `json:"registry,omitempty" example:"https://registry.example.com"`
}

// ServerFormat is an MCP server: a program to start, with `command`, or an address, with `url`.
type ServerFormat struct {
	// How to reach the server. Without it: `stdio` with a `command`, `http` with a `url`. `sse` is the older
	// HTTP+SSE.
	Type string `json:"type,omitempty" enum:"stdio,http,sse,streamable-http,streamableHttp"`
	// The program to start. No shell is involved. With a slash it is relative to `cwd` or to the workspace
	// folder, else it is looked up in PATH.
	Command string `json:"command,omitempty" example:"npx" maxLength:"4096"`
	// The arguments of the program.
	Args []string `json:"args,omitempty" example:"[\"-y\", \"some-server\"]"`
	// Environment variables for the program, on top of those of the editor and of `envFile`.
	Env map[string]string `json:"env,omitempty" example:"{\"TOKEN\": \"${input:token}\"}"`
	// A file with lines of `KEY=VALUE`, relative to this file.
	EnvFile string `json:"envFile,omitempty" example:".env"`
	// The directory that the program runs in. Without it: the folder of the file, or for your own servers a
	// directory of their own.
	Cwd string `json:"cwd,omitempty" example:"${workspaceFolder}"`

	// The address of the server: an `http:` or `https:` URL.
	URL string `json:"url,omitempty" example:"https://example.com/mcp" maxLength:"4096"`
	// Headers that go with every request, but only to the host of `url`.
	Headers map[string]string `json:"headers,omitempty" example:"{\"Authorization\": \"Bearer ${input:token}\"}"`
	// How to sign in, where the server or your company asks for something in particular. Most servers need none
	// of it.
	OAuth *OAuthFormat `json:"oauth,omitempty"`
	// How to sign in, in Cursor's spelling. `oauth` can say more.
	Auth *CursorAuthFormat `json:"auth,omitempty"`

	// Whether the server may run.
	Enabled *bool `json:"enabled,omitempty" default:"true"`
	// The opposite of `enabled`, as other programs write it.
	Disabled *bool `json:"disabled,omitempty" default:"false"`

	SettingsFormat

	// Rules for tools, by name or by a pattern with `*` and `?`. The most specific one counts.
	Tools map[string]ToolFormat `json:"tools,omitempty" example:"{\"write_*\": {\"hidden\": true}}"`
	// What agents may do with tools, by name or by a pattern with `*` and `?`. The most specific one counts.
	Agents map[string]AgentRule `json:"agents,omitempty" example:"{\"delete_*\": \"ask\"}"`
}

// SettingsFormat has preferences for all servers that do not say otherwise, those of projects included. If one value is wrong, none applies.
type SettingsFormat struct {
	// Who shares the server. Without it: `workspace` for a program, `user` for an address.
	Scope Scope `json:"scope,omitempty"`
	// The version of MCP to speak. `auto` detects it.
	Protocol string `json:"protocol,omitempty" default:"auto" example:"2025-06-18" pattern:"^(auto|\\d{4}-\\d{2}-\\d{2})$"`
	// The folders that the server is told to work in: those of the workspace, none, or a list of paths and
	// globs.
	Roots any `json:"roots,omitempty" wire:"RootsWord | []string" default:"workspace" example:"[\"${workspaceFolder}\", \"packages/*\"]"`
	// How long the server may take to start: a time such as `500ms`, `30s` or `2m`, up to `24h`.
	StartTimeout string `json:"startTimeout,omitempty" default:"30s" example:"2m"`
	// How long a call may go without a sign of life: a time such as `30s` or `5m`, up to `24h`.
	CallTimeout string `json:"callTimeout,omitempty" default:"60s" example:"5m"`
	// Whether the server may ask for your model.
	Sampling SamplingPolicy `json:"sampling,omitempty" default:"ask"`
	// How often the server may ask for your model: a number per second, minute or hour.
	SamplingLimit string `json:"samplingLimit,omitempty" default:"10/m" example:"1/s" pattern:"^[0-9]+/[smh]$"`
	// How often the server may ask you something: a number per second, minute or hour.
	ElicitationLimit string `json:"elicitationLimit,omitempty" default:"30/m" example:"100/h" pattern:"^[0-9]+/[smh]$"`
}

// RootsWord stands for roots that are not listed.
type RootsWord string

// The words for roots.
const (
	RootsWorkspace RootsWord = "workspace" // the folders of the editor
	RootsNone      RootsWord = "none"      // no folder
)

// InputFormat is a value that you are asked for. The daemon keeps your answer in memory, and a password where it keeps sign-ins.
type InputFormat struct {
	// The name in `${input:ID}`.
	ID string `json:"id"`
	// Whether you type the value or pick it from `options`.
	Type string `json:"type,omitempty" enum:"promptString,pickString" default:"promptString"`
	// The question that you are asked.
	Description string `json:"description,omitempty"`
	// The value where nobody answers.
	Default string `json:"default,omitempty"`
	// Whether the value is a secret: what you type is not shown.
	Password bool `json:"password,omitempty" default:"false"`
	// The choices of a `pickString`.
	Options []string `json:"options,omitempty"`
}

// OAuthFormat says how to sign in to a server.
type OAuthFormat struct {
	// A client that you have registered with the authorization server.
	ClientID string `json:"clientId,omitempty"`
	// The secret of that client. Write it as a variable.
	ClientSecret string `json:"clientSecret,omitempty" example:"${input:secret}"`
	// The `https:` URL of a client ID metadata document, instead of a `clientId`.
	ClientMetadataURL string `json:"clientMetadataUrl,omitempty"`
	// The authorization server to sign in at, and the one that knows the `clientId`. The client and its secret
	// go to no other.
	Issuer string `json:"issuer,omitempty" example:"https://login.example.com"`
	// What to ask for, instead of what the server asks for at first: a list, or one text with spaces.
	Scopes any `json:"scopes,omitempty" wire:"[]string | string"`
	// The port in the redirect URI that you have registered: `http://127.0.0.1:PORT/callback`.
	RedirectPort int `json:"redirectPort,omitempty" minimum:"1024" maximum:"65535"`
	// The same as `redirectPort`, as Claude Code writes it.
	CallbackPort int `json:"callbackPort,omitempty" minimum:"1024" maximum:"65535"`
	// Who signs in: you, or with `client_credentials` the client itself, and nobody is asked.
	Grant string `json:"grant,omitempty" enum:"authorization_code,client_credentials" default:"authorization_code"`
	// The key that the client signs with, instead of a `clientSecret`: a PEM file that only you may access,
	// relative to this file.
	PrivateKeyFile string `json:"privateKeyFile,omitempty" example:"client.pem"`
	// The `kid` of that key.
	KeyID string `json:"keyId,omitempty"`
	// The identity provider of your company, which vouches for you to the server.
	Enterprise *EnterpriseFormat `json:"enterprise,omitempty"`
}

// EnterpriseFormat is the identity provider of a company, where you sign in once for all its servers.
type EnterpriseFormat struct {
	// The identity provider: an `https:` URL.
	Issuer string `json:"issuer"`
	// The client that is registered there.
	ClientID string `json:"clientId"`
	// The secret of that client. Write it as a variable.
	ClientSecret string `json:"clientSecret,omitempty"`
}

// CursorAuthFormat says how to sign in to a server, as Cursor writes it.
type CursorAuthFormat struct {
	// A client that you have registered with the authorization server.
	ClientID string `json:"CLIENT_ID,omitempty"`
	// The secret of that client. Write it as a variable.
	ClientSecret string `json:"CLIENT_SECRET,omitempty"`
	// What to ask for: a list, or one text with spaces.
	Scopes any `json:"scopes,omitempty" wire:"[]string | string"`
}

// ToolFormat is a rule for tools.
type ToolFormat struct {
	// Whether the tool is left out of commands and catalogues. This tidies up and protects nothing.
	Hidden bool `json:"hidden,omitempty" default:"false"`
	// Arguments to fill in when a call leaves them out. They may have variables.
	Bind map[string]string `json:"bind,omitempty" example:"{\"file\": \"${relativeFile}\"}"`
}

//go:embed mcp.schema.json
var schema []byte

// Schema returns the JSON Schema (draft-07) of a configuration file: of the user's own, or of one in a
// workspace folder, which has no "defaults" and no "credentials". Do not change it.
func Schema(own bool) json.RawMessage {
	if own {
		return schema
	}
	return workspaceSchema()
}

var workspaceSchema = sync.OnceValue(func() json.RawMessage {
	properties := rawjson.Get(schema, "properties")
	return rawjson.Set(schema, "properties", rawjson.Delete(rawjson.Delete(properties, "defaults"), "credentials"))
})
