package agentconfig

import "slices"

// Agent is a program that takes MCP servers from a configuration of its own.
type Agent struct {
	Name  string // what people type
	Title string // what it calls itself
	Next  string // what makes it read its configuration again: a clause in the imperative

	// BySelf says why nobody needs to enter mcp-editord, "" for most agents.
	BySelf string

	programs []string // the names of its program
	folder   folder   // has its files
	mark     folder   // is there when the agent is installed; nil: folder
	files    []string // in folder, the usual one last; nil: its configuration is only printed
	place    []string // the members that lead to its servers
	format   format
	members  func(Entry) []member
	text     func([]Entry) string // the entries for a configuration that is only printed
}

// Entry is how an agent starts mcp-editord.
type Entry struct {
	Name    string   // of the server, as the agent shows it
	Command string   // the program, an absolute path
	Args    []string // the first one is mcp
}

// Agents returns the agents that are known, in the order of their names.
func Agents() []Agent {
	return []Agent{
		{
			Name: "amp", Title: "Amp", Next: "restart Amp", programs: []string{"amp"},
			folder: sub(variable("XDG_CONFIG_HOME", home(".config")), "amp"), files: []string{"settings.json"},
			place: []string{"amp.mcpServers"}, format: jsonFormat{}, members: plain,
		},
		{
			Name: "claude", Title: "Claude Code", Next: "restart Claude Code", programs: []string{"claude"},
			folder: variable("CLAUDE_CONFIG_DIR", home()), mark: variable("CLAUDE_CONFIG_DIR", home(".claude")),
			files: []string{".claude.json"},
			place: []string{"mcpServers"}, format: jsonFormat{}, members: stdio,
		},
		{
			Name: "codecompanion", Title: "CodeCompanion", Next: "restart Neovim", text: lua,
		},
		{
			Name: "codex", Title: "Codex", Next: "restart Codex", programs: []string{"codex"},
			folder: variable("CODEX_HOME", home(".codex")), files: []string{"config.toml"},
			place: []string{"mcp_servers"}, format: tomlFormat{}, members: plain,
		},
		{
			Name: "copilot", Title: "Copilot CLI", Next: "restart Copilot CLI", programs: []string{"copilot"},
			folder: variable("COPILOT_HOME", home(".copilot")), files: []string{"mcp-config.json"},
			place: []string{"mcpServers"}, format: jsonFormat{}, members: copilot,
		},
		{
			Name: "cursor", Title: "Cursor", Next: "restart Cursor", programs: []string{"cursor", "cursor-agent"},
			folder: home(".cursor"), files: []string{"mcp.json"},
			place: []string{"mcpServers"}, format: jsonFormat{}, members: plain,
		},
		{
			Name: "gemini", Title: "Gemini CLI", Next: "restart Gemini CLI", programs: []string{"gemini"},
			folder: sub(variable("GEMINI_CLI_HOME", home()), ".gemini"), files: []string{"settings.json"},
			place: []string{"mcpServers"}, format: jsonFormat{}, members: plain,
		},
		{
			Name: "goose", Title: "goose", Next: "restart goose", text: yaml,
		},
		{
			Name: "opencode", Title: "opencode", Next: "restart opencode", programs: []string{"opencode"},
			folder: sub(variable("XDG_CONFIG_HOME", home(".config")), "opencode"), files: []string{"opencode.jsonc", "opencode.json"},
			place: []string{"mcp"}, format: jsonFormat{}, members: opencode,
		},
		{
			Name: "vscode", Title: "VS Code", Next: "reload the windows of VS Code", programs: []string{"code"},
			BySelf: "the extension for VS Code shares the servers by itself",
			folder: sub(applicationData(), "Code", "User"), files: []string{"mcp.json"},
			place: []string{"servers"}, format: jsonFormat{}, members: stdio,
		},
		{
			Name: "windsurf", Title: "Windsurf", Next: "refresh the servers in Cascade, or restart Windsurf", programs: []string{"windsurf"},
			folder: home(".codeium", "windsurf"), files: []string{"mcp_config.json"},
			place: []string{"mcpServers"}, format: jsonFormat{}, members: plain,
		},
		{
			Name: "zed", Title: "Zed", Next: "restart Zed", programs: []string{"zed", "zeditor"},
			folder: zedFolder(), files: []string{"settings.json"},
			place: []string{"context_servers"}, format: jsonFormat{}, members: plain,
		},
	}
}

// Printed reports whether nothing writes the agent's configuration: it is a program, or a format in
// which nothing can be changed safely. [Agent.ByHand] has what to add.
func (a Agent) Printed() bool { return a.files == nil }

// member is one of the members of an entry, in the order in which they are written. Its value is a
// string, a bool or a []string.
type member struct {
	name   string
	value  any
	starts bool // says what is started
}

// is reports whether a decoded value is that of the member.
func (m member) is(value any) bool {
	if list, ok := m.value.([]string); ok {
		return slices.Equal(texts(value), list)
	}
	return value == m.value
}

func plain(e Entry) []member {
	return []member{{"command", e.Command, true}, {"args", e.Args, true}}
}

func stdio(e Entry) []member {
	return append([]member{{"type", "stdio", false}}, plain(e)...)
}

func copilot(e Entry) []member {
	return append(append([]member{{"type", "local", false}}, plain(e)...), member{"tools", []string{"*"}, false})
}

func opencode(e Entry) []member {
	command := append([]string{e.Command}, e.Args...)
	return []member{{"type", "local", false}, {"command", command, true}, {"enabled", true, false}}
}
