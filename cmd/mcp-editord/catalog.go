package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/nearname"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

func (a *app) toolsCommand() *cobra.Command {
	return a.inWorkspace(&cobra.Command{
		Use:               "tools [SERVER [TOOL]]",
		Short:             "List the tools of one or all servers, or describe one; start the servers if needed",
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: a.complete(nil, serverNames, namesOf(calldoc.Tool)),
	}, func(ctx context.Context, s *session, args []string) error {
		args, err := s.apart(ctx, args)
		if err != nil {
			return err
		}
		if len(args) > 1 {
			return s.describe(ctx, args[0], args[1])
		}
		return s.list(ctx, args, calldoc.Tool)
	})
}

func (a *app) promptsCommand() *cobra.Command {
	var save string
	cmd := a.inWorkspace(&cobra.Command{
		Use:               "prompts [SERVER [PROMPT [key=value… | key=@file…]]]",
		Short:             "List prompts, or get one, and start servers if needed",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.complete(argumentsOf(calldoc.Prompt), serverNames, namesOf(calldoc.Prompt)),
	}, func(ctx context.Context, s *session, args []string) error {
		args, err := s.apart(ctx, args)
		if err != nil {
			return err
		}
		s.saveDir = save
		if len(args) > 1 {
			return s.call(ctx, calldoc.Prompt, args[0], args[1], args[2:])
		}
		return s.list(ctx, args, calldoc.Prompt)
	})
	saveFlag(cmd, &save)
	return cmd
}

// apart returns the arguments of a command that takes SERVER and NAME, where somebody may have written SERVER.NAME.
func (s *session) apart(ctx context.Context, args []string) ([]string, error) {
	if len(args) == 0 || !strings.Contains(args[0], ".") {
		return args, nil
	}
	names, err := s.names(ctx)
	if err != nil || slices.Contains(names, args[0]) || nearname.Of(args[0], names) != "" {
		return args, err
	}
	server, name := (&calldoc.Call{Kind: calldoc.Tool, Target: args[0]}).Resolve(names)
	return append([]string{server, name}, args[1:]...), nil
}

// maxStarts is how many servers start at the same time.
const maxStarts = 16

// offer is what a server lists: a tool, a prompt, a resource or the template of resources.
type offer struct {
	server, name string
	item         json.RawMessage
}

// offered returns what the servers of a catalog have of a kind.
func offered(c editorapi.CatalogResult, k calldoc.Kind) (offers []offer) {
	for _, s := range c.Servers {
		add := func(member string, item json.RawMessage) {
			offers = append(offers, offer{s.Server.Name, rawjson.String(item, member), item})
		}
		switch k {
		case calldoc.Tool:
			for _, tool := range s.Tools {
				add("name", tool.Tool)
			}
		case calldoc.Prompt:
			for _, prompt := range s.Prompts {
				add("name", prompt.Prompt)
			}
		case calldoc.Resource:
			for _, resource := range s.Resources {
				add("uri", resource)
			}
			for _, template := range s.ResourceTemplates {
				add("uriTemplate", template)
			}
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
	var names []string
	for item := range rawjson.Elements(rawjson.Get(list, all)) {
		if rawjson.String(item, "name") == name {
			return item, nil
		}
		names = append(names, rawjson.String(item, "name"))
	}
	advice := fmt.Sprintf("to list its %s: mcp-editord %s %s", all, all, safetext.ShellWord(server))
	return nil, notFound("server %q has no %s %q%s", server, k.Noun(), name, didYouMean(name, names, advice))
}

// list prints what the server in args, or every server, has of a kind. It starts servers that do not run.
func (s *session) list(ctx context.Context, args []string, k calldoc.Kind) (err error) {
	var pending []string
	failed, of := 0, strings.Join(args, "")
	if of != "" {
		err = s.startListed(ctx, of, k)
	} else {
		pending, failed, err = s.startAll(ctx, k)
	}
	if err != nil {
		return err
	}
	catalog, err := editorapi.MethodCatalog.Call(ctx, s.client, editorapi.CatalogParams{Server: of})
	switch {
	case err == nil && s.json:
		err = s.printRaw(catalog.Raw)
	case err == nil:
		err = s.printOffers(offered(catalog.Value, k), pending)
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("servers that are not ready: %d", failed)
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

// maxListWait is how long a list for people waits for servers: one that is slow holds back no other.
const maxListWait = 2 * time.Second

// startAll calls startListed for every server that may run, for several at a time. It prints at once which of them are not
// ready, and why. For people it waits for maxListWait, and returns the servers that go on starting.
func (s *session) startAll(ctx context.Context, k calldoc.Kind) (pending []string, failed int, err error) {
	servers, err := s.servers(ctx)
	if err != nil {
		return nil, 0, err
	}
	waiting, stop := context.WithTimeout(ctx, maxListWait)
	defer stop()
	if s.json {
		waiting = ctx
	}
	slots := make(chan struct{}, maxStarts)
	var starting sync.WaitGroup
	var ended sync.Mutex // guards what is printed and returned
	for _, server := range servers {
		if server.State == editorapi.ServerDisabled {
			continue
		}
		starting.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			var err error
			if server.Approval == nil {
				err = s.startListed(waiting, server.Name, k) // when nobody waits any more, the start goes on
			}
			ended.Lock()
			defer ended.Unlock()
			switch {
			case server.Approval != nil:
				s.complain(fmt.Errorf("server %q %s", server.Name, allowHint(server.Name)))
			case waiting.Err() != nil:
				pending = append(pending, server.Name)
			case err != nil:
				s.terminal.clear()
				s.complain(s.explained(ctx, err))
				failed++
			}
		})
	}
	starting.Wait()
	slices.Sort(pending)
	return pending, failed, ctx.Err()
}

// printOffers prints what servers list, and the names of those that are still starting.
func (s *session) printOffers(offers []offer, pending []string) error {
	t := &table{}
	t.row("SERVER", "NAME", "DESCRIPTION")
	for _, o := range offers {
		description := cmp.Or(rawjson.String(o.item, "description"), rawjson.String(o.item, "title"))
		t.row(o.server, o.name, safetext.Line(firstLine(description), maxCell))
	}
	for _, server := range pending {
		t.row(server, "starting…")
	}
	return t.write(s.stdout, "")
}
