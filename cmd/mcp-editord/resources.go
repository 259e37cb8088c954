package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

func (a *app) resourcesCommand() *cobra.Command {
	var save string
	var watch bool
	cmd := a.inWorkspace(&cobra.Command{
		Use:               "resources [SERVER [URI]]",
		Short:             "List resources, read one, or follow it; start servers if needed",
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: a.complete(nil, serverNames, namesOf(calldoc.Resource)),
	}, func(ctx context.Context, s *session, args []string) error {
		s.saveDir = save
		switch {
		case len(args) < 2 && watch:
			return &usageError{errors.New("--watch follows one resource; name SERVER and URI")}
		case len(args) < 2:
			return s.list(ctx, args, calldoc.Resource)
		case watch:
			if err := s.subscribe(ctx, args[0], args[1]); err != nil {
				return err
			}
		}
		return follow(ctx, watch, s.updated, s.client.Done(), func() error {
			return s.call(ctx, calldoc.Resource, args[0], args[1], nil)
		})
	})
	saveFlag(cmd, &save)
	cmd.Flags().BoolVar(&watch, "watch", false, "print the resource again whenever its server says that it has changed")
	return cmd
}

func uriParams(uri string) json.RawMessage { return rawjson.Set(nil, "uri", rawjson.Quote(uri)) }

// subscribe has a server tell of changes of a resource.
func (s *session) subscribe(ctx context.Context, server, uri string) error {
	if err := s.start(ctx, server); err != nil {
		return err
	}
	p := editorapi.MCPRequest{Server: server, Params: uriParams(uri)}
	_, err := s.client.Call(ctx, "resources/subscribe", p, nil)
	return err
}
