package approvaltext

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// ofTools returns the text of p, of kind `tools`: for each tool what has changed, as it was and as it is
// now. p.Tools are in canonical form: what differs in bytes differs.
func ofTools(p editorapi.ApproveParams) editorapi.ApprovalText {
	server, cut := nameIn(p.Server)
	var items []item
	for _, tool := range p.Tools {
		items = append(items, item{label: "Tool", value: word(tool.Name)})
		items = appendChanges(items, "", tool.Before, tool.After)
	}
	title := "Tools of the MCP server " + server + " have changed. May agents use them?"
	return textOf(title, cut, items)
}

// appendChanges appends what differs between two values, member by member as far as both are objects.
func appendChanges(items []item, path string, before, after json.RawMessage) []item {
	if bytes.Equal(before, after) {
		return items
	}
	if before == nil || after == nil || !rawjson.IsObject(before) || !rawjson.IsObject(after) {
		items = append(items, item{label: "Changed", value: word(path)})
		return append(items, valueOrNone("Was", before), valueOrNone("Is now", after))
	}
	members := map[string][2]json.RawMessage{}
	for name, value := range rawjson.Members(before) {
		members[name] = [2]json.RawMessage{value, nil}
	}
	for name, value := range rawjson.Members(after) {
		members[name] = [2]json.RawMessage{members[name][0], value}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		inner := name
		if path != "" {
			inner = path + "." + name
		}
		items = appendChanges(items, inner, members[name][0], members[name][1])
	}
	return items
}

func valueOrNone(label string, value json.RawMessage) item {
	if value == nil {
		return item{label: label, value: "not there"}
	}
	return valueItem(label, "", value)
}
