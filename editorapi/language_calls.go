package editorapi

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// callLanguage is the language of call documents (docs/call-documents.md), and the catalog that they are checked against: the
// servers of the editor's workspace, without the tools that the configuration hides.
type callLanguage struct{ s *session }

// maxValuesWait is how long a completion waits for what a server proposes.
const maxValuesWait = time.Second

func (l callLanguage) complete(ctx context.Context, d *document, at int) ([]textdoc.Completion, bool) {
	ctx, cancel := context.WithTimeout(ctx, maxValuesWait)
	defer cancel()
	// What a server proposes depends on what was typed.
	return calldoc.Parse(d.text.String()).Complete(ctx, at, l), false
}

func (l callLanguage) hover(d *document, at int) (textdoc.Hover, bool) {
	return calldoc.Parse(d.text.String()).Hover(at, l)
}

func (l callLanguage) symbols(d *document) []textdoc.Symbol {
	return calldoc.Parse(d.text.String()).Symbols()
}

func (l callLanguage) check(d *document) []textdoc.Problem {
	doc := calldoc.Parse(d.text.String())
	return append(doc.Check(l), l.asked(d, doc.Calls())...)
}

// lenses returns what can be done with each call.
func (l callLanguage) lenses(d *document) []lens {
	var lenses []lens
	servers := l.s.serverNames()
	for i, call := range calldoc.Parse(d.text.String()).Calls() {
		for _, command := range l.commands(d, call, i, servers) {
			lenses = append(lenses, lens{call.TargetSpan, command})
		}
	}
	return lenses
}

// actions returns what can be done with the call that a part of the document begins in.
func (l callLanguage) actions(d *document, part textdoc.Span) []action {
	doc := calldoc.Parse(d.text.String())
	here := doc.At(part.Start)
	i := slices.Index(doc.Calls(), here)
	if i < 0 {
		return nil
	}
	var actions []action
	for _, command := range l.commands(d, here, i, l.s.serverNames()) {
		what, effect, more := strings.Cut(command.title, ", ")
		command.title = "MCP: " + what + " " + here.Target
		if more {
			command.title += ", " + effect
		}
		actions = append(actions, action{command, kindRun})
	}
	return actions
}

// commands returns what can be done with the call of that index; servers are all names of servers. What the command runs is
// in its arguments: it fails if there is another call at that place when it comes.
func (l callLanguage) commands(d *document, call *calldoc.Call, index int, servers []string) []lspCommand {
	this := runParams{TextDocument: documentID{URI: d.uri, Version: d.version}, Call: &index, Target: call.Target}
	switch {
	case call.Kind == "":
		return nil
	case call.Kind == calldoc.Answer:
		if _, open := l.s.questionIn(d, call); !open {
			return nil
		}
		return l.answers(this)
	case l.s.runIn(d, call.Span) != nil:
		cancel := lspCommand{"Cancel", commandCancel, this}
		if l.s.questionAt(l.s.runIn(d, call.Span)) == "" {
			return []lspCommand{cancel}
		}
		return []lspCommand{{"Answer", commandAnswer, this}, cancel}
	case l.s.isLookedAt(d.lookAt(call)):
		return []lspCommand{{"Run, " + sayAgain, commandRun, this}}
	}
	if c := l.s.commandOfCall(call, servers); call.Kind == calldoc.Tool && (c == nil || !c.readOnly()) {
		return []lspCommand{{"Run, may change things", commandRun, this}}
	}
	return []lspCommand{{"Run", commandRun, this}}
}

// answers returns what can be done with an answer.
func (l callLanguage) answers(this runParams) []lspCommand {
	var commands []lspCommand
	for _, choice := range []struct{ title, action string }{{"Send", "accept"}, {"Decline", "decline"}} {
		this.Action = choice.action
		commands = append(commands, lspCommand{choice.title, commandAnswer, this})
	}
	return commands
}

// commandOfCall returns the tool or prompt of a call, nil when none of the servers offers it now.
func (s *session) commandOfCall(call *calldoc.Call, servers []string) *command {
	server, name := call.Resolve(servers)
	return s.offered(commandKey{call.Kind, server, name})
}

// serverNames returns the names of all servers. It waits until the editor has been told of them: who needs them for
// many calls asks once.
func (s *session) serverNames() []string {
	var names []string
	for _, server := range s.attachment.Servers() {
		names = append(names, server.Name)
	}
	return names
}

// Servers implements [calldoc.Catalog].
func (l callLanguage) Servers() []calldoc.Server {
	var list []calldoc.Server
	for _, server := range l.s.attachment.Servers() {
		list = append(list, calldoc.Server{Name: server.Name, State: string(server.State), Ready: server.State == ServerReady})
	}
	return list
}

// offer returns what a server offers now.
func (l callLanguage) offer(server string) *Offer {
	for _, o := range l.s.attachment.Offers(server) {
		return o
	}
	return &Offer{}
}

// Offered implements [calldoc.Catalog].
func (l callLanguage) Offered(k calldoc.Kind, server string) []json.RawMessage {
	switch o := l.offer(server); k {
	case calldoc.Tool:
		return definitions(o.tools)
	case calldoc.Prompt:
		return definitions(o.prompts)
	}
	return nil
}

// Resources implements [calldoc.Catalog].
func (l callLanguage) Resources(server string) []json.RawMessage { return l.offer(server).resources }

// ResourceTemplates implements [calldoc.Catalog].
func (l callLanguage) ResourceTemplates(server string) []json.RawMessage {
	return l.offer(server).resourceTemplates
}

func definitions(commands []*command) (list []json.RawMessage) {
	for _, c := range commands {
		list = append(list, c.definition)
	}
	return list
}

// Bound implements [calldoc.Catalog]. Which file and lines there are counts, and not what is in them: no disk is asked.
func (l callLanguage) Bound(call *calldoc.Call, server, tool string) []string {
	where := &Context{}
	if folders := l.s.callWorkspace().Folders; call.File != "" && len(folders) > 0 {
		where.TextDocument = &TextDocument{fileuri.FromPath(filepath.Join(folders[0], filepath.FromSlash(call.File)))}
		if call.FirstLine > 0 {
			at, lines := Position{Line: call.FirstLine - 1}, "some"
			where.Range, where.SelectedText = &Range{at, at}, &lines
		}
	}
	return slices.Collect(maps.Keys(l.s.attachment.Bound(server, tool, where)))
}

// Values implements [calldoc.Catalog] with completion/complete (MCP 2025-11-25, Server, Utilities, Completion).
func (l callLanguage) Values(ctx context.Context, server string, ref json.RawMessage, argument, value string, others map[string]string) []string {
	params := map[string]any{"ref": ref, "argument": map[string]string{"name": argument, "value": value}}
	if len(others) > 0 {
		params["context"] = map[string]any{"arguments": others}
	}
	result, err := l.s.attachment.Call(ctx, Call{Server: server, Method: "completion/complete", Params: encodeOwn(params), Timeout: maxValuesWait})
	if err != nil {
		return nil // it declares none, or is too slow: nothing is proposed
	}
	var values []string
	for raw := range rawjson.Elements(rawjson.Path(result, "completion", "values")) {
		if text, ok := rawjson.Text(raw); ok {
			values = append(values, text)
		}
	}
	return values
}
