package editorapi

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxProgressText is how many characters of a title or a message are shown.
const maxProgressText = 300

// A progress shows one request as work that is done (LSP 3.18, Work Done
// Progress), or relays what the server says of it. The zero value does nothing.
//
// Invariants: begin comes first, end comes last and before the answer, and
// nothing follows it. What is relayed has no begin and no end.
type progress struct {
	notify func(method string, params any, c class) error // nil as long as nothing can be shown

	mu    sync.Mutex // guards the fields that follow; also keeps what is sent in order
	token json.RawMessage
	title string
	state progressState
	last  *mcpProgress                 // while the editor creates the token: what there is to show
	asked chan struct{}                // closed once the editor has said whether it takes the token; nil before it is asked
	after func()                       // see onEnd
	relay func(params json.RawMessage) // sends it as the server said it; see relayProgress
}

type progressState int

const (
	progressIdle     progressState = iota
	progressCreating               // the editor is asked whether it takes the token
	progressShown
	progressRelayed
	progressEnded
)

// mcpProgress is the params of notifications/progress (MCP 2025-11-25, Progress).
type mcpProgress struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// progressParams is the params of $/progress.
type progressParams struct {
	Token json.RawMessage `json:"token"`
	Value WorkDone        `json:"value"`
}

// WorkDone is a value of $/progress (LSP 3.18, Work Done Progress).
type WorkDone struct {
	Kind        string `json:"kind"` // one of the following
	Title       string `json:"title,omitempty"`
	Cancellable bool   `json:"cancellable,omitzero"`
	Message     string `json:"message,omitempty"`
	Percentage  *int   `json:"percentage,omitempty"`
}

// The kinds of [WorkDone].
const (
	WorkDoneBegin  = "begin"
	WorkDoneReport = "report"
	WorkDoneEnd    = "end"
)

// show shows the work under a token that the editor gave.
func (p *progress) show(token json.RawMessage, title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == progressIdle {
		p.token, p.title, p.state = token, title, progressShown
		p.send(WorkDone{Kind: WorkDoneBegin, Title: p.text(title), Cancellable: true}, notice)
	}
}

// report shows or relays one notifications/progress. What is not valid is not shown. It does not block.
func (p *progress) report(params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == progressRelayed {
		p.relay(params)
		return
	}
	var said mcpProgress
	if decode(params, &said, "") != nil {
		return
	}
	switch p.state {
	case progressShown:
		p.send(p.value(said), hint)
	case progressCreating:
		p.last = &said
	}
}

// settle waits until the editor has said whether it takes the token, if it is asked, but not longer than limit. Helix
// shows work from the creation of its token until its end, and so there must be an end.
func (p *progress) settle(limit time.Duration) {
	p.mu.Lock()
	asked := p.asked
	p.mu.Unlock()
	if asked == nil {
		return
	}
	select {
	case <-asked:
	case <-time.After(limit):
	}
}

// relayBy has report relay progress, unless the work is over: it may have been cancelled.
func (p *progress) relayBy(relay func(params json.RawMessage)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == progressIdle {
		p.state, p.relay = progressRelayed, relay
	}
}

// created shows the work, unless it is over or the editor refused the token.
func (p *progress) created(token json.RawMessage, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.state != progressCreating:
	case !ok:
		p.state = progressEnded
	default:
		p.token, p.state = token, progressShown
		p.send(WorkDone{Kind: WorkDoneBegin, Title: p.text(p.title), Cancellable: true}, notice)
		if p.last != nil {
			p.send(p.value(*p.last), hint)
		}
	}
}

// end shows that the work is done.
func (p *progress) end() {
	p.mu.Lock()
	if p.state == progressShown {
		p.send(WorkDone{Kind: WorkDoneEnd}, notice)
	}
	p.state = progressEnded
	after := p.after
	p.mu.Unlock()
	if after != nil {
		after()
	}
}

// onEnd has end call f, or calls it at once when the work is done already.
func (p *progress) onEnd(f func()) {
	p.mu.Lock()
	over := p.state == progressEnded
	if !over {
		p.after = f
	}
	p.mu.Unlock()
	if over {
		f()
	}
}

// send is called with mu held.
func (p *progress) send(value WorkDone, c class) {
	_ = p.notify(protocol.MethodProgress, progressParams{p.token, value}, c) // an editor that has gone needs no progress
}

// value turns a notifications/progress into a $/progress. The message is a server's.
func (p *progress) value(said mcpProgress) WorkDone {
	v := WorkDone{Kind: WorkDoneReport, Cancellable: true, Message: p.text(said.Message)}
	if said.Total > 0 {
		v.Percentage = new(int(max(0, min(100, 100*said.Progress/said.Total))))
	}
	return v
}

func (p *progress) text(s string) string { return safetext.Line(s, maxProgressText) }

// follow returns a function that takes the progress of an MCP call of r and shows it under the
// token of the request.
func (s *session) follow(r *request, token json.RawMessage, title string) (func(json.RawMessage), error) {
	if _, ok := parseID(token); !ok {
		return nil, invalidMember("workDoneToken", "is neither an integer nor a string; correct it and send the request again")
	}
	if err := s.bindToken(&r.progress, token, func(cause error) { s.peer.stop(r, cause) }); err != nil {
		return nil, err
	}
	r.progress.notify = s.peer.notify
	r.progress.show(token, title)
	return r.progress.report, nil
}

// lazily returns a function that has the editor show p under a token of ours, when it is first called,
// and one that takes the progress and calls it. Neither waits for the editor. stop ends what p shows;
// it is called when the user cancels that.
func (s *session) lazily(
	ctx context.Context, p *progress, title string, stop func(cause error),
) (create func(), report func(json.RawMessage)) {
	p.notify = s.peer.notify
	create = func() {
		p.mu.Lock()
		defer p.mu.Unlock() // also while the goroutine starts: the work cannot end before
		if p.state != progressIdle {
			return
		}
		asked := make(chan struct{})
		p.title, p.state, p.asked = title, progressCreating, asked
		s.peer.running.Go(func() {
			defer close(asked)
			token := s.newToken()
			err := s.bindToken(p, token, stop)
			if err == nil {
				params := map[string]json.RawMessage{"token": token}
				_, err = s.peer.ask(ctx, protocol.MethodWindowWorkDoneProgressCreate, params, nil)
			}
			p.created(token, err == nil)
		})
	}
	return create, func(params json.RawMessage) {
		create()
		p.report(params)
	}
}

// relayProgress returns a function that takes the progress of an MCP call of r and sends it as
// mcp/notifications/progress, byte for byte but for the token, which is that of the request.
func (s *session) relayProgress(r *request, server string, token json.RawMessage) (func(json.RawMessage), error) {
	if _, ok := parseID(token); !ok {
		return nil, invalidMember("progressToken", "is neither an integer nor a string; correct it and send the request again")
	}
	r.progress.relayBy(func(params json.RawMessage) {
		_ = s.relay(&Notification{Server: server, Method: notifications + "progress", Params: rawjson.Set(params, "progressToken", token)}, nil) // as hints are
	})
	return r.progress.report, nil
}

// bindToken makes window/workDoneProgress/cancel of token call stop until p has ended.
func (s *session) bindToken(p *progress, token json.RawMessage, stop func(cause error)) error {
	key, _ := parseID(token)
	if _, taken := s.tokens.LoadOrStore(key, stop); taken {
		return invalidMember("workDoneToken", "is %s, which belongs to a request that is under way; use another one", token)
	}
	p.onEnd(func() { s.tokens.Delete(key) })
	return nil
}

// cancelProgress handles window/workDoneProgress/cancel.
func (s *session) cancelProgress(token json.RawMessage) {
	key, ok := parseID(token)
	if stop, shown := s.tokens.Load(key); ok && shown {
		stop.(func(error))(errorf(KindCancelled, "", "the request was cancelled"))
	}
}
