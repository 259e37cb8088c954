package schemalang

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
)

// typeWords has JSON Schema's types in the words of people.
var typeWords = map[string]string{
	"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list", "object": "a map", "null": "null",
}

// allowed returns the values that a schema itself lists: JSON Schema's enum or const.
func (p *part) allowed() (all [][]byte, ok bool) {
	if value, ok := p.keywords["const"]; ok {
		return [][]byte{value}, true
	}
	_, ok = p.keywords["enum"]
	return p.elements("enum"), ok
}

// typesOf returns the types that schemas allow together, also where they list values. It is nil when they say nothing of it.
func (s *Schema) typesOf(all []*part) (types []string) {
	for _, p := range all {
		types = append(types, p.types...)
		if p.types != nil {
			continue
		}
		values, _ := p.allowed()
		for _, v := range values {
			if t := typeOf(v); s.spend(1) && !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// typeOf returns the type of a JSON value.
func typeOf(raw []byte) string {
	switch c := raw[0]; {
	case c == '{':
		return "object"
	case c == '[':
		return "array"
	case c == '"':
		return "string"
	case c == 't' || c == 'f':
		return "boolean"
	case c == 'n':
		return "null"
	}
	return "number"
}

// is reports whether a node is of a type. What is written without quotes may be a text as well.
func is(n *syntax.Node, jsonType string) bool {
	switch jsonType {
	case "string":
		return n.Kind == syntax.String || n.Plain && n.Kind != syntax.Null
	case "number":
		return n.Kind == syntax.Number
	case "integer":
		v, ok := number(n)
		return ok && v.IsInt()
	case "boolean":
		return n.Kind == syntax.Bool
	case "null":
		return n.Kind == syntax.Null
	case "array":
		return n.Kind == syntax.List
	case "object":
		return n.Kind == syntax.Map
	}
	return true
}

// number returns the number that a node is. Those of very many digits are none here: nothing is checked of them.
func number(n *syntax.Node) (*big.Rat, bool) {
	if n.Kind != syntax.Number {
		return nil, false
	}
	return rational(n.JSON())
}

// rational reads a JSON number.
func rational(s string) (*big.Rat, bool) {
	if i := strings.IndexAny(s, "eE"); len(s) > 100 || i >= 0 && len(s)-i > 4 {
		return nil, false
	}
	if len(s) == 0 || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// equal reports whether a node is a JSON value.
func equal(n *syntax.Node, raw []byte) bool {
	switch n.Kind {
	case syntax.List, syntax.Map:
		if t := typeOf(raw); t != "array" && t != "object" {
			return false
		}
		var a, b any
		return json.Unmarshal(plainJSON(n), &a) == nil && json.Unmarshal(raw, &b) == nil && reflect.DeepEqual(a, b)
	case syntax.String:
		text, ok := rawjson.Text(raw)
		return ok && text == n.Text
	}
	if text, ok := rawjson.Text(raw); ok {
		return n.Plain && text == n.Text && n.Kind != syntax.Null
	}
	if a, ok := number(n); ok {
		b, ok := rational(string(raw))
		return ok && a.Cmp(b) == 0
	}
	return n.JSON() == string(raw)
}

// plainJSON returns the JSON of a node, without a schema.
func plainJSON(n *syntax.Node) []byte {
	raw, _ := Compile(nil).Value(n, nil) // without variables nothing fails
	return raw
}

// spelled returns a JSON value in a message: a text in quotes, all others as they are.
func spelled(raw []byte) string {
	const limit = 60
	text, ok := rawjson.Text(raw)
	if !ok {
		text = string(rawjson.Compact(raw))
	}
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	if ok {
		return strconv.Quote(text)
	}
	return text
}

// oneOf joins words: "a, b or c". It names a few of many.
func oneOf(words []string) string {
	const few = 12
	if len(words) > few {
		return strings.Join(words[:few], ", ") + " and " + strconv.Itoa(len(words)-few) + " more"
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
