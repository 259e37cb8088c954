package editorapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// The commands that change configuration files, for editors without a plugin. A configuration file offers them. What
// they need to know they ask as a server does.
const (
	commandAddServer     = "editord.addServer"
	commandImportServers = "editord.importServers"
	commandRemoveServer  = "editord.removeServer"
	commandEnableServer  = "editord.enableServer"
	commandDisableServer = "editord.disableServer"
)

// addServer runs editord.addServer.
func (s *session) addServer(r *request, p ProposeServersParams) (any, error) {
	return nil, s.afterwards(r, "adding a server", func(ctx context.Context) error {
		if len(p.Words) == 0 {
			what, err := s.askOwn(ctx, r, "What do you have of the server?\nAn address, npm:PACKAGE, pypi:PACKAGE, docker:IMAGE, PUBLISHER/NAME of the registry, "+
				"a command line, or the JSON of another program.", "what", `{"type": "string", "minLength": 1}`)
			if err != nil {
				return err
			}
			if p.Words = []string{rawjson.Bare(what)}; what == nil {
				return nil
			}
		}
		return s.addProposed(ctx, r, p)
	})
}

// importServers runs editord.importServers.
func (s *session) importServers(r *request, p ProposeServersParams) (any, error) {
	if p.From == "" {
		p.From = "all"
	}
	return nil, s.afterwards(r, "importing servers", func(ctx context.Context) error { return s.addProposed(ctx, r, p) })
}

// addProposed asks about servers, one after the other, and adds those that the person agrees to.
func (s *session) addProposed(ctx context.Context, r *request, p ProposeServersParams) error {
	proposed, err := s.attachment.ProposeServers(ctx, p)
	if err != nil {
		return err
	}
	for _, problem := range proposed.Problems {
		s.ShowMessage(SeverityWarning, problem)
	}
	if proposed.Choose {
		proposed.Servers = proposed.Servers[:1] // the best
	}
	for _, server := range proposed.Servers {
		if server.State != ProposalNew {
			s.ShowMessage(SeverityInfo, fmt.Sprintf("%s has a server %q already.", fileuri.Shown(server.File), server.Name))
			continue
		}
		text := fmt.Sprintf("Add server %q?\nIt runs: %s\nIt is from: %s", server.Name, server.Runs, server.From)
		for _, note := range server.Notes {
			text += "\n" + note
		}
		agreed, err := s.askOwn(ctx, r, text, "add", `{"type": "boolean"}`)
		if err != nil {
			return err
		}
		if string(agreed) != "true" {
			continue
		}
		added, err := s.attachment.AddServer(ctx, AddServerParams{Server: server, Trusted: p.From != ""})
		switch {
		case err != nil:
			return err
		case added.Place != nil:
			s.ShowMessage(SeverityInfo, fmt.Sprintf("Server %q was added to %s.", server.Name, fileuri.Shown(added.Place.URI)))
		default:
			s.ShowMessage(SeverityError, wording.Adding(NotReady(added.Server).Message, ", so nothing was written"))
		}
	}
	return nil
}

// askOwn asks for one value; nil when the person gives none.
func (s *session) askOwn(ctx context.Context, r *request, message, name, schema string) (json.RawMessage, error) {
	params, err := json.Marshal(map[string]any{
		"mode": "form", "message": message,
		"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{name: json.RawMessage(schema)}, "required": []string{name}},
	})
	if err != nil {
		return nil, err
	}
	q := Question{Params: params, Cause: &Cause{ID: r.rawID()}}
	ask := s.elicitForm // the person has just run the command: a box is in nobody's way
	if !s.plain() {
		ask = s.Elicit
	}
	answer, err := ask(ctx, q)
	if err != nil || rawjson.String(answer, "action") != "accept" {
		return nil, err
	}
	return rawjson.Path(answer, "content", name), nil
}

// configures returns what runs a command that changes the file of a server. said is what it did.
func configures(said string, do func(Attachment, context.Context, string) (ConfigPlace, error)) func(*session, *request, ServerParams) (any, error) {
	return func(s *session, r *request, p ServerParams) (any, error) {
		place, err := do(s.attachment, r.ctx, p.Server)
		if err == nil && s.plain() {
			s.ShowMessage(SeverityInfo, fmt.Sprintf("Server %q %s %s.", p.Server, said, fileuri.Shown(place.URI)))
		}
		return place, err
	}
}

func removes(a Attachment, ctx context.Context, server string) (ConfigPlace, error) {
	return a.RemoveServer(ctx, ServerParams{server})
}

func enables(enabled bool) func(Attachment, context.Context, string) (ConfigPlace, error) {
	return func(a Attachment, ctx context.Context, server string) (ConfigPlace, error) {
		return a.EnableServer(ctx, EnableServerParams{server, enabled})
	}
}
