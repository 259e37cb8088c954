package daemon

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// approvalQuestion is a question whether a server may run, while an editor has it
// before its person.
type approvalQuestion struct {
	cancel context.CancelFunc // withdraws it
	done   chan struct{}      // closed when it is over
}

// allowed tells whether def may run: it is trusted, or a person said so of this
// very digest. d.mu is held.
func (e *editor) allowed(def config.Definition) bool {
	return def.Source.Trusted || e.decided[def.Digest] == config.Allow
}

// undecided tells whether def waits for a person's word. d.mu is held.
func (e *editor) undecided(def config.Definition) bool {
	return def.Enabled && !def.Source.Trusted && e.decided[def.Digest] == ""
}

// readDecisions looks up what persons have said of the servers of set, and makes
// the questions about those that may not run by it. Both are by digest.
func (e *editor) readDecisions(set *config.Set) (decided map[string]config.Decision, questions map[string]*editorapi.ApproveParams) {
	decided, questions = map[string]config.Decision{}, map[string]*editorapi.ApproveParams{}
	e.d.mu.Lock()
	folders := e.folders
	e.d.mu.Unlock()
	for _, def := range set.Servers {
		if decision, known := e.d.approvals.Lookup(def.Digest); known {
			decided[def.Digest] = decision
		}
		if !def.Source.Trusted && decided[def.Digest] != config.Allow {
			questions[def.Digest] = e.d.approvalParams(def, folders)
		}
	}
	return decided, questions
}

// approvalParams is the question whether def may run in the first of folders.
func (d *Daemon) approvalParams(def config.Definition, folders []string) *editorapi.ApproveParams {
	show := func(shown config.Shown) editorapi.ApprovalDefinition {
		if shown.Cwd == "" && def.Transport == config.Stdio && len(folders) > 0 {
			shown.Cwd = folders[0] // see [config.Definition.Expand]
		}
		return editorapi.ApprovalDefinition(shown)
	}
	params := &editorapi.ApproveParams{Kind: "server", Server: def.Name, Digest: def.Digest, Definition: show(def.Shown()), Reason: "new"}
	if previous, ok := d.approvals.Previous(def.Source.URI, def.Name); ok && previous.Digest != def.Digest {
		was := show(previous.Definition)
		params.Reason, params.Previous = "changed", &was
	}
	return params
}

// askApprovals asks e about every server that waits for a decision, unless it is
// being asked or said "later", and withdraws questions about what is no longer there.
func (d *Daemon) askApprovals(e *editor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	waiting := map[string]bool{}
	for _, def := range e.set.Servers {
		if !e.undecided(def) {
			continue
		}
		waiting[def.Digest] = true
		if e.autoStart && !e.later[def.Digest] {
			d.askApproval(e, def)
		}
	}
	for digest, q := range e.asking {
		if !waiting[digest] {
			q.cancel()
		}
	}
}

// askApproval asks e about one server, in the background, and carries out what
// the person says. Asking twice is asking once. d.mu is held.
func (d *Daemon) askApproval(e *editor, def config.Definition) *approvalQuestion {
	if q := e.asking[def.Digest]; q != nil {
		return q
	}
	ctx, cancel := context.WithCancel(e.ctx)
	q := &approvalQuestion{cancel: cancel, done: make(chan struct{})}
	e.asking[def.Digest] = q
	params := *e.questions[def.Digest]
	d.running.Go(func() {
		defer close(q.done)
		defer cancel()
		decision, err := e.api.Approve(ctx, params)
		d.mu.Lock()
		delete(e.asking, def.Digest)
		if err != nil || decision == editorapi.DecisionLater {
			e.later[def.Digest] = ctx.Err() == nil // a question that was withdrawn was not answered
		}
		d.mu.Unlock()
		if err != nil {
			if ctx.Err() == nil {
				e.log.Info("asking for approval", zap.String("server", def.Name), zap.Error(err))
			}
			return
		}
		if decision != editorapi.DecisionLater {
			if err := d.decide(e, def, decision); err != nil {
				e.log.Error("keeping a decision", zap.String("server", def.Name), zap.Error(err))
			}
		}
	})
	return q
}

// decide keeps what the person at e said of def and makes it true everywhere.
// Questions about it that other editors have before them are withdrawn.
func (d *Daemon) decide(e *editor, def config.Definition, decision editorapi.Decision) error {
	if err := d.approvals.Decide(def, config.Decision(decision)); err != nil {
		return err
	}
	d.log.Info("a server was decided on", zap.String("server", def.Name), zap.String("decision", string(decision)), zap.String("digest", def.Digest))
	d.audit.approval(e, def.Name, def.Digest, string(decision))
	d.reconcileAll()
	return nil
}

// ApproveServer implements [editorapi.Attachment].
func (e *editor) ApproveServer(_ context.Context, server, digest string, decision editorapi.Decision) (editorapi.Server, error) {
	e.d.mu.Lock()
	def, _, err := e.definition(server)
	e.d.mu.Unlock()
	switch {
	case err != nil:
		return editorapi.Server{}, err
	case decision != editorapi.DecisionAllow && decision != editorapi.DecisionDeny:
		return editorapi.Server{}, invalid(server, "decision", "the decision is allow or deny")
	case digest != def.Digest:
		return editorapi.Server{}, invalid(server, "digest", "the definition of "+server+" is not the one that this digest was made of; look at it again with editord/servers")
	case def.Source.Trusted:
		return editorapi.Server{}, invalid(server, "server", server+" comes from the user's own configuration and needs no approval; set enabled there")
	}
	if err := e.d.decide(e, def, decision); err != nil {
		return editorapi.Server{}, err
	}
	return e.viewOf(server)
}

// Approvals implements [editorapi.Attachment].
func (e *editor) Approvals() ([]editorapi.Approval, error) {
	list := []editorapi.Approval{}
	for _, r := range e.d.approvals.List() {
		list = append(list, editorapi.Approval{
			Server: r.Server, Source: r.Definition.Source, Digest: r.Digest,
			Decision: editorapi.Decision(r.Decision), At: r.At.UTC().Format(time.RFC3339),
		})
	}
	return list, nil
}

// RevokeApproval implements [editorapi.Attachment]. What runs by it is stopped.
func (e *editor) RevokeApproval(digest string) error {
	var server string
	for _, r := range e.d.approvals.List() {
		if r.Digest == digest {
			server = r.Server
		}
	}
	if err := e.d.approvals.Revoke(digest); err != nil {
		if errors.Is(err, config.ErrNotFound) {
			return invalid("", "digest", "no decision is kept for this digest; editord/approvals lists them")
		}
		return err
	}
	e.d.audit.approval(e, server, digest, "revoke")
	e.d.reconcileAll()
	return nil
}

func invalid(server, member, message string) error {
	return &editorapi.Error{Kind: editorapi.KindInvalidParams, Server: server, Detail: member, Message: message}
}
