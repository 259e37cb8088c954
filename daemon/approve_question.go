package daemon

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient/stdio"
)

// approvalParams is the question whether def may run. Nothing in it is the value of a
// variable: it says what the file says.
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
			program = "" // of then
		}
		was := shownOf(before, program)
		params.Reason, params.Previous = editorapi.ApprovalChanged, &was
	}
	params.Text = editorapi.TextOf(*params)
	return params
}

// shownOf is what is shown of a definition, whose command leads to program.
func shownOf(s config.Shown, program string) editorapi.ApprovalDefinition {
	d := definitionOf(s)
	d.Program = program
	var warnings []string
	if _, inside := within(s.Folder, program); inside {
		warnings = append(warnings, "The program lies in the folder: what it does can change without a question.")
	}
	if s.URL != "" {
		warnings = append(warnings, remoteWarnings(s)...)
	}
	d.Warnings = append(warnings, d.Warnings...)
	return d
}

// program returns the file that the command of def leads to now: looked up in the PATH that the
// server gets, without what its envFile says. It is shown and not decided on, since it differs
// between editors. "" is not known: it depends on other variables, or there is none.
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
	vars := e.d.vars(e.env, []string{def.Enters}, def.Source)
	e.d.mu.Unlock()
	path := e.env["PATH"]
	if own, ok := def.Env["PATH"]; ok {
		path, _ = config.ExpandBind(own, vars, nil)
	}
	return e.lookUp(command, dir, path)
}

// lookUp finds a command in a PATH; "" when there is none, or a disk on the way does not answer. A file
// of a folder decides where it looks: what hangs there costs one goroutine for each editor, and
// no more of the editor's time.
func (e *editor) lookUp(command, dir, path string) string {
	select {
	case e.looking <- struct{}{}:
	default:
		return "" // an earlier one has not come back
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

// remoteWarnings says where a definition connects to, if a person may take it for another place, and what
// of the environment is sent there.
func remoteWarnings(s config.Shown) []string {
	var warnings []string
	where := "a host that a variable decides"
	if u, ok := (config.Definition{URL: s.URL}).Endpoint(); ok {
		host, notes, err := examineHost(u)
		if err != nil {
			host, notes = u.Hostname(), []string{"its name is not valid"}
		}
		where = host
		for _, note := range notes {
			warnings = append(warnings, "Connects to "+host+": "+note+".")
		}
	} else {
		warnings = append(warnings, "A variable decides which host it connects to.")
	}
	if len(s.Takes) > 0 {
		names := make([]string, len(s.Takes))
		for i, name := range s.Takes {
			names[i] = strconv.Quote(name)
		}
		warnings = append(warnings, "What your environment has in "+strings.Join(names, ", ")+" is sent to "+where+".")
	}
	return warnings
}

// definitionOf is a definition as the editor protocol has it.
func definitionOf(s config.Shown) editorapi.ApprovalDefinition {
	d := editorapi.ApprovalDefinition{
		Source: s.Source, Folder: s.Folder, Transport: s.Transport,
		Command: s.Command, Args: s.Args, Env: s.Env, Environment: s.Environment, EnvFile: s.EnvFile, Cwd: s.Cwd,
		URL: s.URL, Headers: s.Headers, HeaderValues: s.HeaderValues,
		Scope: s.Scope, Protocol: s.Protocol, Roots: s.Roots, Sampling: s.Sampling,
		Takes: s.Takes, Warnings: s.Warnings,
		SamplingLimit: s.SamplingLimit, ElicitationLimit: s.ElicitationLimit, Bind: maps.Clone(s.Bind), TooLarge: s.TooLarge,
	}
	if s.OAuth != nil {
		oauth := editorapi.ApprovalOAuth(*s.OAuth)
		d.OAuth = &oauth
	}
	for _, input := range s.Inputs {
		d.Inputs = append(d.Inputs, editorapi.ApprovalInput(input))
	}
	return d
}
