package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

func (a *app) signInCommand() *cobra.Command {
	var noBrowser bool
	cmd := a.inWorkspace(a.ofServer("signin SERVER", "Sign in to a server with a browser"), func(ctx context.Context, s *session, args []string) error {
		var opener browser
		if !noBrowser {
			opener = findBrowser(s.getenv)
		}
		return s.signIn(ctx, args[0], opener)
	})
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "print the address, and do not offer to open it")
	return cmd
}

func (a *app) signOutCommand() *cobra.Command {
	return a.inWorkspace(a.ofServer("signout SERVER", "Forget what is kept from signing in to a server, and the passwords you typed for it"), func(ctx context.Context, s *session, args []string) error {
		before, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		answer, err := editorapi.MethodSignOut.Call(ctx, s.client, editorapi.ServerParams{Server: before.Name})
		if err != nil {
			return err
		}
		said := fmt.Sprintf("you were not signed in to server %q", before.Name)
		if in := before.SignedIn; in != nil {
			said = fmt.Sprintf("signed out of server %q at %s", before.Name, safetext.Line(in.Issuer, math.MaxInt))
		}
		return s.print(said, answer.Value)
	})
}

// signIn signs the user in to a server. It shows the address as soon as there is one, and takes
// what the browser ends on, until the daemon says what came of it.
func (s *session) signIn(ctx context.Context, name string, opener browser) error {
	var server editorapi.Server
	ended := make(chan error, 1)
	go func() {
		answer, err := editorapi.MethodSignIn.Call(ctx, s.client, editorapi.ServerParams{Server: name})
		server = answer.Value
		ended <- err
	}()

	g := &guide{session: s, server: name, opener: opener, stop: func() {}}
	defer g.leave()
	for {
		now, err := s.server(ctx, name)
		if err != nil {
			return err
		}
		if err := g.follow(ctx, now.SignIn); err != nil {
			return err
		}
		select {
		case <-s.changed:
		case err := <-ended:
			g.leave() // what follows is not for the line of the prompt
			if err != nil {
				return err
			}
			return s.signedIn(ctx, server)
		}
	}
}

// signedIn prints what came of a sign-in.
func (s *session) signedIn(ctx context.Context, server editorapi.Server) error {
	if server.State != editorapi.ServerReady {
		return editorapi.NotReady(server)
	}
	said := "is ready"
	if in := server.SignedIn; in != nil {
		said += "; signed in at " + safetext.Line(in.Issuer, math.MaxInt)
		if in.Kept == editorapi.KeptInMemory {
			said += ", until the daemon ends"
		}
	}
	if !s.json {
		if list, err := s.ask(ctx, calldoc.Tool, server.Name); err == nil { // else it has none, or cannot say
			tools := slices.Collect(rawjson.Elements(rawjson.Get(list, "tools")))
			said += fmt.Sprintf("; tools: %d", len(tools))
		}
	}
	return s.printServer(server, said)
}
