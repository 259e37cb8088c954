package editorapi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// The actions of the question in a message box.
const (
	actionAllow = "Allow"
	actionDeny  = "Deny"
	actionLater = "Later"
	actionLook  = "Look"
)

// Approve implements [Editor].
func (s *session) Approve(ctx context.Context, params ApproveParams) (Decision, error) {
	if s.client.mcp.Approval {
		answer, err := s.ask(ctx, methodApprove.name, params)
		if err != nil {
			return DecisionLater, err
		}
		var result ApproveResult
		if (codec{}).Unmarshal(answer, &result) == nil && (result.Decision == DecisionAllow || result.Decision == DecisionDeny) {
			return result.Decision, nil
		}
		return DecisionLater, nil // also when the answer is not a decision: only a clear yes allows
	}
	action, err := s.approveInBox(ctx, params)
	var answered *RPCError
	switch {
	case errors.As(err, &answered) && answered.Code == CodeMethodNotFound:
		s.ShowMessage(SeverityWarning, fmt.Sprintf(
			"The MCP server %q from %s waits for your approval; in its folder, run: %s", params.Server, params.Definition.Source, AllowCommand(params.Server)))
		return DecisionLater, nil
	case err != nil:
		return DecisionLater, err
	case action == actionAllow:
		return DecisionAllow, nil
	case action == actionDeny:
		return DecisionDeny, nil
	}
	return DecisionLater, nil
}

// approveInBox asks in a message box and returns the chosen action, "" for none. A box has room
// for a short text only, and may cut a longer one. So if the short text is not everything, you can
// allow nothing before the whole text is open in the editor.
func (s *session) approveInBox(ctx context.Context, params ApproveParams) (string, error) {
	text := params.Text
	question := text.Title + "\n" + text.Short
	if text.Complete {
		return s.box(ctx, question, actionLater, actionDeny, actionAllow)
	}
	if !s.client.showDocument {
		return s.box(ctx, question+"\nTo see all of it and decide, run in its folder: "+AllowCommand(params.Server), actionLater, actionDeny)
	}
	action, err := s.box(ctx, question, actionLater, actionLook)
	if err != nil || action != actionLook {
		return "", err
	}
	file, err := s.writeQuestion(text.Document())
	if err != nil {
		return "", err
	}
	defer func() {
		if err := os.Remove(file); err != nil {
			s.peer.log.Warn("removing a question", zap.Error(err))
		}
	}()
	answer, err := s.ask(ctx, protocol.MethodWindowShowDocument, map[string]any{"uri": fileuri.FromPath(file), "takeFocus": true})
	if err != nil {
		return "", err
	}
	if !isTrue(answer, "success") {
		return s.box(ctx, question+"\nThe document could not be shown. To see all of it and decide, run in its folder: "+AllowCommand(params.Server), actionLater, actionDeny)
	}
	return s.box(ctx, text.Title+" All of it is in the document that was opened.\n"+text.Short, actionLater, actionDeny, actionAllow)
}

// box asks with window/showMessageRequest, and returns "" for an answer that is not one of the
// actions. In many editors a bare Enter takes the first action, so that must not allow anything.
func (s *session) box(ctx context.Context, message string, actions ...string) (string, error) {
	params := protocol.ShowMessageRequestParams{Type: protocol.MessageTypeWarning, Message: message}
	for _, action := range actions {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: action})
	}
	answer, err := s.ask(ctx, protocol.MethodWindowShowMessageRequest, params)
	if title := rawjson.String(answer, "title"); err == nil && slices.Contains(actions, title) {
		return title, nil
	}
	return "", err
}

// writeQuestion writes a text to a file of its own that nobody else can read.
func (s *session) writeQuestion(text string) (path string, err error) {
	f, err := os.CreateTemp(s.o.QuestionDir, "approval-*.txt") // 0600
	if err != nil {
		return "", fmt.Errorf("making a file for a question: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("writing a question: %w", err)
	}
	return f.Name(), nil
}
