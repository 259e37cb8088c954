package syntax

import (
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Format is how a text is written.
type Format int

// The formats.
const (
	YAML Format = iota
	JSONC
)

// A Place is where a cursor is.
type Place struct {
	Path    []Step       // from the root to the map whose key is written, or to the value
	InKey   bool         // a key of the map at Path is written here; else the value at Path. Without a colon it may be a key or a value: then it is a key
	Nothing bool         // nothing can be written here: it is a comment, or a comma or a line end is missing
	Prefix  string       // what stands before the cursor of the key or the scalar, without quotes
	Replace textdoc.Span // the whole key or scalar under the cursor, with quotes; empty, and at the cursor, when there is none
	Keys    []string     // InKey: the keys that the map has already, without the one under the cursor
	Colon   bool         // InKey: a colon follows already
	Quoted  bool
	Block   bool // the value is a text of several lines; Prefix and Replace are those of the line
	Flow    bool // in JSON, or in brackets; else in a block
	Indent  int  // in a block: the column where the key begins, in bytes
}

// At says where the cursor before the byte at is. It reads nothing as a parser would: somebody is writing the text, and there may
// be quotes, brackets, commas and colons missing. In YAML text is the text of one document.
func At(format Format, text string, at int) Place {
	at = min(max(at, 0), len(text))
	var p Place
	if format == JSONC {
		s := flowScan{text: text, at: at, json: true}
		if s.run(); !s.found { // behind the value
			s.place.Nothing = true
		}
		p = s.place
	} else {
		s := blockScan{text: text, at: at}
		s.run()
		p = s.place
	}
	if p.Replace == (textdoc.Span{}) {
		p.Replace = textdoc.Span{Start: at, End: at}
	}
	return p
}

// unquoted returns what a scalar, or the beginning of one, stands for.
func unquoted(s string) string {
	switch {
	case strings.HasPrefix(s, "'"):
		return strings.ReplaceAll(strings.TrimSuffix(s[1:], "'"), "''", "'")
	case !strings.HasPrefix(s, `"`):
		return s
	}
	end := len(s)
	if closing(s, 0) == end {
		end--
	}
	r := yamlReader{text: s, at: 1}
	var text []byte
	for r.at < end {
		if before := r.at; s[r.at] == '\\' {
			if text = r.escape(text); r.failed == nil {
				continue
			}
			r.failed, r.at = nil, before
		}
		text = append(text, s[r.at])
		r.at++
	}
	return string(text)
}

// keyPlace is the place in a key of the map at path.
func keyPlace(path []Step, text string, key textdoc.Span, at int) Place {
	p := Place{Path: path, InKey: true, Prefix: unquoted(text[key.Start:at]), Replace: key}
	p.Quoted = key.Start < key.End && (text[key.Start] == '"' || text[key.Start] == '\'')
	rest := strings.TrimLeft(text[key.End:lineEnd(text, key.End)], " \t")
	p.Colon = strings.HasPrefix(rest, ":")
	return p
}

// valuePlace is the place in the scalar at path.
func valuePlace(path []Step, text string, value textdoc.Span, at int) Place {
	p := keyPlace(path, text, value, at)
	p.InKey, p.Colon = false, false
	return p
}

// A Step leads from a map or a list to a value in it.
type Step struct {
	Key   string
	Index int // in a list; −1 for a key
}
