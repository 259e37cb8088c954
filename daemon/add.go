package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// AddServer implements [editorapi.Attachment]. Until the file is written, the server is on trial: it is defined for e
// as if the file had it, so that what was asked, typed and started for it counts afterwards.
func (e *editor) AddServer(ctx context.Context, p editorapi.AddServerParams) (result editorapi.AddServerResult, err error) {
	e.Used()
	name := p.Server.Name
	if err := e.needsPerson(name, "add a server"); err != nil {
		return result, err
	}
	select {
	case e.adding <- struct{}{}:
		defer func() { <-e.adding }()
	case <-ctx.Done():
		return result, e.asEditorError(ctx, name, ctx.Err())
	}
	a, err := e.addition(p.Server)
	if err != nil {
		return result, err
	}
	if a.state == editorapi.ProposalDifferent && !p.Replace {
		return result, invalid(name, "name", "%s has another server %q; choose another name, or replace it", fileuri.Shown(a.source.URI), name)
	}
	if a.state != editorapi.ProposalSame {
		if err := a.askValues(ctx); err != nil {
			return result, err
		}
		a.keepSecrets()
		view, works, err := a.try(ctx, p)
		if err == nil && works {
			err = e.change(ctx, a.source.URI, a.edit)
		}
		e.onTrial(ctx, nil) // from now on counts what the file says
		if err != nil || !works {
			a.forget()
			return editorapi.AddServerResult{Server: view}, err
		}
	}
	if result.Server, err = e.answer(ctx, name); err != nil {
		return result, err
	}
	place, err := e.placeIn(a.source.URI, name)
	result.Place = &place
	return result, err
}

// An addition is a server that is being added to a file.
type addition struct {
	e      *editor
	server editorapi.ProposedServer
	source config.Source
	edit   config.Edit
	file   *config.File      // as it will be
	def    config.Definition // the server in it
	state  editorapi.ProposalState
	kept   []config.Input // those whose values were kept for it
}

// addition returns what adding a server means for its file as that is on the disk now.
func (e *editor) addition(server editorapi.ProposedServer) (*addition, error) {
	source, text, err := e.readConfig(server.File)
	if err != nil {
		return nil, err
	}
	a := &addition{e: e, server: server, source: source, state: editorapi.ProposalNew}
	before := config.ParseFile(text.Content, source)
	if before.Broken && len(text.Content) > 0 {
		return nil, changeFailed(fmt.Errorf("%s: %s; mend it first", before.Problems[0].Place(), before.Problems[0].Message))
	}
	if err := a.read(text.Content); err != nil {
		return nil, err
	}
	if i := indexOf(before, server.Name); i >= 0 {
		a.state = editorapi.ProposalDifferent
		if before.Servers[i].Digest == a.def.Digest && before.Servers[i].Enabled == a.def.Enabled {
			a.state = editorapi.ProposalSame
		}
	}
	return a, nil
}

// substitute puts a text in the place of an input.
func (a *addition) substitute(id, text string) {
	quoted := rawjson.Quote(text)
	a.server.Definition = bytes.ReplaceAll(a.server.Definition, []byte("${input:"+id+"}"), quoted[1:len(quoted)-1])
}

// read makes the edit, and looks at what comes of it in a text.
func (a *addition) read(text []byte) error {
	if !json.Valid(a.server.Definition) {
		return invalid(a.server.Name, "definition", "the definition of server %q is not JSON", a.server.Name)
	}
	var inputs []config.Input
	for _, in := range a.server.Inputs {
		inputs = append(inputs, config.Input{ID: in.ID, Description: in.Description, Default: in.Default, Password: in.Password, Options: in.Options})
	}
	spelling := "servers"
	if a.source.Folder != "" {
		spelling = "mcpServers"
	}
	a.edit = config.SetServer(a.server.Name, a.server.Definition, inputs, spelling)
	after, err := a.edit(text)
	if err != nil {
		return changeFailed(fmt.Errorf("%s cannot be changed: %w; mend it first", fileuri.Shown(a.source.URI), err))
	}
	a.file = config.ParseFile(after, a.source)
	i := indexOf(a.file, a.server.Name)
	if i < 0 {
		return invalid(a.server.Name, "definition", "server %q cannot be added: %s", a.server.Name, lastProblem(a.file))
	}
	a.def = a.file.Servers[i]
	return nil
}

func indexOf(file *config.File, server string) int {
	return slices.IndexFunc(file.Servers, func(def config.Definition) bool { return def.Name == server })
}

// lastProblem returns what is wrong with the last server of a file, which has just been added.
func lastProblem(file *config.File) string {
	for _, p := range slices.Backward(file.Problems) {
		if p.Severity == "error" {
			return p.Message
		}
	}
	return "it is not a definition"
}

// askValues asks for the values that are no secrets, and puts them into the definition. Where nobody can be asked,
// they stay inputs, and starting the server asks for them.
func (a *addition) askValues(ctx context.Context) error {
	if !canAnswer(a.e.caps, modeForm) {
		return nil
	}
	var left []editorapi.ProposedInput
	for _, in := range a.server.Inputs {
		value := ""
		if !in.Password {
			var err error
			value, err = a.e.askInput(ctx, editorapi.Question{Server: a.server.Name}, config.Input{
				ID: in.ID, Description: in.Description, Default: in.Default, Options: in.Options,
			})
			if err != nil {
				return &editorapi.Error{Kind: editorapi.KindCancelled, Server: a.server.Name, Message: fmt.Sprintf("server %q was not added: no value was given for %q", a.server.Name, in.ID)}
			}
		}
		if in.Password || strings.Contains(value, "${") { // which would be a variable
			left = append(left, in)
			continue
		}
		a.substitute(in.ID, value)
	}
	a.server.Inputs = left
	_, text, err := a.e.readConfig(a.source.URI)
	if err != nil {
		return err
	}
	return a.read(text.Content)
}

// keepSecrets keeps the secrets that came with the server as if they had been typed for it.
func (a *addition) keepSecrets() {
	for _, in := range a.file.Inputs {
		value, known := a.server.Secrets[in.ID]
		if !known || !slices.ContainsFunc(a.server.Inputs, func(own editorapi.ProposedInput) bool { return own.ID == in.ID }) {
			continue
		}
		a.e.d.keepPassword(a.e.ctx, a.def, in, value)
		a.e.d.mu.Lock()
		a.e.d.inputs[keyOf(a.def, in)] = value
		a.e.d.mu.Unlock()
		a.kept = append(a.kept, in)
	}
}

// try puts the server on trial and starts it. It returns what came of that, and whether the server can be added.
func (a *addition) try(ctx context.Context, p editorapi.AddServerParams) (view editorapi.Server, works bool, err error) {
	e, name := a.e, a.def.Name
	if a.source.Folder != "" { // whoever adds it has seen all of it
		if err := e.d.approvals.Decide(a.def, config.Allow); err != nil {
			return view, false, err
		}
		e.d.audit.decision(e, AuditApproval, name, a.def.Asks, editorapi.DecisionAllow)
	}
	if p.Trusted || !a.def.Enabled {
		return view, true, nil
	}
	started, ended := context.WithCancel(ctx)
	defer ended()
	e.onTrial(ctx, &trial{a.file, name, ended})
	e.d.mu.Lock()
	def, _, err := e.definition(name)
	e.d.mu.Unlock()
	if err == nil && def.Source.URI != a.source.URI {
		err = invalid(name, "name", "server %q would not count: %s defines it too; choose another name", name, fileuri.Shown(def.Source.URI))
	}
	if err != nil {
		return view, false, err
	}
	view, err = e.bringUp(name, false)(started)
	if started.Err() != nil && ctx.Err() == nil { // it has ended
		view, err = e.answer(ctx, name)
	}
	works = p.Force || view.State == editorapi.ServerReady || view.State == editorapi.ServerNeedsSignIn
	return view, works, err
}

// forget forgets what was kept for a server that is not added.
func (a *addition) forget() {
	if err := a.e.d.forgetPasswords(a.e.ctx, a.def, a.kept); err != nil {
		a.e.log.Warn("a password of a server that was not added may still be kept", zap.Error(err))
	}
	if a.source.Folder != "" {
		_ = a.e.d.approvals.Revoke(a.def.Asks) // fails when there is no such decision
	}
}

// A trial is a file that counts for an editor in the place of the same file on the disk.
type trial struct {
	file   *config.File
	server string // the one that the file is on trial for
	ended  func() // called when the server ends by itself, or cannot be reached: on trial it gets one chance
}

// onTrial begins a trial, and ends the one before; nil for none.
func (e *editor) onTrial(ctx context.Context, t *trial) {
	e.d.mu.Lock()
	changed := e.trial != t
	e.trial, e.stale = t, true
	e.d.mu.Unlock()
	if changed {
		e.reconciled(ctx)
	}
}
