package candidate

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxListed bounds the servers of a text, and the inputs and notes of a server: each is compared with all.
const maxListed = 100

// definition is a server as mcp.json has it.
type definition struct {
	Type    string            `json:"type,omitempty"` // only sse: command and url say the rest
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Enabled *bool             `json:"enabled,omitempty"`
}

// draft is a server while it is made.
type draft struct {
	Server
	definition
	published bool  // a variable that is not ours is its publisher's, who is not trusted
	filled    int   // bytes that its publisher's variables made
	err       error // the first one
}

func newDraft(name string) *draft {
	d := &draft{Server: Server{Name: name, Secrets: map[string]string{}}}
	d.Env, d.Headers = map[string]string{}, map[string]string{}
	return d
}

// pattern compiles an expression when it is first needed: most processes never read what people paste.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	// variables are what mcp.json takes for them. There is no escape.
	variables = pattern(`\$\{([^{}"]*)\}`)
	// known are the names of those that have a value there.
	known     = pattern(`(?s)^(workspaceFolder(Basename)?|userHome|(env|input):.+)$`)
	container = pattern(`(^|[/\\])(docker|podman)(\.exe)?$`)
)

// input adds an input, with an id made of a name unless it has one, and returns the variable for it. Its value is
// known already unless secret is "".
func (d *draft) input(name string, in Input, secret string) string {
	if len(d.Inputs) == maxListed {
		d.err = cmp.Or(d.err, fmt.Errorf("%q needs more than %d inputs", d.Name, maxListed))
		return ""
	}
	in.ID = cmp.Or(in.ID, idOf(name))
	for n := 2; d.has(in.ID); n++ {
		in.ID = fmt.Sprint(idOf(name), "-", n)
	}
	in.Description = safetext.Line(cmp.Or(in.Description, strings.Trim(name, "<>- ")+" for "+d.Name), 300)
	d.Inputs = append(d.Inputs, in)
	if secret != "" {
		d.Secrets[in.ID] = secret
	}
	return "${input:" + in.ID + "}"
}

// has reports whether there is an input with an id.
func (d *draft) has(id string) bool {
	return slices.ContainsFunc(d.Inputs, func(in Input) bool { return in.ID == id })
}

// note adds a sentence, once.
func (d *draft) note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); len(d.Notes) < maxListed && !slices.Contains(d.Notes, note) {
		d.Notes = append(d.Notes, note)
	}
}

// finish returns the server. Whether mcp.json has such a one is config's to say.
func (d *draft) finish() (Server, error) {
	d.hideFromArguments()
	d.write()
	if d.err != nil {
		return Server{}, d.err
	}
	args := strings.Join(d.Args, "\n")
	for _, in := range d.Inputs {
		if in.Password && strings.Contains(args, "${input:"+in.ID+"}") {
			d.note("The value of %q stands in the argument list, where your other programs can see it.", in.ID)
		}
	}
	for _, m := range variables().FindAllStringSubmatch(string(d.Definition), -1) {
		id, _ := strings.CutPrefix(m[1], "input:")
		switch shown := safetext.Line(m[0], 60); {
		case d.published && !d.has(id):
			d.note("Its publisher wrote %s, which means a variable here; look at it twice.", shown)
		case !known().MatchString(m[1]):
			d.note("%s means a variable here, but there is no such one; change it.", shown)
		}
	}
	return d.Server, nil
}

// write writes the definition, and drops the inputs that it does not use.
func (d *draft) write() {
	d.Definition = []byte(editfile.Literal(d.definition))
	d.Inputs = slices.DeleteFunc(d.Inputs, func(in Input) bool {
		return !strings.Contains(string(d.Definition), "${input:"+in.ID+"}")
	})
	maps.DeleteFunc(d.Secrets, func(id, _ string) bool { return !d.has(id) })
}

// hideFromArguments makes of `docker run -e NAME=${input:…}` an -e NAME, which passes on the environment of docker.
func (d *draft) hideFromArguments() {
	for i, arg := range d.Args {
		assigned, flagged := strings.CutPrefix(arg, "--env=")
		flagged = flagged || i > 0 && (d.Args[i-1] == "-e" || d.Args[i-1] == "--env")
		name, value, ok := strings.Cut(assigned, "=")
		if ok && flagged && container().MatchString(d.Command) && strings.Contains(value, "${input:") {
			d.Env[name] = value
			d.Args[i] = strings.TrimSuffix(arg, "="+value)
		}
	}
}
