package daemon

import (
	"context"
	"errors"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// An editor shows one question at a time: whether a server may run, or what an agent may do. A question
// that somebody waits for (editord/startServer, the call of an agent) comes first; one that nobody
// waits for gives way to it and is asked again afterwards. If you put off the question about a server,
// you put off all servers of that file.

// approvalQuestion is a question to a person. d.mu guards it.
type approvalQuestion struct {
	server, digest string // digest says which questions are the same
	waiters        int    // requests that wait for the answer

	// All but decide are called with d.mu held.
	params func() editorapi.ApproveParams          // what to show, as of now
	stands func() bool                             // reports whether it still has to be answered
	decide func(decision editorapi.Decision) error // carries out allow or deny
	after  func(decision editorapi.Decision)       // notes the answer, with d.mu held; not called when it was withdrawn

	asked    context.Context    // ends when it is withdrawn; nil until it is asked
	cancel   context.CancelFunc // withdraws it
	done     chan struct{}      // closed when it is over
	decision editorapi.Decision // what the person said; "" when nobody did
	gone     bool               // nobody did, since the editor has gone
}

// askApprovals asks e about the servers that wait for a decision, except those that were put off.
// It withdraws the open question if that no longer has to be answered. An agent is asked nothing.
func (d *Daemon) askApprovals(e *editor) {
	if e.agent != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !e.initialized {
		return
	}
	if q := e.asking; q != nil && !q.stands() {
		q.cancel()
	}
	d.askNext(e)
}

// waits reports whether a server with this very definition waits for a decision. d.mu is held.
func (e *editor) waits(def config.Definition) bool {
	return slices.ContainsFunc(e.set.Servers, func(now config.Definition) bool { return now.Asks == def.Asks && e.undecided(now) })
}

// mayRun returns the question whether def may run.
func (e *editor) mayRun(def config.Definition) *approvalQuestion {
	return &approvalQuestion{
		server: def.Name, digest: def.Asks, done: make(chan struct{}),
		params: func() editorapi.ApproveParams { return *e.questions[def.Asks] },
		stands: func() bool { return e.waits(def) },
		decide: func(decision editorapi.Decision) error {
			err := e.d.decide(e, def, decision)
			if err == nil {
				e.reconciled(e.ctx)
			}
			return err
		},
		after: func(decision editorapi.Decision) {
			if decision == editorapi.DecisionLater {
				e.putOff(def)
			} else { // whether it was reconciled or not
				e.decided[def.Asks] = config.Decision(decision)
			}
		},
	}
}

// askNext asks e the next question, unless one is open. d.mu is held.
func (d *Daemon) askNext(e *editor) {
	e.wanted = slices.DeleteFunc(e.wanted, func(q *approvalQuestion) bool {
		over := q.waiters == 0 || !q.stands() || e.closed || d.closing
		if over {
			close(q.done)
		}
		return over
	})
	switch {
	case e.asking != nil || e.closed || d.closing:
		return
	case len(e.wanted) > 0:
		q := e.wanted[0]
		e.wanted = e.wanted[1:]
		d.ask(e, q)
		return
	case !e.autoStart:
		return
	}
	for _, def := range e.set.Servers {
		if e.undecided(def) && !e.later[def.Asks] {
			d.ask(e, e.mayRun(def))
			return
		}
	}
	for _, def := range e.set.Servers {
		if q := e.aboutTools(e.on[def.Name]); q != nil {
			d.ask(e, q)
			return
		}
	}
}

// askNow asks e a question before all those that nobody waits for, even if it was put off. The caller
// calls unwait when it no longer needs the answer. If e has the same question already, that one is
// joined and returned, unless it has been withdrawn: that one gets no answer. d.mu is held.
func (d *Daemon) askNow(e *editor, q *approvalQuestion) *approvalQuestion {
	same := func(other *approvalQuestion) bool {
		return other.digest == q.digest && (other.asked == nil || other.asked.Err() == nil)
	}
	if e.asking != nil && same(e.asking) {
		e.asking.waiters++
		return e.asking
	}
	if i := slices.IndexFunc(e.wanted, same); i >= 0 {
		e.wanted[i].waiters++
		return e.wanted[i]
	}
	q.waiters = 1
	e.wanted = append(e.wanted, q)
	e.log.Debug("a question waits for its turn", zap.String("server", q.server))
	if e.asking != nil && e.asking.waiters == 0 {
		e.asking.cancel()
	}
	d.askNext(e)
	return q
}

// unwait takes back one askNow. A question that is open already stays. d.mu is held.
func (q *approvalQuestion) unwait() { q.waiters-- }

// ask asks e a question in the background, carries out the decision, and goes on to the next
// question. d.mu is held.
func (d *Daemon) ask(e *editor, q *approvalQuestion) {
	ctx, cancel := context.WithCancel(e.ctx)
	q.asked, q.cancel = ctx, cancel
	e.asking = q
	params := q.params()
	d.running.Go(func() {
		defer close(q.done)
		defer cancel()
		decision, err := e.api.Approve(ctx, params)
		withdrawn := ctx.Err() != nil
		if err != nil {
			decision = editorapi.DecisionLater
			if !withdrawn {
				e.log.Info("asking for approval", zap.String("server", q.server), zap.Error(err))
			}
		}
		if decision != editorapi.DecisionLater && q.decide(decision) != nil {
			decision = editorapi.DecisionLater
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if decision != editorapi.DecisionLater || !withdrawn { // a withdrawn question has no answer
			q.after(decision)
		}
		if q.gone = errors.Is(err, editorapi.ErrEditorGone); err == nil {
			q.decision = decision
		}
		e.asking = nil
		d.askNext(e)
	})
}

// putOff notes that def, and the other undecided servers of its file as they are now, are not to
// be asked about again. d.mu is held.
func (e *editor) putOff(def config.Definition) {
	e.later[def.Asks] = true
	for _, other := range e.set.Servers {
		if other.Source.URI == def.Source.URI && e.undecided(other) {
			e.later[other.Asks] = true
		}
	}
}
