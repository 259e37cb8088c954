package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	textURI      = "test://text"
	binaryURI    = "test://binary"
	cancelledURI = "test://cancelled" // how many calls of slow were cancelled
	itemTemplate = "test://item/{id}"
)

// addFeatures adds prompts, resources and a template.
func (s *everything) addFeatures() {
	s.AddPrompt(&mcp.Prompt{Name: "simple", Title: "A simple prompt", Description: "Has no arguments."}, greet)
	s.AddPrompt(&mcp.Prompt{Name: "greet", Description: "Greets.", Arguments: []*mcp.PromptArgument{
		{Name: "country", Required: true}, {Name: "city", Description: "one of the country"}}}, greet)
	s.AddResource(&mcp.Resource{URI: textURI, Name: "text", MIMEType: "text/plain"}, readText)
	s.AddResource(&mcp.Resource{URI: binaryURI, Name: "binary", MIMEType: "application/octet-stream", Size: 4},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents(&mcp.ResourceContents{URI: r.Params.URI, MIMEType: "application/octet-stream", Blob: []byte{0, 1, 254, 255}})
		})
	s.AddResource(&mcp.Resource{URI: cancelledURI, Name: "cancelled"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			s.state.mu.Lock()
			defer s.state.mu.Unlock()
			return contents(&mcp.ResourceContents{URI: r.Params.URI, Text: fmt.Sprint(s.state.cancelled)})
		})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: itemTemplate, Name: "item", MIMEType: "text/plain"}, readText)
}

func contents(c *mcp.ResourceContents) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}

// readText answers with a text that names the URI.
func readText(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return contents(&mcp.ResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: "the text of " + r.Params.URI})
}

func greet(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	to := r.Params.Arguments["city"]
	if to == "" {
		to = "you"
	}
	return &mcp.GetPromptResult{Description: "A greeting", Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "Greet " + to + "."}}}}, nil
}

// complete knows the countries, the cities of the country in the context, and the ids of items.
func complete(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var values []string
	switch r.Params.Argument.Name {
	case "country":
		values = []string{"France", "Finland", "Italy"}
	case "city":
		var country string
		if r.Params.Context != nil {
			country = r.Params.Context.Arguments["country"]
		}
		values = map[string][]string{"France": {"Paris", "Pau", "Lyon"}, "Italy": {"Pisa", "Rome"}}[country]
	case "id":
		values = []string{"1", "2", "10"}
	}
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !strings.HasPrefix(v, r.Params.Argument.Value) })
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: append([]string{}, values...), Total: len(values)}}, nil
}
