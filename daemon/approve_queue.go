package daemon

import (
	"context"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// An editor shows one question at a time whether a server may run. A question that somebody waits
// for (editord/startServer) comes first; one that nobody waits for gives way to it and is asked
// again afterwards. If you put one off, you put off all servers of that file.

// approvalQuestion is a question whether a server may run. d.mu guards it.
type approvalQuestion struct {
	def     config.Definition
	waiters int                // requests that wait for the answer
	cancel  context.CancelFunc // withdraws it; nil until it is asked
	done    chan struct{}      // closed when it is over
}

// askApprovals asks e about the servers that wait for a decision, except those that were put off.
// It withdraws the open question if its server no longer waits.
func (d *Daemon) askApprovals(e *editor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q := e.asking; q != nil && !e.waits(q.def) {
		q.cancel()
	}
	d.askNext(e)
}

// waits reports whether a server with this very definition waits for a decision. d.mu is held.
func (e *editor) waits(def config.Definition) bool {
	return slices.ContainsFunc(e.set.Servers, func(now config.Definition) bool { return now.Asks == def.Asks && e.undecided(now) })
}

// askNext asks e the next question, unless one is open. d.mu is held.
func (d *Daemon) askNext(e *editor) {
	e.wanted = slices.DeleteFunc(e.wanted, func(q *approvalQuestion) bool {
		over := q.waiters == 0 || !e.waits(q.def) || e.closed || d.closing
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
			d.ask(e, &approvalQuestion{def: def, done: make(chan struct{})})
			return
		}
	}
}

// askNow asks e about one server before all those that nobody waits for, even if it was put off.
// The caller calls unwait when it no longer needs the answer. A second call for the same server
// joins the question of the first. d.mu is held.
func (d *Daemon) askNow(e *editor, def config.Definition) *approvalQuestion {
	same := func(q *approvalQuestion) bool { return q.def.Asks == def.Asks }
	if e.asking != nil && same(e.asking) {
		e.asking.waiters++
		return e.asking
	}
	if i := slices.IndexFunc(e.wanted, same); i >= 0 {
		e.wanted[i].waiters++
		return e.wanted[i]
	}
	q := &approvalQuestion{def: def, waiters: 1, done: make(chan struct{})}
	e.wanted = append(e.wanted, q)
	e.log.Debug("a question waits for its turn", zap.String("server", def.Name))
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
	q.cancel = cancel
	e.asking = q
	params := *e.questions[q.def.Asks]
	d.running.Go(func() {
		defer close(q.done)
		defer cancel()
		decision, err := e.api.Approve(ctx, params)
		withdrawn := ctx.Err() != nil
		decided := false
		switch {
		case err == nil && decision != editorapi.DecisionLater:
			if decided = d.decide(e, q.def, decision) == nil; decided {
				e.reconciled(e.ctx)
			}
		case err != nil && !withdrawn:
			e.log.Info("asking for approval", zap.String("server", q.def.Name), zap.Error(err))
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		switch {
		case decided: // whether it was reconciled or not
			e.decided[q.def.Asks] = config.Decision(decision)
		case !withdrawn: // a withdrawn question has no answer
			e.putOff(q.def)
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
