package editorapi

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// Question implements [calldoc.Catalog].
func (l callLanguage) Question(id string) (calldoc.Question, bool) {
	if q, ok := l.s.answers.find(id); ok {
		return q.question(), true
	}
	ended := l.s.answers.endOf(id)
	return calldoc.Question{Ended: ended}, ended != ""
}

// questionIn returns the open question that an answer is for. It counts only in the document that was made for
// it: a file of a project cannot bring an answer.
func (s *session) questionIn(d *document, call *calldoc.Call) (*openQuestion, bool) {
	q, ok := s.answers.find(call.Target)
	return q, ok && call.Kind == calldoc.Answer && d.uri == fileuri.FromPath(q.path)
}

// answerQuestion serves mcp.answer.
func (s *session) answerQuestion(r *request, which runParams) (any, error) {
	if s.client.agent {
		return nil, errorf(KindNotAllowed, "agent", "an agent does not answer for a person; answer in an editor")
	}
	d, call, err := s.callOf(r.ctx, which)
	switch {
	case err != nil:
		return nil, err
	case d.doubt:
		return nil, errInDoubt()
	}
	if call.Kind != calldoc.Answer {
		return nil, s.answerCall(r, d, call)
	}
	q, ok := s.questionIn(d, call)
	if !ok {
		return nil, errorf(KindInvalidParams, "call", "no question waits for this; it has been answered or withdrawn")
	}
	var content json.RawMessage
	if which.Action == answerAccept {
		if s.client.boxes != boxBeside && d.unlikeItsFile(r.ctx) { // a document that is not saved keeps its editor from ending
			return nil, errorf(KindInvalidParams, "call", "save the document, then send it")
		}
		if content, err = s.contentOf(d, call, q); err != nil {
			return nil, err
		}
	}
	if err := s.answers.give(q.id, which.Action, content); err != nil {
		return nil, err
	}
	s.ShowMessage(SeverityInfo, wording.WhoAsks(q.server)+" has your answer.")
	s.catalogMoved()
	return nil, nil
}

// answerCall takes up what a call that is under way asks.
func (s *session) answerCall(r *request, d *document, call *calldoc.Call) error {
	this := s.runIn(d, call.Span)
	if this == nil {
		return errorf(KindInvalidParams, "call", "this call asks nothing now")
	}
	return s.afterwards(r, call.Target, func(ctx context.Context) error {
		_ = s.openQuestions(ctx, this.id) // its errors are those of an editor that has gone
		return nil
	})
}

// contentOf returns the content of an answer that has nothing wrong in it.
func (s *session) contentOf(d *document, call *calldoc.Call, q *openQuestion) (json.RawMessage, error) {
	problems := slices.DeleteFunc(calldoc.Parse(d.text.String()).Check(callLanguage{s}), func(p textdoc.Problem) bool {
		return p.Severity != textdoc.Error || !call.Contains(p.Start)
	})
	content, more := call.Params(q.schema, func(string) (string, bool) { return "", false })
	for _, p := range append(problems, more...) {
		return nil, errorf(KindInvalidParams, "call", "line %d: %s; correct it and send the answer again", d.text.Position(p.Start).Line+1, p.Message)
	}
	return content, nil
}
