package calldoc

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// A fake is a catalog of two servers that are ready, one that is not, and one with a dot in its name.
type fake struct {
	tools  map[string][]json.RawMessage
	values func(ref json.RawMessage, argument, value string, others map[string]string) []string
}

func newFake() fake {
	return fake{tools: map[string][]json.RawMessage{
		"tracker": {json.RawMessage(createIssue), json.RawMessage(`{"name":"list_issues","description":"Lists issues","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`)},
		"my.docs": {json.RawMessage(`{"name":"search","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}}`)},
	}}
}

func (f fake) Servers() []Server {
	return []Server{{"tracker", "ready", true}, {"my.docs", "ready", true}, {"slow", "starting", false}}
}

// ofTracker returns the one definition that only the first server has.
func ofTracker(server, definition string) []json.RawMessage {
	if server != "tracker" {
		return nil
	}
	return []json.RawMessage{json.RawMessage(definition)}
}

func (f fake) Offered(k Kind, server string) []json.RawMessage {
	switch k {
	case Tool:
		return f.tools[server]
	case Prompt:
		return ofTracker(server, `{"name":"review","description":"Reviews code","arguments":[{"name":"code","required":true},{"name":"style","description":"of the review"}]}`)
	}
	return nil
}
func (f fake) Resources(server string) []json.RawMessage {
	return ofTracker(server, `{"uri":"issue://42","name":"Link drops","description":"An issue"}`)
}
func (f fake) ResourceTemplates(server string) []json.RawMessage {
	return ofTracker(server, `{"uriTemplate":"file://{project}/src/{name}","name":"Sources"}`)
}
func (f fake) Values(_ context.Context, server string, ref json.RawMessage, argument, value string, others map[string]string) []string {
	if f.values == nil {
		return nil
	}
	return f.values(ref, argument, value, others)
}

// Bound binds "title" of calls that have a context.
func (f fake) Bound(c *Call, _, _ string) []string {
	if c.File == "" {
		return nil
	}
	return []string{"title"}
}

func (f fake) Question(id string) (Question, bool) {
	if id != "17" {
		return Question{}, false
	}
	return Question{Server: "tracker", Message: "Which project?", Schema: json.RawMessage(`{"type":"object","required":["project"],"properties":{"project":{"type":"string","enum":["alpha","beta"]},"notify":{"type":"boolean","default":true}}}`)}, true
}

// marked returns a text without its mark "‸", and where that was.
func marked(text string) (string, int) {
	before, after, ok := strings.Cut(text, "‸")
	if !ok {
		panic("there is no ‸ in " + text)
	}
	return before + after, len(before)
}

// named returns so many tools.
func named(n int) (tools []json.RawMessage) {
	for i := range n {
		tools = append(tools, fmt.Appendf(nil, `{"name":"tool_%04d","description":"Does a thing","inputSchema":{"type":"object"}}`, i))
	}
	return tools
}
