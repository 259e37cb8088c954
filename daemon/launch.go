package daemon

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
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
		return nil, spawn(fmt.Errorf("server %s is reached by %s, which this version cannot do yet", def.Name, def.Transport))
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
