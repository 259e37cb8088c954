package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxStarts is how many servers start at the same time.
const maxStarts = 16

// offer is a tool or a prompt, as its server lists it.
type offer struct {
	server string
	item   json.RawMessage
}

func tools(c editorapi.CatalogResult) (offers []offer) {
	for _, s := range c.Servers {
		for _, tool := range s.Tools {
			offers = append(offers, offer{s.Server.Name, tool.Tool})
		}
	}
	return offers
}

func prompts(c editorapi.CatalogResult) (offers []offer) {
	for _, s := range c.Servers {
		for _, prompt := range s.Prompts {
			offers = append(offers, offer{s.Server.Name, prompt.Prompt})
		}
	}
	return offers
}

// A lister asks a server for one of its lists.
type lister func(ctx context.Context, server string) (json.RawMessage, error)

// list prints what the server in args offers, or what every server offers. It starts servers that do
// not run, and calls list to get their lists.
func (s *session) list(ctx context.Context, args []string, list lister, offers func(editorapi.CatalogResult) []offer) error {
	server, notReady := "", 0
	if len(args) > 0 {
		server = args[0]
		if err := s.startListed(ctx, server, list); err != nil {
			return err
		}
	} else {
		var err error
		if notReady, err = s.startAll(ctx, list); err != nil {
			return err
		}
	}
	catalog, err := s.client.Catalog(ctx, editorapi.CatalogParams{Server: server})
	if err == nil && s.json {
		err = s.printRaw(catalog.Raw)
	} else if err == nil {
		err = s.printOffers(offers(catalog.Value))
	}
	if err == nil && notReady > 0 {
		err = fmt.Errorf("servers that are not ready: %d", notReady)
	}
	return err
}

// startListed starts a server and waits for its list: the catalog itself waits for nothing.
func (s *session) startListed(ctx context.Context, server string, list lister) error {
	if err := s.start(ctx, server); err != nil {
		return err
	}
	// If the server has no such list, or fails to list, the output goes without it.
	_, _ = list(ctx, server)
	return nil
}

// startAll calls startListed for every server that may run, for several at a time. It prints at once which
// of them are not ready, and why, and returns how many.
func (s *session) startAll(ctx context.Context, list lister) (notReady int, err error) {
	servers, err := s.servers(ctx)
	if err != nil {
		return 0, err
	}
	slots := make(chan struct{}, maxStarts)
	var starting sync.WaitGroup
	var complaining sync.Mutex // guards notReady
	for _, server := range servers {
		if server.State == editorapi.ServerDisabled {
			continue
		}
		if server.Approval != nil {
			complaining.Lock()
			s.complain(fmt.Errorf("server %q %s", server.Name, allowHint(server.Name)))
			complaining.Unlock()
			continue
		}
		starting.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := s.startListed(ctx, server.Name, list); err != nil {
				complaining.Lock()
				defer complaining.Unlock()
				s.terminal.clear()
				s.complain(explained(err))
				notReady++
			}
		})
	}
	starting.Wait()
	return notReady, ctx.Err()
}

func (s *session) printOffers(offers []offer) error {
	t := &table{}
	t.row("SERVER", "NAME", "DESCRIPTION")
	for _, o := range offers {
		description := rawjson.String(o.item, "description")
		if description == "" {
			description = rawjson.String(o.item, "title")
		}
		t.row(o.server, rawjson.String(o.item, "name"), safetext.Line(firstLine(description), maxCell))
	}
	return t.write(s.stdout, "")
}
