package approvaltext

import (
	"encoding/json"
	"strings"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// OfCall returns the text of p, of kind `call`. others are the members of the params beside name and
// arguments, tool is MCP's Tool, nil where the server does not list it.
//
// The whole form has every value that is sent, spelled as JSON, and cuts none.
func OfCall(p editorapi.ApproveParams, others, tool json.RawMessage) editorapi.ApprovalText {
	agent, cutAgent := nameIn(p.Call.Agent)
	called, cutTool := nameIn(p.Call.Tool)
	server, cutServer := nameIn(p.Server)
	items := []item{
		{label: "Tool", value: word(p.Call.Tool) + " of " + word(p.Server)},
		{label: "Agent", value: word(p.Call.Agent)},
		{label: "The server says", value: hintsOf(tool)},
	}
	empty := true
	for name, value := range rawjson.Members(p.Call.Arguments) {
		items, empty = append(items, valueItem("Argument", word(name)+" = ", value)), false
	}
	if empty {
		items = append(items, item{label: "Arguments", value: "none"})
	}
	for name, value := range rawjson.Members(others) {
		items = append(items, valueItem("Also sends", word(name)+" = ", value))
	}
	title := "May the agent " + agent + " call " + called + " of " + server + "?"
	return textOf(title, cutAgent || cutTool || cutServer, items)
}

// hintsOf says what a server claims about a tool in its annotations.
func hintsOf(tool json.RawMessage) string {
	if tool == nil {
		return "nothing: it does not list this tool"
	}
	hints := rawjson.Get(tool, "annotations")
	is := func(hint string) string { return string(rawjson.Get(hints, hint)) }
	switch {
	case is("readOnlyHint") == "true":
		return "the tool only reads"
	case is("destructiveHint") == "false":
		return "the tool changes something, but destroys nothing"
	case is("destructiveHint") == "true":
		return "the tool may destroy something"
	}
	return "nothing about whether the tool destroys something"
}

// maxIndent bounds how far nested values are indented.
const maxIndent = 8

// valueItem returns an item about any JSON, each member and each line of a text on a line of its own.
func valueItem(label, prefix string, value json.RawMessage) item {
	lines := appendValue(nil, prefix, value, "", 0)
	return item{label: label, value: lines[0], below: lines[1:]}
}

// appendValue appends the lines of a value that follows prefix and is followed by end.
func appendValue(lines []string, prefix string, value json.RawMessage, end string, depth int) []string {
	indent := strings.Repeat("  ", min(depth, maxIndent))
	prefix = indent + prefix
	inside := 0
	switch value[0] {
	case '{':
		lines = append(lines, prefix+"{")
		for name, member := range rawjson.Members(value) {
			lines = appendValue(lines, quoted(name)+": ", member, ",", depth+1)
			inside++
		}
		return closed(lines, inside, indent, "}"+end)
	case '[':
		lines = append(lines, prefix+"[")
		for element := range rawjson.Elements(value) {
			lines = appendValue(lines, "", element, ",", depth+1)
			inside++
		}
		return closed(lines, inside, indent, "]"+end)
	case '"':
		text, _ := rawjson.Text(value)
		parts := strings.SplitAfter(text, "\n")
		if last := len(parts) - 1; last > 0 && parts[last] == "" {
			parts = parts[:last]
		}
		for i, part := range parts {
			if i > 0 {
				prefix = indent + "  "
			}
			lines = append(lines, prefix+quoted(part))
		}
		lines[len(lines)-1] += end
		return lines
	}
	return append(lines, prefix+safe(string(value))+end)
}

// closed ends the lines of an object or an array; one that is empty stays on one line.
func closed(lines []string, inside int, indent, end string) []string {
	last := len(lines) - 1
	if inside == 0 {
		lines[last] += end
		return lines
	}
	lines[last] = strings.TrimSuffix(lines[last], ",")
	return append(lines, indent+end)
}
