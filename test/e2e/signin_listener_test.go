//go:build linux || darwin

package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// Fault oauth-state: whatever else comes to the listener of a sign-in changes nothing, and learns nothing.
func TestForeignRequests(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	p, to := begin(e, "remote")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	own := state(t, to)
	good := url.Values{"code": {"canary-stolen"}, "state": {own}, "iss": {w.auth.Issuer()}}.Encode()
	root := to.RedirectURI[:strings.LastIndex(to.RedirectURI, "/")+1]
	for name, r := range map[string]struct {
		method, url string
		header      http.Header
		host        string
		status      int
	}{
		"no parameters":          {"GET", to.RedirectURI, nil, "", 400},
		"another state":          {"GET", to.RedirectURI + "?code=canary-x&state=guess", nil, "", 400},
		"two states":             {"GET", to.RedirectURI + "?" + good + "&state=" + own, nil, "", 400},
		"an error":               {"GET", to.RedirectURI + "?error=access_denied", nil, "", 400},
		"another path":           {"GET", root + "other?" + good, nil, "", 404},
		"the root":               {"GET", root, nil, "", 404},
		"the usual path":         {"GET", root + "callback?" + good, nil, "", 404},
		"a favicon":              {"GET", root + "favicon.ico", nil, "", 404},
		"a name that leads here": {"GET", to.RedirectURI + "?" + good, nil, "evil.example", 421},
		"a form":                 {"POST", to.RedirectURI + "?" + good, nil, "", 405},
		"a look":                 {"HEAD", to.RedirectURI + "?" + good, nil, "", 200},
		"a script's question":    {"OPTIONS", to.RedirectURI, http.Header{"Origin": {"https://evil.example"}}, "", 405},
		"a prefetch":             {"GET", to.RedirectURI + "?" + good, http.Header{"Sec-Purpose": {"prefetch;prerender"}}, "", 503},
		"a long query":           {"GET", to.RedirectURI + "?state=" + strings.Repeat("a", 10<<10), nil, "", 400},
	} {
		req, err := http.NewRequestWithContext(t.Context(), r.method, r.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		for key := range r.header {
			req.Header.Set(key, r.header.Get(key))
		}
		if r.host != "" {
			req.Host = r.host
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != r.status || resp.Header.Get("Location") != "" || resp.Header.Get("Access-Control-Allow-Origin") != "" || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: it is answered with %d %v, want %d", name, resp.StatusCode, resp.Header, r.status)
		}
	}
	if joined(e); p.Answered() || w.auth.Counts().Requests["token"] != 0 {
		t.Fatal("a foreign request ended the sign-in")
	}
	w.visit(authserver.Browser{}, to.URL)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	w.works(e, "echo", "one")
}

// state returns the state of a sign-in.
func state(t *testing.T, to editorapi.SignIn) string {
	t.Helper()
	u, err := url.Parse(to.URL)
	if err != nil || u.Query().Get("state") == "" {
		t.Fatalf("the address is %s (%v)", to.URL, err)
	}
	return u.Query().Get("state")
}

// finish hands over what a browser ended on.
func finish(e *fakeeditor.Editor, response string) *fakeeditor.RPCError {
	_, err := e.Request("editord/finishSignIn", object{"server": "remote", "response": response})
	return err
}

// What somebody pastes ends the sign-in if it is its address, and else says what to paste.
func TestFinishSignIn(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e, other := w.attach(w.idle()), w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	awaitState(other, "remote", "needsSignIn")
	wantError(e, "before", finish(e, "http://127.0.0.1:1/x?code=a&state=b"), "signInFailed", -32803)

	p, to := begin(e, "remote")
	v := w.visit(authserver.Browser{StopAt: "redirect"}, to.URL)
	for name, response := range map[string]string{
		"nothing":         "",
		"blanks":          " \n\t",
		"garbage":         "\x00\u202e<script>",
		"a code alone":    "canary-code-x", // the authorization server says who it is, so nobody else's code is taken
		"another state":   to.RedirectURI + "?code=canary-x&state=guess",
		"no state":        "code=canary-x",
		"the first page":  to.URL,
		"another address": "http://127.0.0.1:1/x?" + v.Next[strings.Index(v.Next, "?")+1:],
		"much":            strings.Repeat("a", 1<<20),
	} {
		err := finish(e, response)
		if wantError(e, name, err, "invalidParams", -32602); err.Detail() != "response" || strings.Contains(err.Message, "canary") || len(err.Message) > 500 {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	if _, err := e.Request("editord/finishSignIn", object{"server": "nobody", "response": v.Next}); err == nil || err.Kind() != "serverNotFound" {
		t.Errorf("for another server: %v", err)
	}
	if joined(e); p.Answered() {
		t.Fatal("what does not fit ended the sign-in")
	}
	if err := finish(other, " "+v.Next+"\n"); err != nil { // any editor may have it
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	w.works(e, "echo", "one")
	wantError(e, "afterwards", finish(e, v.Next), "signInFailed", -32803)

	// The page may say no, too.
	p, to = begin(e, "remote")
	v = w.visit(authserver.Browser{StopAt: "redirect", Deny: true}, to.URL)
	if err := finish(e, v.Next); err != nil {
		t.Fatal(err)
	}
	_, err := p.Wait()
	wantError(e, "denied", err, "signInFailed", -32803)
	w.works(e, "echo", "still signed in")

	// Where the authorization server does not say who it is, the code alone will do.
	w.change(func(k *authserver.Knobs) { k.Iss = "off" })
	p, to = begin(e, "remote")
	v = w.visit(authserver.Browser{StopAt: "redirect"}, to.URL)
	next, perr := url.Parse(v.Next)
	if perr != nil {
		t.Fatal(perr)
	}
	if err := finish(e, next.Query().Get("code")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	w.works(e, "echo", "two")
}

// Fault oauth-left: a browser that is closed half-way leaves a sign-in that can be cancelled, and a code that nobody redeems.
func TestBrowserIsClosed(t *testing.T) {
	t.Parallel()
	w := newGuarded(t, authserver.Options{})
	e := w.attach(w.idle())
	awaitState(e, "remote", "needsSignIn")
	for _, at := range []string{"consent", "redirect"} {
		p, to := begin(e, "remote")
		v := w.visit(authserver.Browser{StopAt: at}, to.URL)
		p.Cancel()
		if _, err := p.Wait(); err == nil || err.Kind() != "cancelled" {
			t.Errorf("closed at %s: %v", at, err)
		}
		over(t, to, e)
		if _, err := (authserver.Browser{}).Visit(t.Context(), v.Next); err == nil {
			t.Errorf("the browser that comes late, from %s, is answered", at)
		}
	}
	if got := w.auth.Counts(); got.Requests["token"] != 0 {
		t.Errorf("%d tokens were asked for", got.Requests["token"])
	}
}
