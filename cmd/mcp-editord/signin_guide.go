package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// A guide leads the user through one sign-in: where to go, and what to bring back. What the user pastes
// holds a code. The guide gives it to the daemon, and never prints it.
type guide struct {
	*session
	server string
	opener browser

	shown  editorapi.SignIn   // the last one; zero when it is over
	stop   context.CancelFunc // of take
	taking sync.WaitGroup
}

// follow shows a sign-in that is new, and begins to take addresses for it. It stops to take them for one
// that is over. nil means that none is under way.
func (g *guide) follow(ctx context.Context, signIn *editorapi.SignIn) error {
	if signIn == nil {
		signIn = &editorapi.SignIn{}
	}
	if *signIn == g.shown {
		return nil
	}
	g.leave()
	g.shown = *signIn
	if signIn.URL == "" {
		return nil
	}
	if err := g.show(); err != nil || !g.terminal.answers() {
		return err
	}
	ctx, g.stop = context.WithCancel(ctx) // leave calls it
	g.taking.Go(func() { g.take(ctx) })
	return nil
}

// leave stops to take addresses, and leaves the prompt if there is one.
func (g *guide) leave() {
	g.stop()
	g.taking.Wait()
}

// show prints where the user signs in. Nothing else is on the line of the address, so that it can be
// copied.
func (g *guide) show() error {
	if g.json {
		if err := g.printJSON(map[string]editorapi.SignIn{"signIn": g.shown}); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("To sign in to server %q, open this address at %s", g.server, safetext.Line(g.shown.Host, math.MaxInt))
	if g.shown.Warning != "" {
		text += " (beware: " + safetext.Line(g.shown.Warning, math.MaxInt) + ")"
	}
	if !g.offers() {
		text += " on any device"
	}
	return write(g.stderr, text+":\n\n"+safetext.Line(g.shown.URL, math.MaxInt)+"\n\n")
}

// offers reports whether the user can have the address opened.
func (g *guide) offers() bool { return g.terminal.answers() && g.opener != "" }

// take has the user paste addresses until one fits, nobody gives any more or ctx ends.
func (g *guide) take(ctx context.Context) {
	done, err := g.terminal.ask(ctx)
	if err != nil {
		return
	}
	defer done()
	g.terminal.say("What you paste here is not shown.\n")
	for {
		line, err := g.terminal.readLine(ctx, g.prompt(), true)
		line = strings.TrimSpace(line)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, io.EOF):
			g.terminal.say("Waiting for the browser; Ctrl-C cancels.\n")
			return
		case err != nil:
			g.complain(fmt.Errorf("reading what the browser ends on: %w", err))
			return
		case line != "":
			p := editorapi.FinishSignInParams{Server: g.server, Response: line}
			_, err := editorapi.MethodFinishSignIn.Call(ctx, g.client, p)
			if err == nil {
				g.terminal.say("That fits. Waiting for the server.\n")
				return
			}
			if ctx.Err() == nil {
				g.complain(g.explained(ctx, err))
			}
		case g.offers():
			err := g.opener.open(g.shown.URL, func(err error) {
				if ctx.Err() == nil {
					g.complain(err)
					g.terminal.say(g.prompt())
				}
			})
			if err != nil {
				g.complain(err)
			} else {
				g.terminal.say("Opened. Waiting for the browser.\n")
			}
		}
	}
}

// prompt returns a prompt that fits on one line.
func (g *guide) prompt() string {
	if g.offers() {
		return "Press Enter to open a browser, or paste the address that it ends on: "
	}
	return "If the browser cannot load the page that it ends on, paste its address: "
}
