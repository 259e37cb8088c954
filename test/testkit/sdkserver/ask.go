package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// form asks for every kind of value that an elicitation can ask for (MCP
// 2025-11-25, Elicitation, Requested Schema), most with a default.
const form = `{"type":"object","required":["name"],"properties":{
	"name":{"type":"string","title":"Name","minLength":1,"maxLength":50,"default":"Ada"},
	"email":{"type":"string","format":"email"},
	"age":{"type":"integer","minimum":0,"maximum":150,"default":36},
	"score":{"type":"number","default":95.5},
	"member":{"type":"boolean","default":true},
	"colour":{"type":"string","enum":["red","green"],"default":"green"},
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}],"default":"l"},
	"old":{"type":"string","enum":["a","b"],"enumNames":["Letter A","Letter B"]},
	"tags":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["x","y","z"]},"default":["x"]},
	"titled":{"type":"array","items":{"anyOf":[{"const":"1","title":"One"},{"const":"2","title":"Two"}]}}}}`

// loginURL is the page that the person should open.
const loginURL = "https://example.com/login?next=%2F"

// loginID names the interaction at loginURL.
const loginID = "login"

// addAsking adds the tools that need something from the client. They return input requests,
// which the SDK turns into requests of the server in the legacy era.
func (s *everything) addAsking() {
	formInput := &mcp.ElicitParams{Mode: "form", Message: "Who are you?", RequestedSchema: json.RawMessage(form)}
	samplingInput := &mcp.CreateMessageParams{
		Messages:         []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Say hello."}}},
		MaxTokens:        100,
		SystemPrompt:     "Be brief.",
		ModelPreferences: &mcp.ModelPreferences{Hints: []*mcp.ModelHint{{Name: "small"}}, SpeedPriority: 1},
	}
	toolsInput := &mcp.CreateMessageWithToolsParams{
		Messages:   []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: "What is the weather?"}}}},
		MaxTokens:  100,
		Tools:      []*mcp.Tool{{Name: "weather", InputSchema: object(`{"city":{"type":"string"}}`)}},
		ToolChoice: &mcp.ToolChoice{Mode: "auto"},
	}
	roots := &mcp.ListRootsParams{}
	s.tool("ask_roots", "", asking(mcp.InputRequestMap{"roots": roots}))
	s.tool("ask_sampling", "", asking(mcp.InputRequestMap{"sampling": samplingInput}))
	s.tool("ask_sampling_tools", "", asking(mcp.InputRequestMap{"sampling": toolsInput}))
	s.tool("ask_form", "", asking(mcp.InputRequestMap{"form": formInput}))
	s.tool("ask_url", "", asking(mcp.InputRequestMap{"url": &mcp.ElicitParams{Mode: "url", Message: "Sign in.", URL: loginURL, ElicitationID: loginID}}))
	s.tool("ask_all", "", asking(mcp.InputRequestMap{"roots": roots, "sampling": samplingInput, "form": formInput}))
	s.tool("ask_twice", "", askTwice)
	s.tool("url_required", "", s.urlRequired)
	s.tool("complete_url", "", s.completeURL)
}

// asking returns a tool that asks, and answers with what it learned, by name.
func asking(inputs mcp.InputRequestMap) mcp.ToolHandler {
	return func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(r.Params.InputResponses) == 0 {
			return &mcp.CallToolResult{InputRequests: inputs, RequestState: "asked"}, nil
		}
		answers, err := json.Marshal(r.Params.InputResponses)
		if err != nil {
			return nil, err
		}
		result := text(string(answers))
		result.StructuredContent = json.RawMessage(answers)
		return result, nil
	}
}

// askTwice asks in two rounds, which only 2026-07-28 has: the SDK asks a client of the
// legacy era only once.
func askTwice(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ask := func(key, state string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{RequestState: state, InputRequests: mcp.InputRequestMap{key: &mcp.ElicitParams{
			Mode: "form", Message: "The " + key + "?",
			RequestedSchema: object(`{"` + key + `":{"type":"string"}}`),
		}}}, nil
	}
	said := func(key string) string {
		answer, _ := r.Params.InputResponses[key].(*mcp.ElicitResult)
		if answer == nil {
			return ""
		}
		value, _ := answer.Content[key].(string)
		return value
	}
	if name := said("name"); name != "" {
		return ask("colour", name)
	}
	if colour := said("colour"); colour != "" {
		return text(r.Params.RequestState + " likes " + colour), nil
	}
	return ask("name", "")
}

// urlRequired fails with -32042 until complete_url has been called; then it works once.
func (s *everything) urlRequired(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	if !s.state.completed {
		return nil, mcp.URLElicitationRequiredError([]*mcp.ElicitParams{{
			Mode: "url", Message: "Sign in first.", URL: loginURL, ElicitationID: loginID}})
	}
	s.state.completed = false
	return text("signed in"), nil
}

// completeURL acts for the person who has signed in.
func (s *everything) completeURL(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.state.mu.Lock()
	s.state.completed = true
	s.state.mu.Unlock()
	return text("completed"), r.Session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: loginID})
}
