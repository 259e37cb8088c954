package agentconfig

import "runtime"

// Agent is a program that takes MCP servers from a configuration of its own.
type Agent struct {
	Name  string // what people type
	Title string // what it calls itself
	Next  string // what makes it read its configuration again: a clause in the imperative

	// BySelf says why nobody needs to enter mcp-editord, "" for most agents.
	BySelf string

	programs []string // the names of its program
	folders  []string // the first one that is known has its files: see [Place]
	mark     []string // the folder that is there when the agent is installed; nil: that of its files
	files    []string // in its folder, the usual one first; nil: its configuration is only printed
	place    string   // the member of the file that has its servers
	format   format
	members  func(Entry) []member
	text     func([]Entry) string // the entries for a configuration that is only printed
}

// Entry is how an agent starts mcp-editord.
type Entry struct {
	Name    string   // of the server, as the agent shows it
	Command []string // the program, an absolute path, and its arguments, the first of which is mcp
}

// Agents returns the agents that are known, in the order of their names.
func Agents() []Agent {
	zed := "data/zed"
	if runtime.GOOS == "darwin" {
		zed = "home/.config/zed"
	}
	return []Agent{
		{
			Name: "amp", Title: "Amp", Next: "restart Amp", programs: []string{"amp"},
			folders: []string{"config/amp"}, files: []string{"settings.json"},
			place: "amp.mcpServers", format: jsonFormat{}, members: plain,
		},
		{
			Name: "claude", Title: "Claude Code", Next: "restart Claude Code", programs: []string{"claude"},
			folders: []string{"$CLAUDE_CONFIG_DIR", "home"}, mark: []string{"$CLAUDE_CONFIG_DIR", "home/.claude"},
			files: []string{".claude.json"},
			place: "mcpServers", format: jsonFormat{}, members: stdio,
		},
		{
			Name: "codecompanion", Title: "CodeCompanion", Next: "restart Neovim", text: lua,
		},
		{
			Name: "codex", Title: "Codex", Next: "restart Codex", programs: []string{"codex"},
			folders: []string{"$CODEX_HOME", "home/.codex"}, files: []string{"config.toml"},
			place: "mcp_servers", format: tomlFormat{}, members: plain,
		},
		{
			Name: "copilot", Title: "Copilot CLI", Next: "restart Copilot CLI", programs: []string{"copilot"},
			folders: []string{"$COPILOT_HOME", "home/.copilot"}, files: []string{"mcp-config.json"},
			place: "mcpServers", format: jsonFormat{}, members: copilot,
		},
		{
			Name: "cursor", Title: "Cursor", Next: "restart Cursor", programs: []string{"cursor", "cursor-agent"},
			folders: []string{"home/.cursor"}, files: []string{"mcp.json"},
			place: "mcpServers", format: jsonFormat{}, members: plain,
		},
		{
			Name: "gemini", Title: "Gemini CLI", Next: "restart Gemini CLI", programs: []string{"gemini"},
			folders: []string{"$GEMINI_CLI_HOME/.gemini", "home/.gemini"}, files: []string{"settings.json"},
			place: "mcpServers", format: jsonFormat{}, members: plain,
		},
		{
			Name: "goose", Title: "goose", Next: "restart goose", text: yaml,
		},
		{
			Name: "opencode", Title: "opencode", Next: "restart opencode", programs: []string{"opencode"},
			folders: []string{"config/opencode"}, files: []string{"opencode.json", "opencode.jsonc"},
			place: "mcp", format: jsonFormat{}, members: opencode,
		},
		{
			Name: "vscode", Title: "VS Code", Next: "reload the windows of VS Code", programs: []string{"code"},
			BySelf:  "the extension for VS Code shares the servers by itself",
			folders: []string{"data/Code/User"}, files: []string{"mcp.json"},
			place: "servers", format: jsonFormat{}, members: stdio,
		},
		{
			Name: "windsurf", Title: "Windsurf", Next: "refresh the servers in Cascade, or restart Windsurf", programs: []string{"windsurf"},
			folders: []string{"home/.codeium/windsurf"}, files: []string{"mcp_config.json"},
			place: "mcpServers", format: jsonFormat{}, members: plain,
		},
		{
			Name: "zed", Title: "Zed", Next: "restart Zed", programs: []string{"zed", "zeditor"},
			folders: []string{zed}, files: []string{"settings.json"},
			place: "context_servers", format: jsonFormat{}, members: plain,
		},
	}
}

// Printed reports whether nothing writes the agent's configuration: it is a program, or a format in
// which nothing can be changed safely. [Agent.ByHand] has what to add.
func (a Agent) Printed() bool { return a.files == nil }

// member is one of the members of an entry, in the order in which they are written. Its value is a
// string, a bool or a []string.
type member struct {
	name  string
	value any
}

func plain(e Entry) []member {
	return []member{{"command", e.Command[0]}, {"args", e.Command[1:]}}
}

func stdio(e Entry) []member {
	return append([]member{{"type", "stdio"}}, plain(e)...)
}

func copilot(e Entry) []member {
	return append(append([]member{{"type", "local"}}, plain(e)...), member{"tools", []string{"*"}})
}

func opencode(e Entry) []member {
	return []member{{"type", "local"}, {"command", e.Command}, {"enabled", true}}
}
