package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// allowed reports whether def may run: it needs no decision, or somebody allowed this very
// digest. d.mu is held.
func (e *editor) allowed(def config.Definition) bool {
	if answer := e.answered(def); answer != nil {
		return *answer
	}
	return e.decided[def.Asks] == config.Allow
}

// undecided reports whether def waits for a decision. d.mu is held.
func (e *editor) undecided(def config.Definition) bool {
	return def.Enabled && def.RunBy == "" && e.answered(def) == nil && e.decided[def.Asks] == ""
}

// answered returns whether def may run when nobody is asked here: either the definition needs no
// decision, or the editor has asked whether you trust the folder that def would enter. nil means
// no answer.
func (e *editor) answered(def config.Definition) *bool {
	yes := true
	switch {
	case def.Asks == "":
		return &yes
	case def.Enters != "":
		return e.trusted
	}
	return nil
}

// decisions looks up the decisions on the servers of set, and makes the questions about those
// that they do not allow. Both maps are by digest.
func (e *editor) decisions(set *config.Set, records config.Records) (decided map[string]config.Decision, questions map[string]*editorapi.ApproveParams) {
	decided, questions = map[string]config.Decision{}, map[string]*editorapi.ApproveParams{}
	for _, def := range set.Servers {
		if e.answered(def) != nil || def.RunBy != "" {
			continue
		}
		if record, known := records.Lookup(def.Asks); known {
			decided[def.Asks] = record.Decision
		}
		if decided[def.Asks] != config.Allow {
			questions[def.Asks] = e.approvalParams(def, records)
		}
	}
	return decided, questions
}

// decide records the decision on def made at e and makes it true everywhere. It withdraws
// questions about def that other editors show.
func (d *Daemon) decide(e *editor, def config.Definition, decision editorapi.Decision) error {
	if err := d.approvals.Decide(def, config.Decision(decision)); err != nil {
		e.log.Error("recording a decision", zap.String("server", def.Name), zap.Error(err))
		return err
	}
	d.log.Info("a server was decided on", zap.String("server", def.Name), zap.String("decision", string(decision)), zap.String("digest", def.Asks))
	d.audit.decision(e, AuditApproval, def.Name, def.Asks, decision)
	d.reconcileAll()
	return nil
}

// ApproveServer implements [editorapi.Attachment].
func (e *editor) ApproveServer(ctx context.Context, server, digest string, decision editorapi.Decision) (editorapi.Server, error) {
	if err := e.needsPerson(server, "approve anything"); err != nil {
		return editorapi.Server{}, err
	}
	e.d.mu.Lock()
	def, c, err := e.definition(server)
	var tools []config.PinnedTool
	if c != nil && c.held.digest() == digest {
		tools = c.held.shown
	}
	e.d.mu.Unlock()
	switch {
	case err != nil:
		return editorapi.Server{}, err
	case decision != editorapi.DecisionAllow && decision != editorapi.DecisionDeny:
		return editorapi.Server{}, invalid(server, "decision", "the decision must be \"allow\" or \"deny\"; send one of them")
	case tools != nil:
		if err := e.d.decideTools(e, c, digest, tools, decision); err != nil {
			return editorapi.Server{}, err
		}
		return e.answer(ctx, server)
	case def.Asks == "":
		return editorapi.Server{}, invalid(server, "server", "server %q comes from the user's own configuration and needs no approval; set enabled there", server)
	case digest != def.Asks:
		return editorapi.Server{}, invalid(server, "digest", "the digest does not match the definition of server %q; look at it again with editord/servers", server)
	}
	if err := e.d.decide(e, def, decision); err != nil {
		return editorapi.Server{}, err
	}
	e.reconciled(ctx)
	return e.answer(ctx, server)
}

// Approvals implements [editorapi.Attachment].
func (e *editor) Approvals() ([]editorapi.Approval, error) {
	list := []editorapi.Approval{}
	for _, r := range e.d.approvals.Records().All() {
		list = append(list, editorapi.Approval{
			Server: r.Server, Source: r.Definition.Source, Digest: r.Digest,
			Decision: editorapi.Decision(r.Decision), At: r.At.UTC().Format(time.RFC3339),
		})
	}
	return list, nil
}

// RevokeApproval implements [editorapi.Attachment]. It stops the servers that the decision allowed.
func (e *editor) RevokeApproval(digest string) error {
	if err := e.needsPerson("", "revoke an approval"); err != nil {
		return err
	}
	record, _ := e.d.approvals.Records().Lookup(digest)
	if err := e.d.approvals.Revoke(digest); err != nil {
		if errors.Is(err, config.ErrNotFound) {
			return invalid("", "digest", "there is no decision on this digest; editord/approvals lists them")
		}
		return err
	}
	e.d.audit.decision(e, AuditApproval, record.Server, digest, "revoke")
	e.d.reconcileAll()
	e.reconciled(e.ctx)
	return nil
}

// invalid is the error for a member of an editor's params.
func invalid(server, member, format string, args ...any) error {
	return &editorapi.Error{Kind: editorapi.KindInvalidParams, Server: server, Detail: member, Message: fmt.Sprintf(format, args...)}
}
