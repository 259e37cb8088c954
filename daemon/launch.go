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
// variables as they are then.
func (c *connection) Dial(ctx context.Context, log mcpclient.LogSink) (mcpclient.Wire, error) {
	c.d.mu.Lock()
	def, vars, env, cwd := c.def, c.vars(), maps.Clone(c.env), c.cwd
	c.d.mu.Unlock()

	def, err := def.Expand(vars)
	if err != nil {
		return nil, &mcpclient.Error{Kind: mcpclient.KindSpawn, Message: err.Error()}
	}
	var dialer mcpclient.Dialer
	if def.Transport == config.Stdio {
		dialer, err = c.stdioDialer(def, env, cwd)
	} else {
		dialer = c.httpDialer(def, env)
	}
	if err != nil {
		return nil, err
	}
	return dialer.Dial(ctx, log)
}

// stdioDialer finds the command of def, with the variables put in, in the PATH that
// the server gets. env is the editor's environment and becomes the server's.
func (c *connection) stdioDialer(def config.Definition, env map[string]string, cwd string) (mcpclient.Dialer, error) {
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
	}, nil
}

// httpDialer reaches the URL of def, with the variables put in, through the proxies
// of env, the editor's environment. Neither the URL nor a header is logged: both
// may hold secrets.
func (c *connection) httpDialer(def config.Definition, env map[string]string) mcpclient.HTTPDialer {
	header := http.Header{"User-Agent": {"mcp-editord/" + c.d.opts.Version}}
	for name, value := range def.Headers {
		header.Set(name, value)
	}
	c.log.Info("connecting", zap.String("transport", string(def.Transport)))
	return mcpclient.HTTPDialer{URL: def.URL, Header: header, SSE: def.Transport == config.SSE, Proxy: proxy(env)}
}

// proxy returns the proxies that an environment names: HTTP_PROXY, HTTPS_PROXY and
// NO_PROXY, of which the spelling in lower case counts first. What is on this
// machine is reached without one.
func proxy(env map[string]string) func(*http.Request) (*url.URL, error) {
	either := func(name string) string { return cmp.Or(env[strings.ToLower(name)], env[name]) }
	choose := (&httpproxy.Config{
		HTTPProxy: either("HTTP_PROXY"), HTTPSProxy: either("HTTPS_PROXY"), NoProxy: either("NO_PROXY"),
	}).ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return choose(r.URL) }
}
