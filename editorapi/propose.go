package editorapi

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// A proposer proposes arguments of one tool or prompt from where the user is. Where names and
// schema leave a doubt, it proposes nothing: a wrong value costs more than typing the right one.
type proposer struct {
	where *Context // never nil
	path  string   // of the document; "" when it is no file on this disk
	// folder is the workspace folder that has the document, or the only one; "" for none.
	folder string

	hints
}

// hints are what a tool or prompt says about its arguments beside their names.
type hints struct {
	// content says whether the selection may become content. Someone who presses Enter at each
	// argument must not overwrite a file: a tool that may write gets a place or content from
	// us, never both. So it gets no content if it has an argument for a place, whoever fills that. A
	// tool may write unless its readOnlyHint is true. MCP (ToolAnnotations): "If true, the tool does
	// not modify its environment. Default: false", and of destructiveHint: "If true, the
	// tool may perform destructive updates to its environment. [...] Default: true". We do not rely on
	// a destructiveHint of false either: what only adds to a file still changes it.
	content bool

	name        []string // the words of the tool's name; none for a prompt
	description about    // what the tool's description is about
}

// hintsOf returns the hints of c.
func hintsOf(c *command, schema toolschema.Schema) hints {
	if c.kind != calldoc.Tool {
		return hints{content: true}
	}
	return hints{
		content:     c.readOnly() || !slices.ContainsFunc(schema, func(argument toolschema.Property) bool { return isPlace(argument.Name) }),
		name:        words(c.name),
		description: aboutOf(words(rawjson.String(c.definition, "description"))),
	}
}

// newProposer returns a proposer for a tool or prompt; where is nil when the editor does not say where the user is.
func newProposer(h hints, where *Context, folders []Folder) *proposer {
	if where == nil {
		where = &Context{}
	}
	p := &proposer{where: where, hints: h}
	if document := where.TextDocument; document != nil {
		p.path, _ = fileuri.ToPath(document.URI)
	}
	p.folder = folderOf(p.path, folders)
	return p
}

// separators are what the spellings of a name differ in beside capitals.
var separators = strings.NewReplacer("_", "", "-", "")

// normal returns the name of an argument without what its spellings differ in.
func normal(name string) string {
	return strings.ToLower(separators.Replace(name))
}

// fillPlaces adds what the names of arguments say that they want.
func (p *proposer) fillPlaces(arguments json.RawMessage, wanted []toolschema.Property) json.RawMessage {
	for _, argument := range lacking(arguments, wanted) {
		if value, ok := p.propose(argument); ok {
			arguments = rawjson.Set(arguments, argument.Name, value)
		}
	}
	return arguments
}

// fillSelected adds the selection as the one required text that has no value, whatever its name. Where there is no
// such text, or there are several, it goes to those with the name of one.
func (p *proposer) fillSelected(arguments json.RawMessage, wanted []toolschema.Property) json.RawMessage {
	if p.where.SelectedText == nil {
		return arguments
	}
	all := lacking(arguments, wanted)
	chosen := filter(all, func(a toolschema.Property) bool {
		return a.Required && slices.Contains(a.Types, "string") && a.Enum == nil && a.Format == "" && !isPlace(a.Name)
	})
	if len(chosen) != 1 {
		chosen = filter(all, func(a toolschema.Property) bool { return slices.Contains(textNames, normal(a.Name)) })
	}
	for _, argument := range chosen {
		// A query asks, and is not written anywhere.
		if !p.content && normal(argument.Name) != "query" {
			continue
		}
		if value, ok := convert(argument, *p.where.SelectedText); ok {
			arguments = rawjson.Set(arguments, argument.Name, value)
		}
	}
	return arguments
}

// textNames are arguments that want a text, where their schema leaves a doubt.
var textNames = []string{"text", "content", "code", "selection", "selectedtext", "input", "query"}

// lacking returns those of the properties that arguments have no value for.
func lacking(arguments json.RawMessage, properties []toolschema.Property) []toolschema.Property {
	return filter(properties, func(p toolschema.Property) bool { return rawjson.Get(arguments, p.Name) == nil })
}

func isRequired(p toolschema.Property) bool { return p.Required }

func filter(properties []toolschema.Property, keep func(toolschema.Property) bool) (kept []toolschema.Property) {
	for _, p := range properties {
		if keep(p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// propose returns what the name of an argument says that it wants.
func (p *proposer) propose(argument toolschema.Property) (json.RawMessage, bool) {
	switch normal(argument.Name) {
	case "path", "absolutepath":
		switch p.wants(argument) {
		case aboutFile:
			return p.file(argument)
		case aboutFolder:
			return p.directory(argument)
		}
	case "file", "filepath", "filename":
		return p.file(argument)
	case "uri", "fileuri", "documenturi":
		return p.uri(argument)
	case "paths", "files", "filepaths":
		if p.wants(argument) == aboutFile {
			return list(argument, p.file)
		}
	case "uris", "fileuris":
		return list(argument, p.uri)
	case "dir", "directory", "cwd", "folder", "workingdirectory":
		return p.directory(argument)
	case "repopath", "repositorypath", "reporoot", "projectroot", "workspacefolder", "workspaceroot", "workspacepath":
		return place(argument, p.folder)
	case "line", "linenumber", "startline":
		if p.where.Range != nil {
			return number(argument, p.where.Range.Start.Line)
		}
	case "endline", "endlinenumber":
		if p.where.Range != nil {
			return number(argument, lastLine(*p.where.Range))
		}
	case "language", "languageid":
		return convert(argument, p.where.LanguageID)
	}
	return nil, false
}

// isPlace reports whether an argument of this name says where a tool reads or writes.
func isPlace(name string) bool {
	return strings.HasSuffix(normal(name), "path") || has(words(name), placeWords)
}

var placeWords = slices.Concat(fileWords, folderWords, []string{"paths", "cwd", "uri", "uris", "destination", "target"})

// convert is [toolschema.Property.Convert] for a text that may be missing.
func convert(argument toolschema.Property, text string) (json.RawMessage, bool) {
	if text == "" {
		return nil, false
	}
	return argument.Convert(text)
}

// wantsURI reports whether an argument wants a URI rather than a path: its format, its pattern or else its
// name says so.
func wantsURI(argument toolschema.Property) bool {
	name := normal(argument.Name)
	return argument.Format == "uri" || argument.Format == "iri" || strings.HasPrefix(argument.Pattern, "^file:") ||
		argument.Format == "" && (strings.HasSuffix(name, "uri") || strings.HasSuffix(name, "uris"))
}

// place returns a path as the value of an argument, or its URI where the argument wants that; path may
// be missing.
func place(argument toolschema.Property, path string) (json.RawMessage, bool) {
	if path != "" && wantsURI(argument) {
		path = fileuri.FromPath(path)
	}
	return convert(argument, path)
}

// file proposes the document.
func (p *proposer) file(argument toolschema.Property) (json.RawMessage, bool) {
	if wantsURI(argument) {
		return p.uri(argument)
	}
	return place(argument, p.path)
}

// uri proposes the URI of the document, which need not be a file.
func (p *proposer) uri(argument toolschema.Property) (json.RawMessage, bool) {
	if p.where.TextDocument == nil {
		return nil, false
	}
	return convert(argument, p.where.TextDocument.URI)
}

// directory proposes the folder of the document.
func (p *proposer) directory(argument toolschema.Property) (json.RawMessage, bool) {
	if p.path == "" {
		return nil, false
	}
	return place(argument, filepath.Dir(p.path))
}

// list proposes a list with one string, where the schema says that argument may be a list, and not
// that its items are something else.
func list(argument toolschema.Property, propose func(item toolschema.Property) (json.RawMessage, bool)) (json.RawMessage, bool) {
	item := toolschema.Property{}
	if argument.Items != nil {
		item = *argument.Items
	}
	item.Name = argument.Name
	value, ok := propose(item)
	if !ok || value[0] != '"' || !slices.Contains(argument.Types, "array") {
		return nil, false
	}
	argument.Types = []string{"array"} // it may be a string too
	return argument.Convert("[" + string(value) + "]")
}

// number proposes the number of a line, which LSP counts from 0. An argument without a type may want a
// line of text.
func number(argument toolschema.Property, line int) (json.RawMessage, bool) {
	if argument.Types == nil {
		return nil, false
	}
	return argument.Convert(strconv.Itoa(line + 1))
}

// lastLine returns the last line that a range has something of, from 0: one that ends where a line
// begins has nothing of that line.
func lastLine(r Range) int {
	if r.End.Character == 0 && r.End.Line > r.Start.Line {
		return r.End.Line - 1
	}
	return r.End.Line
}

// folderOf returns the path of the innermost folder that has path, or of the only folder.
func folderOf(path string, folders []Folder) (found string) {
	for _, f := range folders {
		folder, err := fileuri.ToPath(f.URI)
		if err != nil {
			continue
		}
		inside := path != "" && (path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator)))
		if inside && len(folder) > len(found) || path == "" && len(folders) == 1 {
			found = folder
		}
	}
	return found
}
