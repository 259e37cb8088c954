package daemon

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/nearname"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/redact"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient/stdio"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A patient is a server as it is known when an examination begins.
type patient struct {
	def  config.Definition
	view editorapi.Server

	// For a server that may run.
	on      *connection
	vars    config.Vars
	env     map[string]string
	envOf   string   // whose environment that is
	asks    []string // the ids of inputs that it will ask for
	took    time.Duration
	fails   []editorapi.ServerError // on other connections
	secrets *strings.Replacer       // takes them out of a text
}

// patient copies what is known of a server. d.mu is held.
func (x *examination) patient(def config.Definition) patient {
	d, c := x.e.d, x.e.on[def.Name]
	p := patient{def: def, view: d.view(x.e, def), on: c}
	if c == nil {
		return p
	}
	env, of := d.environment(def, c.members)
	p.env, p.envOf, p.took = maps.Clone(env), of.title(), c.took
	p.vars = d.vars(p.env, c.folders, def)
	p.secrets = secretsOf(def, p.vars)
	for _, in := range d.missingInputs(c, x.e) {
		p.asks = append(p.asks, in.ID)
	}
	for _, other := range d.conns {
		if other != c && other.def.Digest == def.Digest && other.failure != nil && len(other.members) > 0 {
			failure := *other.failure
			failure.Message = "in " + other.members[0].title() + ": " + failure.Message
			p.fails = append(p.fails, failure)
		}
	}
	return p
}

// minSecret is the length from which on a value is taken out: shorter ones are in many words.
const minSecret = 4

// secretsOf returns what takes the values of inputs and headers out of a text, and of variables that have the name of a
// secret.
func secretsOf(def config.Definition, vars config.Vars) *strings.Replacer {
	texts := slices.Collect(maps.Values(def.Headers))
	for _, id := range def.InputIDs() {
		texts = append(texts, "${input:"+id+"}")
	}
	for _, name := range slices.Concat(def.Takes(), slices.Collect(maps.Keys(def.Env))) {
		if redact.SecretName(name) {
			texts = append(texts, "${env:"+name+"}", def.Env[name])
		}
	}
	var pairs []string
	for _, text := range texts {
		if value, ok := config.ExpandBind(text, vars, nil); ok && len(value) >= minSecret {
			pairs = append(pairs, value, redact.Hidden)
		}
	}
	return strings.NewReplacer(pairs...)
}

// server looks at one server.
func (x *examination) server(p patient) {
	const unused = "it does not start, and nobody gets its tools"
	v, name := p.view, safetext.ShellWord(p.def.Name)
	for _, problem := range v.Problems {
		x.Warn("server", problem, "it does not work as you expect", "")
	}
	switch {
	case v.RunBy != "":
		x.OK("definition", "it is run by "+v.RunBy)
	case v.State == editorapi.ServerDisabled:
		x.Warn("definition", "it is disabled", unused, "mcp-editord enable "+name)
	case v.State == editorapi.ServerNeedsApproval && v.Error != nil:
		x.Warn("approval", v.Error.Message, unused, "")
	case v.State == editorapi.ServerNeedsApproval:
		x.Warn("approval", "it waits for your approval", unused, editorapi.AllowCommand(v.Name))
	default:
		if v.Held != nil {
			x.Warn("tools", fmt.Sprintf("tools that have changed: %d", len(v.Held.Tools)),
				"agents do not get them before you have seen how", editorapi.AllowCommand(v.Name))
		}
		if v.Muted {
			x.Warn("questions", "it is muted", "whatever it asks is refused", "start it anew in your editor")
		}
		x.roots(p)
		x.life(p, x.start(p))
	}
}

// roots looks for roots that are not there, but for patterns.
func (x *examination) roots(p patient) {
	for _, entry := range p.def.Roots.Entries {
		path, ok := config.ExpandBind(entry, p.vars, nil)
		if !ok || strings.ContainsAny(path, "*?[{") {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(cmp.Or(p.def.Source.Folder, p.vars.Folder), path)
		}
		if _, err := os.Stat(path); err != nil {
			x.Warn("roots", path+" does not exist", "the server is not told of it", edit(p))
		}
	}
}

// edit returns the command that opens the definition of a server.
func edit(p patient) string { return "mcp-editord edit " + safetext.ShellWord(p.def.Name) }

// start looks at what a start needs, and reports whether it is there.
func (x *examination) start(p patient) bool {
	if asks := "it asks you for " + strings.Join(p.asks, ", "); len(p.asks) > 0 {
		if p.view.Error == nil {
			x.OK("inputs", asks+" when it starts")
			return true
		}
		x.Fail("inputs", asks+", and nobody has answered",
			"it cannot start without", "mcp-editord tools "+safetext.ShellWord(p.def.Name))
		return false
	}
	def, err := p.def.Expand(p.vars)
	if err != nil {
		c := x.Fail("definition", err.Error(), "it cannot start; the environment is that of "+p.envOf, "")
		c.Remedy = cmp.Or(c.Remedy, edit(p))
		return false
	}
	if def.Transport != config.Stdio {
		return x.proxy(p, def)
	}
	if info, err := os.Stat(def.Cwd); def.Cwd != "" && (err != nil || !info.IsDir()) {
		x.Fail("directory", def.Cwd+" is not a folder", "it cannot start in its cwd", edit(p))
		return false
	}
	x.programs = append(x.programs, filepath.Base(def.Command))
	path := cmp.Or(def.Env["PATH"], p.env["PATH"])
	found, err := stdio.LookPath(def.Command, cmp.Or(def.Cwd, x.e.d.opts.Paths.StateDir), []string{"PATH=" + path})
	if err == nil {
		x.OK("command", found)
		return true
	}
	text, _, _ := strings.Cut(err.Error(), "; ") // what follows advises to run this command
	remedy := "install it, or correct its name: " + edit(p)
	if strings.Contains(text, "not executable") {
		remedy = "make it executable with chmod +x, or name another program"
	} else if near := nearProgram(def.Command, path); near != "" {
		text, remedy = fmt.Sprintf("%s, but %q is there", text, near), edit(p)
	}
	x.Fail("command", text, "it cannot start without; PATH is that of "+p.envOf, remedy)
	return false
}

// nearProgram returns the program whose name somebody probably meant, in a PATH or beside a command with a slash; "" for
// none.
func nearProgram(command, path string) string {
	dirs := filepath.SplitList(path)
	if filepath.Base(command) != command {
		dirs = []string{filepath.Dir(command)}
	}
	var names []string
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // one that cannot be read has none
		for _, entry := range entries {
			if filepath.IsAbs(dir) {
				names = append(names, entry.Name())
			}
		}
	}
	return nearname.Of(filepath.Base(command), names)
}

// proxy says through which proxy a server is reached, and reports whether that can be told.
func (x *examination) proxy(p patient, def config.Definition) bool {
	at, err := url.Parse(def.URL)
	if err != nil {
		return true // Expand refuses it
	}
	switch through, err := proxy(p.env)(&http.Request{URL: at}); {
	case err != nil, through != nil && through.Hostname() == "": // what cannot be parsed has no host
		x.Fail("proxy", "the proxy for "+at.Host+" is not a URL",
			"it cannot be reached with the environment of "+p.envOf, "correct HTTP_PROXY and HTTPS_PROXY")
		return false
	case through != nil:
		x.OK("proxy", at.Host+" is reached through "+through.Host)
	}
	return true
}

// whyOf says why a kind of failure keeps a server from working.
var whyOf = map[editorapi.ServerErrorKind]string{
	editorapi.ServerExit:         "a server has to run until it is stopped",
	editorapi.ServerStartTimeout: "nobody gets its tools before the handshake",
	editorapi.ServerNotMCP:       "a server may write nothing but MCP to its standard output",
	editorapi.ServerProtocol:     "client and server have to agree on a version of MCP",
	editorapi.ServerUnauthorized: "it does not know who you are",
	editorapi.ServerHTTPError:    "the url may be that of something else than an MCP server",
}

// shownStderr is how many of the last lines of a server's stderr a check has.
const shownStderr = 3

// life looks at how a server runs, or why it does not. sound says that what a start needs is there.
func (x *examination) life(p patient, sound bool) {
	v, failures := p.view, p.fails
	switch {
	case v.State == editorapi.ServerNeedsSignIn:
		x.Warn("sign-in", "it waits for you to sign in",
			whyOf[editorapi.ServerUnauthorized], editorapi.SignInCommand(v.Name))
	case v.Error != nil && sound:
		failures = append(failures, *v.Error)
	case v.State == editorapi.ServerReady:
		of := strings.TrimSpace(rawjson.String(v.ServerInfo, "name") + " " + rawjson.String(v.ServerInfo, "version"))
		x.OK("handshake", fmt.Sprintf("MCP %s with %s after %s", v.ProtocolVersion, cmp.Or(of, "a server without a name"), p.took.Round(time.Millisecond)))
	case v.Error == nil:
		x.OK("server", string(v.State))
	}
	for _, failure := range failures {
		c := x.Fail("handshake", failure.Message, cmp.Or(whyOf[failure.Kind], "nobody gets its tools"), "")
		if last := failure.Stderr[max(0, len(failure.Stderr)-shownStderr):]; len(last) > 0 {
			c.Text += fmt.Sprintf("; it wrote %q", strings.Join(last, "\n"))
		}
		if c.Remedy == "" || strings.HasPrefix(c.Remedy, "see its log") {
			c.Remedy = "mcp-editord logs " + safetext.ShellWord(v.Name)
		}
	}
	printed, last := 0, ""
	for _, line := range x.e.d.logOf(p.on).Log("", math.MaxInt, math.MaxInt).Lines {
		if line.Source == wire.LogStdout && strings.TrimSpace(line.Text) != "" {
			printed, last = printed+1, line.Text
		}
	}
	if printed > 0 {
		x.Warn("output", fmt.Sprintf("lines on its standard output that are not MCP: %d, the last %q", printed, wire.Clip([]byte(last))),
			whyOf[editorapi.ServerNotMCP], "have its program or wrapper write them to standard error")
	}
}
