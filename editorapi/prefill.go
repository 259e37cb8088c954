package editorapi

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// prefill serves editord/prefill: the arguments of a command that the configuration
// binds, and proposals for those whose name and schema tell what they are. A
// person sees them before anything is called.
func (s *session) prefill(r *request, p PrefillParams) (PrefillResult, error) {
	if p.Command == "" {
		return PrefillResult{}, invalidMember("command", "is missing; name the command whose arguments are wanted")
	}
	c, err := s.commandOf(r.ctx, p.Command)
	if err != nil {
		return PrefillResult{}, err
	}
	arguments := json.RawMessage("{}")
	schema := promptSchema(c.definition)
	if c.kind == kindTool {
		schema = toolSchema(c.definition)
		arguments = s.fillBound(c, arguments, p.Context)
	}
	missing := []string{}
	for _, property := range schema {
		if rawjson.Get(arguments, property.name) != nil {
			continue
		}
		if value, ok := property.propose(p.Context); ok {
			arguments = rawjson.Set(arguments, property.name, value)
		} else if property.required {
			missing = append(missing, property.name)
		}
	}
	return PrefillResult{arguments, missing}, nil
}

// propose returns a value for the property from where the person is.
func (p property) propose(where *Context) (json.RawMessage, bool) {
	if where == nil {
		return nil, false
	}
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(p.name)) {
	case "path", "file", "filepath", "filename", "absolutepath":
		if p.format == "uri" {
			return p.uri(where)
		}
		if path, ok := documentPath(where); ok {
			return p.convert(path)
		}
	case "uri", "fileuri", "documenturi":
		return p.uri(where)
	case "dir", "directory", "cwd", "folder", "workingdirectory":
		if path, ok := documentPath(where); ok {
			return p.convert(filepath.Dir(path))
		}
	case "text", "content", "code", "selection", "selectedtext", "input", "query":
		if where.SelectedText != nil && *where.SelectedText != "" {
			return p.convert(*where.SelectedText)
		}
	case "line", "linenumber", "startline":
		if where.Range != nil && p.types != nil { // else "line" may be a line of text
			return p.convert(strconv.Itoa(where.Range.Start.Line + 1))
		}
	case "language", "languageid":
		if where.LanguageID != "" {
			return p.convert(where.LanguageID)
		}
	}
	return nil, false
}

func (p property) uri(where *Context) (json.RawMessage, bool) {
	if where.TextDocument == nil || where.TextDocument.URI == "" {
		return nil, false
	}
	return p.convert(where.TextDocument.URI)
}

func documentPath(where *Context) (string, bool) {
	if where.TextDocument == nil {
		return "", false
	}
	path, err := fileuri.ToPath(where.TextDocument.URI)
	return path, err == nil
}
