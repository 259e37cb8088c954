package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

func (a *app) toolsCommand() *cobra.Command {
	cmd := a.ofServers("tools [SERVER]",
		"List the tools of one or all servers, and start the servers if needed")
	return a.inWorkspace(cmd, func(ctx context.Context, s *session, args []string) error {
		return s.list(ctx, args, calldoc.Tool)
	})
}

func (a *app) promptsCommand() *cobra.Command {
	return a.inWorkspace(&cobra.Command{
		Use:               "prompts [SERVER [PROMPT [key=value…]]]",
		Short:             "List prompts, or get one, and start servers if needed",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.complete(argumentsOf(calldoc.Prompt), serverNames, namesOf(calldoc.Prompt)),
	}, func(ctx context.Context, s *session, args []string) error {
		if len(args) > 1 {
			return s.call(ctx, calldoc.Prompt, args[0], args[1], func(json.RawMessage) (json.RawMessage, error) {
				return keyArguments(args[2:], nil) // all are strings
			})
		}
		return s.list(ctx, args, calldoc.Prompt)
	})
}

// maxStarts is how many servers start at the same time.
const maxStarts = 16

// offer is a tool or a prompt, as its server lists it.
type offer struct {
	server string
	item   json.RawMessage
}

// offered returns the tools or the prompts of a catalog.
func offered(c editorapi.CatalogResult, k calldoc.Kind) (offers []offer) {
	for _, s := range c.Servers {
		if k == calldoc.Prompt {
			for _, prompt := range s.Prompts {
				offers = append(offers, offer{s.Server.Name, prompt.Prompt})
			}
			continue
		}
		for _, tool := range s.Tools {
			offers = append(offers, offer{s.Server.Name, tool.Tool})
		}
	}
	return offers
}

// ask asks a server for its list of tools or prompts.
func (s *session) ask(ctx context.Context, k calldoc.Kind, server string) (json.RawMessage, error) {
	return s.client.Call(ctx, k.Noun()+"s/list", editorapi.MCPRequest{Server: server}, nil)
}

// definition returns what a server lists about a tool or a prompt; nil for a resource.
func (s *session) definition(ctx context.Context, k calldoc.Kind, server, name string) (json.RawMessage, error) {
	if k == calldoc.Resource {
		return nil, nil
	}
	list, err := s.ask(ctx, k, server)
	if err != nil {
		return nil, err
	}
	all := k.Noun() + "s"
	for item := range rawjson.Elements(rawjson.Get(list, all)) {
		if rawjson.String(item, "name") == name {
			return item, nil
		}
	}
	return nil, fmt.Errorf("server %q has no %s %q; to list its %s: mcp-editord %s %s", server, k.Noun(), name, all, all, safetext.ShellWord(server))
}

// list prints the tools or the prompts of the server in args, or those of every server. It starts servers that do
// not run.
func (s *session) list(ctx context.Context, args []string, k calldoc.Kind) error {
	var of editorapi.CatalogParams
	var err error
	notReady := 0
	if len(args) > 0 {
		of.Server = args[0]
		err = s.startListed(ctx, of.Server, k)
	} else {
		notReady, err = s.startAll(ctx, k)
	}
	if err != nil {
		return err
	}
	catalog, err := editorapi.MethodCatalog.Call(ctx, s.client, of)
	switch {
	case err == nil && s.json:
		err = s.printRaw(catalog.Raw)
	case err == nil:
		err = s.printOffers(offered(catalog.Value, k))
	}
	if err == nil && notReady > 0 {
		err = fmt.Errorf("servers that are not ready: %d", notReady)
	}
	return err
}

// startListed starts a server and waits for its list: the catalog itself waits for nothing.
func (s *session) startListed(ctx context.Context, server string, k calldoc.Kind) error {
	if err := s.start(ctx, server); err != nil {
		return err
	}
	// If the server has no such list, or fails to list, the output goes without it.
	_, _ = s.ask(ctx, k, server)
	return nil
}

// startAll calls startListed for every server that may run, for several at a time. It prints at once which
// of them are not ready, and why, and returns how many.
func (s *session) startAll(ctx context.Context, k calldoc.Kind) (notReady int, err error) {
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
			if err := s.startListed(ctx, server.Name, k); err != nil {
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
		description := cmp.Or(rawjson.String(o.item, "description"), rawjson.String(o.item, "title"))
		t.row(o.server, rawjson.String(o.item, "name"), safetext.Line(firstLine(description), maxCell))
	}
	return t.write(s.stdout, "")
}
