package editorapi

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// complete returns variables inside a string, the names of tools where rules for them are, and otherwise what
// the schema says.
func (l configLanguage) complete(_ context.Context, d *document, at int) ([]textdoc.Completion, bool) {
	text := d.text.String()
	if strings.TrimSpace(text) == "" {
		return []textdoc.Completion{{
			Label: "MCP servers", Kind: textdoc.KindModule, Detail: "a file with one server, to fill in", Insert: textdoc.Edit{Span: textdoc.Span{Start: at, End: at}, Text: skeleton(d.uri)},
		}}, true
	}
	place := syntax.At(syntax.JSONC, text, at)
	if list, ok := l.variables(text, place, at); ok {
		return list, true
	}
	if list, ok := l.ofTools(place); ok {
		return list, true
	}
	return schemalang.Compile(l.file.Schema).Complete(place, syntax.JSONC), true
}

// skeleton returns a file with one server, under the key that other programs read there.
func skeleton(uri string) string {
	key := "servers"
	if file := pathOf(uri); path.Base(file) == ".mcp.json" || path.Base(path.Dir(file)) == ".cursor" {
		key = "mcpServers"
	}
	return "{\n  \"" + key + "\": {\n    \"NAME\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"PACKAGE\"]\n    }\n  }\n}\n"
}

// hover returns what a key means, or what a server does.
func (l configLanguage) hover(d *document, at int) (textdoc.Hover, bool) {
	for _, c := range l.file.Servers {
		if c.Server != nil && c.Key.Contains(at) {
			about := l.stateOf(c.Server) + "."
			if c.Server.Error != nil {
				about += "\n" + c.Server.Error.Message
			}
			return textdoc.Hover{Span: c.Key, Text: about}, true
		}
	}
	text := d.text.String()
	place := syntax.At(syntax.JSONC, text, at)
	steps := place.Path
	if place.InKey {
		key, ok := rawjson.Text([]byte(text[place.Replace.Start:place.Replace.End]))
		if !ok {
			return textdoc.Hover{}, false
		}
		steps = append(slices.Clone(steps), syntax.Step{Key: key, Index: -1})
	}
	about, ok := schemalang.Compile(l.file.Schema).Hover(steps)
	return textdoc.Hover{Span: place.Replace, Text: strings.ReplaceAll(about, "`", "")}, ok // our own text, in Markdown
}

// A configVariable is a variable that a configuration may use.
type configVariable struct{ name, meaning string }

// The variables of every configuration, and those of "bind" alone.
var (
	configVariables = []configVariable{
		{"workspaceFolder", "the first workspace folder; in a file of a workspace folder, that folder"},
		{"workspaceFolderBasename", "the name of that folder"},
		{"userHome", "your home directory"},
	}
	bindVariables = []configVariable{
		{"file", "the path of the document that you are in"},
		{"relativeFile", "the same, relative to its workspace folder"},
		{"fileDirname", "the folder of that document"},
		{"fileBasename", "the name of that document"},
		{"lineNumber", "the line that you are in, from 1"},
		{"selectedText", "what you have selected"},
		{"languageId", "the language of that document"},
	}
)

// variables returns the variables that may stand behind a ${ before the cursor; ok is false where there is
// none. Of the environment it names only what the file uses already: names may say what is secret.
func (l configLanguage) variables(text string, place syntax.Place, at int) (list []textdoc.Completion, ok bool) {
	if place.InKey || !place.Quoted || at < place.Replace.Start {
		return nil, false
	}
	start := strings.LastIndex(text[place.Replace.Start:at], "${")
	if start < 0 || strings.Contains(text[place.Replace.Start+start:at], "}") {
		return nil, false
	}
	span := textdoc.Span{Start: place.Replace.Start + start, End: at}
	rest := strings.TrimLeft(text[at:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:-")
	if strings.HasPrefix(rest, "}") {
		span.End = len(text) - len(rest) + 1
	}
	add := func(name, meaning string) {
		quoted := string(rawjson.Quote("${" + name + "}"))
		list = append(list, textdoc.Completion{
			Label: "${" + name + "}", Kind: textdoc.KindVariable, Detail: meaning, Insert: textdoc.Edit{Span: span, Text: quoted[1 : len(quoted)-1]},
		})
	}
	known := configVariables
	if slices.ContainsFunc(place.Path, func(s syntax.Step) bool { return s.Index < 0 && s.Key == "bind" }) {
		known = slices.Concat(known, bindVariables)
	}
	for _, v := range known {
		add(v.name, v.meaning)
	}
	for _, id := range l.file.Inputs {
		add("input:"+id, "an input of this file")
	}
	for _, name := range l.file.Environment {
		add("env:"+name, "a variable of the editor's environment")
	}
	return list, true
}

// ofTools returns names of tools, or of the arguments of one, of a server that is ready; ok is false where
// none belongs, or none is known.
func (l configLanguage) ofTools(place syntax.Place) (list []textdoc.Completion, ok bool) {
	path := place.Path
	if !place.InKey || len(path) < 3 || path[0].Key != "servers" && path[0].Key != "mcpServers" {
		return nil, false
	}
	add := func(name, about, value string) {
		if slices.Contains(place.Keys, name) {
			return
		}
		insert := string(rawjson.Quote(name))
		if !place.Colon {
			insert += ": " + value
		}
		list = append(list, textdoc.Completion{
			Label: name, Kind: textdoc.KindFunction, Documentation: about, Filter: string(rawjson.Quote(name)),
			Insert: textdoc.Edit{Span: place.Replace, Text: insert},
		})
	}
	for _, o := range l.s.attachment.Offers(path[1].Key) {
		for _, c := range o.tools {
			switch rules := path[2].Key; {
			case len(path) == 3 && rules == "tools":
				add(c.name, rawjson.String(c.definition, "description"), "{}")
			case len(path) == 3 && rules == "agents":
				add(c.name, rawjson.String(c.definition, "description"), "")
			case len(path) == 5 && rules == "tools" && path[4].Key == "bind" && path[3].Key == c.name:
				for _, argument := range toolschema.OfTool(c.definition) {
					add(argument.Name, "", `""`)
				}
			}
		}
	}
	return list, list != nil
}
