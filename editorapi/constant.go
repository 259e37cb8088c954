package editorapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
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

// listServers runs mcp.servers.
func (s *session) listServers(r *request, _ Nothing) (any, error) {
	return nil, s.afterwards(r, commandServers, func(ctx context.Context) error {
		s.openText(ctx, "servers.txt", serverList(s.attachment.Servers()), false)
		return nil
	})
}

// listQuestions runs mcp.questions.
func (s *session) listQuestions(r *request, _ Nothing) (any, error) {
	return nil, s.afterwards(r, commandQuestions, func(ctx context.Context) error {
		return s.openQuestions(ctx, nil)
	})
}

// newOrCall returns what runs mcp.call, mcp.prompt or mcp.resource: it opens a call document, or
// makes the call. It answers at once, in any editor.
func newOrCall(kind calldoc.Kind) runCommand {
	return func(s *session, r *request, p executeParams) (rest func() (any, error)) {
		return func() (any, error) {
			c, err := s.constantCall(p, kind)
			if err != nil {
				return nil, err
			}
			if c.Edit {
				return nil, s.afterwards(r, p.Command, func(ctx context.Context) error {
					return s.newCall(ctx, c, kind)
				})
			}
			call := Call{Server: c.Server, Cause: Cause{Command: p.Command, ID: r.rawID()}}
			if kind == calldoc.Resource {
				call.Method = kind.Method()
				call.Params = rawjson.Set(nil, "uri", rawjson.Quote(c.URI))
				return nil, s.callInBackground(r, call, c.URI)
			}
			command, err := s.offeredNow(commandKey{kind, c.Server, c.name(kind)})
			if err != nil {
				return nil, err
			}
			if err := s.callCommand(&call, command, c.Arguments, c.Context); err != nil {
				return nil, err
			}
			return nil, s.callInBackground(r, call, command.name)
		}
	}
}

// name returns what a call is about: a tool, a prompt, or the URI of a resource.
func (c callParams) name(kind calldoc.Kind) string {
	switch kind {
	case calldoc.Tool:
		return c.Tool
	case calldoc.Prompt:
		return c.Prompt
	}
	return c.URI
}

// constantCall returns the call that a command stands for.
func (s *session) constantCall(p executeParams, kind calldoc.Kind) (c callParams, err error) {
	if err := p.read(&c); err != nil {
		return c, err
	}
	c.Edit = c.Edit || c.name(kind) == ""
	c.Arguments = object(c.Arguments)
	switch {
	case c.Arguments != nil && !rawjson.IsObject(c.Arguments):
		return c, invalidMember(join(argumentName(0), "arguments"), "is not an object; correct it or leave it out")
	case c.Arguments == nil && kind != calldoc.Resource && c.name(kind) != "":
		c.Arguments = json.RawMessage("{}")
	}
	where, err := p.context()
	c.Context = cmp.Or(where, c.Context, s.lastContext())
	return c, err
}

// newCall opens a call document for a call that is not written yet.
func (s *session) newCall(ctx context.Context, c callParams, kind calldoc.Kind) error {
	target, name := c.Server, c.name(kind)
	var definition json.RawMessage
	switch {
	case name == "":
	case kind == calldoc.Resource:
		definition = rawjson.Set(nil, "uri", rawjson.Quote(name))
	default:
		target += "." + name
		command, err := s.offeredNow(commandKey{kind, c.Server, name})
		if err != nil {
			return err
		}
		definition = command.definition
		given := s.fillBound(command, c.Arguments, c.Context)
		c.Arguments, _ = s.proposed(command, given, c.Context, isRequired)
	}
	s.openCall(ctx, calldoc.New(kind, target, definition, c.Arguments, s.calldocContext(c.Context)))
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
	for _, root := range s.callWorkspace().Folders {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}

// listTools runs mcp.tools.
func (s *session) listTools(r *request, p CatalogParams) (any, error) {
	return nil, s.afterwards(r, commandTools, func(ctx context.Context) error {
		return s.openTools(ctx, p.Server)
	})
}

// openTools opens a call document with a call of every tool that the servers offer, or one of them.
func (s *session) openTools(ctx context.Context, server string) error {
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
