package mcpserver

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// What makes a folder a project: a repository or a configuration of MCP servers, and where there is
// neither above, the manifest of a package. The package of a repository is no project of its own.
var (
	projectMarks = []string{".git", ".hg", ".jj", ".svn", ".mcp.json", filepath.Join(".vscode", "mcp.json"), filepath.Join(".cursor", "mcp.json")}
	packageMarks = []string{"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "pom.xml", "build.gradle", "build.gradle.kts",
		"Gemfile", "composer.json", "mix.exs", "Package.swift", "CMakeLists.txt", "flake.nix"}
)

// project returns the folder of the project that dir is in: the nearest one at or above dir with such a
// mark, else dir itself. None is the root of the disk, the home directory, or a folder above that: a
// dot file there makes no project of all that a person has. A mark of another user makes none either:
// in /tmp it would open the whole of that, with the servers that he names.
func project(dir, home string) []string {
	if !filepath.IsAbs(dir) || !mayBeProject(dir, home) {
		return nil
	}
	for _, marks := range [][]string{projectMarks, packageMarks} {
		for at := dir; mayBeProject(at, home); at = filepath.Dir(at) {
			for _, mark := range marks {
				if marked(at, mark) {
					return []string{at}
				}
			}
		}
	}
	return []string{dir}
}

// marked reports whether a folder has a mark that is no other user's, nor the folder or link that leads to it.
func marked(dir, mark string) bool {
	if folder := filepath.Dir(mark); folder != "." && !marked(dir, folder) {
		return false
	}
	info, err := os.Lstat(filepath.Join(dir, mark))
	return err == nil && !safeopen.Foreign(info)
}

// mayBeProject reports whether dir is neither the root of a disk nor the home directory nor above that,
// whatever symbolic links lead to either: a system may name homes by one, and working directories by none.
func mayBeProject(dir, home string) bool {
	return isBelow(dir, home) && isBelow(fileuri.Canonical(dir), fileuri.Canonical(home))
}

func isBelow(dir, home string) bool {
	dir = filepath.Clean(dir)
	if filepath.Dir(dir) == dir {
		return false
	}
	if home == "" {
		return true
	}
	home = filepath.Clean(home)
	return home != dir && !strings.HasPrefix(home, dir+string(filepath.Separator))
}

// foldersOf returns the folders with these paths, nil for none.
func foldersOf(paths []string) (folders []editorapi.Folder) {
	for _, path := range paths {
		folders = append(folders, editorapi.Folder{URI: fileuri.FromPath(path), Name: filepath.Base(path)})
	}
	return folders
}

// askRoots asks an agent of the legacy era for its roots, if it has declared them, and makes them its
// folders. It waits for nobody. Folders that the user chose stay.
//
// An agent of the modern era can be asked for its roots only in the course of one of its calls. The
// daemon does so for a server that asks; the folder of the agent is that of the working directory.
func (s *session) askRoots() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.legacy.ready() || !rawjson.IsObject(rawjson.Get(s.legacy.capabilities, "roots")) || len(s.o.Folders) > 0 {
		return
	}
	s.rooting.Again()
}

// takeRoots asks the agent for its roots once.
func (s *session) takeRoots() {
	result, err := s.askAgent(s.ctx, wire.MethodListRoots, nil)
	if err != nil {
		s.o.Log.Warn("the agent has not said its roots", zap.Error(err))
		return
	}
	if folders := s.rootFolders(result); len(folders) > 0 {
		s.link.open(folders, true)
	} else {
		s.link.open(foldersOf(project(s.o.Dir, s.o.Home)), false)
	}
}

// rootFolders returns the folders of a ListRootsResult: "uri: Unique identifier for the root. This MUST be
// a file:// URI in the current specification" (MCP 2025-11-25, Roots).
func (s *session) rootFolders(result []byte) (folders []editorapi.Folder) {
	for root := range rawjson.Elements(rawjson.Get(result, "roots")) {
		path, err := fileuri.ToPath(rawjson.String(root, "uri"))
		if err != nil || !mayBeProject(path, s.o.Home) {
			continue
		}
		name := cmp.Or(rawjson.String(root, "name"), filepath.Base(path))
		folders = append(folders, editorapi.Folder{URI: fileuri.FromPath(path), Name: name})
	}
	return folders
}
