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
	maxTarget = 4096 // of a command, as PATH_MAX is, and of a URL: all of it must fit where a person decides
)

// server reads one entry of a map of servers. It returns false when the entry
// cannot be used; the reasons are reported then.
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
	definition.Enabled = o.enabled()
	if definition.Transport == Stdio {
		o.stdio(&definition)
	} else {
		o.remote(&definition)
	}
	o.finish()
	return definition, !failed
}

// transport reads which of the transports it is, with the command or URL. It
// returns false when that cannot be told. An entry of the name of the built-in
// server that says neither command nor url refers to that.
func (o *object) transport(d *Definition) bool {
	kind, _ := o.text("type")
	d.Command, _ = o.text("command")
	d.URL, _ = o.text("url")
	if *o.failed {
		return false
	}
	if len(d.Command) > maxTarget || len(d.URL) > maxTarget {
		o.failHere("the command or url of %s is longer than %d bytes; shorten it", o.what, maxTarget)
		return false
	}
	builtin := d.Name == builtinName && d.Command == "" && d.URL == ""
	switch kind {
	case "":
		switch {
		case d.Command != "" && d.URL != "":
			o.failHere(`%s has a command and a url; say which one counts with "type": "stdio" or "type": "http"`, o.what)
		case d.Command != "" || builtin:
			d.Transport = Stdio
		case d.URL != "":
			d.Transport = HTTP
		default:
			o.failHere(`%s must have a "command" or a "url"`, o.what)
		}
	case "stdio":
		d.Transport = Stdio
	case "http", "streamable-http", "streamableHttp":
		d.Transport = HTTP
	case "sse":
		d.Transport = SSE
	default:
		v, _ := o.take("type")
		o.fail(v, `"type" of %s must be "stdio", "http" or "sse"`, o.what)
	}
	switch {
	case d.Transport == Stdio && d.Command == "" && !builtin:
		o.failHere(`%s must have a "command"`, o.what)
	case d.Transport != Stdio && d.Transport != "" && d.URL == "":
		o.failHere(`%s must have a "url"`, o.what)
	}
	return !*o.failed
}

// failHere is fail for what is missing.
func (o *object) failHere(format string, args ...any) {
	o.fail(hujson.Value{StartOffset: o.at}, format, args...)
}

// enabled reads "enabled" and what other programs say instead, "disabled".
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

// stdio reads what only a server that is started has.
func (o *object) stdio(d *Definition) {
	d.URL = "" // "type" was said, and it wins
	d.Args, _ = o.list("args")
	d.Env = o.texts("env", checkEnv)
	d.EnvFile, _ = o.text("envFile")
	d.Cwd, _ = o.text("cwd")
	o.idle("the server is started, not called by HTTP", "url", "headers", "oauth")
}

// checkEnv says what is wrong with a name of the environment.
func checkEnv(name, _ string) string {
	if !validEnvName(name) {
		return "is no name of a variable; remove the = or NUL from it"
	}
	return ""
}

func validEnvName(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") }

// remote reads what only a server that is called by HTTP has.
func (o *object) remote(d *Definition) {
	d.Command = "" // "type" was said, and it wins
	if !strings.Contains(d.URL, "${") && !validURL(d.URL) {
		v, _ := o.take("url")
		o.fail(v, `"url" of %s must be an http: or https: URL with a host`, o.what)
	}
	seen := map[string]bool{}
	d.Headers = o.texts("headers", func(name, value string) string {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			return "is no name of a header"
		case seen[canonical]:
			return "is there twice, in different case; remove one of them"
		case !httpguts.ValidHeaderFieldValue(value):
			return "has a value with a line break or control character; remove it"
		}
		seen[canonical] = true
		return ""
	})
	if oauth, ok := o.object("oauth", `"oauth" of `+o.what); ok {
		d.OAuth = &OAuth{}
		d.OAuth.ClientID, _ = oauth.text("clientId")
		d.OAuth.ClientSecret, _ = oauth.text("clientSecret")
		d.OAuth.ClientMetadataURL, _ = oauth.text("clientMetadataUrl")
		d.OAuth.Scopes, _ = oauth.list("scopes")
		oauth.finish()
	}
	o.idle("the server is called by HTTP, not started", "command", "args", "env", "envFile", "cwd")
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
			Bind:   entry.texts("bind", func(string, string) string { return "" }),
			shown:  said && !hidden,
		}
		entry.finish()
	}
	return rules
}
