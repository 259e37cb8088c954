package daemon

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/candidate"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/registry"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// registryVariable names another registry than the configuration does.
const registryVariable = "MCP_EDITORD_REGISTRY"

// cardPatience is how long a server card is waited for: most endpoints have none.
const cardPatience = 3 * time.Second

// registry returns the registry of e.
func (e *editor) registry() *registry.Client {
	return &registry.Client{
		Base:  cmp.Or(e.env[registryVariable], e.d.store.User().Registry, registry.DefaultBase),
		HTTP:  &http.Client{Transport: &http.Transport{Proxy: proxy(e.env), DisableKeepAlives: true}},
		Cache: filepath.Join(e.d.opts.Paths.StateDir, "registry"),
	}
}

// SearchServers implements [editorapi.Attachment].
func (e *editor) SearchServers(ctx context.Context, p editorapi.SearchServersParams) (editorapi.SearchServersResult, error) {
	from := e.registry()
	page, err := from.Search(ctx, p.Words, p.Cursor)
	if err != nil {
		return editorapi.SearchServersResult{}, e.notFetched(ctx, "words", err)
	}
	result := editorapi.SearchServersResult{Servers: []editorapi.FoundServer{}, Registry: from.Base, Next: page.Next, Age: int(page.Age.Seconds())}
	for _, entry := range page.Entries {
		s, official := entry.Server, entry.Meta.Official
		found := editorapi.FoundServer{Name: s.Name, Title: s.Title, Description: s.Description, Version: s.Version, Kinds: []string{}}
		found.Repository = s.Repository.URL
		if len(s.Remotes) > 0 {
			found.Kinds = append(found.Kinds, "remote")
		}
		for _, pack := range s.Packages {
			if !slices.Contains(found.Kinds, pack.RegistryType) {
				found.Kinds = append(found.Kinds, pack.RegistryType)
			}
		}
		if official.Status == registry.Deprecated {
			found.Deprecated = cmp.Or(official.StatusMessage, "its publisher says so")
		}
		result.Servers = append(result.Servers, found)
	}
	return result, nil
}

// notFetched is the error for what a registry does not say.
func (e *editor) notFetched(ctx context.Context, member string, err error) error {
	if ctx.Err() != nil {
		return e.asEditorError(ctx, "", ctx.Err())
	}
	return &editorapi.Error{Kind: editorapi.KindInvalidParams, Detail: member, Message: err.Error()}
}

// ProposeServers implements [editorapi.Attachment].
func (e *editor) ProposeServers(ctx context.Context, p editorapi.ProposeServersParams) (result editorapi.ProposeServersResult, err error) {
	e.Used()
	file := e.d.store.User().Source.URI
	if p.Folder != "" {
		folder, err := fileuri.ToPath(p.Folder)
		if err != nil {
			return result, invalid("", "folder", "%q is not the URI of a folder", p.Folder)
		}
		file = fileuri.FromPath(filepath.Join(folder, projectFile))
	}
	source, text, err := e.readConfig(file)
	if err != nil {
		return result, err
	}
	var found []candidate.Server
	if p.From != "" {
		found, result.Problems, err = e.imported(p.From)
	} else {
		found, result.Choose, err = e.candidates(ctx, p)
	}
	if err != nil {
		return result, err
	}
	known := config.ParseFile(text.Content, source)
	var more []string // the ids of inputs that come with other proposals
	result.Servers = []editorapi.ProposedServer{}
	for _, c := range found {
		apart := candidate.Apart(c, append(idsOf(known, c.Name), more...))
		server, err := e.proposed(apart, file)
		if err != nil {
			result.Problems = append(result.Problems, err.Error())
			continue
		}
		if result.Servers = append(result.Servers, server); !result.Choose { // of ways to have one, only one goes into the file
			for _, in := range server.Inputs {
				more = append(more, in.ID)
			}
		}
	}
	if len(result.Servers) == 0 && len(result.Problems) > 0 && p.From == "" {
		return result, invalid("", "words", "%s", strings.Join(result.Problems, "\n"))
	}
	return result, nil
}

// idsOf returns the ids of the inputs of a file, without those of a server in it.
func idsOf(file *config.File, server string) (ids []string) {
	var own []string
	if i := indexOf(file, server); i >= 0 {
		own = file.Servers[i].InputIDs()
	}
	for _, in := range file.Inputs {
		if !slices.Contains(own, in.ID) {
			ids = append(ids, in.ID)
		}
	}
	return ids
}

// candidates returns what somebody has of servers, and whether these are ways to have the same one.
func (e *editor) candidates(ctx context.Context, p editorapi.ProposeServersParams) (found []candidate.Server, choose bool, err error) {
	o := candidate.Options{Name: p.Name, Command: p.Command, Env: p.Env, Headers: p.Headers}
	parsed, err := candidate.Parse(p.Words, o)
	if err != nil {
		return nil, false, invalid("", "words", "%s", err.Error())
	}
	var published registry.Server
	var notes []string
	source := parsed.Endpoint // who says so
	from := e.registry()
	switch {
	case parsed.Registry != "":
		name, version, _ := strings.Cut(parsed.Registry, "@")
		entry, age, err := from.Get(ctx, name, version)
		if err != nil {
			return nil, false, e.notFetched(ctx, "words", err)
		}
		published, source = entry.Server, from.Base
		if published.Repository.URL != "" {
			notes = append(notes, "Its publisher names this repository: "+published.Repository.URL)
		}
		if official := entry.Meta.Official; official.Status != "" && official.Status != registry.Active {
			notes = append(notes, fmt.Sprintf("The registry says that it is %s: %s.", official.Status, cmp.Or(official.StatusMessage, "without a reason")))
		}
		if age > 0 {
			notes = append(notes, fmt.Sprintf("This is what the registry said %s ago; it does not answer now.", age.Round(time.Minute)))
		}
	case parsed.Endpoint != "":
		ctx, cancel := context.WithTimeout(ctx, cardPatience)
		defer cancel()
		if published, err = from.Card(ctx, parsed.Endpoint); err != nil {
			return parsed.Servers, false, nil
		}
		published.Remotes = slices.DeleteFunc(published.Remotes, func(r registry.Remote) bool { return !sameHost(r.URL, parsed.Endpoint) })
		if len(published.Remotes) == 0 {
			return parsed.Servers, false, nil
		}
	default:
		return parsed.Servers, false, nil
	}
	ways, byHand, err := candidate.FromServerJSON(published, parsed.Name)
	if err != nil {
		return nil, false, invalid("", "words", "%s", err.Error())
	}
	for _, reason := range byHand {
		notes = append(notes, fmt.Sprintf("There is another way, by hand: %s.", reason))
	}
	for _, way := range ways {
		if way, err = candidate.Apply(way, o); err != nil {
			continue // --env is for another way
		}
		way.From = strings.Join([]string{published.Name + " " + published.Version, way.From, source}, ", ")
		found = append(found, way)
	}
	if len(found) == 0 {
		return nil, false, invalid("", "words", "%s", strings.Join(append([]string{"it cannot be run from here"}, notes...), "; "))
	}
	for i := range found {
		found[i].Notes = append(found[i].Notes, notes...)
	}
	return found, true, nil
}

// sameHost reports whether two addresses are of the same host.
func sameHost(a, b string) bool {
	first, err := url.Parse(a)
	second, also := url.Parse(b)
	return err == nil && also == nil && first.Host == second.Host
}

// proposed returns a server as editors show it before it is added to a file.
func (e *editor) proposed(c candidate.Server, file string) (editorapi.ProposedServer, error) {
	server := editorapi.ProposedServer{
		Name: c.Name, Definition: c.Definition, Secrets: c.Secrets,
		From: safetext.Line(c.From, maxShownLine), File: file,
	}
	for _, note := range c.Notes {
		server.Notes = append(server.Notes, safetext.Line(note, maxShownLine))
	}
	for _, in := range c.Inputs {
		server.Inputs = append(server.Inputs, editorapi.ProposedInput(in))
	}
	a, err := e.addition(server)
	if err != nil {
		return server, fmt.Errorf("server %q cannot be added: %w", c.Name, err)
	}
	server.State, server.Runs = a.state, runs(a.def)
	server.Text = safetext.Block(string(rawjson.Quote(c.Name)) + ": " + config.LaidOut(c.Definition))
	server.Notes = append(server.Notes, a.def.Warnings()...)
	return server, nil
}

// maxShownLine is how many characters of a text about a server are shown.
const maxShownLine = 300

// runs returns what a definition runs or reaches, in one line.
func runs(def config.Definition) string {
	if def.Transport != config.Stdio {
		return safetext.Line(def.URL, maxShownLine)
	}
	words := []string{safetext.ShellWord(def.Command)}
	for _, arg := range def.Args {
		words = append(words, safetext.ShellWord(arg))
	}
	return strings.Join(words, " ")
}
