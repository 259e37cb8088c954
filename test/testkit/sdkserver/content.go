package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pixel is a PNG image of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="

const pixelURI = "data:image/png;base64," + pixel

// object returns the schema of an object with these properties.
func object(properties string) json.RawMessage {
	if properties == "" {
		return json.RawMessage(`{"type":"object"}`)
	}
	return json.RawMessage(`{"type":"object","properties":` + properties + `}`)
}

// text returns a result with one text.
func text(s string) *mcp.CallToolResult { return content(&mcp.TextContent{Text: s}) }

func content(c ...mcp.Content) *mcp.CallToolResult { return &mcp.CallToolResult{Content: c} }

// fixed returns a handler that always answers the same.
func fixed(result *mcp.CallToolResult) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		copied := *result // the SDK writes into it
		return &copied, nil
	}
}

// arguments reads the arguments of a call.
func arguments[T any](r *mcp.CallToolRequest) (in T, err error) {
	if len(r.Params.Arguments) > 0 {
		err = json.Unmarshal(r.Params.Arguments, &in)
	}
	return in, err
}

// addContent adds the tools that show what a result can hold.
func (s *everything) addContent() {
	image, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		panic(err) // the constant is wrong
	}
	audio := []byte("RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00")
	s.tool("text", "", fixed(content(&mcp.TextContent{Text: "a text", Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.5}})))
	s.tool("image", "", fixed(content(&mcp.ImageContent{Data: image, MIMEType: "image/png"})))
	s.tool("audio", "", fixed(content(&mcp.AudioContent{Data: audio, MIMEType: "audio/wav"})))
	s.tool("resource_link", "", fixed(content(&mcp.ResourceLink{URI: textURI, Name: "text", Description: "a text", MIMEType: "text/plain"})))
	s.tool("embedded_resource", "", fixed(content(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: textURI, MIMEType: "text/plain", Text: "embedded"}})))
	s.AddTool(&mcp.Tool{
		Name: "structured", Description: "Shows structured content.", InputSchema: object(""),
		OutputSchema: object(`{"temperature":{"type":"number"},"conditions":{"type":"string"}}`),
	}, fixed(&mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: `{"temperature":22.5,"conditions":"sunny"}`}},
		StructuredContent: json.RawMessage(`{"temperature":22.5,"conditions":"sunny"}`),
	}))
	s.tool("echo", `{"message":{"type":"string"}}`, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := arguments[struct{ Message string }](r)
		return text(in.Message), err
	})
	s.tool("error", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := &mcp.CallToolResult{}
		result.SetError(errors.New("this tool always fails"))
		return result, nil
	})
	s.tool("header", `{"region":{"type":"string","x-mcp-header":"Region"},"at":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}`,
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text(string(r.Params.Arguments)), nil
		})
}
