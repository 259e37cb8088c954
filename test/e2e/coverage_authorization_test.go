//go:build linux || darwin

package e2e

import (
	"strings"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// docs/mcp.md, row 26: a person signs in, a token that has expired is renewed without the person, and
// after the sign-out there is none.
func seeAuthorization(s *stand) {
	const name = "guarded"
	w := guard(s.world, authserver.New(s.t, authserver.Options{Versions: []string{s.version}}))
	o := w.person(authserver.Browser{})
	o.InitializationOptions = []byte(marshal(object{"servers": servers{name: object{"url": w.auth.URL(), "protocol": s.version}}}))
	e := s.connect(o)
	awaitState(e, name, "needsSignIn")
	if _, err := e.Request("editord/signIn", object{"server": name}); err != nil {
		s.t.Fatalf("signing in: %v", err)
	}
	if page := (<-w.visits).Page; !strings.Contains(page, "You are signed in") {
		s.t.Errorf("the browser ends on a page without the good news: %s", page)
	}
	awaitReady(e, name)
	for _, text := range []string{"first", "renewed"} {
		if got := call(e, name, "echo", object{"text": text}); got.IsError || got.text() != text {
			s.t.Errorf("the protected tool answers %+v, want %q", got, text)
		}
		w.auth.Expire("access")
	}
	if _, err := e.Request("editord/signOut", object{"server": name}); err != nil {
		s.t.Fatalf("signing out: %v", err)
	}
	awaitState(e, name, "needsSignIn")
}
