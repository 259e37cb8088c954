package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// The commands of call documents.
const (
	commandRun    = "mcp.run"
	commandCancel = "mcp.cancel"
	commandAnswer = "mcp.answer"
)

// runParams names a call of a call document: by its index, or by a place in it. Without a document it
// is the call document that was used last, and the call where the user was in it, or its only one.
type runParams struct {
	TextDocument documentID `json:"textDocument,omitzero"`
	Call         *int       `json:"call,omitempty"`
	Position     *Position  `json:"position,omitempty"`
	Target       string     `json:"target,omitempty"` // when it is there, the call must have it
	Action       string     `json:"action,omitempty"` // of mcp.answer: accept, decline or cancel
}

// A run is a call of a call document that is under way.
type run struct {
	anchor
	id        json.RawMessage // of the request that it is for
	call      lookedAt
	cancelled context.Context // ends when somebody cancels the call
	cancel    context.CancelCauseFunc
	answered  atomic.Bool // only its result has to be written
}

// meant returns the document that p names, and the place in it.
func (s *session) meant(p runParams) (uri string, at int) {
	if p.TextDocument.URI != "" {
		return p.TextDocument.URI, -1
	}
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	return s.documents.usedOne.uri, s.documents.usedOne.span.Start
}

// callOf returns the call that p names, and its document as it is once no change is missing.
func (s *session) callOf(ctx context.Context, p runParams) (*document, *calldoc.Call, error) {
	uri, at := s.meant(p)
	get, _ := s.seen(uri)
	d := get(ctx)
	call, err := callIn(d, p, at)
	return d, call, err
}

// callIn returns the call of a document that p names, or the one at a place.
func callIn(d *document, p runParams, at int) (*calldoc.Call, error) {
	if d == nil || !isCallDocument(d) {
		return nil, errorf(KindInvalidParams, "textDocument", "no call document is open; open a file whose name ends in .mcp")
	}
	doc := calldoc.Parse(d.text.String())
	calls := doc.Calls()
	if p.Position != nil {
		at = d.text.Offset(textdoc.Position(*p.Position))
	}
	var call *calldoc.Call
	switch {
	case p.Call != nil && *p.Call >= 0 && *p.Call < len(calls):
		call = calls[*p.Call]
	case p.Call != nil:
	case len(calls) == 1:
		call = calls[0]
	case at >= 0:
		call = doc.At(at)
	}
	switch {
	case call == nil && p.Call == nil:
		return nil, errorf(KindInvalidParams, "position", "there is no call here; move the cursor to one")
	case call == nil || p.Target != "" && call.Target != p.Target:
		return nil, errorf(KindInvalidParams, "call", "the document has changed and there is another call now; look at it and run it again")
	}
	return call, nil
}

// runCall serves mcp.run. It is called in the order of the wire, so it runs what the user saw.
func (s *session) runCall(r *request, p executeParams) (rest func() (any, error)) {
	var which runParams
	if err := p.read(&which); err != nil {
		return fails(err)
	}
	uri, at := s.meant(which)
	get, atOnce := s.seen(uri)
	if !atOnce {
		return func() (any, error) { return s.runHere(r, get(r.ctx), which, at)() }
	}
	return s.runHere(r, get(r.ctx), which, at)
}

// runHere runs the call of a document that p names, or the one at a place.
func (s *session) runHere(r *request, d *document, p runParams, at int) (rest func() (any, error)) {
	call, err := callIn(d, p, at)
	switch {
	case err != nil:
		return fails(err)
	case d.doubt:
		return fails(errInDoubt())
	case call.Kind == calldoc.Answer || call.Kind == "":
		return fails(errorf(KindInvalidParams, "call", "there is nothing to run here; a call has one of the members call, prompt and resource"))
	}
	this, err := s.startRun(d, call, r.rawID())
	if err != nil {
		return fails(err)
	}
	return func() (any, error) {
		if d.saved && d.unlikeItsFile(r.ctx) {
			s.endRun(this)
			return nil, errorf(KindInvalidParams, "textDocument", "the editor shows another text than the file has; save the document, then run it again")
		}
		err := s.background(r, call.Target, func(ctx context.Context, report func(json.RawMessage)) (show func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			defer context.AfterFunc(this.cancelled, func() { cancel(context.Cause(this.cancelled)) })()
			s.lensesMoved()
			result := s.callResult(ctx, this, call, report)
			this.answered.Store(true)
			return func() {
				if result != nil {
					s.putResult(this, call, *result)
				}
				s.endRun(this)
				s.lensesMoved()
				if s.isLookedAt(this.call) { // now that it can be run again
					s.ShowMessage(SeverityWarning, call.Target+", "+sayAgain)
				}
			}
		})
		if err != nil {
			s.endRun(this)
		}
		return nil, err
	}
}

// startRun enters a call among those under way.
func (s *session) startRun(d *document, call *calldoc.Call, id json.RawMessage) (*run, error) {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	if s.documents.runIn(d, call.Span) != nil {
		return nil, errorf(KindBusy, "", "this call is under way; wait for it, or cancel it")
	}
	this := &run{anchor: anchor{uri: d.uri, at: call.TargetSpan.Start}, id: id, call: d.lookAt(call)}
	this.cancelled, this.cancel = context.WithCancelCause(context.Background())
	s.documents.runs[this] = struct{}{}
	return this, nil
}

func (s *session) endRun(this *run) {
	this.cancel(nil)
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	delete(s.documents.runs, this)
}

// runIn returns the call in a part of d that is under way, nil for none.
func (s *session) runIn(d *document, part textdoc.Span) *run {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	return s.documents.runIn(d, part)
}

// runIn is [session.runIn] with mu held.
func (o *documents) runIn(d *document, part textdoc.Span) *run {
	for r := range o.runs {
		if !r.lost && !r.answered.Load() && r.uri == d.uri && part.Contains(r.at) {
			return r
		}
	}
	return nil
}

// cancelCall serves mcp.cancel.
func (s *session) cancelCall(r *request, which runParams) (any, error) {
	d, call, err := s.callOf(r.ctx, which)
	if err != nil {
		return nil, err
	}
	if this := s.runIn(d, call.Span); this != nil {
		this.cancel(errorf(KindCancelled, "", "the call was cancelled"))
	}
	return nil, nil
}

// callResult makes a call and returns what came of it, nil where it was not to be made.
func (s *session) callResult(ctx context.Context, this *run, call *calldoc.Call, report func(json.RawMessage)) *calldoc.Result {
	failure := func(err error) *calldoc.Result { return new(calldoc.Failure(err)) }
	servers := s.serverNames()
	server, name := call.Resolve(servers)
	c := s.commandOfCall(call, servers)
	var definition json.RawMessage
	if c != nil {
		definition = c.definition
	} else if call.Kind != calldoc.Resource {
		return failure(s.notOffered(call.Kind, server, name))
	}
	variable, problems := s.callWorkspace().Values(call)
	if len(problems) > 0 {
		return failure(errors.New(problems[0].Message))
	}
	params, problems := call.Params(definition, variable)
	if len(problems) > 0 {
		return failure(errors.New(problems[0].Message))
	}
	request := Call{Server: server, Method: call.Kind.Method(), Params: params, Progress: report, Cause: Cause{Command: commandRun, ID: this.id}}
	if call.Kind == calldoc.Tool {
		request.Params, request.Bound = s.fillCall(MCPRequest{Server: server, Params: params, Context: contextFrom(variable)})
	}
	if err := incomplete(c, request.Params); err != nil {
		return failure(err)
	}
	if c != nil && !s.confirmed(ctx, this, c, request.Params) {
		return nil
	}
	result, err := s.attachment.Call(ctx, request)
	if err != nil {
		return failure(err)
	}
	return new(calldoc.Render(request.Method, result, s.keepResult))
}

// offeredNow returns a tool or a prompt, or says why there is none.
func (s *session) offeredNow(key commandKey) (*command, error) {
	if c := s.offered(key); c != nil {
		return c, nil
	}
	return nil, s.notOffered(key.kind, key.server, key.name)
}

// notOffered says why there is no such tool or prompt; with name "", why there is none.
func (s *session) notOffered(kind calldoc.Kind, server, name string) error {
	what := kind.Noun()
	for _, known := range s.attachment.Servers() {
		switch {
		case known.Name != server:
		case known.State != ServerReady:
			return NotReady(known)
		case name == "":
			return errorf(KindInvalidParams, "server", "server %q has no %ss", server, what)
		default:
			return errorf(KindInvalidParams, what, "server %q has no %s %q; to list its %ss: mcp-editord %ss %s", server, what, name, what, what, safetext.ShellWord(server))
		}
	}
	return errorf(KindServerNotFound, "server", "there is no server %q in this workspace; to list the servers: mcp-editord servers", server)
}

// callWorkspace is where the variables of call documents have their values from.
func (s *session) callWorkspace() calldoc.Workspace {
	w := calldoc.Workspace{Open: func(path string) (text, language string, ok bool) {
		d := s.document(fileuri.FromPath(path))
		if d == nil || d.doubt {
			return "", "", false
		}
		return d.text.String(), d.languageID, true
	}}
	for _, folder := range s.openFolders() {
		if path, err := fileuri.ToPath(folder.URI); err == nil {
			w.Folders = append(w.Folders, path)
		}
	}
	return w
}

// contextFrom returns the context that has these values of variables.
func contextFrom(variable func(string) (string, bool)) *Context {
	where := &Context{}
	if file, ok := variable("file"); ok {
		where.TextDocument = &TextDocument{fileuri.FromPath(file)}
	}
	line, _ := variable("lineNumber")
	if n, err := strconv.Atoi(line); err == nil {
		at := Position{Line: n - 1}
		where.Range = &Range{at, at}
	}
	if selected, ok := variable("selectedText"); ok {
		where.SelectedText = &selected
	}
	where.LanguageID, _ = variable("languageId")
	return where
}
