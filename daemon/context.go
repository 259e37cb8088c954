package daemon

import (
	"path/filepath"
	"strconv"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// contextVars returns the variables of a place in a document (editor protocol, section 5). It
// leaves out those that the context does not give.
func contextVars(where *editorapi.Context, folders []string) map[string]string {
	vars := map[string]string{}
	if where == nil {
		return vars
	}
	if where.TextDocument != nil {
		addFileVars(vars, where.TextDocument.URI, folders)
	}
	if where.Range != nil {
		vars["lineNumber"] = strconv.Itoa(where.Range.Start.Line + 1)
	}
	if where.SelectedText != nil {
		vars["selectedText"] = *where.SelectedText
	}
	if where.LanguageID != "" {
		vars["languageId"] = where.LanguageID
	}
	return vars
}

// addFileVars adds the variables of a document that is a file.
func addFileVars(vars map[string]string, uri string, folders []string) {
	file, err := fileuri.ToPath(uri)
	if err != nil {
		return
	}
	vars["file"] = file
	vars["fileDirname"] = filepath.Dir(file)
	vars["fileBasename"] = filepath.Base(file)
	for _, folder := range folders {
		if rel, inside := within(folder, file); inside {
			vars["relativeFile"] = rel
			return
		}
	}
}

// within returns the path from folder to path, and whether path is in folder judging by its name.
// Nothing is inside when either is "".
func within(folder, path string) (rel string, inside bool) {
	if folder == "" || path == "" {
		return "", false
	}
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
