package calldoc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
)

// tool writes a CallToolResult: its content, and its structured content unless the texts say the same.
func (r *renderer) tool(result json.RawMessage) {
	structured := json.RawMessage(rawjson.Get(result, "structuredContent"))
	var texts []json.RawMessage
	for content := range rawjson.Elements(rawjson.Get(result, "content")) {
		if rawjson.String(content, "type") == "text" {
			texts = append(texts, content)
		}
	}
	absent := rawjson.IsAbsent(structured)
	same := !absent && says(texts, structured)
	for content := range rawjson.Elements(rawjson.Get(result, "content")) {
		if !same || rawjson.String(content, "type") != "text" {
			r.content(content)
		}
	}
	if absent || !same && mentions(texts, structured) {
		return
	}
	if r.b.Len() > 0 {
		r.b.WriteByte('\n')
	}
	r.structure(structured)
}

// says reports whether texts say what structured does. MCP has servers send it as JSON in one text; frameworks put a value
// that is no object into a member "result", and its items into a text each.
func says(texts []json.RawMessage, structured json.RawMessage) bool {
	if len(texts) == 0 {
		return true
	}
	wrapped := json.RawMessage(nil)
	for name, value := range rawjson.Members(structured) {
		if wrapped = nil; name == "result" {
			wrapped = value
		} else {
			break
		}
	}
	if len(texts) == 1 {
		text := rawjson.String(texts[0], "text")
		return saysOne(text, structured) || wrapped != nil && saysOne(text, wrapped)
	}
	items := slices.Collect(rawjson.Elements(wrapped))
	return slices.EqualFunc(texts, items, func(text json.RawMessage, item []byte) bool {
		return saysOne(rawjson.String(text, "text"), item)
	})
}

// saysOne reports whether a text is the string value, or value in JSON, however it is laid out.
func saysOne(text string, value json.RawMessage) bool {
	if s, ok := rawjson.Text(value); ok && s == text {
		return true
	}
	return equal([]byte(text), value)
}

// The bounds of what [mentions] compares: beyond them both are shown.
const (
	maxMentioned = 200
	maxMentions  = 64 << 10 // bytes of the texts, and of the structured content
)

// mentions reports whether texts for people have every string and number of structured in them. What is true or false they
// say in their own words.
func mentions(texts []json.RawMessage, structured json.RawMessage) bool {
	said := ""
	for _, text := range texts {
		if len(said)+len(text) > maxMentions {
			return false
		}
		said += rawjson.String(text, "text") + "\n"
	}
	left := maxMentioned
	return len(structured) <= maxMentions && mentionsAll(said, structured, &left)
}

func mentionsAll(said string, value json.RawMessage, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	for _, member := range rawjson.Members(value) {
		if !mentionsAll(said, member, left) {
			return false
		}
	}
	for item := range rawjson.Elements(value) {
		if !mentionsAll(said, item, left) {
			return false
		}
	}
	switch text, ok := rawjson.Text(value); {
	case ok:
		return strings.Contains(said, text)
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		return strings.Contains(said, string(value))
	}
	return true
}

// maxSorted is how many bytes two texts have at most whose members may be in another order: to sort more
// takes thirty times their memory.
const maxSorted = 1 << 20

// equal reports whether two JSON texts have the same value; false where one is not JSON.
func equal(a, b []byte) bool {
	if len(a) > maxSorted || len(b) > maxSorted {
		return rawjson.Check(a) == nil && bytes.Equal(rawjson.Compact(a), rawjson.Compact(b))
	}
	x, y := jsontext.Value(bytes.Clone(a)), jsontext.Value(bytes.Clone(b))
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// structure writes a JSON value for people: lists of flat objects as tables, all else as YAML.
func (r *renderer) structure(value json.RawMessage) {
	if t, ok := tableOf(value); ok {
		r.line(t)
		return
	}
	if !rawjson.IsObject(value) {
		r.line(string(rawjson.Compact(value)))
		return
	}
	for name, member := range rawjson.Members(value) {
		r.b.WriteString(syntax.Scalar(name) + ":")
		if t, ok := tableOf(member); ok {
			r.line("\n" + indented(t))
		} else {
			r.line(syntax.Encode(member, 0))
		}
	}
}
