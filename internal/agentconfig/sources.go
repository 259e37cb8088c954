package agentconfig

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// maxFiles is how many files of one pattern are looked at.
const maxFiles = 100

// Sources returns every file in which a program may have servers, in the order of the names of the programs. Most are
// not there. What Claude Code has for a workspace folder, "" for none, is a source of its own. Files in a workspace
// are no sources: the daemon reads those.
func Sources(folder string) (all []Source) {
	for _, a := range Agents() {
		s := Source{Program: a.Name, Title: a.Title, format: a.format, place: []string{a.place}}
		for _, file := range a.files {
			all = append(all, s.in(file, a.folders...)...)
			if local := s; a.Name == "claude" && folder != "" {
				// https://code.claude.com/docs/en/mcp#local-scope
				local.Folder, local.place = folder, []string{"projects", folder, "mcpServers"}
				all = append(all, local.in(file, a.folders...)...)
			}
		}
	}
	const desktop, insiders = "claude_desktop_config.json", "data/Code - Insiders/User"
	json, yaml, goose := jsonFormat{}, yamlFormat{}, "config/goose"
	if runtime.GOOS == "windows" {
		goose = "data/Block/goose/config"
	}
	for _, p := range []struct {
		name, title, folder, file string
		format                    reader
		place                     string
	}{
		// https://ampcode.com/manual#configuration
		{"amp", "Amp", "config/amp", "settings.jsonc", json, "amp.mcpServers"},
		// https://modelcontextprotocol.io/docs/develop/connect-local-servers
		{"claude-desktop", "Claude Desktop", "data/Claude", desktop, json, "mcpServers"},
		// https://docs.continue.dev/customize/deep-dives/mcp
		{"continue", "Continue", "home/.continue", "config.yaml", yaml, "mcpServers"},
		{"continue", "Continue", "home/.continue", "mcpServers/*.yaml", yaml, "mcpServers"},
		{"continue", "Continue", "home/.continue", "mcpServers/*.json", json, "mcpServers"},
		// https://block.github.io/goose/docs/guides/config-files
		{"goose", "goose", goose, "config.yaml", yaml, "extensions"},
		// https://ravitemer.github.io/mcphub.nvim/mcp/servers_json
		{"mcphub", "mcphub.nvim", "config/mcphub", "servers.json", json, "mcpServers"},
		// https://opencode.ai/v2/docs/mcp-servers/; those of version 1 are in "mcp" itself
		{"opencode", "opencode", "config/opencode", "opencode.json", json, "mcp/servers"},
		{"opencode", "opencode", "config/opencode", "opencode.jsonc", json, "mcp/servers"},
		// https://code.visualstudio.com/docs/agents/reference/mcp-configuration; for the folders,
		// https://code.visualstudio.com/docs/configure/settings. Before 1.102, settings.json had servers.
		{"vscode", "VS Code", "data/Code/User", "profiles/*/mcp.json", json, "servers"},
		{"vscode", "VS Code", "data/Code/User", "settings.json", json, "mcp/servers"},
		{"vscode-insiders", "VS Code Insiders", insiders, "mcp.json", json, "servers"},
		{"vscode-insiders", "VS Code Insiders", insiders, "profiles/*/mcp.json", json, "servers"},
		{"vscode-insiders", "VS Code Insiders", insiders, "settings.json", json, "mcp/servers"},
		{"vscodium", "VSCodium", "data/VSCodium/User", "mcp.json", json, "servers"},
		{"vscodium", "VSCodium", "data/VSCodium/User", "profiles/*/mcp.json", json, "servers"},
		{"vscodium", "VSCodium", "data/VSCodium/User", "settings.json", json, "mcp/servers"},
	} {
		s := Source{Program: p.name, Title: p.title, format: p.format, place: strings.Split(p.place, "/")}
		all = append(all, s.in(p.file, p.folder)...)
	}
	slices.SortStableFunc(all, func(a, b Source) int { return strings.Compare(a.Program, b.Program) })
	return all
}

// in returns s at the path of a file in the first folder that is known. Of a pattern, the files that are there count.
func (s Source) in(file string, folders ...string) (all []Source) {
	dir, err := Place(folders...)
	if err != nil {
		return nil
	}
	names := []string{file}
	if strings.Contains(file, "*") {
		names, _ = fs.Glob(os.DirFS(dir), file) // without the folder there are none
	}
	for _, name := range names[:min(len(names), maxFiles)] {
		s.Path = filepath.Join(dir, filepath.FromSlash(name))
		all = append(all, s)
	}
	return all
}
