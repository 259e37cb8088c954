package editorapi

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// prefill serves editord/prefill: the arguments of a command that the configuration binds, and
// proposals for those whose name and schema say what they are. The user sees them before anything
// is called.
func (s *session) prefill(_ *request, p PrefillParams) (PrefillResult, error) {
	if p.Command == "" {
		return PrefillResult{}, invalidMember("command", "is missing; name the command whose arguments you want")
	}
	c, err := s.commandOf(p.Command)
	if err != nil {
		return PrefillResult{}, err
	}
	arguments := json.RawMessage("{}")
	schema := toolschema.OfPrompt(c.definition)
	if c.kind == kindTool {
		schema = toolschema.OfTool(c.definition)
		arguments = s.fillBound(c, arguments, p.Context)
	}
	missing := []string{}
	for _, property := range schema {
		if rawjson.Get(arguments, property.Name) != nil {
			continue
		}
		if value, ok := propose(property, p.Context); ok {
			arguments = rawjson.Set(arguments, property.Name, value)
		} else if property.Required {
			missing = append(missing, property.Name)
		}
	}
	return PrefillResult{arguments, missing}, nil
}

// propose returns a value for a property from where the user is.
func propose(p toolschema.Property, where *Context) (json.RawMessage, bool) {
	if where == nil {
		return nil, false
	}
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(p.Name)) {
	case "path", "file", "filepath", "filename", "absolutepath":
		if p.Format == "uri" {
			return proposeURI(p, where)
		}
		if path, ok := documentPath(where); ok {
			return p.Convert(path)
		}
	case "uri", "fileuri", "documenturi":
		return proposeURI(p, where)
	case "dir", "directory", "cwd", "folder", "workingdirectory":
		if path, ok := documentPath(where); ok {
			return p.Convert(filepath.Dir(path))
		}
	case "text", "content", "code", "selection", "selectedtext", "input", "query":
		if where.SelectedText != nil && *where.SelectedText != "" {
			return p.Convert(*where.SelectedText)
		}
	case "line", "linenumber", "startline":
		if where.Range != nil && p.Types != nil { // else "line" may be a line of text
			return p.Convert(strconv.Itoa(where.Range.Start.Line + 1))
		}
	case "language", "languageid":
		if where.LanguageID != "" {
			return p.Convert(where.LanguageID)
		}
	}
	return nil, false
}

func proposeURI(p toolschema.Property, where *Context) (json.RawMessage, bool) {
	if where.TextDocument == nil || where.TextDocument.URI == "" {
		return nil, false
	}
	return p.Convert(where.TextDocument.URI)
}

func documentPath(where *Context) (string, bool) {
	if where.TextDocument == nil {
		return "", false
	}
	path, err := fileuri.ToPath(where.TextDocument.URI)
	return path, err == nil
}
