package workspaceserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tools that need an answer from the client. Each returns its question, and is called again with
// the answer: the SDK puts the question to a client that knows no input_required.
const (
	askUserName  = "ask_user"
	askModelName = "ask_model"
)

// answerInput is the name of their question in the inputs of a call.
const answerInput = "answer"

// Bounds of a question, in characters unless noted.
const (
	maxQuestion     = 4000
	maxChoices      = 50 // choices
	maxChoice       = 200
	maxPrompt       = 100_000
	defaultTokens   = 1000 // tokens
	maxAnswerTokens = 8192 // tokens
)

type askUserInput struct {
	Question string   `json:"question" jsonschema:"what to ask, as one or two sentences"`
	Choices  []string `json:"choices,omitempty" jsonschema:"the answers to choose from; without choices, the answer is free text"`
}

type askUserOutput struct {
	Action string `json:"action" jsonschema:"accept: there is an answer; decline: the user said no; cancel: the user did not answer"`
	Answer string `json:"answer,omitempty" jsonschema:"the user's answer; only with accept"`
}

func askUserTool() *mcp.Tool {
	return &mcp.Tool{
		Name:  askUserName,
		Title: "Ask the user",
		Description: "Asks the user a question and returns the answer. The user may decline to answer. " +
			"Do not ask for passwords or other secrets.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)},
		InputSchema: schema[askUserInput](func(p map[string]*jsonschema.Schema) {
			p["question"].MinLength = new(1)
			limitLength(p["question"], maxQuestion)
			p["choices"].Types, p["choices"].Type = nil, "array" // and not null, as a slice of Go may be
			p["choices"].MaxItems = new(maxChoices)
			p["choices"].UniqueItems = true
			limitLength(p["choices"].Items, maxChoice)
		}),
		OutputSchema: schema[askUserOutput](func(p map[string]*jsonschema.Schema) {
			p["action"].Enum = []any{"accept", "decline", "cancel"}
		}),
	}
}

// askUser waits for as long as the user takes. Only the caller's patience limits it.
func (s *server) askUser(_ context.Context, req *mcp.CallToolRequest, in askUserInput) (*mcp.CallToolResult, askUserOutput, error) {
	var none askUserOutput
	field := &jsonschema.Schema{Type: "string", Title: "Answer"}
	for _, c := range in.Choices {
		field.Enum = append(field.Enum, c)
	}
	params := &mcp.ElicitParams{
		Mode:    "form",
		Message: in.Question,
		RequestedSchema: &jsonschema.Schema{
			Type:       "object",
			Properties: map[string]*jsonschema.Schema{answerInput: field},
			Required:   []string{answerInput},
		},
	}
	result, ok := req.Params.InputResponses[answerInput].(*mcp.ElicitResult)
	if !ok {
		return question(mcp.InputRequestMap{answerInput: params}), none, nil
	}

	out := askUserOutput{Action: result.Action}
	switch result.Action {
	case "accept":
		answer, ok := result.Content[answerInput].(string)
		if !ok || len(in.Choices) > 0 && !slices.Contains(in.Choices, answer) {
			return nil, none, errors.New("asking the user: the client's answer does not fit the question")
		}
		out.Answer = answer
		return textResult(answer, "The user gave an empty answer.", false), out, nil
	case "decline":
		return textResult("The user declined to answer.", "", false), out, nil
	case "cancel":
		return textResult("The user did not answer.", "", false), out, nil
	}
	return nil, none, fmt.Errorf("asking the user: the client's answer has the unknown action %q", result.Action)
}

type askModelInput struct {
	Prompt       string `json:"prompt" jsonschema:"what to ask the model"`
	SystemPrompt string `json:"systemPrompt,omitempty" jsonschema:"how the model should answer"`
	MaxTokens    int64  `json:"maxTokens,omitempty" jsonschema:"the maximum length of the answer, in tokens"`
}

type askModelOutput struct {
	Text       string `json:"text" jsonschema:"the model's answer"`
	Model      string `json:"model" jsonschema:"the model that answered, as the client names it"`
	StopReason string `json:"stopReason,omitempty" jsonschema:"why the answer ends, in the client's words"`
}

func askModelTool() *mcp.Tool {
	return &mcp.Tool{
		Name:  askModelName,
		Title: "Ask the model",
		Description: "Asks the client's language model and returns its answer. The model sees the prompt and nothing else. " +
			"The client may show the prompt and the answer to the user first.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(true)},
		InputSchema: schema[askModelInput](func(p map[string]*jsonschema.Schema) {
			p["prompt"].MinLength = new(1)
			limitLength(p["prompt"], maxPrompt)
			limitLength(p["systemPrompt"], maxPrompt)
			bounded(p["maxTokens"], 1, maxAnswerTokens, defaultTokens)
		}),
	}
}

// askModel waits for as long as the client takes; the client may show the question to
// the user first. Only the caller's patience limits it.
func (s *server) askModel(_ context.Context, req *mcp.CallToolRequest, in askModelInput) (*mcp.CallToolResult, askModelOutput, error) {
	var none askModelOutput
	params := &mcp.CreateMessageWithToolsParams{
		Messages:     []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: in.Prompt}}}},
		SystemPrompt: in.SystemPrompt,
		MaxTokens:    in.MaxTokens,
	}
	result, ok := req.Params.InputResponses[answerInput].(*mcp.CreateMessageWithToolsResult)
	if !ok {
		return question(mcp.InputRequestMap{answerInput: params}), none, nil
	}

	var text []string
	for _, c := range result.Content {
		t, ok := c.(*mcp.TextContent)
		if !ok {
			return nil, none, errors.New("asking the model: its answer is not text")
		}
		text = append(text, t.Text)
	}
	out := askModelOutput{Text: strings.Join(text, "\n"), Model: result.Model, StopReason: result.StopReason}
	return textResult(out.Text, "The model gave an empty answer.", false), out, nil
}
