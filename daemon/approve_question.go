package daemon

import (
	"maps"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/editorapi/approvaltext"
	"github.com/mcp-editord/mcp-editord/mcpclient/stdio"
)

// approvalParams returns the question whether def may run. It says what the file says, and never
// the value of a variable.
func (e *editor) approvalParams(def config.Definition, records config.Records) *editorapi.ApproveParams {
	now := def.Shown()
	program := e.program(def)
	kind := editorapi.ApproveServer
	if def.Enters != "" {
		kind = editorapi.ApproveFolder
	}
	params := &editorapi.ApproveParams{
		Kind: kind, Server: def.Name, Digest: def.Asks, Definition: shownOf(now, program), Reason: editorapi.ApprovalNew,
	}
	if previous, ok := records.Previous(def); ok && previous.Digest != def.Asks {
		before := previous.Definition
		if before.Command != now.Command || before.Cwd != now.Cwd || before.Environment["PATH"] != now.Environment["PATH"] {
			program = "" // nobody knows what it was then
		}
		was := shownOf(before, program)
		params.Reason, params.Previous = editorapi.ApprovalChanged, &was
	}
	params.Text = approvaltext.Of(*params)
	return params
}

// shownOf returns what a question shows of a definition whose command leads to program.
func shownOf(s config.Shown, program string) editorapi.ApprovalDefinition {
	d := definitionOf(s)
	d.Program = program
	var warnings []string
	if _, inside := within(s.Folder, program); inside {
		warnings = append(warnings, "The program is in the folder: what it does can change without a question.")
	}
	if s.URL != "" {
		warnings = append(warnings, remoteWarnings(s)...)
	}
	d.Warnings = append(warnings, d.Warnings...)
	return d
}

// program returns the file that the command of def leads to now. It looks in the PATH that the
// server gets, without what its envFile says. Questions show the program, but a decision does not
// cover it, since it differs between editors. "" means unknown: it depends on other variables, or
// there is none.
func (e *editor) program(def config.Definition) string {
	if def.Transport != config.Stdio {
		return ""
	}
	dir, command := def.Where()
	switch {
	case strings.Contains(command, "${"):
		return ""
	case strings.ContainsAny(command, `/\`):
		return command
	}
	e.d.mu.Lock()
	env, _ := e.d.environment(def, []*editor{e})
	vars := e.d.vars(env, []string{def.Enters}, def)
	e.d.mu.Unlock()
	path := env["PATH"]
	if own, ok := def.Env["PATH"]; ok {
		path, _ = config.ExpandBind(own, vars, nil)
	}
	return e.lookUp(command, dir, path)
}

// lookUp finds a command in a PATH. It returns "" when there is none, or when a disk on the way
// does not answer. A file of a folder decides where it looks. A disk that hangs there costs one
// goroutine for each editor, and makes the editor wait only once.
func (e *editor) lookUp(command, dir, path string) string {
	select {
	case e.looking <- struct{}{}:
	default:
		return "" // an earlier look-up has not come back
	}
	found := make(chan string, 1)
	go func() {
		program, err := stdio.LookPath(command, dir, []string{"PATH=" + path})
		<-e.looking
		if err != nil {
			program = ""
		}
		found <- program
	}()
	select {
	case program := <-found:
		return program
	case <-time.After(patience):
		return ""
	}
}

// definitionOf returns a definition in the form of the editor protocol.
func definitionOf(s config.Shown) editorapi.ApprovalDefinition {
	d := editorapi.ApprovalDefinition{
		Source: s.Source, Folder: s.Folder, Transport: s.Transport,
		Command: s.Command, Args: s.Args, Env: s.Env, Environment: s.Environment, EnvFile: s.EnvFile, Cwd: s.Cwd,
		URL: s.URL, Headers: s.Headers, HeaderValues: s.HeaderValues,
		Scope: s.Scope, Protocol: s.Protocol, Roots: s.Roots, Sampling: s.Sampling,
		Takes: s.Takes, Warnings: s.Warnings,
		SamplingLimit: s.SamplingLimit, ElicitationLimit: s.ElicitationLimit, Bind: maps.Clone(s.Bind), TooLarge: s.TooLarge,
	}
	if a := s.OAuth; a != nil {
		d.OAuth = &editorapi.ApprovalOAuth{
			ClientID: a.ClientID, ClientSecret: a.ClientSecret, ClientMetadataURL: a.ClientMetadataURL, Issuer: a.Issuer,
			Scopes: a.Scopes, RedirectPort: a.RedirectPort, Grant: a.Grant, PrivateKeyFile: a.PrivateKeyFile, KeyID: a.KeyID,
			Enterprise: (*editorapi.ApprovalEnterprise)(a.Enterprise),
		}
	}
	for pattern, rule := range s.Agents {
		if d.Agents == nil {
			d.Agents = map[string]string{}
		}
		d.Agents[pattern] = string(rule)
	}
	for _, input := range s.Inputs {
		d.Inputs = append(d.Inputs, editorapi.ApprovalInput(input))
	}
	return d
}
