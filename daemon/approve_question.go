package daemon

import (
	"encoding/json"
	"strings"

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
	found := ""
	if !endsIn(patience, func() {
		found, _ = stdio.LookPath(command, dir, []string{"PATH=" + path})
		<-e.looking
	}) {
		return ""
	}
	return found
}

// definitionOf returns a definition in the form of the editor protocol, which has the same names. A test holds
// one against the other.
func definitionOf(s config.Shown) (d editorapi.ApprovalDefinition) {
	text, _ := json.Marshal(s) // texts, numbers, and lists and maps of them
	_ = json.Unmarshal(text, &d)
	return d
}
