package toolschema

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

const (
	maxReferences = 100 // that are followed in one tool: each costs a search through its schema
	maxNesting    = 4   // of references and alternatives
)

// A reader reads the properties of one schema, and follows references within it.
type reader struct {
	root []byte
	left int // how many references it may still follow
}

// property reads a schema without its name, and that of its items.
func (r *reader) property(schema []byte) (p Property) {
	variants := r.variants(schema, maxNesting)
	p = merged(variants)
	for _, v := range variants {
		if items := rawjson.Get(v, "items"); items != nil {
			p.Items = new(merged(r.variants(items, maxNesting)))
			break
		}
	}
	return p
}

// merged returns what schemas say together of a value of which they are the variants.
func merged(variants [][]byte) (p Property) {
	enums, open := 0, false
	for _, v := range variants {
		types := typesOf(v)
		p.Types = append(p.Types, types...)
		p.Description = cmp.Or(p.Description, rawjson.String(v, "description"))
		p.Format = cmp.Or(p.Format, rawjson.String(v, "format"))
		p.Pattern = cmp.Or(p.Pattern, rawjson.String(v, "pattern"))
		if enum := rawjson.Get(v, "enum"); enum != nil {
			p.Enum = enum
			enums++
		} else if len(types) > 1 || len(types) == 1 && types[0] != "null" {
			open = true
		}
	}
	if enums > 1 || open { // another alternative allows more
		p.Enum = nil
	}
	return p
}

// variants returns a schema, what it refers to, and what it lists as alternatives.
func (r *reader) variants(schema []byte, depth int) [][]byte {
	all := [][]byte{schema}
	if depth == 0 {
		return all
	}
	if to := r.referred(schema); to != nil {
		all = append(all, r.variants(to, depth-1)...)
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		for alternative := range rawjson.Elements(rawjson.Get(schema, name)) {
			all = append(all, r.variants(alternative, depth-1)...)
		}
	}
	return all
}

// unescapePointer undoes the escapes of a JSON Pointer (RFC 6901, section 3).
var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// referred returns the schema that a $ref names; nil when there is none in the same schema.
func (r *reader) referred(schema []byte) []byte {
	path, ok := strings.CutPrefix(rawjson.String(schema, "$ref"), "#/")
	if !ok || r.left == 0 {
		return nil
	}
	r.left--
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = unescapePointer.Replace(name)
	}
	return rawjson.Path(r.root, names...)
}

// typesOf returns the types that a schema names itself.
func typesOf(schema []byte) (types []string) {
	if name := rawjson.String(schema, "type"); name != "" {
		types = append(types, name)
	}
	for name := range rawjson.Elements(rawjson.Get(schema, "type")) {
		var s string
		if json.Unmarshal(name, &s) == nil {
			types = append(types, s)
		}
	}
	return types
}
