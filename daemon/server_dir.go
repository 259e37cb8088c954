package daemon

import (
	"path/filepath"
	"strings"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

// maxReadable is how much of a server's name its directory's name keeps, in bytes.
const maxReadable = 32

// ownDir returns the directory for a server that has no cwd, and makes it if it is missing. No
// other server shares it: what another server leaves in its own directory cannot reach this one.
func ownDir(p ipc.Paths, def config.Definition) (string, error) {
	if err := ipc.EnsureStateDir(p.ServersDir()); err != nil {
		return "", err
	}
	dir := filepath.Join(p.ServersDir(), dirName(def))
	return dir, ipc.EnsureStateDir(dir)
}

// dirName returns a readable name for the directory of a server. No other server has the same name,
// and nothing in a server's name leads out of the parent directory.
func dirName(def config.Definition) string {
	readable := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, def.Name)
	return readable[:min(maxReadable, len(readable))] + "-" + hashOf(def.Source.URI, def.Name)[:8]
}

// pathsOfFolder returns the variables in which a shell or a package manager says where an editor
// was started. A server that knows the place may look there for what it runs.
func pathsOfFolder() []string {
	return []string{"OLDPWD", "INIT_CWD", "PROJECT_CWD", "npm_config_local_prefix", "npm_package_json"}
}
