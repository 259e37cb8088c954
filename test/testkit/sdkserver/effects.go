package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// state is what the tools remember.
type state struct {
	mu        sync.Mutex // guards the fields that follow
	cancelled int        // calls of slow
	completed bool       // whether the interaction that url_required wants is
	changes   int        // counts what was added to lists
}

// addEffects adds the tools that do more than answer.
func (s *everything) addEffects() {
	s.tool("log", `{"level":{"type":"string"},"message":{"type":"string"}}`, s.log)
	s.tool("progress", `{"steps":{"type":"integer"}}`, progress)
	s.tool("slow", "", s.slow)
	s.tool("update_resource", `{"uri":{"type":"string"}}`, s.updateResource)
	s.tool("change_tools", "", s.changing(func(name string) { s.tool(name, "", fixed(text(name))) }))
	s.tool("change_prompts", "", s.changing(func(name string) { s.AddPrompt(&mcp.Prompt{Name: name}, greet) }))
	s.tool("change_resources", "", s.changing(func(name string) {
		s.AddResource(&mcp.Resource{URI: "test://" + name, Name: name}, readText)
	}))
}

func (s *everything) log(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in, err := arguments[struct{ Level, Message string }](r)
	if err == nil {
		err = r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(in.Level), Logger: "sdkserver", Data: in.Message})
	}
	return text("logged"), err
}

func progress(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in, err := arguments[struct{ Steps int }](r)
	for i := 1; err == nil && i <= in.Steps; i++ {
		err = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: float64(in.Steps), Message: fmt.Sprintf("step %d", i)})
	}
	return text("done"), err
}

// slow answers when it is cancelled. The resource cancelledURI counts how often.
func (s *everything) slow(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if token := r.Params.GetProgressToken(); token != nil {
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: "begun"})
	}
	<-ctx.Done()
	s.state.mu.Lock()
	s.state.cancelled++
	s.state.mu.Unlock()
	return nil, ctx.Err()
}

func (s *everything) updateResource(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in, err := arguments[struct{ URI string }](r)
	if err == nil {
		err = s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: in.URI})
	}
	return text("updated"), err
}

// changing returns a tool that adds something with a new name. The SDK announces it.
func (s *everything) changing(add func(name string)) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.state.mu.Lock()
		s.state.changes++
		name := fmt.Sprintf("new-%d", s.state.changes)
		s.state.mu.Unlock()
		add(name)
		return text(name), nil
	}
}
