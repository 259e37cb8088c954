package daemon

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"go.uber.org/zap"
	"golang.org/x/net/http/httpproxy"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/mcpclient/stdio"
	"github.com/mcp-editord/mcp-editord/mcpclient/streamable"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// vars returns the values of the variables in a definition, for an editor with this environment and
// these folders. For the file of a folder, that folder is the only one. d.mu is held.
func (d *Daemon) vars(env map[string]string, folders []string, def config.Definition) config.Vars {
	v := config.Vars{Home: env["HOME"], Env: env, Inputs: map[string]string{}}
	if v.Home == "" {
		v.Home, _ = os.UserHomeDir() // an empty home makes ${userHome} a variable without a value
	}
	if folders = foldersOf(def.Source, folders); len(folders) > 0 {
		v.Folder = folders[0]
	}
	for k, value := range d.inputs {
		_, bound := v.Inputs[k.id] // what is bound to the definition counts
		if k.source == def.Source.URI && (k.to == def.Digest || k.to == "" && !bound) {
			v.Inputs[k.id] = value
		}
	}
	return v
}

// foldersOf returns the folders that a definition from source is about: the folder of its file, or
// for any other source those of the editor.
func foldersOf(source config.Source, folders []string) []string {
	if source.Folder != "" {
		return []string{source.Folder}
	}
	return folders
}

// vars returns the values of the variables for the server of this connection. d.mu is held.
func (c *connection) vars() config.Vars { return c.d.vars(c.env, c.folders, c.def) }

// Dial implements [wire.Dialer]. Starting a server reads the disk: its envFile, its command, and
// the folder it runs in. A disk that hangs holds up this start, but you can still stop the server,
// and the daemon can still end. One goroutine waits for the disk, however often the server is
// started. Nothing is started while servers of an earlier daemon are being ended.
func (c *connection) Dial(ctx context.Context, log wire.LogSink) (wire.Wire, error) {
	if !await(ctx, c.d.reaped) {
		return nil, ctx.Err()
	}
	select {
	case c.dialing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type dialled struct {
		wire wire.Wire
		err  error
	}
	done := make(chan dialled, 1)
	c.d.dialing.Go(func() {
		defer func() { <-c.dialing }()
		wire, err := c.dial(ctx, log)
		done <- dialled{wire, err}
	})
	select {
	case d := <-done:
		return d.wire, d.err
	case <-ctx.Done():
		c.d.dialing.Go(func() {
			if d := <-done; d.wire != nil {
				d.wire.Kill() // nobody wants it any more
				_ = d.wire.Close()
			}
		})
		return nil, ctx.Err()
	}
}

// dial starts the server or connects to it. Each start takes the environment as it is then.
func (c *connection) dial(ctx context.Context, log wire.LogSink) (wire.Wire, error) {
	c.d.mu.Lock()
	c.takeEnvironment()
	def, vars, env, umask := c.def, c.vars(), maps.Clone(c.env), c.umask
	c.d.mu.Unlock()

	shown := def.ShownArgs(vars)
	def, err := def.Expand(vars)
	if err != nil {
		return nil, &wire.Error{Kind: wire.KindSpawn, Message: err.Error()}
	}
	var dialer wire.Dialer
	if def.Transport == config.Stdio {
		dialer, err = c.stdioDialer(def, shown, env, umask)
	} else {
		dialer = c.httpDialer(def, env)
	}
	if err != nil {
		return nil, err
	}
	return dialer.Dial(ctx, log)
}

// stdioDialer finds the command of def, which has its variables put in, in the PATH that the
// server gets. env and umask become the server's. A server without a cwd runs
// in a directory of its own: many programs run what they find where they are started, and the
// folder that an editor has open may come from anybody. shown are the arguments as status shows them.
func (c *connection) stdioDialer(def config.Definition, shown []string, env map[string]string, umask int) (wire.Dialer, error) {
	cwd := def.Cwd
	if cwd == "" {
		var err error
		if cwd, err = ownDir(c.d.opts.Paths, def); err != nil {
			return nil, &wire.Error{Kind: wire.KindSpawn, Message: err.Error()}
		}
	}
	for _, name := range pathsOfFolder() {
		delete(env, name)
	}
	env["PWD"] = cwd
	maps.Copy(env, def.Env)
	lines := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, name+"="+env[name])
	}
	path, err := stdio.LookPath(def.Command, cwd, lines)
	if err != nil {
		return nil, err
	}
	c.log.Info("starting", zap.String("path", path), zap.String("cwd", cwd))
	c.launches(slices.Concat([]string{path}, shown), cwd)
	return stdio.Dialer{
		Path: path, Args: def.Args, Env: lines, Umask: &umask, Dir: cwd,
		Owner: c.d.opts.Paths.ServerOwner(), Memory: c.memory,
	}, nil
}

// httpDialer reaches the URL of def, which has its variables put in, through the proxies of env.
// It logs neither the URL nor a header, since both may hold secrets.
func (c *connection) httpDialer(def config.Definition, env map[string]string) wire.Dialer {
	header := http.Header{"User-Agent": {"mcp-editord/" + c.d.opts.Version}}
	for name, value := range def.Headers {
		header.Set(name, value)
	}
	account := c.takeAccount(def, env)
	c.log.Info("connecting", zap.String("transport", string(def.Transport)))
	dialer := streamable.Dialer{URL: def.URL, Header: header, SSE: def.Transport == config.SSE, Memory: c.memory, Proxy: proxy(env)}
	if account != nil {
		dialer.Authorizer = account.auth
	}
	return dialer
}

// proxy returns the proxies that an environment names: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. The
// spelling in lower case takes precedence. Hosts on this machine are reached without a proxy.
func proxy(env map[string]string) func(*http.Request) (*url.URL, error) {
	either := func(name string) string { return cmp.Or(env[strings.ToLower(name)], env[name]) }
	choose := (&httpproxy.Config{
		HTTPProxy: either("HTTP_PROXY"), HTTPSProxy: either("HTTPS_PROXY"), NoProxy: either("NO_PROXY"),
	}).ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return choose(r.URL) }
}
