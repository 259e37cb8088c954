package mcpserver

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxAgentName is how many bytes the name of an agent has at most at the daemon.
const maxAgentName = 64

// extensionTasks needs methods that only --server alone passes on.
const extensionTasks = "io.modelcontextprotocol/tasks"

// An identity is as whom the session attaches to the daemon.
type identity struct {
	name, version string // clientInfo
	title         string // as people know the agent
	capabilities  editorapi.Capabilities
}

// identityOf returns the identity of an agent from MCP's Implementation and ClientCapabilities. Either
// may be nil.
func identityOf(info, capabilities json.RawMessage, single bool) identity {
	object := func(name string) json.RawMessage {
		if value := rawjson.Get(capabilities, name); rawjson.IsObject(value) {
			return value
		}
		return nil
	}
	name := agentTitle(rawjson.String(info, "name"))
	extensions := object("extensions")
	if !single {
		extensions = rawjson.Delete(extensions, extensionTasks)
	}
	return identity{
		name:    name,
		version: rawjson.String(info, "version"),
		title:   cmp.Or(agentTitle(rawjson.String(info, "title")), name),
		capabilities: editorapi.Capabilities{
			MCP: true, Sampling: object("sampling"), Elicitation: object("elicitation"), Extensions: extensions,
		},
	}
}

// identityOf returns what a request of the modern era says of its agent. An agent of the legacy era is
// asked for its roots once, and they become its folders; this one is asked in the course of its calls.
func (s *session) identityOf(of stamp) identity {
	i := identityOf(of.info, of.capabilities, s.single() != "")
	i.capabilities.Roots = rawjson.IsObject(rawjson.Get(of.capabilities, "roots"))
	return i
}

// agentTitle returns a name as the daemon takes it.
func agentTitle(name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "")))
	if len(name) > maxAgentName {
		name = strings.ToValidUTF8(name[:maxAgentName], "")
	}
	return name
}

// with returns i with what other can do beside it: the daemon asks an agent what it declared in any of
// its requests, and for each question the session looks at the request that led to it.
func (i identity) with(other identity) identity {
	i.capabilities.Sampling = rawjson.Union(i.capabilities.Sampling, other.capabilities.Sampling)
	i.capabilities.Elicitation = rawjson.Union(forms(i.capabilities.Elicitation), forms(other.capabilities.Elicitation))
	i.capabilities.Extensions = rawjson.Union(i.capabilities.Extensions, other.capabilities.Extensions)
	i.capabilities.Roots = i.capabilities.Roots || other.capabilities.Roots
	return i
}

// forms spells out what an empty object means: "An empty capabilities object is equivalent to declaring
// support for form mode only" (MCP 2025-11-25, Elicitation, Capabilities).
func forms(elicitation json.RawMessage) json.RawMessage {
	for range rawjson.Members(elicitation) {
		return elicitation
	}
	if elicitation == nil {
		return nil
	}
	return json.RawMessage(`{"form":{}}`)
}
