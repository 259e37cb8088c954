package workspaceserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	reviewName = "review_file"
	reviewPath = "path" // the argument with completion
)

func reviewPrompt() *mcp.Prompt {
	return &mcp.Prompt{
		Name:        reviewName,
		Title:       "Review a file",
		Description: "Asks for a review of one file in the workspace and attaches the file.",
		Arguments: []*mcp.PromptArgument{
			{Name: reviewPath, Title: "File", Description: "absolute, or relative to a root", Required: true},
			{Name: "focus", Title: "Focus", Description: "what to look at first, such as error handling"},
		},
	}
}

func (s *server) review(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	w, ask, err := s.workspace(ctx, req, req.Params.InputResponses)
	if err != nil {
		return nil, err
	}
	if ask != nil {
		return &mcp.GetPromptResult{InputRequests: ask}, nil
	}
	name := req.Params.Arguments[reviewPath]
	if name == "" {
		return nil, invalidParams("the argument %q is missing; name the file to review", reviewPath)
	}
	path, err := w.locate(name)
	if err != nil {
		return nil, invalidParams("%q cannot be read: %v", name, err)
	}
	contents, err := w.contents(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, invalidParams("there is no file %q in the workspace", name)
	}
	if err != nil {
		return nil, err
	}
	text := "Review the attached file. List what is wrong or unclear, the most important first, each with its line and a way to fix it. " +
		"If you find nothing, say so."
	if focus := req.Params.Arguments["focus"]; focus != "" {
		text += fmt.Sprintf(" Look at this first: %s", focus)
	}
	return &mcp.GetPromptResult{
		Description: "Review of " + printable(path),
		Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: text}},
			{Role: "user", Content: &mcp.EmbeddedResource{Resource: contents}},
		},
	}, nil
}
