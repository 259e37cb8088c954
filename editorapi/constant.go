package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// Commands whose ids do not depend on what servers offer, for editors that learn of commands once and for
// keys that people bind.
const (
	commandCall      = "mcp.call"
	commandPrompt    = "mcp.prompt"
	commandResource  = "mcp.resource"
	commandTools     = "mcp.tools"
	commandServers   = "mcp.servers"
	commandQuestions = "mcp.questions"
)

// maxListedCalls is how many calls a document with the tools of servers has.
const maxListedCalls = 500

// callParams is the argument of mcp.call, mcp.prompt and mcp.resource.
type callParams struct {
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool,omitempty"`   // of mcp.call
	Prompt    string          `json:"prompt,omitempty"` // of mcp.prompt
	URI       string          `json:"uri,omitempty"`    // of mcp.resource
	Arguments json.RawMessage `json:"arguments,omitzero"`
	Edit      bool            `json:"edit,omitzero"`     // opens a call document and calls nothing
	Context   *Context        `json:"context,omitempty"` // where the user is; the second argument of the command may say it too
}

// constantCommands are the commands of this file and of run.go.
func constantCommands() []string {
	return []string{
		commandCall, commandPrompt, commandResource, commandTools, commandServers, commandQuestions,
		commandRun, commandCancel, commandAnswer,
	}
}

// constantCommand serves a constant command but for mcp.run, which keeps the order of the wire. It answers at once,
// in any editor.
func (s *session) constantCommand(r *request, p executeParams) error {
	switch p.Command {
	case commandCancel:
		return s.cancelCall(r, p)
	case commandAnswer:
		return s.answerQuestion(r, p)
	case commandCall, commandPrompt, commandResource:
		return s.newOrCall(r, p)
	}
	var params ServerParams
	if err := p.read(&params); err != nil {
		return err
	}
	return s.afterwards(r, p.Command, func(ctx context.Context) error { return s.openList(ctx, p.Command, params.Server) })
}

// openList opens what a command lists.
func (s *session) openList(ctx context.Context, command, server string) error {
	switch command {
	case commandServers:
		s.openText(ctx, "servers.txt", serverList(s.attachment.Servers()), false)
	case commandQuestions:
		return s.openQuestions(ctx, nil)
	case commandTools:
		return s.listCalls(ctx, server)
	}
	return nil
}

// newOrCall opens a call document, or makes the call.
func (s *session) newOrCall(r *request, p executeParams) error {
	c, kind, err := s.constantCall(p)
	if err != nil {
		return err
	}
	if c.Edit {
		return s.afterwards(r, p.Command, func(ctx context.Context) error { return s.newCall(ctx, c, kind) })
	}
	call := Call{Server: c.Server, Cause: Cause{Command: p.Command, ID: r.rawID()}}
	if kind == calldoc.Resource {
		call.Method, call.Params = "resources/read", rawjson.Set(nil, "uri", rawjson.Quote(c.URI))
		return s.callInBackground(r, call, c.URI)
	}
	command := s.offered(c.key(kind))
	if command == nil {
		return s.notOffered(kind, c.Server, c.Tool+c.Prompt)
	}
	arguments := object(c.Arguments)
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	if err := s.callCommand(&call, command, arguments, c.Context); err != nil {
		return err
	}
	return s.callInBackground(r, call, command.name)
}

// key returns the key of the tool or prompt that c is about.
func (c callParams) key(kind calldoc.Kind) commandKey {
	return commandKey{kind, c.Server, map[calldoc.Kind]string{calldoc.Tool: c.Tool, calldoc.Prompt: c.Prompt}[kind]}
}

// constantCall returns the call that a command stands for.
func (s *session) constantCall(p executeParams) (c callParams, kind calldoc.Kind, err error) {
	if err := p.read(&c); err != nil {
		return c, "", err
	}
	if arguments := object(c.Arguments); arguments != nil && !rawjson.IsObject(arguments) {
		return c, "", invalidMember(join(argumentName(0), "arguments"), "is not an object; correct it or leave it out")
	}
	if where, err := p.context(); err != nil {
		return c, "", err
	} else if where != nil {
		c.Context = where
	}
	if c.Context == nil {
		c.Context = s.lastContext()
	}
	switch p.Command {
	case commandCall:
		kind, c.Edit = calldoc.Tool, c.Edit || c.Tool == ""
	case commandPrompt:
		kind, c.Edit = calldoc.Prompt, c.Edit || c.Prompt == ""
	case commandResource:
		kind, c.Edit = calldoc.Resource, c.Edit || c.URI == ""
	}
	return c, kind, nil
}

// newCall opens a call document for a call that is not written yet.
func (s *session) newCall(ctx context.Context, c callParams, kind calldoc.Kind) error {
	name := c.Tool + c.Prompt
	target := c.Server
	var definition json.RawMessage
	arguments := object(c.Arguments)
	if name != "" {
		target += "." + name
		command := s.offered(c.key(kind))
		if command == nil {
			return s.notOffered(kind, c.Server, name)
		}
		definition = command.definition
		if arguments == nil {
			arguments = json.RawMessage("{}")
		}
		arguments, _ = s.proposed(command, s.boundTo(command, arguments, c.Context), c.Context, func(p toolschema.Property) bool { return p.Required })
	} else if kind == calldoc.Resource && c.URI != "" {
		definition = rawjson.Set(nil, "uri", rawjson.Quote(c.URI))
	}
	s.openCall(ctx, calldoc.New(kind, target, definition, arguments, s.calldocContext(c.Context)))
	return nil
}

// calldocContext returns where the user is as a call document says it.
func (s *session) calldocContext(where *Context) calldoc.Context {
	if where == nil || where.TextDocument == nil {
		return calldoc.Context{}
	}
	path, err := fileuri.ToPath(where.TextDocument.URI)
	if err != nil {
		return calldoc.Context{}
	}
	c := calldoc.Context{File: s.relative(path)}
	if where.Range != nil {
		c.FirstLine, c.LastLine = where.Range.Start.Line+1, lastLine(*where.Range)+1
	}
	return c
}

// relative returns the path of a file in a workspace folder, relative to it and with slashes; "" for any other.
func (s *session) relative(path string) string {
	for _, folder := range s.openFolders() {
		root, err := fileuri.ToPath(folder.URI)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}

// listCalls opens a call document with a call of every tool that the servers offer, or one of them.
func (s *session) listCalls(ctx context.Context, server string) error {
	var b strings.Builder
	count := 0
	for _, o := range s.attachment.Offers(server) {
		for _, c := range o.tools {
			if count++; count > maxListedCalls {
				continue
			}
			if count > 1 {
				b.WriteString("---\n")
			}
			b.WriteString(calldoc.New(calldoc.Tool, c.server+"."+c.name, c.definition, nil, calldoc.Context{}))
		}
	}
	switch {
	case count == 0 && server != "":
		return s.notOffered(calldoc.Tool, server, "")
	case count == 0:
		return errorf(KindServerNotReady, "", "no server that is ready has tools; to see what servers wait for: mcp-editord servers")
	case count > maxListedCalls:
		fmt.Fprintf(&b, "# There are %d more.\n", count-maxListedCalls)
	}
	s.openCall(ctx, b.String())
	return nil
}

// openCall opens a call document that the user goes on with.
func (s *session) openCall(ctx context.Context, text string) {
	s.openText(ctx, "call.mcp", text, true)
}

// serverList returns the servers and their states as lines.
func serverList(servers []Server) string {
	if len(servers) == 0 {
		return "There are no servers.\n"
	}
	var b strings.Builder
	for _, server := range servers {
		fmt.Fprintf(&b, "%s: %s", safetext.Line(server.Name, maxCommandPart), server.State)
		if server.Error != nil {
			fmt.Fprintf(&b, "; %s", safetext.Line(server.Error.Message, maxShownLine))
		}
		b.WriteString("\n")
		for _, problem := range server.Problems {
			fmt.Fprintf(&b, "  %s\n", safetext.Line(problem, maxShownLine))
		}
	}
	return b.String()
}
