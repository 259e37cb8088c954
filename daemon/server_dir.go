package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

// maxReadable is how much of a server's name is in the name of its directory, in bytes.
const maxReadable = 32

// ownDir returns the directory that a server runs in which says no cwd, and makes it when it is
// not there. It is the server's alone: what another server leaves in its own cannot reach it.
func ownDir(p ipc.Paths, def config.Definition) (string, error) {
	if err := ipc.EnsureStateDir(p.ServersDir()); err != nil {
		return "", err
	}
	dir := filepath.Join(p.ServersDir(), dirName(def))
	return dir, ipc.EnsureStateDir(dir)
}

// dirName returns a name for the directory of a server that can be read, and that no other
// server has. Nothing of a server's name leads out of the directory that it is in.
func dirName(def config.Definition) string {
	readable := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, def.Name)
	sum := sha256.Sum256([]byte(def.Source.URI + "\x00" + def.Name))
	return readable[:min(maxReadable, len(readable))] + "-" + hex.EncodeToString(sum[:4])
}

// pathsOfFolder are the variables by which a shell or a package manager says where an editor was
// started. A server that is told so may look there for what it runs.
func pathsOfFolder() []string {
	return []string{"OLDPWD", "INIT_CWD", "PROJECT_CWD", "npm_config_local_prefix", "npm_package_json"}
}
