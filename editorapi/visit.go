package editorapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// The actions of the question before a browser opens.
const (
	actionOpen   = "Open"
	actionCancel = "Cancel"
)

// Visit implements [Editor]. An editor that declared experimental.mcp shows the address itself, as it has
// it from the state of the server. In any other the user sees its host, and as much of it as fits, in a
// message box and agrees before it is opened.
func (s *session) Visit(ctx context.Context, v Visit) (opened bool, err error) {
	if !s.client.showDocument {
		s.showAddress(v)
		return false, nil
	}
	if s.plain() {
		action, err := s.agree(ctx, fmt.Sprintf("Sign in to the MCP server %q at %s?", v.Server, v.SignIn.Host), v.SignIn.Warning, v.SignIn.URL)
		if _, answered := errors.AsType[*RPCError](err); answered || err == errNoAnswer {
			s.showAddress(v)
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if action != actionOpen {
			return false, errorf(KindCancelled, "", "the sign-in was cancelled")
		}
	}
	opened, err = s.visit(ctx, v.SignIn.URL)
	if err == nil && !opened {
		s.showAddress(v)
	}
	return opened, err
}

// agree asks whether an address may be opened in a browser, and returns the chosen action, "" for none.
// title names its host.
func (s *session) agree(ctx context.Context, title, warning, body string) (action string, err error) {
	if warning != "" {
		warning = "Beware: " + warning + "."
	}
	question, _ := boxText(title, body, warning)
	return s.box(ctx, question, actionCancel, actionOpen)
}

// showAddress shows an address that a plain client cannot open. Any other has said what it wanted to say.
func (s *session) showAddress(v Visit) {
	if !s.plain() {
		return
	}
	host := v.SignIn.Host
	if v.SignIn.Warning != "" {
		host += " (beware: " + v.SignIn.Warning + ")"
	}
	// The address is last: editors make a link of it, with what follows.
	s.ShowMessage(SeverityInfo, fmt.Sprintf("If the browser ends on a page that it cannot load, "+
		"run %s and paste its address. To sign in to the MCP server %q, open this address at %s: %s",
		SignInCommand(v.Server), v.Server, host, v.SignIn.URL))
}

// SignInCommand returns what you type in a terminal to sign in to a server.
func SignInCommand(server string) string { return "mcp-editord signin " + safetext.ShellWord(server) }
