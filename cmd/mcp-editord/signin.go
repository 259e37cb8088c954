package main

import (
	"context"
	"fmt"
	"math"
	"sync"

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

// signIn signs the user in to a server. It shows the address as soon as the daemon tells of one, and takes
// what the browser ends on, until the daemon says what came of it.
func (s *session) signIn(ctx context.Context, name string, opener browser) error {
	var server editorapi.Server
	ended := make(chan error, 1)
	go func() {
		answer, err := editorapi.MethodSignIn.Call(ctx, s.client, editorapi.ServerParams{Server: name})
		server = answer.Value
		ended <- err
	}()

	g := s.newGuide(name, opener)
	defer g.leave()
	for {
		if err := g.follow(ctx, s.signIns.of(name)); err != nil {
			return err
		}
		select {
		case <-s.signIns.changed:
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
			n := 0
			for range rawjson.Elements(rawjson.Get(list, "tools")) {
				n++
			}
			said += fmt.Sprintf("; tools: %d", n)
		}
	}
	return s.printServer(server, said)
}

// signIns are the sign-ins that are under way, as the daemon has last told of them.
type signIns struct {
	changed chan struct{} // gets a value after a change, if it has none

	mu      sync.Mutex // guards servers
	servers map[string]editorapi.SignIn
}

// told notes what the daemon tells of a server. It implements [editorapi.ClientOptions.ServerChanged].
func (w *signIns) told(server editorapi.Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.servers, server.Name)
	if server.SignIn != nil {
		w.servers[server.Name] = *server.SignIn
	}
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// of returns the sign-in to a server, zero when none is under way.
func (w *signIns) of(server string) editorapi.SignIn {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers[server]
}
