package editorapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// handshakeTimeout is how long an editor may take to send initialize.
const handshakeTimeout = 10 * time.Second

// Options say how to serve editors. They are copied.
type Options struct {
	Log             *zap.Logger   // nil means none
	Version         string        // of the daemon, for serverInfo
	QuestionDir     string        // for files that are shown while a question is open; ours alone. "" means the system's folder for temporary files
	TextDir         string        // for long texts that an editor shows; ours alone, made when it is needed. "" means that there is none
	Answers         *Answers      // shared by the editors of a user; nil: nobody else's
	QuestionTimeout time.Duration // of the questions of LSP; 0 means two minutes
	WritingTimeout  time.Duration // how long a result waits while its call is not valid YAML; 0 means ten seconds
	OrderWait       time.Duration // how long a change of a document waits for one before it; 0 means 200 ms
	ProgressAfter   time.Duration // how long work goes on before the editor shows it; 0 means half a second

	// Memory bounds what the requests of the editor and the answers that it has not read may
	// use; nil means no bound.
	Memory *budget.Budget
}

// Serve runs the connection of one editor on backend, and owns conn. It returns when the editor
// is gone and nothing of its requests runs any more: nil when the editor has left
// or ctx has ended, else why the connection was given up.
func Serve(ctx context.Context, conn io.ReadWriteCloser, backend Backend, o Options) error {
	o.Log = cmp.Or(o.Log, zap.NewNop())
	o.Answers = cmp.Or(o.Answers, &Answers{})
	o.WritingTimeout = cmp.Or(o.WritingTimeout, defaultWritingTimeout)
	o.QuestionTimeout = cmp.Or(o.QuestionTimeout, defaultQuestionTimeout)
	o.OrderWait = cmp.Or(o.OrderWait, defaultOrderWait)
	o.ProgressAfter = cmp.Or(o.ProgressAfter, defaultProgressAfter)
	s := &session{backend: backend, o: o}
	s.folders.Store(new([]Folder))
	s.texts.memory, s.answers = o.Memory, o.Answers
	s.front = make(chan struct{}, 1)
	s.registrar.debouncer = debounce.New(registerQuiet, registerMax, s.register)
	s.registrar.registered = map[string]registration{}
	s.documents.open, s.documents.runs = map[string]*document{}, map[*run]struct{}{}
	s.documents.moments = map[string]*moment{}
	s.documents.moved = make(chan struct{})
	s.diagnostics.check = debounce.New(checkQuiet, checkMax, s.checkDocuments)
	s.diagnostics.disk, s.diagnostics.told = map[string][]lspDiagnostic{}, map[string][]lspDiagnostic{}
	s.peer = newPeer(conn, s, ErrEditorGone, o.Log, o.Memory)
	s.handshake = time.AfterFunc(handshakeTimeout, func() {
		s.peer.end(fmt.Errorf("no initialize arrived within %v", handshakeTimeout))
	})
	defer context.AfterFunc(ctx, func() { s.peer.end(nil) })()
	s.peer.start()

	err := s.peer.wait()
	s.handshake.Stop()
	s.registrar.debouncer.Stop()
	s.diagnostics.check.Stop()
	if s.attachment != nil {
		s.answers.leave(s)
		s.attachment.Close()
	}
	s.peer.running.Wait()
	s.tellRemoving(s.drafts.close()) // what ran could still write one
	s.texts.close()
	if err != nil {
		return fmt.Errorf("serving an editor: %w", err)
	}
	return nil
}

// A session is one editor's connection. It is the [Editor] that the backend sees.
type session struct {
	backend   Backend
	o         Options
	peer      *peer
	handshake *time.Timer

	// Written while initialize is handled, before anything that reads them begins.
	attachment Attachment
	client     clientCapabilities

	registrar   registrar
	documents   documents
	diagnostics diagnostics
	texts       texts
	front       chan struct{} // has one element while the document of a question is in front: no other one comes in its way
	drafts      drafts
	putting     sync.Mutex // held while the result of a call is put into its document; nothing is locked before it
	answers     *Answers

	state   atomic.Int32             // see stateNew
	folders atomic.Pointer[[]Folder] // those that are on this disk; not changed in place
	tokenID atomic.Int64             // of the last token made here
	// By [jsonrpc2.ID], of the progress that is shown: a func(error) that ends what it is about.
	tokens sync.Map
	// By server and URI: a chan struct{}, closed when the last request about a subscription is over.
	turns sync.Map

	mu      sync.Mutex // guards the fields that follow
	refused []string   // the passwords that the user was told of; see refusePassword
	waiting []*untaken // the oldest first
	works   int        // under way; see background
}

// serve implements [served].
func (s *session) serve(r *request) (rest func() (any, error)) {
	if handler := handlers[r.method]; handler != nil {
		return handler(s, r)
	}
	switch {
	case strings.HasPrefix(r.method, textDocument):
		return s.aboutDocument(r)
	case r.method == protocol.MethodWorkspaceExecuteCommand:
		return s.told(s.executeCommand(r))
	case r.method == methodTextDocumentContent:
		return func() (any, error) { return s.textDocumentContent(r) }
	case r.method == mcpPrefix+"resources/subscribe", r.method == mcpPrefix+"resources/unsubscribe":
		return s.inTurn(r)
	case strings.HasPrefix(r.method, mcpPrefix):
		return handlers[anyRequest](s, r)
	}
	return fails(methodNotFound(r.method))
}

// inTurn serves the requests of an editor about the subscription to one resource one after the
// other, in the order of the wire: the last one holds.
func (s *session) inTurn(r *request) (rest func() (any, error)) {
	about := rawjson.String(r.params, "server") + "\x00" + rawjson.String(rawjson.Get(r.params, "params"), "uri")
	over := make(chan struct{})
	before, waits := s.turns.Swap(about, over)
	serve := handlers[anyRequest](s, r)
	return func() (any, error) {
		defer func() {
			s.turns.CompareAndDelete(about, over)
			close(over)
		}()
		if waits {
			<-before.(chan struct{}) // ends with the editor, as every request does
		}
		if err := context.Cause(r.ctx); err != nil {
			return nil, err
		}
		return serve()
	}
}

// notification implements [served]. Unknown ones are ignored (LSP 3.18, Base Protocol).
func (s *session) notification(method string, params json.RawMessage) {
	if method == protocol.MethodExit {
		s.peer.end(nil)
		return
	}
	if !s.attached() || strings.HasPrefix(method, textDocument) && s.textSync(method, params) {
		return
	}
	switch method {
	case protocol.MethodInitialized:
		s.initialized()
	case protocol.MethodWorkspaceDidChangeWorkspaceFolders:
		s.didChangeWorkspaceFolders(params)
	case protocol.MethodWindowWorkDoneProgressCancel:
		s.cancelProgress(rawjson.Get(params, "token"))
	default:
		if strings.HasPrefix(method, mcpPrefix+notifications) {
			if err := s.mcpNotification(method, params); err != nil {
				s.peer.log.Warn("a notification was dropped", zap.String("method", strings.Clone(method)), zap.Error(err))
			}
		}
	}
}

// newToken returns a progress token that the editor has not seen.
func (s *session) newToken() json.RawMessage {
	return json.RawMessage(`"mcp-editord-` + strconv.FormatInt(s.tokenID.Add(1), 10) + `"`)
}

func methodNotFound(method string) error {
	return &RPCError{Code: CodeMethodNotFound, Message: fmt.Sprintf("mcp-editord has no method %.100q", method)}
}
