package editorapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// In some editors a box or a document that opens takes the keys that somebody types, whatever they are meant for. There
// a question waits until he takes it up.

// boxKind is how an editor shows window/showMessageRequest.
type boxKind int

const (
	boxBeside    boxKind = iota // beside what somebody does, as far as is known
	boxTakesKeys                // in front of it
	boxUseless                  // it takes the first action, whatever he says
)

// boxKinds are the editors whose boxes are known, by clientInfo.name.
var boxKinds = map[string]boxKind{
	"Eglot":   boxTakesKeys, // the minibuffer
	"emacs":   boxTakesKeys, // lsp-mode: the minibuffer
	"helix":   boxTakesKeys, // 25.07: a menu; 25.01 has none
	"Neovim":  boxTakesKeys, // without a plugin: vim.ui.select
	"Vim":     boxTakesKeys, // yegappan/lsp: a list that wants a number
	"vim-lsp": boxUseless,
}

// An untaken is a question that nobody has taken up yet.
type untaken struct {
	server string
	cause  json.RawMessage // the id of the request that led to it, nil when that is not known
	taken  chan struct{}
}

// untilTaken waits until somebody takes up a question, where it would be in his way. The error is that of a ctx that has
// ended, or of an editor that has gone.
func (s *session) untilTaken(ctx context.Context, server string, cause json.RawMessage) error {
	if s.client.boxes == boxBeside {
		return nil
	}
	q := &untaken{server, cause, make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, q)
	s.mu.Unlock()
	s.catalogMoved()
	defer s.catalogMoved()
	s.ShowMessage(SeverityInfo, sayWaits(server))
	select {
	case <-q.taken:
		return nil
	case <-ctx.Done():
	case <-s.peer.ctx.Done():
	}
	s.takeUp(func(other *untaken) bool { return other == q })
	return ctx.Err()
}

// sayWaits fits into a line of 80 columns.
func sayWaits(server string) string {
	return fmt.Sprintf(`%.20q asks you something; take the code action "MCP: Answer"`, server)
}

// takeUp has the questions that are meant go on, and reports whether there were any.
func (s *session) takeUp(meant func(*untaken) bool) (any bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(q *untaken) bool {
		if !meant(q) {
			return false
		}
		close(q.taken)
		any = true
		return true
	})
	return any
}

// questionAt says what a call that is under way asks; "" for nothing.
func (s *session) questionAt(this *run) string {
	if this == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.waiting {
		if bytes.Equal(q.cause, this.id) {
			return sayWaits(q.server)
		}
	}
	for _, q := range s.questionsOf(this.id) {
		return fmt.Sprintf("%s waits for your answer in %s", wording.WhoAsks(q.server), q.path)
	}
	return ""
}

// questionsOf returns the questions that are open as documents and that a request has led to; nil means any.
func (s *session) questionsOf(cause json.RawMessage) []*openQuestion {
	return slices.DeleteFunc(s.answers.list(), func(q *openQuestion) bool {
		return q.asker != s || cause != nil && !bytes.Equal(q.cause, cause)
	})
}

// asked returns what the calls of a document ask, and what they want confirmed.
func (l callLanguage) asked(d *document, calls []*calldoc.Call) (problems []textdoc.Problem) {
	for _, call := range calls {
		text := l.s.questionAt(l.s.runIn(d, call.Span))
		if l.s.isLookedAt(d.lookAt(call)) {
			text = "Run " + call.Target + ", " + sayAgain
		}
		if text != "" {
			problems = append(problems, textdoc.Problem{Span: call.TargetLine(), Severity: textdoc.Info, Message: text})
		}
	}
	return problems
}

// answerAction is for questions that wait and are at no call where the user is.
func (s *session) answerAction(others []action) []action {
	s.mu.Lock()
	defer s.mu.Unlock()
	here := slices.ContainsFunc(others, func(a action) bool { return a.command == commandAnswer })
	if len(s.waiting) == 0 || here {
		return others
	}
	title := fmt.Sprintf("MCP: Answer %q", s.waiting[0].server)
	return append(others, action{lspCommand{title, commandQuestions, nil}, kindMCP})
}
