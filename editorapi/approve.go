package editorapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// The actions of the question in a message box.
const (
	actionAllow = "Allow"
	actionDeny  = "Deny"
	actionLater = "Later"
)

// Approve implements [Editor].
func (s *session) Approve(ctx context.Context, params ApproveParams) (Decision, error) {
	if s.client.mcp.Approval {
		answer, err := s.Ask(ctx, "editord/approve", params)
		if err != nil {
			return DecisionLater, err
		}
		switch d := Decision(rawjson.String(answer, "decision")); d {
		case DecisionAllow, DecisionDeny:
			return d, nil
		}
		return DecisionLater, nil // also for what is no decision: only a clear yes is one
	}
	answer, err := s.Ask(ctx, protocol.MethodWindowShowMessageRequest, protocol.ShowMessageRequestParams{
		Type:    protocol.MessageTypeWarning,
		Message: params.Text(),
		// Many editors take the first for a bare Enter: that must not allow anything.
		Actions: []protocol.MessageActionItem{{Title: actionLater}, {Title: actionDeny}, {Title: actionAllow}},
	})
	var answered *jsonrpc2.Error
	if errors.As(err, &answered) && answered.Code == jsonrpc2.MethodNotFound {
		return DecisionLater, s.ShowMessage(SeverityWarning, fmt.Sprintf(
			"The MCP server %s from %s waits for your word; in its folder run: mcp-editord approvals allow %s", params.Server, params.Definition.Source, params.Server))
	}
	if err != nil {
		return DecisionLater, err
	}
	switch rawjson.String(answer, "title") {
	case actionAllow:
		return DecisionAllow, nil
	case actionDeny:
		return DecisionDeny, nil
	}
	return DecisionLater, nil
}

// Text returns the question for editors that have only message boxes, and for terminals. Nothing
// of the definition is cut: what does not show could be what does the harm.
func (p ApproveParams) Text() string {
	var b strings.Builder
	verb := "run"
	if p.Definition.URL != "" {
		verb = "connect to"
	}
	fmt.Fprintf(&b, "May the MCP server %s %s this? It is defined in a workspace file, not by you.\n", whole(p.Server), verb)
	for _, line := range definitionLines(p.Definition) {
		fmt.Fprintf(&b, "%s: %s\n", line.label, line.value)
	}
	if p.Reason == "changed" && p.Previous != nil {
		b.WriteString("It has changed since it was last decided. Before:\n")
		before, now := definitionLines(*p.Previous), definitionLines(p.Definition)
		differs := false
		for _, label := range definitionLabels() {
			if old := valueOf(before, label); old != valueOf(now, label) {
				if old == "" {
					old = "(none)"
				}
				fmt.Fprintf(&b, "%s: %s\n", label, old)
				differs = true
			}
		}
		if !differs {
			b.WriteString("the same but for the value of a variable or header, or for an option; compare the file.\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type definitionLine struct{ label, value string }

func definitionLabels() []string {
	return []string{"Command", "URL", "In", "Environment", "Environment file", "Headers", "From"}
}

// definitionLines shows a definition, without what it lacks.
func definitionLines(d ApprovalDefinition) []definitionLine {
	command := ""
	if d.Command != "" {
		command = quoted(append([]string{d.Command}, d.Args...))
	}
	values := []string{command, whole(d.URL), whole(d.Cwd), whole(strings.Join(d.Env, ", ")), whole(d.EnvFile), whole(strings.Join(d.Headers, ", ")), whole(d.Source)}
	var lines []definitionLine
	for i, label := range definitionLabels() {
		if values[i] != "" {
			lines = append(lines, definitionLine{label, values[i]})
		}
	}
	return lines
}

func valueOf(lines []definitionLine, label string) string {
	if i := slices.IndexFunc(lines, func(l definitionLine) bool { return l.label == label }); i >= 0 {
		return lines[i].value
	}
	return ""
}

// quoted shows the words of a command so that where one ends is plain.
func quoted(words []string) string {
	shown := make([]string, len(words))
	for i, word := range words {
		shown[i] = whole(word)
		if word == "" || strings.ContainsAny(word, " \t\r\n\"'") {
			shown[i] = safetext.Line(strconv.Quote(word), math.MaxInt)
		}
	}
	return strings.Join(shown, " ")
}

// whole makes a text safe and leaves nothing out.
func whole(s string) string { return safetext.Line(s, math.MaxInt) }
