package config

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/tailscale/hujson"
	"golang.org/x/net/http/httpguts"
)

// Limits of one server, in bytes.
const (
	maxName   = 128
	maxTarget = 4096 // of a command, like PATH_MAX, and of a URL: all of it must fit in the question
)

// server reads one entry of a map of servers. It returns false when the entry
// cannot be used, and reports the reasons.
func (d *document) server(m member) (Definition, bool) {
	var failed bool
	o, ok := d.object(m.value, "server "+quote(m.key), &failed)
	if !ok {
		return Definition{}, false
	}
	if m.key == "" || len(m.key) > maxName || strings.ContainsFunc(m.key, unicode.IsControl) {
		d.errorAt(m.at, "the name of a server must have 1 to %d bytes and no control characters", maxName)
		return Definition{}, false
	}
	definition := Definition{Name: m.key, Source: d.source}
	if !o.transport(&definition) {
		return Definition{}, false
	}
	definition.own = o.settings()
	definition.Tools = o.tools()
	definition.Agents = o.agents()
	definition.Enabled = o.enabled()
	if definition.Transport == Stdio {
		o.stdio(&definition)
	} else {
		o.remote(&definition)
	}
	o.finish()
	return definition, !failed
}

// transport reads the transport, with the command or URL. It returns false when the entry does
// not decide one. An entry with the name of the built-in server, but without command and url,
// refers to that server.
func (o *object) transport(d *Definition) bool {
	d.Transport = parsed(o, "type", `must be "stdio", "http" or "sse"`, func(s string) (Transport, bool) {
		transport, ok := transports[s]
		return transport, ok
	})
	d.Command, _ = o.text("command")
	d.URL, _ = o.text("url")
	if *o.failed {
		return false
	}
	builtin := d.Name == builtinName && d.Command == "" && d.URL == ""
	switch {
	case len(d.Command) > maxTarget || len(d.URL) > maxTarget:
		o.failHere("the command or url of %s is longer than %d bytes; shorten it", o.what, maxTarget)
	case d.Transport == "" && d.Command != "" && d.URL != "":
		o.failHere(`%s has both a command and a url; choose one with "type": "stdio" or "type": "http"`, o.what)
	case d.Transport == "" && (d.Command != "" || builtin):
		d.Transport = Stdio
	case d.Transport == "" && d.URL != "":
		d.Transport = HTTP
	case d.Transport == "":
		o.failHere(`%s must have a "command" or a "url"`, o.what)
	case d.Transport == Stdio && d.Command == "" && !builtin:
		o.failHere(`%s must have a "command"`, o.what)
	case d.Transport != Stdio && d.URL == "":
		o.failHere(`%s must have a "url"`, o.what)
	}
	return !*o.failed
}

// transports are the values of "type".
var transports = map[string]Transport{
	"stdio": Stdio, "http": HTTP, "streamable-http": HTTP, "streamableHttp": HTTP, "sse": SSE,
}

// failHere is fail for something that is missing.
func (o *object) failHere(format string, args ...any) {
	o.fail(hujson.Value{StartOffset: o.at}, format, args...)
}

// enabled reads "enabled", and "disabled", which other programs use instead.
func (o *object) enabled() bool {
	enabled, said := o.boolean("enabled")
	disabled, also := o.boolean("disabled")
	if !said {
		return !disabled
	}
	if also && enabled == disabled {
		o.doc.warnAt(o.keyAt("disabled"), `"enabled" and "disabled" of %s contradict each other; "enabled" counts`, o.what)
	}
	return enabled
}

// stdio reads the keys of a server that is started.
func (o *object) stdio(d *Definition) {
	d.URL = "" // there is a "type", which wins
	d.Args, _ = o.list("args")
	d.Env = texts[string](o, "env", checkEnv)
	d.EnvFile, _ = o.text("envFile")
	d.Cwd, _ = o.text("cwd")
	o.idle("this is a stdio server", "url", "headers", "oauth", "auth")
}

// checkEnv says what is wrong with the name of an environment variable.
func checkEnv(name, _ string) string {
	if !validEnvName(name) {
		return "is not the name of a variable: it is empty or contains = or NUL; rename it"
	}
	return ""
}

func validEnvName(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") }

// remote reads the keys of a server that is called over HTTP.
func (o *object) remote(d *Definition) {
	d.Command = "" // there is a "type", which wins
	if !strings.Contains(d.URL, "${") && !validURL(d.URL) {
		v, _ := o.take("url")
		o.fail(v, `"url" of %s must be an http: or https: URL with a host`, o.what)
	}
	seen := map[string]bool{}
	d.Headers = texts[string](o, "headers", func(name, value string) string {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			return "is not the name of a header"
		case seen[canonical]:
			return "is there twice, in different case; remove one of them"
		case !httpguts.ValidHeaderFieldValue(value):
			return "has a value with a line break or control character; remove that character"
		}
		seen[canonical] = true
		return ""
	})
	o.signIn(d)
	o.idle("this is an HTTP server", "command", "args", "env", "envFile", "cwd")
}

func validURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// tools reads the rules for tools.
func (o *object) tools() map[string]ToolRule {
	inner, ok := o.object("tools", `"tools" of `+o.what)
	if !ok {
		return nil
	}
	rules := make(map[string]ToolRule, len(inner.members))
	for _, m := range inner.members {
		if m.value.Value.Kind() == 'n' {
			continue
		}
		entry, ok := o.doc.object(m.value, "tool "+quote(m.key)+" of "+o.what, o.failed)
		if !ok {
			continue
		}
		hidden, said := entry.boolean("hidden")
		rules[m.key] = ToolRule{
			Hidden: hidden,
			Bind:   texts[string](entry, "bind", func(string, string) string { return "" }),
			shown:  said && !hidden,
		}
		entry.finish()
	}
	return rules
}

// agents reads the rules for agents.
func (o *object) agents() map[string]AgentRule {
	return texts[AgentRule](o, "agents", func(_, value string) string {
		switch AgentRule(value) {
		case AgentAllow, AgentAsk, AgentNever:
			return ""
		}
		return `must be "allow", "ask" or "never"`
	})
}
