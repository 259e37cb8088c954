package editorapi

import (
	"encoding/json"
	"math"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxProgressText is how many characters of a title or a message are shown.
const maxProgressText = 300

// A progress shows one request as work that is done (LSP 3.18, Work Done
// Progress). The zero value shows nothing.
//
// Invariants: begin comes first, end comes last and before the answer, and
// nothing follows it.
type progress struct {
	notify func(method string, params any, c class) error // nil as long as nothing can be shown

	mu    sync.Mutex // guards the fields that follow; also keeps what is sent in order
	token json.RawMessage
	title string
	state progressState
	last  *mcpProgress // while the editor creates the token: what there is to show
	after func()       // see onEnd
}

type progressState int

const (
	progressIdle     progressState = iota
	progressCreating               // the editor is asked whether it takes the token
	progressShown
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

// report shows one notifications/progress. What is not valid is left out. It does not block.
func (p *progress) report(params json.RawMessage) {
	var said mcpProgress
	if decode(params, &said, "") != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.state {
	case progressShown:
		p.send(p.value(said), hint)
	case progressCreating:
		p.last = &said
	}
}

// reportOrCreate is report for a request without a token: at the first report, create makes one on
// a goroutine that spawn starts.
func (p *progress) reportOrCreate(params json.RawMessage, title string, spawn func(func()), create func() (json.RawMessage, error)) {
	p.mu.Lock()
	first := p.state == progressIdle
	if first {
		p.title, p.state = title, progressCreating
	}
	p.mu.Unlock()
	p.report(params)
	if first {
		spawn(func() {
			token, err := create()
			p.created(token, err == nil)
		})
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
		percentage := int(math.Floor(max(0, min(100, 100*said.Progress/said.Total))))
		v.Percentage = &percentage
	}
	return v
}

func (p *progress) text(s string) string { return safetext.Line(s, maxProgressText) }

// follow returns a function that takes the progress of an MCP call of r and shows it under the
// token of the request. Without a token, and only if lazily is set, it asks the editor to take one
// once there is something to show. If neither is so, it returns nil.
func (s *session) follow(r *request, token json.RawMessage, title string, lazily bool) (func(json.RawMessage), error) {
	switch {
	case !rawjson.IsAbsent(token):
		if _, ok := parseID(token); !ok {
			return nil, invalidMember("workDoneToken", "is neither an integer nor a string; correct it and send the request again")
		}
		if err := s.bindToken(r, token); err != nil {
			return nil, err
		}
		r.progress.notify = s.peer.notify
		r.progress.show(token, title)
		return r.progress.report, nil
	case lazily && s.client.workDoneProgress:
		r.progress.notify = s.peer.notify
		create := func() (json.RawMessage, error) {
			token := s.newToken()
			if err := s.bindToken(r, token); err != nil {
				return nil, err
			}
			_, err := s.peer.ask(r.ctx, protocol.MethodWindowWorkDoneProgressCreate, map[string]json.RawMessage{"token": token}, notice)
			return token, err
		}
		return func(params json.RawMessage) {
			r.progress.reportOrCreate(params, title, s.peer.running.Go, create)
		}, nil
	default:
		return nil, nil
	}
}

// bindToken makes window/workDoneProgress/cancel of token cancel r until r is answered.
func (s *session) bindToken(r *request, token json.RawMessage) error {
	key, _ := parseID(token)
	s.mu.Lock()
	_, taken := s.tokens[key]
	if !taken {
		s.tokens[key] = r
	}
	s.mu.Unlock()
	if taken {
		return invalidMember("workDoneToken", "is %s, which belongs to a request that is under way; use another one", token)
	}
	r.progress.onEnd(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.tokens, key)
	})
	return nil
}

// cancelProgress handles window/workDoneProgress/cancel.
func (s *session) cancelProgress(token json.RawMessage) {
	key, ok := parseID(token)
	s.mu.Lock()
	r := s.tokens[key]
	s.mu.Unlock()
	if ok && r != nil {
		s.peer.stop(r, errorf(KindCancelled, "", "the request was cancelled"))
	}
}
