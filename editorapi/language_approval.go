package editorapi

import (
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// approvalLanguage is the language of a document that shows a whole question, word for word as it is asked
// now. It offers the decision.
type approvalLanguage struct {
	silent
	question ApproveParams
}

// approvalOf returns the language of d if that is such a document: one that the daemon has opened, and whose
// text is a question that waits. So nothing can be decided in a document that has become old or was edited.
func (s *session) approvalOf(d *document) (approvalLanguage, bool) {
	if !s.isOurs(d.uri) {
		return approvalLanguage{}, false
	}
	text := strings.TrimRight(strings.ReplaceAll(d.text.String(), "\r\n", "\n"), "\n")
	for _, reviewer := range s.answers.reviewers(s) {
		for _, server := range reviewer.attachment.Servers() {
			for _, question := range []*ApproveParams{server.Approval, server.Held} {
				if question != nil && strings.TrimRight(questionDocument(*question), "\n") == text {
					return approvalLanguage{question: *question}, true
				}
			}
		}
	}
	return approvalLanguage{}, false
}

// questionDocument returns the document that shows a whole question: a call document with nothing but comments, so that
// every editor asks the daemon what can be done with it.
func questionDocument(q ApproveParams) string {
	var b strings.Builder
	for line := range strings.Lines(safetext.Inert(q.Text.Document())) {
		b.WriteString(strings.TrimRight("# "+strings.TrimRight(line, "\n"), " ") + "\n")
	}
	return b.String()
}

// isOurs reports whether a document is where the daemon makes them, and nobody else can.
func (s *session) isOurs(uri string) bool {
	if strings.HasPrefix(uri, textScheme+":") {
		return true
	}
	path, err := fileuri.ToPath(uri)
	if err != nil {
		return false
	}
	in := func(dir string) bool { return dir != "" && filepath.Dir(path) == filepath.Clean(dir) }
	return in(s.o.TextDir) || in(s.o.QuestionDir)
}

// check says where to decide.
func (l approvalLanguage) check(d *document) []textdoc.Problem {
	title, _, _ := strings.Cut(d.text.String(), "\n")
	return []textdoc.Problem{{
		Span: textdoc.Span{End: len(strings.TrimSuffix(title, "\r"))}, Severity: textdoc.Info, Code: codeNeedsApproval,
		Message: fmt.Sprintf("%q waits for your decision; read all of this, then allow or deny it with a code action", l.question.Server),
	}}
}

// actions returns the decisions. A bare Enter allows nothing: Deny comes first.
func (l approvalLanguage) actions(*document, textdoc.Span) []action {
	var list []action
	for _, command := range l.commands() {
		list = append(list, action{command, protocol.CodeActionKindQuickFix})
	}
	return list
}

// lenses returns the decisions at the end, for somebody who has read that far.
func (l approvalLanguage) lenses(d *document) []lens {
	text := strings.TrimRight(d.text.String(), "\r\n")
	at := strings.LastIndexByte(text, '\n') + 1
	var list []lens
	for _, command := range l.commands() {
		list = append(list, lens{textdoc.Span{Start: at, End: len(text)}, command})
	}
	return list
}

func (l approvalLanguage) commands() []lspCommand {
	server, decision := l.question.Server, decisionParams{l.question.Server, l.question.Digest}
	allow := fmt.Sprintf("Allow %q to Run", server)
	if l.question.Kind == ApproveTools {
		allow = fmt.Sprintf("Allow Agents to Use the Tools of %q", server)
	}
	return []lspCommand{{fmt.Sprintf("Deny %q", server), commandDenyServer, decision}, {allow, commandAllowServer, decision}}
}
