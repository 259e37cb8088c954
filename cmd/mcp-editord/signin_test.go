package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

const signedInText = "server \"remote\" is ready; signed in at https://issuer.example; tools: 2\n"

// Without a terminal, signin prints the address on a line of its own, and waits for the browser.
func TestSignIn(t *testing.T) {
	d := newFakeDaemon(t)
	p := d.start(t, "signin", "remote")
	p.stderr.await(t, "\n"+address+"\n", 1)
	d.finish()
	p.end(0)
	check(t, "stdout", p.stdout.String(), signedInText)
	check(t, "stderr", p.stderr.String(), `To sign in to server "remote", open this address at sign.example on any device:`)
}

// Programs get the address and the server, a line each.
func TestSignInForPrograms(t *testing.T) {
	d := newFakeDaemon(t)
	p := d.start(t, "signin", "remote", "--json")
	p.stdout.await(t, "\n", 1)
	d.finish()
	p.end(0)
	check(t, "stdout", p.stdout.String(), `"url":"`+address+`"`)
	lines := strings.Split(p.stdout.String(), "\n")
	var shown struct{ SignIn editorapi.SignIn }
	if err := json.Unmarshal([]byte(lines[0]), &shown); err != nil || shown.SignIn.URL != address || shown.SignIn.Host != "sign.example" {
		t.Errorf("the first line is %s, %v", lines[0], err)
	}
	var server editorapi.Server
	if err := json.Unmarshal([]byte(lines[1]), &server); err != nil || len(lines) != 3 || server.State != editorapi.ServerReady || server.SignIn != nil {
		t.Errorf("the rest is %q, %v", lines[1:], err)
	}
}

// Whoever joins a sign-in gets the same address, though it was told before.
func TestSignInJoins(t *testing.T) {
	d := newFakeDaemon(t)
	first := d.start(t, "signin", "remote")
	<-d.begun
	second := d.start(t, "signin", "remote")
	<-d.begun
	first.stderr.await(t, address, 1)
	second.stderr.await(t, address, 1)
	d.finish()
	second.end(0)
	first.end(0)
	check(t, "stdout", first.stdout.String(), signedInText)
}

// What others wrote is shown as data, and a warning is shown before the address.
func TestSignInHostile(t *testing.T) {
	d := newFakeDaemon(t)
	p := d.start(t, "signin", "remote")
	p.stderr.await(t, address, 1)
	d.set(func(s *editorapi.Server) {
		s.SignIn = &editorapi.SignIn{URL: "https://x.example/\x1b[2J", Host: "x.example\u202e", Warning: "look\x07"}
	})
	p.stderr.await(t, `open this address at x.example\u{202e} (beware: look\u{7}) on any device:`+"\n\n"+`https://x.example/\u{1b}[2J`+"\n", 1)
	d.finish()
	p.end(0)
}

func TestSignInRefused(t *testing.T) {
	needsApproval := editorapi.NotReady(editorapi.Server{Name: "remote", State: editorapi.ServerNeedsApproval})
	for _, test := range []struct {
		name    string
		refusal error
		code    int
		want    string
	}{
		{"unknown", &editorapi.Error{Kind: editorapi.KindServerNotFound, Server: "remote"}, exitNotFound, `there is no server "remote" in this workspace; to list the servers: mcp-editord servers`},
		{"not allowed yet", needsApproval, exitPerson, "mcp-editord approvals allow remote"},
		{"refused", &editorapi.Error{Kind: editorapi.KindSignInFailed, Server: "remote", Message: "you declined it"}, exitFailure, "you declined it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newFakeDaemon(t)
			d.refusal = test.refusal
			p := d.run(t, test.code, "signin", "remote")
			check(t, "stderr", p.stderr.String(), test.want)
			check(t, "stdout", p.stdout.String(), "")
		})
	}
}

// A sign-in after which the server does not run has failed.
func TestSignInThenNotReady(t *testing.T) {
	d := newFakeDaemon(t)
	p := d.start(t, "signin", "remote")
	p.stderr.await(t, address, 1)
	d.end(func(s *editorapi.Server) {
		s.State, s.Error = editorapi.ServerFailed, &editorapi.ServerError{Message: "it cannot be reached"}
	})
	p.end(exitFailure)
	check(t, "stderr", p.stderr.String(), `server "remote" cannot be reached`)
}

func TestSignOut(t *testing.T) {
	d := newFakeDaemon(t)
	p := d.run(t, 0, "signout", "remote")
	check(t, "stdout", p.stdout.String(), `you were not signed in to server "remote"`)

	d.set(func(s *editorapi.Server) { s.SignedIn = &editorapi.SignedIn{Issuer: "https://issuer.example"} })
	p = d.run(t, 0, "signout", "remote")
	check(t, "stdout", p.stdout.String(), `signed out of server "remote" at https://issuer.example`)
	p = d.run(t, 0, "signout", "remote", "--json")
	check(t, "stdout", p.stdout.String(), `{"name":"remote","state":"needsSignIn"`)
	p = d.run(t, exitNotFound, "signout", "other")
	check(t, "stderr", p.stderr.String(), `there is no server "other" in this workspace`)
}

// The other commands say that the user has to sign in, and how.
func TestSignInNeeded(t *testing.T) {
	const reason, command = "it wants you to sign in", "mcp-editord signin remote"
	d := newFakeDaemon(t)
	p := d.run(t, 0, "servers")
	check(t, "stdout", p.stdout.String(), "  "+reason+"\n  to sign in: "+command+"\n")
	for _, args := range [][]string{{"call", "remote", "a"}, {"tools", "remote"}, {"tools"}} {
		code := exitPerson
		if len(args) == 1 { // others may be ready
			code = exitFailure
		}
		p := d.run(t, code, args...)
		check(t, "stderr", p.stderr.String(), reason)
	}

	d.set(func(s *editorapi.Server) { s.Error = &editorapi.ServerError{Message: reason + "; run: " + command} })
	p = d.run(t, 0, "servers")
	if got := p.stdout.String(); strings.Count(got, command) != 1 {
		t.Errorf("stdout is %q", got)
	}

	d.set(func(s *editorapi.Server) {
		s.State, s.Error = editorapi.ServerReady, nil
		s.SignedIn = &editorapi.SignedIn{Issuer: "https://issuer.example", Wanted: []string{"read", "write"}}
	})
	p = d.run(t, 0, "servers")
	check(t, "stdout", p.stdout.String(), "  has refused a request that needs read write; to sign in again with that: "+command+"\n")
}

// Only addresses of web pages are opened, and none that a program may take for something else.
func TestCheckAddress(t *testing.T) {
	for _, good := range []string{"https://a.example/x?y=z&a=%20#f", "http://127.0.0.1:8080"} {
		if err := checkAddress(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "a.example", "-version", "--help", "file:///etc/passwd", "javascript:alert(1)", "https:", "https:///x", "https://a.example/ -x", "https://a.example/\n", "https://\u0430.example", " https://a.example", "https://a.example/\x7f"} {
		if err := checkAddress(bad); err == nil {
			t.Errorf("%q is opened", bad)
		}
	}
}

// A daemon that was just killed still accepts for a moment.
func TestDaemonThatIsDying(t *testing.T) {
	d := newFakeDaemon(t)
	d.dying.Store(2)
	d.start(t, "servers").end(0)
}
