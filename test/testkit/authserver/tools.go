package authserver

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/mcp-editord/mcp-editord/test/testkit/eras"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tools is what the MCP server offers: echo, slow and admin. Each takes {text, id}, answers
// with text, and counts in [Counts] that it was carried out.
type tools struct {
	s       *Server
	server  *mcp.Server
	handler http.Handler
}

func newTools(s *Server) *tools {
	server := mcp.NewServer(&mcp.Implementation{Name: "authserver", Title: "A protected server", Version: "1.0.0"},
		&mcp.ServerOptions{SupportedProtocolVersions: s.options.Versions})
	t := &tools{s: s, server: server, handler: eras.Streamable(server, s.options.PlainAnswers)}
	for _, name := range []string{"echo", "slow", "admin"} {
		server.AddTool(&mcp.Tool{
			Name: name, Description: "Answers with its text.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"id":{"type":"string"}}}`),
		}, t.call)
	}
	return t
}

// close ends every session.
func (t *tools) close() {
	for session := range t.server.Sessions() {
		_ = session.Close()
	}
}

// call carries a tool out.
func (t *tools) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Text, ID string }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil && len(r.Params.Arguments) > 0 {
		return nil, err
	}
	t.s.record.change(func(c *Counts) {
		c.Executions[r.Params.Name]++
		if in.ID != "" {
			c.Calls[in.ID]++
		}
	})
	if r.Params.Name == "slow" {
		// This begins the stream of events, when the client asked for progress.
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: "begun"})
		}
		if _, gate, held := t.s.takeFault("slow"); held && !opens(ctx, gate) {
			return nil, ctx.Err()
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil
}
