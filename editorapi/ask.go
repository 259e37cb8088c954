package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// defaultQuestionTimeout is how long an editor may take to answer a question of LSP. Some clients never
// answer window/showMessageRequest, though every client has it. Who is there has read five lines by then;
// who is not finds a message that says how to answer later.
const defaultQuestionTimeout = 2 * time.Minute

// errNoAnswer is the error of a question of LSP that was withdrawn, since nobody answered it in time.
var errNoAnswer = errors.New("nobody has answered in time")

// ListRoots implements [Editor].
func (s *session) ListRoots(ctx context.Context, q Question) (json.RawMessage, error) {
	return s.ask(ctx, methodListRoots.name, q)
}

// ask sends a request and waits for its answer. Params and answer may be large.
func (s *session) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	answer, err := s.peer.ask(ctx, method, params, nil)
	if err == s.peer.gone {
		err = s.gone()
	}
	return answer, err
}

// question is ask for a question of the editor protocol. An editor that says that it has stopped asking, though nobody took the
// question back, is about to go.
func (s *session) question(ctx context.Context, method string, params any) (json.RawMessage, error) {
	answer, err := s.ask(ctx, method, params)
	if rpc, is := errors.AsType[*RPCError](err); is && rpc.Code == CodeRequestCancelled {
		err = ErrEditorLeft
	}
	return answer, err
}

// gone returns what questions fail with once the editor has gone.
func (s *session) gone() error {
	if s.attached() {
		return ErrEditorGone
	}
	return ErrEditorLeft
}

// askInTime is ask for the questions of LSP. When the answer takes too long, the question is withdrawn and
// fails with [errNoAnswer].
func (s *session) askInTime(ctx context.Context, method string, params any) (json.RawMessage, error) {
	limited, cancel := context.WithTimeoutCause(ctx, s.o.QuestionTimeout, errNoAnswer)
	defer cancel()
	answer, err := s.ask(limited, method, params)
	if err != nil && ctx.Err() == nil && context.Cause(limited) == errNoAnswer {
		return nil, errNoAnswer
	}
	return answer, err
}

// cannotAsk reports whether an error of a question of LSP says that nobody can be asked in this editor.
func cannotAsk(err error) bool {
	answered, ok := errors.AsType[*RPCError](err)
	return err == errNoAnswer || ok && answered.Code == CodeMethodNotFound
}

// showDocument has the editor show a document, and reports whether it says that it did. The error is that of
// a ctx that has ended, or of an editor that has gone.
func (s *session) showDocument(ctx context.Context, uri string) (shown bool, err error) {
	return s.showURI(ctx, map[string]any{"uri": uri, "takeFocus": true})
}

// visit has the editor open an address in a browser. Otherwise it is as showDocument.
func (s *session) visit(ctx context.Context, address string) (opened bool, err error) {
	return s.showURI(ctx, map[string]any{"uri": address, "external": true})
}

func (s *session) showURI(ctx context.Context, params map[string]any) (bool, error) {
	answer, err := s.askInTime(ctx, protocol.MethodWindowShowDocument, params)
	if _, answered := errors.AsType[*RPCError](err); answered || err == errNoAnswer {
		return false, nil
	}
	return err == nil && isTrue(answer, "success"), err
}

// box asks with window/showMessageRequest, and returns "" for an answer that is not one of the
// actions. In many editors a bare Enter takes the first action, so that must not allow anything.
func (s *session) box(ctx context.Context, message string, actions ...string) (string, error) {
	if s.client.boxes == boxUseless {
		return "", errNoAnswer
	}
	params := protocol.ShowMessageRequestParams{Type: protocol.MessageTypeWarning, Message: message}
	for _, action := range actions {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: action})
	}
	answer, err := s.askInTime(ctx, protocol.MethodWindowShowMessageRequest, params)
	s.checkAgain()
	if err != nil {
		return "", err
	}
	if title := rawjson.String(answer, "title"); slices.Contains(actions, title) {
		return title, nil
	}
	return "", nil
}
