package editorapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// Answers are the questions that are open as documents in the editors of one user, and wait for an answer. An
// editor may start a client of its own for such a document: it is outside of the project. So a question is found by all.
//
// Invariants: an id is that of one question, also among other editors and later on; a question gets one
// answer at most; its file goes with it.
type Answers struct {
	mu        sync.Mutex // guards the fields that follow
	open      []*openQuestion
	ended     []endedQuestion // the last ones
	reviewing []*session      // those that have opened a question about a server as a document
}

// An openQuestion is a question that is open as a document. It does not change.
type openQuestion struct {
	id     string // the name of its file without the extension
	server string
	text   string          // what is asked, as the server wrote it: not safe to show
	whole  string          // "" for a question of the server; else the document but for its answer, which is safe
	schema json.RawMessage // of the content of the answer
	path   string
	asker  *session             // whose question it is
	cause  json.RawMessage      // the id of the request that led to it, nil when that is not known
	given  chan json.RawMessage // gets MCP's ElicitResult; has room for it
}

// An endedQuestion says what became of a question, for who still has its document.
type endedQuestion struct{ id, what string }

const maxEnded = 50

// end notes what became of a question.
func (a *Answers) end(q *openQuestion, what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = append(a.ended[max(0, len(a.ended)-maxEnded+1):], endedQuestion{q.id, what})
}

// endOf returns what became of a question; "" when that is not known.
func (a *Answers) endOf(id string) (what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.ended {
		if q.id == id {
			what = q.what
		}
	}
	return what
}

// question returns q as call documents know it.
func (q *openQuestion) question() calldoc.Question {
	return calldoc.Question{Server: q.server, Message: q.text, Schema: q.schema}
}

// The actions of an answer, which are those of MCP's ElicitResult.
const (
	answerAccept  = "accept"
	answerDecline = "decline"
	answerCancel  = "cancel"
)

// give answers an open question. content is the answer itself, which the caller has checked against the
// schema of the question; only an answer that accepts has one. The errors are for the user.
func (a *Answers) give(id, action string, content json.RawMessage) error {
	result := actionResult(action)
	switch action {
	case answerAccept:
		if content == nil {
			content = json.RawMessage("{}")
		}
		if !rawjson.IsObject(content) {
			return invalidMember("content", "is not an object; correct it and send the answer again")
		}
		result = rawjson.Set(result, "content", content)
	case answerDecline, answerCancel:
	default:
		return invalidMember("action", "is %.20q; it must be %q, %q or %q", action, answerAccept, answerDecline, answerCancel)
	}
	q := a.take(id)
	if q == nil {
		return errorf(KindInvalidParams, "id", "the question %.40q is not open any more; nobody waits for its answer", id)
	}
	a.end(q, fmt.Sprintf("%s has your answer (%s); close this document", wording.WhoAsks(q.server), action))
	q.given <- result
	return nil
}

// find returns an open question.
func (a *Answers) find(id string) (q *openQuestion, ok bool) {
	for _, q := range a.list() {
		if q.id == id {
			return q, true
		}
	}
	return nil, false
}

// list returns the open questions, the oldest first.
func (a *Answers) list() []*openQuestion {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.open)
}

// add enters a question.
func (a *Answers) add(q *openQuestion) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = append(a.open, q)
}

// take removes a question, and returns it; nil when it is not there.
func (a *Answers) take(id string) *openQuestion {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.open, func(q *openQuestion) bool { return q.id == id })
	if i < 0 {
		return nil
	}
	q := a.open[i]
	a.open = slices.Delete(a.open, i, i+1)
	return q
}

// reviews notes that a session has opened a question about a server as a document.
func (a *Answers) reviews(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.reviewing, s) {
		a.reviewing = append(a.reviewing, s)
	}
}

// leave forgets a session that ends.
func (a *Answers) leave(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reviewing = slices.DeleteFunc(a.reviewing, func(other *session) bool { return other == s })
}

// reviewers returns s and the sessions that have opened a question about a server as a document.
func (a *Answers) reviewers(s *session) []*session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]*session{s}, a.reviewing...)
}

// askInDocument asks with a document that the user fills in, and returns MCP's ElicitResult. It waits
// for as long as the user takes: the question is in the way of nothing. When ctx ends first, the question is
// withdrawn, and a message says so.
func (s *session) askInDocument(ctx context.Context, q *openQuestion) (json.RawMessage, error) {
	q.asker, q.given = s, make(chan json.RawMessage, 1)
	if err := s.writeAnswer(q); err != nil {
		return nil, err
	}
	s.answers.add(q)
	s.catalogMoved()
	defer s.catalogMoved()
	defer func() {
		s.answers.take(q.id)
		if err := os.Remove(q.path); err != nil {
			s.peer.log.Warn("removing a question", zap.Error(err))
		}
	}()
	showing, stop := context.WithCancel(ctx)
	var shown sync.WaitGroup
	shown.Go(func() { // the answer does not wait for an editor that has opened the document and does not say so
		if err := s.showInTurn(showing, q); err != nil {
			s.peer.log.Info("a question is not shown", zap.Error(err))
		}
	})
	defer shown.Wait()
	defer stop()
	select {
	case answer := <-q.given:
		return answer, nil
	case <-ctx.Done():
	case <-s.peer.ctx.Done():
		return nil, s.gone()
	}
	if s.answers.take(q.id) == nil { // the answer came first
		return <-q.given, nil
	}
	s.answers.end(q, wording.WhoAsks(q.server)+" no longer waits for your answer; close this document")
	s.ShowMessage(SeverityInfo, fmt.Sprintf("%s no longer waits for your answer in %s", wording.WhoAsks(q.server), filepath.Base(q.path)))
	return nil, ctx.Err()
}

// showInTurn opens the document of a question, once no other question of the editor is in front: a document that opens
// takes the keys that somebody types into another one. It returns when ctx has ended, and the next one comes.
func (s *session) showInTurn(ctx context.Context, q *openQuestion) error {
	if !s.client.showDocument || s.client.boxes != boxBeside { // or somebody has just taken it up
		return s.showQuestion(ctx, q)
	}
	select {
	case s.front <- struct{}{}:
	default:
		s.ShowMessage(SeverityInfo, fmt.Sprintf("%s asks you something as well; %s has it, and opens when you have answered what is open", wording.WhoAsks(q.server), q.path))
		select {
		case s.front <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() { <-s.front }()
	err := s.showQuestion(ctx, q)
	<-ctx.Done()
	return err
}

// showQuestion opens the document of a question. Where the client cannot do that, a message has its path. The
// error is that of a ctx that has ended, or of an editor that has gone.
func (s *session) showQuestion(ctx context.Context, q *openQuestion) error {
	if s.client.showDocument {
		if shown, err := s.showDocument(ctx, fileuri.FromPath(q.path)); shown || err != nil {
			return err
		}
	}
	if s.client.boxes != boxBeside { // the document of the call says the rest
		s.ShowMessage(SeverityInfo, "Answer in "+q.path)
		return nil
	}
	s.ShowMessage(SeverityInfo, fmt.Sprintf("%s asks you something; open %s, fill it in and run Send", wording.WhoAsks(q.server), q.path))
	return nil
}

// openQuestions takes up all questions that a request has led to, nil for any, and opens the documents of those that have
// one, the one that waits longest last, so that it is in front.
func (s *session) openQuestions(ctx context.Context, cause json.RawMessage) error {
	open := s.questionsOf(cause)
	if !s.takeUp(func(q *untaken) bool { return cause == nil || bytes.Equal(q.cause, cause) }) && len(open) == 0 {
		s.ShowMessage(SeverityInfo, "No question waits for your answer.")
	}
	for _, q := range slices.Backward(open) {
		if err := s.showQuestion(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// writeAnswer writes the document of a question, to a file that nobody else can read, and gives the question
// its path and its id. No other question gets the same: an editor may still show the document of an old one.
func (s *session) writeAnswer(q *openQuestion) error {
	f, err := os.CreateTemp(s.o.QuestionDir, "question-*.mcp") // 0600
	if err != nil {
		return fmt.Errorf("making a file for a question: %w", err)
	}
	q.path = f.Name()
	q.id = strings.TrimSuffix(filepath.Base(q.path), ".mcp")
	text := q.whole + "answer: " + q.id + "\n"
	if q.whole == "" {
		text = calldoc.NewAnswer(q.id, q.question())
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(q.path)
		return fmt.Errorf("writing a question: %w", err)
	}
	return nil
}
