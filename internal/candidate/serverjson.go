package candidate

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/redact"
	"github.com/mcp-editord/mcp-editord/internal/registry"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxFilled bounds the bytes of values in which variables were replaced, which may have others in them.
const maxFilled = 64 << 10

var (
	curly = pattern(`\{([\w.-]+)\}`) // a variable of a server.json
	web   = pattern(`^(https?://|\{)`)

	// usual are the registries in which the runners look.
	usual = pattern(`^https://(registry\.npmjs\.org|pypi\.org|docker\.io|ghcr\.io|api\.nuget\.org)(/|$)`)

	// preferred are the ways to have a server, the best one first.
	preferred = []string{registry.NPM, registry.PyPI, "remote", registry.NuGet, registry.OCI}
)

// FromServerJSON returns the ways to have a server that its publisher names, the preferred ones first. byHand says
// why there is no definition for others. name may be "".
func FromServerJSON(s registry.Server, name string) (ways []Server, byHand []string, err error) {
	name = cmp.Or(name, nameOf(s.Name), "server")
	if n := len(s.Packages) + len(s.Remotes); n == 0 || n > maxListed {
		return nil, nil, fmt.Errorf("%q must have 1 to %d packages and remotes", name, maxListed)
	}
	finish := func(d *draft, from string, err error) {
		d.From, d.published, d.err = safetext.Line(from, 30), true, cmp.Or(err, d.err)
		if way, err := d.finish(); err == nil {
			ways = append(ways, way)
		} else {
			byHand = append(byHand, d.From+": "+safetext.Line(err.Error(), 500))
		}
	}
	for _, r := range s.Remotes {
		d := newDraft(name)
		finish(d, "remote", d.remote(r))
	}
	for _, p := range s.Packages {
		d := newDraft(name)
		finish(d, p.RegistryType, d.packaged(p))
	}
	rank := func(s Server) int {
		if s.From == "remote" && len(s.Inputs) == 0 && !strings.Contains(string(s.Definition), `"type":"sse"`) {
			return -1 // it needs no more than signing in
		}
		return slices.Index(preferred, s.From)
	}
	slices.SortStableFunc(ways, func(a, b Server) int { return cmp.Compare(rank(a), rank(b)) })
	return ways, byHand, nil
}

func (d *draft) remote(r registry.Remote) error {
	if !web().MatchString(r.URL) || !slices.Contains([]string{"http", "streamable-http", "sse"}, r.Type) {
		return fmt.Errorf("%q with the transport %q cannot be reached", r.URL, r.Type)
	}
	if r.Type == "sse" {
		d.Type = "sse"
	}
	d.URL = d.conceal("url", d.fill(r.URL, r.Variables, true))
	for _, header := range r.Headers {
		if value, ok := d.value(header.Name, header.Input); ok {
			d.Headers[header.Name] = value
		}
	}
	return nil
}

// packaged makes the command of a package.
func (d *draft) packaged(p registry.Package) error {
	kind := p.RegistryType
	switch kind {
	case registry.OCI:
		kind = "docker"
	case registry.NPM, registry.PyPI, registry.NuGet:
	default:
		return fmt.Errorf("nothing here runs packages of %q; install %q yourself", kind, p.Identifier)
	}
	command, err := runs(kind, p.Identifier, p.Version)
	if err != nil {
		return err
	}
	if p.Transport.Type != "" && p.Transport.Type != "stdio" {
		return fmt.Errorf("start it yourself, then add its URL %s: it does not speak on stdio", p.Transport.URL)
	}
	if base := p.RegistryBaseURL; base != "" && !usual().MatchString(base) {
		d.note("The package is at %q; the command looks in your default registry.", safetext.Line(base, 200))
	}
	var passed []string // a container gets only what is named
	for _, variable := range p.EnvironmentVariables {
		if value, ok := d.value(variable.Name, variable.Input); ok {
			d.Env[variable.Name] = value
			if kind == "docker" {
				passed = append(passed, "-e", variable.Name)
			}
		}
	}
	flags, id := command[1:len(command)-1], command[len(command)-1:]
	runtime := slices.DeleteFunc(d.arguments(p.RuntimeArguments), func(word string) bool {
		return slices.Contains(flags, word)
	})
	if kind == registry.NuGet {
		id = append(id, "--yes", "--")
	}
	d.Command = command[0]
	d.Args = slices.Concat(flags, runtime, passed, id, d.arguments(p.PackageArguments))
	return nil
}

func (d *draft) arguments(arguments []registry.Argument) (words []string) {
	for _, a := range arguments {
		flag := a.Type == "named"
		if flag && a.ValueHint == "" && reflect.DeepEqual(a.Input, registry.Input{IsRequired: a.IsRequired}) {
			words = append(words, a.Name) // it has no value
			continue
		}
		value, ok := d.value(cmp.Or(a.Name, a.ValueHint, "argument"), a.Input)
		switch {
		case ok && flag:
			words = append(words, a.Name, value)
		case ok:
			words = append(words, value)
		}
	}
	return words
}

// value returns what to write for an input, and false for one that is left out.
func (d *draft) value(name string, in registry.Input) (string, bool) {
	switch {
	case in.Value != "" && len(in.Variables) > 0 && curly().MatchString(in.Value):
		return d.fill(in.Value, in.Variables, false), true
	case in.Value != "" && in.IsSecret:
		return d.input(name, Input{Description: in.Description, Password: true}, in.Value), true
	case in.Value != "", in.Default != "" && !in.IsSecret:
		return d.conceal(name, cmp.Or(in.Value, in.Default)), true
	case in.IsRequired:
		return d.input(name, Input{
			Description: in.Description, Default: in.Default, Options: in.Choices,
			Password: in.IsSecret || redact.SecretName(name),
		}, ""), true
	}
	d.note("Optional, and left out: `%s`.", safetext.Line(name, 60))
	return "", false
}

// fill replaces {name} by the variables of that name. What nobody describes is asked for when all have to be
// variables, else it is text.
func (d *draft) fill(text string, variables map[string]registry.Input, all bool) string {
	values := map[string]string{}
	return curly().ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "{}")
		in, ok := variables[name]
		if !ok && !all {
			return found
		}
		value, ok := values[name]
		if !ok {
			in.IsRequired = true // the text needs it
			value, _ = d.value(name, in)
			values[name] = value
		}
		if d.filled += len(value); d.filled > maxFilled {
			d.err = cmp.Or(d.err, errors.New("its variables make a text that is too long; define it by hand"))
			return ""
		}
		return value
	})
}
