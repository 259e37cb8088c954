package editorapi

import (
	"fmt"
	"strconv"

	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// kindServer is the kind of actions that change the life of a server.
const kindServer protocol.CodeActionKind = "source.mcp.server"

// The codes of our problems in a configuration file.
const (
	codeNeedsApproval = "needsApproval"
	codeDenied        = "denied"
	codeNeedsSignIn   = "needsSignIn"
	codeFailed        = "failed"
	codeShadowed      = "shadowed"
)

// configLanguage is the language of a configuration file, for one text of it.
type configLanguage struct {
	s    *session
	file ConfigFile
}

// symbols returns the servers.
func (l configLanguage) symbols(*document) []textdoc.Symbol {
	var list []textdoc.Symbol
	for _, c := range l.file.Servers {
		symbol := textdoc.Symbol{Span: c.Entry, Name: c.Name, Kind: textdoc.SymbolModule, Select: c.Key}
		if c.Server != nil {
			symbol.Detail = l.stateOf(c.Server)
		}
		list = append(list, symbol)
	}
	return list
}

// check returns what is wrong in the text, and with the servers that it defines.
func (l configLanguage) check(*document) []textdoc.Problem {
	problems := l.file.Problems
	for _, c := range l.file.Servers {
		problems = append(problems[:len(problems):len(problems)], c.problems()...)
	}
	return problems
}

// problems returns what is wrong with a server, at its name.
func (c ConfigServer) problems() []textdoc.Problem {
	var list []textdoc.Problem
	add := func(severity textdoc.Severity, code, format string, args ...any) {
		list = append(list, textdoc.Problem{Span: c.Key, Severity: severity, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if c.Server == nil {
		switch path, err := fileuri.ToPath(c.Instead); {
		case c.Instead == SourceEditor:
			add(textdoc.Info, codeShadowed, "%q has no effect here: the editor passes a server of that name, which counts", c.Name)
		case err == nil:
			add(textdoc.Info, codeShadowed, "%q has no effect here: the one in %s counts", c.Name, path)
		}
		return list
	}
	why := c.Server.Error
	switch {
	case c.Server.State == ServerNeedsApproval && c.Approval != nil && why != nil:
		add(textdoc.Info, codeDenied, "%q was denied and does not run; to allow it, take a code action here", c.Name)
	case c.Server.State == ServerNeedsApproval && c.Approval != nil && c.Saved:
		add(textdoc.Warning, codeNeedsApproval, "%q has not been allowed to run; look at it, then allow or deny it with a code action", c.Name)
	case c.Server.State == ServerNeedsApproval && c.Approval != nil:
		add(textdoc.Warning, codeNeedsApproval, "%q has not been allowed to run; save the file, then look at it and allow or deny it", c.Name)
	case why == nil:
	case c.Server.State == ServerNeedsApproval:
		add(textdoc.Info, codeDenied, "%q does not run: %s", c.Name, why.Message)
	case c.Server.State == ServerNeedsSignIn:
		add(textdoc.Warning, codeNeedsSignIn, "%q waits: %s", c.Name, why.Message)
	default:
		add(textdoc.Warning, codeFailed, "%q has failed: %s", c.Name, why.Message)
	}
	for _, problem := range c.Server.Problems {
		add(textdoc.Info, "", "%q runs, but: %s", c.Name, problem)
	}
	return list
}

// maxLenses is how many commands stand at a server: VS Code has lenses of its own in that line. The others are code actions.
const maxLenses = 2

// lenses returns the state of each server, and what can be done about it.
func (l configLanguage) lenses(*document) []lens {
	var list []lens
	for _, c := range l.file.Servers {
		if c.Server == nil {
			continue
		}
		list = append(list, lens{c.Key, lspCommand{title: l.stateOf(c.Server)}})
		commands := c.commands()
		for _, command := range commands[:min(maxLenses, len(commands))] {
			list = append(list, lens{c.Key, command})
		}
	}
	return list
}

// sayState says in what state a server is, for most states.
var sayState = map[ServerState]string{
	ServerNeedsApproval: "Needs approval",
	ServerNeedsSignIn:   "Needs you to sign in",
	ServerStarting:      "Starting",
	ServerRestarting:    "Restarting",
	ServerStopped:       "Stopped",
	ServerFailed:        "Failed",
	ServerDisabled:      "Disabled",
}

// stateOf says in what state a server is.
func (l configLanguage) stateOf(server *Server) string {
	switch {
	case server.State == ServerReady:
		tools := len(callLanguage{l.s}.offer(server.Name).tools)
		if tools == 1 {
			return "Ready, 1 tool"
		}
		return "Ready, " + strconv.Itoa(tools) + " tools"
	case server.State == ServerNeedsApproval && server.Error != nil:
		return "Denied"
	case server.RunBy != "":
		return "Run by " + server.RunBy
	}
	return sayState[server.State]
}

// commands returns what can be done with a server in its state.
func (c ConfigServer) commands() []lspCommand {
	var list []lspCommand
	add := func(title, command string) {
		list = append(list, lspCommand{title, command, ServerParams{c.Name}})
	}
	switch c.Server.State {
	case ServerNeedsApproval:
		if c.Approval != nil {
			add("Review…", commandShowApproval)
		}
		return list
	case ServerDisabled:
		if c.Server.RunBy != "" {
			return nil
		}
		add("Enable", commandEnableServer)
	case ServerStopped, ServerFailed:
		add("Start", commandStartServer)
	case ServerNeedsSignIn:
		add("Sign In…", commandSignIn)
	case ServerReady:
		add("Restart", commandRestartServer)
		add("Stop", commandStopServer)
	default:
		add("Stop", commandStopServer)
	}
	log := serverLogCommand{ServerLogParams{Server: c.Name}, true}
	list = append(list, lspCommand{"Show Log", commandShowServerLog, log})
	if c.Server.SignedIn != nil {
		add("Sign Out", commandSignOut)
	}
	if c.Server.State != ServerDisabled {
		add("Disable", commandDisableServer)
	}
	add("Remove", commandRemoveServer)
	return list
}

// actions returns what can be done with the servers in the lines of a part of the document: first the decision that one
// waits for.
func (l configLanguage) actions(d *document, part textdoc.Span) []action {
	var decisions, others []action
	for _, c := range l.file.Servers {
		lines, _ := ownLines(d.text.String(), c.Entry) // the cursor may be before the name
		if c.Server == nil || part.End < lines.Start || part.Start > lines.End {
			continue
		}
		if c.Approval != nil {
			decisions = append(decisions, l.decisions(d, c, part)...)
			continue // its other commands are among these
		}
		for _, command := range c.commands() {
			command.title = c.Name + ": " + command.title
			others = append(others, action{command, kindServer})
		}
	}
	if l.file.Own && l.s.plain() {
		others = append(others,
			action{lspCommand{"MCP: Add Server…", commandAddServer, ProposeServersParams{}}, kindServer},
			action{lspCommand{"MCP: Import Servers…", commandImportServers, ProposeServersParams{}}, kindServer})
	}
	return append(decisions, others...)
}

// decisions returns the actions that decide on a server. The first one only shows something: in some
// editors a bare Enter takes it. Allow is among them only if all that it is about can be seen where it is.
func (l configLanguage) decisions(d *document, c ConfigServer, part textdoc.Span) []action {
	add := func(list []action, title, command string, argument any) []action {
		return append(list, action{lspCommand{title, command, argument}, protocol.CodeActionKindQuickFix})
	}
	decision := decisionParams{c.Name, c.Approval.Digest}
	if !l.inView(d, c, part) {
		return add(nil, fmt.Sprintf("Review %q…", c.Name), commandShowApproval, ServerParams{c.Name})
	}
	show := "Show All of It"
	if c.Approval.Reason == ApprovalChanged {
		show = "Show What Changed"
	}
	list := add(nil, show, commandShowApproval, ServerParams{c.Name})
	if c.Server.Error == nil { // else it is denied already
		list = add(list, fmt.Sprintf("Deny %q", c.Name), commandDenyServer, decision)
	}
	return add(list, fmt.Sprintf("Allow %q to Run", c.Name), commandAllowServer, decision)
}
