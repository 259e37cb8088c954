package daemon

import (
	"context"
	"maps"
	"os"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// vars returns what the variables of a definition from source mean to an editor
// with this environment and these folders. d.mu is held.
func (d *Daemon) vars(env map[string]string, folders []string, source string) config.Vars {
	v := config.Vars{Home: env["HOME"], Env: env, Inputs: map[string]string{}}
	if v.Home == "" {
		v.Home, _ = os.UserHomeDir() // an empty home makes ${userHome} a variable without a value
	}
	if len(folders) > 0 {
		v.Folder = folders[0]
	}
	for k, value := range d.inputs {
		if k.source == source {
			v.Inputs[k.id] = value
		}
	}
	return v
}

// vars is what variables mean to what this connection runs. d.mu is held.
func (c *connection) vars() config.Vars { return c.d.vars(c.env, c.folders, c.def.Source.URI) }

// Dial implements [mcpclient.Dialer]: each start of the server puts in the
// variables as they are then, and finds the command in the PATH that the server
// gets.
func (c *connection) Dial(ctx context.Context, log mcpclient.LogSink) (mcpclient.Wire, error) {
	c.d.mu.Lock()
	def, vars, env, cwd := c.def, c.vars(), maps.Clone(c.env), c.cwd
	c.d.mu.Unlock()

	spawn := func(err error) error { return &mcpclient.Error{Kind: mcpclient.KindSpawn, Message: err.Error()} }
	def, err := def.Expand(vars)
	if err != nil {
		return nil, spawn(err)
	}
	if def.Transport != config.Stdio {
		return nil, &mcpclient.Error{Kind: mcpclient.KindSpawn, Message: "server " + def.Name + " is reached by " + string(def.Transport) + ", which this version cannot do yet"}
	}
	if def.Cwd != "" {
		cwd = def.Cwd
	}
	maps.Copy(env, def.Env)
	lines := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, name+"="+env[name])
	}
	path, err := mcpclient.LookPath(def.Command, cwd, lines)
	if err != nil {
		return nil, err
	}
	c.log.Info("starting", zap.String("path", path), zap.String("cwd", cwd))
	return mcpclient.StdioDialer{
		Path: path, Args: def.Args, Env: lines, Dir: cwd,
		Owner: ownerID(c.d.opts.Paths),
	}.Dial(ctx, log)
}

// inputKey names an input: definitions see those of their own file only.
type inputKey struct{ source, id string }

// inputAnswer is the schema's one property, by which the value comes back.
const inputAnswer = "value"

// missingInputs returns the inputs of c's definition that nobody has given yet.
// d.mu is held.
func (d *Daemon) missingInputs(c *connection, e *editor) (missing []config.Input) {
	for _, id := range c.def.InputIDs() {
		if _, known := d.inputs[inputKey{c.def.Source.URI, id}]; known {
			continue
		}
		i := slices.IndexFunc(e.set.Inputs, func(in config.Input) bool { return in.ID == id && in.Source.URI == c.def.Source.URI })
		if i >= 0 {
			missing = append(missing, e.set.Inputs[i])
		}
	}
	return missing
}

// askInputs asks e for the inputs that are missing. What stays without a value is
// named by the error of the start.
func (d *Daemon) askInputs(c *connection, e *editor) {
	d.mu.Lock()
	missing := d.missingInputs(c, e)
	d.mu.Unlock()
	for _, in := range missing {
		value, ok := e.askInput(c.name, in)
		if !ok {
			return // the person wants none of it: the rest is not asked
		}
		d.mu.Lock()
		d.inputs[inputKey{in.Source.URI, in.ID}] = value
		d.mu.Unlock()
	}
}

// askInput asks the person for one value by the form that MCP has for it.
func (e *editor) askInput(server string, in config.Input) (value string, ok bool) {
	if e.caps.Elicitation == nil {
		return in.Default, in.Default != ""
	}
	property := map[string]any{"type": "string", "title": in.ID, "description": in.Description}
	if in.Default != "" {
		property["default"] = in.Default
	}
	if len(in.Options) > 0 {
		property["enum"] = in.Options
	}
	message := in.Description
	if message == "" {
		message = "Value of " + in.ID
	}
	answer, err := e.elicit(e.ctx, question{Server: server, Params: map[string]any{
		"mode":            "form",
		"message":         message,
		"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{inputAnswer: property}, "required": []string{inputAnswer}},
		"_meta":           map[string]any{"mcp-editord/input": map[string]any{"id": in.ID, "password": in.Password}},
	}})
	if err != nil {
		e.log.Info("an input was not given", zap.String("server", server), zap.String("input", in.ID), zap.Error(err))
		return "", false
	}
	return answer, true
}

// complain shows why a server failed, in an editor that is not told otherwise.
func (e *editor) complain(server string, err *mcpclient.Error) {
	if err := e.api.ShowMessage(editorapi.SeverityError, "MCP server "+server+" failed: "+err.Message); err != nil {
		e.log.Debug("showing a message", zap.Error(err))
	}
}
