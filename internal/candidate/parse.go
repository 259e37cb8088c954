package candidate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// Options say what stands beside the words of [Parse].
type Options struct {
	Name    string   // of the server; "" makes one up
	Command []string // what was behind --
	Env     []string // K=V, or K alone: asked for
	Headers []string // "K: V", or K alone: asked for
}

// Parsed is what words mean. One of the first two is set.
type Parsed struct {
	Servers  []Server `json:"servers,omitempty"`  // sorted by name
	Registry string   `json:"registry,omitempty"` // PUBLISHER/NAME[@VERSION], to look up; then [Apply] the options
	Name     string   `json:"name,omitempty"`     // that was given for what Registry or Endpoint leads to

	// Endpoint is the URL that somebody gave, with what is secret in it. It may have a server card; without one
	// it is Servers[0].
	Endpoint string `json:"endpoint,omitempty"`
}

const forms = `give one of

  NAME -- COMMAND ARG…       files -- npx -y @modelcontextprotocol/server-filesystem .
  [NAME] URL                 https://mcp.linear.app/mcp
  [NAME] npm:PKG[@VERSION]   npm:@playwright/mcp, pypi:mcp-server-time, docker:mcp/fetch
  PUBLISHER/NAME[@VERSION]   io.github.github/github-mcp-server
  a command line             'npx -y @playwright/mcp --headless'
  JSON of any agent          '{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}'`

var (
	registryName = pattern(`^[A-Za-z0-9][A-Za-z0-9.-]*/[A-Za-z0-9._-]+(@[\w.+-]+)?$`)
	packageName  = pattern(`^(@[\w.~-]+/)?\w[\w.~-]*(\[[\w,.-]+\])?$`)
	imageName    = pattern(`^\w[\w./:@-]*$`)
	reference    = pattern(`^(https?://|npm:|pypi:|docker:)`)
	versionName  = pattern(`^[\w.+!~^-]*$`)
)

// Parse says what the arguments of `add` mean, or one text from the clipboard.
func Parse(given []string, o Options) (Parsed, error) {
	if len(given) == 1 && o.Command != nil || len(given) == 2 && o.Command == nil && isName(given[0]) {
		o.Name, given = cmp.Or(o.Name, given[0]), given[1:]
	}
	parsed, err := parse(given, o)
	switch {
	case err != nil:
	case len(parsed.Servers) == 1:
		parsed.Servers[0], err = Apply(parsed.Servers[0], o)
	case len(parsed.Servers) > 1 && len(o.Env)+len(o.Headers) > 0:
		err = errors.New("--env and --header are for one server, and the text has several")
	}
	return parsed, err
}

// isName reports whether a word before another one may be the name of a server, not a program.
func isName(word string) bool { return program(word) == word && !slices.Contains(runners, word) }

func parse(given []string, o Options) (Parsed, error) {
	text := strings.TrimSpace(strings.Join(given, " "))
	kind, name, _ := strings.Cut(text, ":")
	switch {
	case len(o.Command) > 0 && len(given) == 0:
		return one(made(o.Name, "a command line", definition{Command: o.Command[0], Args: o.Command[1:]}))
	case o.Command != nil:
	case len(given) > 1:
		return fromWords(given, o)
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, `"`) && strings.Contains(text, "{"):
		return fromText(text, o.Name)
	case strings.ContainsAny(text, " \t\n"):
		words, err := split(text)
		if err != nil {
			return Parsed{}, err
		}
		return fromWords(words, o)
	case kind == "http", kind == "https":
		parsed, err := one(made(o.Name, "its URL", definition{URL: text}))
		parsed.Endpoint, parsed.Name = text, o.Name
		return parsed, err
	case reference().MatchString(text):
		return fromPackage(kind, name, o.Name)
	case registryName().MatchString(text):
		return Parsed{Registry: text, Name: o.Name}, nil
	}
	return Parsed{}, errors.New("nothing that can be added; " + forms)
}

// made makes a server of a definition as somebody typed it, in mcp.json's own words: `$HOME` in it is for the program.
func made(name, from string, typed definition) (Server, error) {
	d := newDraft(cmp.Or(name, typed.name()))
	d.From = from
	d.take(typed, func(text string) string { return text })
	return d.finish()
}

func one(server Server, err error) (Parsed, error) { return Parsed{Servers: []Server{server}}, err }

// fromPackage reads what is behind npm:, pypi: or docker:.
func fromPackage(kind, reference, name string) (Parsed, error) {
	id, version, ok := strings.Cut(reference, "==")
	if at := strings.LastIndexByte(reference, '@'); at > 0 && !ok && kind != "docker" {
		id, version = reference[:at], reference[at+1:]
	}
	command, err := runs(kind, id, version)
	if err != nil {
		return Parsed{}, err
	}
	return one(made(cmp.Or(name, nameOf(id)), kind, definition{Command: command[0], Args: command[1:]}))
}

// runs returns the command that runs a package, which is its last word. Its name must be one: what begins with a
// dash would be an option, and an address another package.
func runs(kind, id, version string) ([]string, error) {
	valid, separator := packageName, "@"
	switch {
	case kind == "docker":
		valid = imageName
	case kind == "pypi" && version != "latest":
		separator = "=="
	}
	if !valid().MatchString(id) || !versionName().MatchString(version) {
		return nil, fmt.Errorf("%q is not a package of %s", safetext.Line(id+" "+version, 100), kind)
	}
	runner := map[string][]string{
		"npm": {"npx", "-y"}, "pypi": {"uvx"}, "nuget": {"dnx"}, "docker": {"docker", "run", "-i", "--rm"},
	}[kind]
	if version != "" && kind != "docker" {
		id += separator + version
	}
	return append(runner, id), nil
}
