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

// maxStarts is how many servers are started at the same time.
const maxStarts = 16

// catalog is the result of editord/catalog.
type catalog struct {
	Servers []struct {
		Server editorapi.Server `json:"server"`
		Tools  []struct {
			Tool json.RawMessage `json:"tool"`
		} `json:"tools"`
		Prompts []struct {
			Prompt json.RawMessage `json:"prompt"`
		} `json:"prompts"`
	} `json:"servers"`
}

func parseCatalog(raw json.RawMessage) (c catalog, err error) {
	if err := json.Unmarshal(raw, &c); err != nil {
		return catalog{}, fmt.Errorf("reading the catalogue: %w", err)
	}
	return c, nil
}

// offer is a tool or a prompt, as its server lists it.
type offer struct {
	server string
	item   json.RawMessage
}

func (c catalog) tools() (offers []offer) {
	for _, s := range c.Servers {
		for _, tool := range s.Tools {
			offers = append(offers, offer{s.Server.Name, tool.Tool})
		}
	}
	return offers
}

func (c catalog) prompts() (offers []offer) {
	for _, s := range c.Servers {
		for _, prompt := range s.Prompts {
			offers = append(offers, offer{s.Server.Name, prompt.Prompt})
		}
	}
	return offers
}

// readCatalog returns what a server offers, or every server that is ready when server is "".
func (s *session) readCatalog(ctx context.Context, server string) (raw json.RawMessage, err error) {
	err = s.call(ctx, "editord/catalog", serverParams{server}, &raw)
	return raw, err
}

// list prints what the server in args, or every server, offers, and starts what
// does not run. listMethod is MCP's, for what is printed.
func (s *session) list(ctx context.Context, args []string, listMethod string, offers func(catalog) []offer) error {
	server, notReady := "", 0
	if len(args) > 0 {
		server = args[0]
		if err := s.startListed(ctx, server, listMethod); err != nil {
			return err
		}
	} else {
		var err error
		if notReady, err = s.startAll(ctx, listMethod); err != nil {
			return err
		}
	}
	raw, err := s.readCatalog(ctx, server)
	if err == nil && s.json {
		err = s.printRaw(raw)
	} else if err == nil {
		err = s.printOffers(raw, offers)
	}
	if err == nil && notReady > 0 {
		err = fmt.Errorf("servers that are not ready: %d", notReady)
	}
	return err
}

// startListed starts a server and waits for its list: the catalogue itself waits
// for nothing.
func (s *session) startListed(ctx context.Context, server, listMethod string) error {
	if err := s.start(ctx, server); err != nil {
		return err
	}
	// A server that has no such list, or cannot list, is shown without.
	_ = s.call(ctx, "mcp/"+listMethod, mcpParams{Server: server}, nil)
	return nil
}

// startAll is startListed, at the same time, for every server that may run. It says
// which of them are not ready, and why, and how many they are.
func (s *session) startAll(ctx context.Context, listMethod string) (notReady int, err error) {
	servers, err := s.servers(ctx)
	if err != nil {
		return 0, err
	}
	errs := make([]error, len(servers))
	slots := make(chan struct{}, maxStarts)
	var starting sync.WaitGroup
	for i, server := range servers {
		if server.State == "disabled" {
			continue
		}
		if server.Approval != nil {
			s.complain(fmt.Errorf("server %s %s", server.Name, allowHint(server.Name)))
			continue
		}
		starting.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = s.startListed(ctx, server.Name, listMethod)
		})
	}
	starting.Wait()
	for _, err := range errs {
		if err != nil {
			s.complain(err)
			notReady++
		}
	}
	return notReady, ctx.Err()
}

func (s *session) printOffers(raw json.RawMessage, offers func(catalog) []offer) error {
	c, err := parseCatalog(raw)
	if err != nil {
		return err
	}
	t := &table{}
	t.row("SERVER", "NAME", "DESCRIPTION")
	for _, o := range offers(c) {
		description := rawjson.String(o.item, "description")
		if description == "" {
			description = rawjson.String(o.item, "title")
		}
		t.row(o.server, rawjson.String(o.item, "name"), safetext.Line(firstLine(description), maxCell))
	}
	return t.write(s.stdout, "")
}
