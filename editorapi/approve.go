package editorapi

import (
	"context"
	"fmt"
	"path/filepath"

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

// maxWholeCall is how much of a call fits into a document that can be answered, in bytes: a call document has
// 1 MiB at most.
const maxWholeCall = 512 << 10

// Approve implements [Editor].
func (s *session) Approve(ctx context.Context, params ApproveParams) (Decision, error) {
	if s.client.mcp.Approval {
		answer, err := s.question(ctx, methodApprove.name, params)
		if err != nil {
			return DecisionLater, err
		}
		var result ApproveResult
		if decode(answer, &result, "") == nil && (result.Decision == DecisionAllow || result.Decision == DecisionDeny) {
			return result.Decision, nil
		}
		return DecisionLater, nil // also when the answer is not a decision: only a clear yes allows
	}
	if s.client.boxes != boxBeside && params.Kind != ApproveCall { // its file offers the decision
		s.ShowMessage(SeverityWarning, s.decideElsewhere(params))
		return DecisionLater, nil
	}
	if err := s.untilTaken(ctx, params.Server, nil); err != nil {
		return DecisionLater, err
	}
	action, elsewhere, err := s.approveInBox(ctx, params)
	switch {
	case cannotAsk(err) && params.Kind == ApproveCall: // another editor is asked
		return DecisionLater, &RPCError{Code: CodeMethodNotFound, Message: "nobody can be asked in this editor"}
	case cannotAsk(err):
		s.ShowMessage(SeverityWarning, s.decideElsewhere(params))
		return DecisionLater, nil
	case err != nil:
		return DecisionLater, err
	case action == actionAllow:
		return DecisionAllow, nil
	case action == actionDeny:
		return DecisionDeny, nil
	}
	if elsewhere && params.Kind != ApproveCall {
		s.ShowMessage(SeverityInfo, s.decideElsewhere(params))
	}
	return DecisionLater, nil
}

// decideElsewhere says where a question can be answered that this editor does not answer. The terminal, which is
// no plain client, opens no files.
func (s *session) decideElsewhere(params ApproveParams) string {
	command := AllowCommand(params.Server)
	if params.Kind == ApproveTools {
		return fmt.Sprintf("Tools of the MCP server %q have changed, and agents do not get them; to decide, run in its folder: %s", params.Server, command)
	}
	if !s.plain() {
		return fmt.Sprintf("The MCP server %q waits for your approval; run in its folder: %s", params.Server, command)
	}
	file := fileuri.Shown(params.Definition.Source)
	if s.client.boxes != boxBeside { // one line
		return fmt.Sprintf("%.20q waits for your approval; take a code action in %s", params.Server, filepath.Base(file))
	}
	return fmt.Sprintf("The MCP server %q waits for your approval; open %s and take a code action on it, or run in its folder: %s", params.Server, file, command)
}

// approveInBox asks in a message box and returns the chosen action, "" for none. You can allow only what
// you can see: if a box has no room for all of it, the decision is in the document that shows it. No box
// offers it beside the document: it would cover that, or come first. elsewhere says that who decides later must know where: Allow was not offered, or he may
// want to read the document first, and some boxes keep him from that.
func (s *session) approveInBox(ctx context.Context, params ApproveParams) (action string, elsewhere bool, err error) {
	text, meaning := params.Text, meaningOf(params.Kind)
	if question, all := boxText(text.Title, text.Whole, meaning); all && text.Complete {
		action, err = s.box(ctx, question, actionLater, actionDeny, actionAllow)
		return action, false, err
	}
	part := func(note string) string {
		question, _ := boxText(text.Title, text.Whole, note, meaning)
		return question
	}
	if !s.client.showDocument || params.Kind == ApproveCall && len(text.Whole) > maxWholeCall {
		action, err = s.box(ctx, part("This editor cannot show all of it, so you cannot allow it here."), actionLater, actionDeny)
		return action, true, err
	}
	action, err = s.box(ctx, part("This is not all of it. Look at the rest before you decide."), actionLater, actionLook)
	if err != nil || action != actionLook {
		return "", false, err
	}
	if params.Kind == ApproveCall {
		action, err = s.decideInDocument(ctx, params)
		return action, false, err
	}
	s.review(ctx, params)
	return "", false, nil
}

// decideInDocument asks about a call with a document that shows all of it.
func (s *session) decideInDocument(ctx context.Context, params ApproveParams) (action string, err error) {
	whole := questionDocument(params) + "#\n# An agent waits. Your decision is about this call only: Send allows it, and Decline does not.\n"
	answer, err := s.askInDocument(ctx, &openQuestion{server: params.Server, text: params.Text.Title, whole: whole})
	switch rawjson.String(answer, "action") {
	case answerAccept:
		return actionAllow, err
	case answerDecline:
		return actionDeny, err
	}
	return "", err
}

// meaningOf returns what a box says of a decision beside the question, as the plugins do; "" for nothing.
func meaningOf(kind ApprovalKind) string {
	switch kind {
	case ApproveTools:
		return "Until you allow it, no agent gets these tools as they are now."
	case ApproveCall:
		return "An agent waits. Your decision is about this call only; Later refuses it too."
	}
	return ""
}
