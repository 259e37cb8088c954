package mcpserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// With --lazy, the agent has five tools in place of all others: one finds them, one describes them,
// and three call them, so that the agent can ask its user about each of the three as MCP's hints say.
const (
	findTools       = "find_tools"
	describeTools   = "describe_tools"
	callReadOnly    = "call_read_only_tool"
	callOther       = "call_tool"
	callDestructive = "call_destructive_tool"
)

const (
	maxServerList = 600 // characters of the list of servers in a description
	maxDescribed  = 20  // definitions in a result
	maxEchoed     = 100 // characters of a name that an error repeats
)

// callerOf returns which of the three tools calls a tool. A hint that is missing has MCP's default
// (MCP 2025-11-25, ToolAnnotations): a tool changes things, and destroys some.
func callerOf(definition json.RawMessage) string {
	hints := rawjson.Get(definition, "annotations")
	switch {
	case string(rawjson.Get(hints, "readOnlyHint")) == "true":
		return callReadOnly
	case string(rawjson.Get(hints, "destructiveHint")) == "false":
		return callOther
	}
	return callDestructive
}

// lazyTools returns the definitions of the five tools.
func (c *catalog) lazyTools() []json.RawMessage {
	find := "Finds tools of the MCP servers of this workspace by words of what they do. " + c.serverList()
	return []json.RawMessage{
		lazyTool(findTools, "Find tools", find, `{"readOnlyHint":true,"openWorldHint":false}`,
			`{"type":"object","properties":{"query":{"type":"string","description":"Words to look for; empty for all tools"},`+
				`"server":{"type":"string","description":"Only tools of this server"},`+
				fmt.Sprintf(`"limit":{"type":"integer","minimum":1,"maximum":%d,"default":%d}`, maxFound, defaultFound)+
				`},"required":["query"],"additionalProperties":false}`),
		lazyTool(describeTools, "Describe tools", "Gives the full definitions of tools: description, arguments, hints.", `{"readOnlyHint":true,"openWorldHint":false}`,
			fmt.Sprintf(`{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":%d}},"required":["names"],"additionalProperties":false}`, maxDescribed)),
		lazyTool(callReadOnly, "Call a read-only tool", "Calls a tool that changes nothing. "+howToCall, `{"readOnlyHint":true,"openWorldHint":true}`, callSchema),
		lazyTool(callOther, "Call a tool", "Calls a tool that changes things, but destroys nothing. "+howToCall, `{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":true}`, callSchema),
		lazyTool(callDestructive, "Call a destructive tool", "Calls a tool that may change or destroy anything. "+howToCall, `{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}`, callSchema),
	}
}

const (
	howToCall  = "find_tools says which tools are called with this one."
	callSchema = `{"type":"object","properties":{"name":{"type":"string","description":"As find_tools gave it"},"arguments":{"type":"object","description":"As describe_tools says"}},"required":["name"],"additionalProperties":false}`
)

// lazyTool returns MCP's Tool.
func lazyTool(name, title, description, annotations, schema string) json.RawMessage {
	return fmt.Appendf(nil, `{"name":%q,"title":%q,"description":%s,"inputSchema":%s,"annotations":%s}`,
		name, title, rawjson.Quote(description), schema, annotations)
}

// serverList says how many tools each server has, as far as there is room.
func (c *catalog) serverList() string {
	counts := map[string]int{}
	var names []string
	for _, t := range c.found {
		if counts[t.server]++; counts[t.server] == 1 {
			names = append(names, t.server)
		}
	}
	if len(names) == 0 {
		return "No server has tools now."
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", safetext.Line(name, maxShownName), counts[name])
	}
	list, left := joined(names, maxServerList)
	if left > 0 {
		list += fmt.Sprintf(", and %d more servers", left)
	}
	return "Servers and how many tools they have: " + list + "."
}

// lazyArguments are those of the five tools.
type lazyArguments struct {
	Query, Server string
	Limit         int
	Names         []string
	Name          string
	Arguments     json.RawMessage
}

// lazyCall carries out a call of one of the five tools. Either answer is its result, or call is the
// tool to call, with args: nil when the agent gave none. Neither is there for another name. What a model
// can put right is a result that says so, since an error would not reach it (MCP 2025-11-25, Tools,
// Error Handling).
func (c *catalog) lazyCall(name string, arguments json.RawMessage) (
	answer json.RawMessage, call target, args json.RawMessage,
) {
	var a lazyArguments
	if !rawjson.IsAbsent(arguments) {
		if err := json.Unmarshal(arguments, &a); err != nil {
			wrong := safetext.Line(err.Error(), maxOneLine)
			return refusal("The arguments do not follow the schema: %s.", wrong), target{}, nil
		}
	}
	switch name {
	case findTools:
		return c.find(a), target{}, nil
	case describeTools:
		return c.describe(a.Names), target{}, nil
	case callReadOnly, callOther, callDestructive:
	default:
		return nil, target{}, nil
	}
	call, known := c.targets[wire.ListTools][a.Name]
	if !known {
		return refusal("There is no tool %s; find_tools lists those that are there.", echo(a.Name)), target{}, nil
	}
	if right := callerOf(call.definition); right != name {
		return refusal("%s is called with %s, not with %s.", echo(a.Name), right, name), target{}, nil
	}
	if rawjson.IsAbsent(a.Arguments) {
		return nil, call, nil
	}
	if !rawjson.IsObject(a.Arguments) {
		return refusal(`"arguments" must be an object, as describe_tools says.`), target{}, nil
	}
	return nil, call, a.Arguments
}

// describe answers describe_tools.
func (c *catalog) describe(names []string) json.RawMessage {
	if len(names) == 0 || len(names) > maxDescribed {
		return refusal(`"names" must be a list of 1 to %d names, as find_tools gave them.`, maxDescribed)
	}
	type described struct {
		CallWith   string          `json:"callWith"`
		Definition json.RawMessage `json:"definition"`
	}
	result := struct {
		Tools   []described `json:"tools"`
		Unknown []string    `json:"unknown,omitempty"`
	}{Tools: []described{}}
	for _, name := range names {
		if t, ok := c.targets[wire.ListTools][name]; ok {
			result.Tools = append(result.Tools, described{callerOf(t.definition), t.definition})
		} else {
			result.Unknown = append(result.Unknown, safetext.Line(name, maxEchoed))
		}
	}
	if len(result.Tools) == 0 {
		return refusal("There is no tool %s; find_tools lists those that are there.", echo(strings.Join(names, ", ")))
	}
	return structured(result)
}

// structured returns a CallToolResult with a value as structuredContent and as text.
func structured(value any) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // texts, and definitions that the daemon has checked
	text := strings.TrimSuffix(b.String(), "\n")
	return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"structuredContent":%s}`, rawjson.Quote(text), text)
}

// refusal returns a CallToolResult that says what is wrong.
func refusal(format string, args ...any) json.RawMessage {
	return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"isError":true}`, rawjson.Quote(fmt.Sprintf(format, args...)))
}

// echo quotes what the agent wrote.
func echo(name string) string { return `"` + safetext.Line(name, maxEchoed) + `"` }

const (
	defaultFound   = 20  // tools in a result
	maxFound       = 100 // tools in a result
	maxQueryWords  = 20
	maxOneLine     = 160  // characters of a description in a result
	maxDescription = 4096 // bytes of a description in which words are looked for
)

// found is a tool in the result of find_tools.
type found struct {
	Name        string `json:"name"`
	Server      string `json:"server"`
	Description string `json:"description,omitempty"`
	CallWith    string `json:"callWith"`
}

// find answers find_tools. Of what fits equally well, the first of the catalog comes first.
func (c *catalog) find(a lazyArguments) json.RawMessage {
	if a.Server != "" && !slices.ContainsFunc(c.found, func(t target) bool { return t.server == a.Server }) {
		return refusal("No server %s has tools. %s", echo(a.Server), c.serverList())
	}
	if a.Limit < 1 {
		a.Limit = defaultFound
	}
	type ranked struct {
		target
		rank int
	}
	words := splitWords(a.Query)
	words = words[:min(len(words), maxQueryWords)]
	var matches []ranked
	for _, t := range c.found {
		if a.Server != "" && t.server != a.Server {
			continue
		}
		if r := rank(t, words); r > 0 || len(words) == 0 {
			matches = append(matches, ranked{t, r})
		}
	}
	slices.SortStableFunc(matches, func(m, n ranked) int { return n.rank - m.rank })
	result := struct {
		Tools []found `json:"tools"`
		Total int     `json:"total"` // how many match
	}{[]found{}, len(matches)}
	for _, m := range matches[:min(len(matches), a.Limit, maxFound)] {
		result.Tools = append(result.Tools, found{
			Name:        rawjson.String(m.definition, "name"),
			Server:      m.server,
			Description: oneLine(m.definition),
			CallWith:    callerOf(m.definition),
		})
	}
	return structured(result)
}

// oneLine returns the first line of what a tool says of itself.
func oneLine(definition json.RawMessage) string {
	text := strings.TrimSpace(rawjson.String(definition, "description"))
	if text == "" {
		text = rawjson.String(definition, "title")
	}
	first, _, _ := strings.Cut(text, "\n")
	return safetext.Line(strings.TrimSpace(first), maxOneLine)
}

// rank says how well a tool fits words: 0 for not at all. A tool that has more of them comes before
// all that have fewer; then counts where they are.
func rank(t target, words []string) (rank int) {
	name := splitWords(rawjson.String(t.definition, "name"))
	title := splitWords(rawjson.String(t.definition, "title") + " " + rawjson.String(rawjson.Get(t.definition, "annotations"), "title"))
	description := rawjson.String(t.definition, "description")
	text := splitWords(description[:min(len(description), maxDescription)])
	for _, word := range words {
		best := max(9*in(name, word), 6*in(title, word), 3*in(text, word))
		if best > 0 {
			rank += 1000 + best
		}
	}
	return rank
}

// in says whether a word is among others: 2 as it is, 1 as the beginning of one or the other, such as
// "repo" and "repositories", else 0.
func in(words []string, word string) (how int) {
	for _, w := range words {
		if w == word {
			return 2
		}
		if shorter := min(len(w), len(word)); shorter >= minStem && w[:shorter] == word[:shorter] {
			how = 1
		}
	}
	return how
}

// minStem is how long the beginning of a word must be to count, in bytes.
const minStem = 3

// camel is where a capital letter follows a small one.
var camel = regexp.MustCompile(`(\p{Ll}|\p{Nd})(\p{Lu})`)

// splitWords returns the words of s in lower case. A word ends where letters and digits end, and
// where a capital letter follows a small one.
func splitWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(camel.ReplaceAllString(s, "$1 $2")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
