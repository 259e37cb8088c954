package editorapi

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// The daemon's own commands (editor protocol, section 5). Those about servers are in
// server_commands.go, those of call documents in run.go, and those that stand for calls in
// constant.go.
const (
	commandShowStatus    = "editord.showStatus"
	commandShowServerLog = "editord.showServerLog"
)

// An ownCommand is one of the daemon's own commands.
type ownCommand struct {
	id string
	do runCommand
}

// A runCommand does what of a command must keep the order of the wire, and returns the rest.
type runCommand func(s *session, r *request, p executeParams) (rest func() (any, error))

// ownCommands are all of them, as editors are told of them.
func ownCommands() []ownCommand {
	return []ownCommand{
		{commandStartServer, lifeCommand(Attachment.StartServer, ServerStopped)},
		{commandStopServer, lifeCommand(Attachment.StopServer, ServerReady)},
		{commandRestartServer, lifeCommand(Attachment.RestartServer, ServerFailed)},
		{commandSignIn, lifeCommand(Attachment.SignIn, ServerNeedsSignIn)},
		{commandSignOut, lifeCommand(Attachment.SignOut, "")},
		{commandAllowServer, withArgument(decides(DecisionAllow))},
		{commandDenyServer, withArgument(decides(DecisionDeny))},
		{commandShowApproval, withArgument((*session).showApproval)},
		{commandAddServer, withArgument((*session).addServer)},
		{commandImportServers, withArgument((*session).importServers)},
		{commandRemoveServer, withArgument(configures("was removed from", removes))},
		{commandEnableServer, withArgument(configures("is enabled in", enables(true)))},
		{commandDisableServer, withArgument(configures("is disabled in", enables(false)))},
		{commandShowStatus, withArgument((*session).showStatus)},
		{commandShowServerLog, (*session).showServerLog},
		{commandCall, newOrCall(calldoc.Tool)},
		{commandPrompt, newOrCall(calldoc.Prompt)},
		{commandResource, newOrCall(calldoc.Resource)},
		{commandTools, withArgument((*session).listTools)},
		{commandServers, withArgument((*session).listServers)},
		{commandQuestions, withArgument((*session).listQuestions)},
		{commandRun, (*session).runCall},
		{commandCancel, withArgument((*session).cancelCall)},
		{commandAnswer, withArgument((*session).answerQuestion)},
	}
}

// withArgument returns what runs a command with its argument.
func withArgument[P any](do func(*session, *request, P) (any, error)) runCommand {
	return func(s *session, r *request, p executeParams) (rest func() (any, error)) {
		return func() (any, error) {
			var argument P
			if err := p.read(&argument); err != nil {
				return nil, err
			}
			return do(s, r, argument)
		}
	}
}

// executeParams is LSP's ExecuteCommandParams.
type executeParams struct {
	Command       string            `json:"command"`
	Arguments     []json.RawMessage `json:"arguments"`
	WorkDoneToken json.RawMessage   `json:"workDoneToken"`
}

// executeCommand serves workspace/executeCommand.
func (s *session) executeCommand(r *request) (rest func() (any, error)) {
	var p executeParams
	if err := decode(r.params, &p, ""); err != nil {
		return fails(err)
	}
	s.attachment.Used()
	for _, own := range ownCommands() {
		if own.id == p.Command {
			return own.do(s, r, p)
		}
	}
	return func() (any, error) { return s.callOffered(r, p) }
}

// callOffered calls the tool or prompt that a command stands for. A plain client gets its answer at
// once and is shown the result: some of them show nobody a result, and Emacs does not go on before
// it has one.
func (s *session) callOffered(r *request, p executeParams) (any, error) {
	arguments, err := p.object(0)
	if err != nil {
		return nil, err
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
	if err := s.callCommand(&call, c, arguments, where); err != nil {
		return nil, err
	}
	if s.plain() {
		return nil, s.callInBackground(r, call, c.name)
	}
	title := c.server + ": " + c.name
	switch {
	case !rawjson.IsAbsent(p.WorkDoneToken):
		call.Progress, err = s.follow(r, p.WorkDoneToken, title)
	case s.client.workDoneProgress:
		stop := func(cause error) { s.peer.stop(r, cause) }
		_, call.Progress = s.lazily(r.ctx, &r.progress, title, stop)
	}
	if err != nil {
		return nil, err
	}
	result, err := s.attachment.Call(r.ctx, call)
	if err == nil && !s.inline(call.Method, result) {
		result = s.filed(result, call.Params)
	}
	return result, err
}

// callCommand makes call one of a tool or prompt.
func (s *session) callCommand(call *Call, c *command, arguments json.RawMessage, where *Context) (err error) {
	if c.kind == calldoc.Tool {
		given := arguments
		arguments = s.fillBound(c, given, where)
		call.Bound = added(given, arguments)
	} else if arguments, err = promptArguments(arguments); err != nil {
		return err
	}
	call.Method = c.kind.Method()
	call.Params = CallParams(c.name, arguments)
	return nil
}

// callInBackground makes a call once r is answered, and shows what comes of it. subject is what the call is about.
func (s *session) callInBackground(r *request, call Call, subject string) error {
	return s.background(r, call.Server+": "+subject, func(ctx context.Context, report func(json.RawMessage)) func() {
		call.Progress = report
		result, err := s.attachment.Call(ctx, call)
		return func() {
			if err != nil {
				s.showFailure(subject, err)
			} else {
				s.showResult(ctx, call, subject, result)
			}
		}
	})
}

// told returns a function that does what do does and, in a plain client, also shows the error that the
// request fails with: some of them show nobody the error of a command.
func (s *session) told(do func() (any, error)) func() (any, error) {
	if !s.plain() {
		return do
	}
	return func() (any, error) {
		result, err := do()
		if err != nil {
			err = peerError(err, s.peer.log)
			s.ShowMessage(SeverityError, err.Error())
		}
		return result, err
	}
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
		return nil, invalidMember(argumentName(i), "is not an object; correct it or leave it out")
	}
	return argument, nil
}

// read reads the first argument into v.
func (p executeParams) read(v any) error {
	raw, err := p.object(0)
	if err != nil {
		return err
	}
	return decodeWhole(raw, v, argumentName(0))
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
		for _, kind := range []calldoc.Kind{calldoc.Tool, calldoc.Prompt} {
			prefix := commandKey{kind: kind, server: server.Name}.prefix()
			if server.State != ServerReady && strings.HasPrefix(id, prefix) {
				return nil, NotReady(server)
			}
		}
	}
	return nil, errorf(KindInvalidParams, "command", "there is no command %.256q; editord/catalog lists the commands", id)
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
