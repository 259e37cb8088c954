package workspaceserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestAskUser(t *testing.T) {
	choices := []string{"yes", "no"}
	answer := func(a any) *mcp.ElicitResult {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": a}}
	}
	for _, tt := range []struct {
		name    string
		choices []string
		answer  *mcp.ElicitResult // nil: an error
		want    askUserOutput
		isError bool
	}{
		{"free text", nil, answer("x y"), askUserOutput{Action: "accept", Answer: "x y"}, false},
		{"an empty answer", nil, answer(""), askUserOutput{Action: "accept"}, false},
		{"a choice", choices, answer("no"), askUserOutput{Action: "accept", Answer: "no"}, false},
		{"decline", choices, &mcp.ElicitResult{Action: "decline"}, askUserOutput{Action: "decline"}, false},
		{"cancel", nil, &mcp.ElicitResult{Action: "cancel"}, askUserOutput{Action: "cancel"}, false},
		{"no such choice", choices, answer("maybe"), askUserOutput{}, true},
		{"no text", nil, answer(5), askUserOutput{}, true},
		{"no answer", nil, &mcp.ElicitResult{Action: "accept"}, askUserOutput{}, true},
		{"an unknown action", nil, &mcp.ElicitResult{Action: "x"}, askUserOutput{}, true},
		{"an error", nil, nil, askUserOutput{}, true},
	} {
		for _, era := range eras {
			t.Run(tt.name+" "+era, func(t *testing.T) {
				_, session := connect(t, newServer("1", t.TempDir()), era, &mcp.ClientOptions{
					ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						var schema struct {
							Properties struct{ Answer struct{ Enum []string } }
						}
						b, _ := json.Marshal(req.Params.RequestedSchema)
						if err := json.Unmarshal(b, &schema); err != nil || !slices.Equal(schema.Properties.Answer.Enum, tt.choices) {
							t.Errorf("schema %s, %v", b, err)
						}
						if req.Params.Message != "Well?" {
							t.Errorf("asked %q", req.Params.Message)
						}
						if tt.answer == nil {
							return nil, errors.New("no")
						}
						copied := *tt.answer
						return &copied, nil
					},
				})
				arguments := map[string]any{"question": "Well?"}
				if tt.choices != nil {
					arguments["choices"] = tt.choices
				}
				var got askUserOutput
				text, isError := call(t, session, "ask_user", arguments, &got)
				if isError != tt.isError || got != tt.want {
					t.Errorf("got %+v, error %v, %q", got, isError, text)
				}
			})
		}
	}
}

func TestAskModel(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  mcp.Content // nil: an error
		want    string
		isError bool
	}{
		{"text", &mcp.TextContent{Text: "hello"}, "hello", false},
		{"an image", &mcp.ImageContent{Data: []byte("x"), MIMEType: "image/png"}, "", true},
		{"an error", nil, "", true},
	} {
		for _, era := range eras {
			t.Run(tt.name+" "+era, func(t *testing.T) {
				_, session := connect(t, newServer("1", t.TempDir()), era, &mcp.ClientOptions{
					CreateMessageHandler: func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
						p := req.Params
						if len(p.Messages) != 1 || p.Messages[0].Content.(*mcp.TextContent).Text != "Hi" || p.SystemPrompt != "Be kind" || p.MaxTokens != 7 {
							t.Errorf("asked %+v", p)
						}
						if tt.answer == nil {
							return nil, errors.New("no attached editor can sample")
						}
						return &mcp.CreateMessageResult{Role: "assistant", Model: "m1", StopReason: "endTurn", Content: tt.answer}, nil
					},
				})
				var got askModelOutput
				text, isError := call(t, session, "ask_model", map[string]any{"prompt": "Hi", "systemPrompt": "Be kind", "maxTokens": 7}, &got)
				if isError != tt.isError {
					t.Fatalf("error %v: %s", isError, text)
				}
				if want := (askModelOutput{Text: tt.want, Model: "m1", StopReason: "endTurn"}); !isError && got != want {
					t.Errorf("got %+v", got)
				}
				if tt.answer == nil && !strings.Contains(text, "no attached editor can sample") {
					t.Errorf("the client's reason is not in %q", text)
				}
			})
		}
	}
}
