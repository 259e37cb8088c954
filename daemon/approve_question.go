package daemon

import (
	"maps"
	"strconv"
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
	vars := e.d.vars(e.env, []string{def.Enters}, def.Source)
	e.d.mu.Unlock()
	path := e.env["PATH"]
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

// remoteWarnings warns about the host that a definition connects to, if you may take it for
// another, and names the variables of your environment that are sent there.
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
		warnings = append(warnings, "Sends "+strings.Join(names, ", ")+" from your environment to "+where+".")
	}
	return warnings
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
	if s.OAuth != nil {
		oauth := editorapi.ApprovalOAuth(*s.OAuth)
		d.OAuth = &oauth
	}
	for _, input := range s.Inputs {
		d.Inputs = append(d.Inputs, editorapi.ApprovalInput(input))
	}
	return d
}
