package editorapi

import (
	"encoding/json"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// The daemon's own commands (editor protocol, section 5).
const (
	commandRestartServer = "editord.restartServer"
	commandShowStatus    = "editord.showStatus"
	commandShowServerLog = "editord.showServerLog"
)

func daemonCommands() []string {
	return []string{commandRestartServer, commandShowStatus, commandShowServerLog}
}

// executeParams is LSP's ExecuteCommandParams.
type executeParams struct {
	Command       string            `json:"command"`
	Arguments     []json.RawMessage `json:"arguments"`
	WorkDoneToken json.RawMessage   `json:"workDoneToken"`
}

// executeCommand serves workspace/executeCommand.
func (s *session) executeCommand(r *request) (any, error) {
	var p executeParams
	if err := decode(r.params, &p, ""); err != nil {
		return nil, err
	}
	s.attachment.Used()
	arguments, err := p.object(0)
	if err != nil {
		return nil, err
	}
	switch p.Command {
	case commandShowStatus, commandShowServerLog:
		r.params = arguments
		return s.daemonCommand(r, p.Command)
	}
	c, err := s.commandOf(p.Command)
	if err != nil {
		return nil, err
	}
	where, err := p.context()
	if err != nil {
		return nil, err
	}
	call := Call{Server: c.server, Cause: Cause{Command: c.id, ID: r.rawID()}}
	switch c.kind {
	case kindTool:
		call.Method = "tools/call"
		arguments = s.fillBound(c, arguments, where)
	case kindPrompt:
		call.Method = "prompts/get"
		if arguments, err = promptArguments(arguments); err != nil {
			return nil, err
		}
	}
	call.Params = rawjson.Set(rawjson.Set(nil, "name", rawjson.Quote(c.name)), "arguments", arguments)
	if call.Progress, err = s.follow(r, p.WorkDoneToken, c.server+": "+c.name, true); err != nil {
		return nil, err
	}
	result, err := s.attachment.Call(r.ctx, call)
	if err == nil && r.ctx.Err() == nil {
		s.showResult(c, result)
	}
	return result, err
}

// object returns one of the arguments, which must be an object; {} when it is absent.
func (p executeParams) object(i int) (json.RawMessage, error) {
	if i >= len(p.Arguments) {
		return json.RawMessage("{}"), nil
	}
	argument := object(p.Arguments[i])
	switch {
	case argument == nil:
		return json.RawMessage("{}"), nil
	case !rawjson.IsObject(argument):
		at := argumentName(i)
		return nil, invalidMember(at, "is not an object; correct it or leave it out")
	}
	return argument, nil
}

// context returns the context, nil when it is absent.
func (p executeParams) context() (*Context, error) {
	raw, err := p.object(1)
	if err != nil || len(p.Arguments) < 2 {
		return nil, err
	}
	where := new(Context)
	return where, decode(raw, where, argumentName(1))
}

func argumentName(i int) string { return join("arguments", string(rune('0'+i))) }

// commandOf returns the tool or prompt that an id stands for.
func (s *session) commandOf(id string) (*command, error) {
	if c := s.command(id); c != nil {
		return c, nil
	}
	// A server that is not ready offers nothing, but the editor may still have its commands.
	for _, server := range s.attachment.Servers() {
		for _, kind := range []commandKind{kindTool, kindPrompt} {
			prefix := commandKey{kind: kind, server: server.Name}.prefix()
			if server.State != ServerReady && strings.HasPrefix(id, prefix) {
				return nil, NotReady(server)
			}
		}
	}
	return nil, errorf(KindInvalidParams, "command", "there is no command %.256q; editord/catalog lists the commands", id)
}

// fillBound adds the arguments that the configuration binds to a call of a tool that lacks them.
func (s *session) fillBound(c *command, arguments json.RawMessage, where *Context) json.RawMessage {
	return fill(c, arguments, s.attachment.Bound(c.server, c.name, where))
}

// fill adds what arguments lack from bound, converted to the types of the tool's schema. If it adds
// nothing, arguments stay as they are, byte for byte.
func fill(c *command, arguments json.RawMessage, bound map[string]string) json.RawMessage {
	if len(bound) == 0 {
		return arguments
	}
	schema := toolschema.OfTool(c.definition)
	for name, value := range bound {
		if rawjson.Get(arguments, name) != nil {
			continue
		}
		if converted, ok := schema.Property(name).Convert(value); ok {
			arguments = rawjson.Set(arguments, name, converted)
		}
	}
	return arguments
}

// promptArguments returns the arguments of a prompt as MCP wants them: strings.
func promptArguments(arguments json.RawMessage) (json.RawMessage, error) {
	converted := json.RawMessage("{}")
	for name, value := range rawjson.Members(arguments) {
		switch value[0] {
		case '{', '[':
			at := join(argumentName(0), name)
			return nil, invalidMember(at, "is not a string; a prompt takes nothing else")
		case 'n': // null: not given
			continue
		case '"':
		default: // a number or a boolean
			value = rawjson.Quote(string(value))
		}
		converted = rawjson.Set(converted, name, value)
	}
	return converted, nil
}
