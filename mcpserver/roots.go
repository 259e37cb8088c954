package mcpserver

import (
	"path/filepath"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// askRoots asks an agent of the legacy era for its roots, if it has declared them, and makes them its
// folders. It waits for nobody. Folders that the user chose stay.
//
// An agent of the modern era can be asked for its roots only in the course of one of its calls. The
// daemon does so for a server that asks; the folder of the agent is that of the working directory.
func (s *session) askRoots() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.legacy == nil || !s.legacy.ready || !rawjson.IsObject(rawjson.Get(s.legacy.capabilities, "roots")) || len(s.o.Folders) > 0 {
		return
	}
	if s.rooting {
		s.uprooted = true
		return
	}
	s.rooting = true
	s.spawn(func() {
		for again := true; again; {
			s.takeRoots()
			s.mu.Lock()
			again = s.uprooted
			s.rooting, s.uprooted = again, false
			s.mu.Unlock()
		}
	})
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
		name := rawjson.String(root, "name")
		if name == "" {
			name = filepath.Base(path)
		}
		folders = append(folders, editorapi.Folder{URI: fileuri.FromPath(path), Name: name})
	}
	return folders
}
