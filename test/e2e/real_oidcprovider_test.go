//go:build linux || darwin

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// An identityProvider is oidc-provider and the MCP server that it protects: see
// test/testkit/oidcprovider/provider.mjs.
type identityProvider struct {
	t                    *testing.T
	Issuer, MCP, Control string
}

// identityProvider starts one, and configures the MCP server behind it. Sign-ins are kept in a file, and so
// outlive the daemon. It ends with the test.
func (w *world) identityProvider() *identityProvider {
	w.t.Helper()
	modules := filepath.Dir(installed(w.t, "the identity provider", "oidc-provider"))
	program, err := filepath.Abs(filepath.Join("..", "testkit", "oidcprovider", "provider.mjs"))
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command("node", program)
	cmd.Env = append(os.Environ(), "MCP_EDITORD_TEST_SERVERS="+modules)
	var said lockedBuffer
	cmd.Stderr = &said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait() // a test that failed says why
		if w.t.Failed() {
			w.t.Logf("the identity provider says:\n%s", said.String())
		}
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		w.t.Fatalf("the identity provider has not started: %v\n%s", err, said.String())
	}
	p := &identityProvider{t: w.t}
	unmarshal(w.t, line, p)
	w.config(marshal(object{"credentials": "file", "servers": object{"guarded": object{"url": p.MCP}}}))
	return p
}

// counts returns how often each event happened.
func (p *identityProvider) counts() (counts map[string]int) {
	p.t.Helper()
	resp, err := http.Get(p.Control)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&counts); err != nil {
		p.t.Fatal(err)
	}
	return counts
}

// has checks how often an event happened.
func (p *identityProvider) has(event string, want int) {
	p.t.Helper()
	if counts := p.counts(); counts[event] != want {
		p.t.Errorf("%s happened %d times, want %d; all: %v", event, counts[event], want, counts)
	}
}

// post has the provider do something.
func (p *identityProvider) post(what string) {
	p.t.Helper()
	resp, err := http.Post(p.Control+"/"+what, "", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %s", what, resp.Status)
	}
}

// A person signs in on the pages of the provider: its forms, cookies and redirects, without scripts.
type person struct {
	login  string
	client *http.Client
	sees   []string // the title of each page
}

func newPerson(t *testing.T, login string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	stay := func(next *http.Request, via []*http.Request) error {
		if next.URL.Host != via[0].URL.Host {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &person{login: login, client: &http.Client{Jar: jar, CheckRedirect: stay}}
}

var (
	pageForm  = regexp.MustCompile(`<form autocomplete="off" action="([^"]*)" method="post">\s*<input type="hidden" name="prompt" value="([a-z]+)"/>`)
	pageTitle = regexp.MustCompile(`<h1>([^<]*)</h1>`)
)

// goTo opens an address and does what the pages want, until a page sends the browser away from the
// provider. It returns where to.
func (p *person) goTo(address string) (away string, err error) {
	resp, err := p.client.Get(address)
	for range 10 {
		if err != nil {
			return "", err
		}
		page, unread := io.ReadAll(resp.Body)
		resp.Body.Close()
		if unread != nil {
			return "", unread
		}
		if next, err := resp.Location(); err == nil {
			return next.String(), nil
		}
		form, title := pageForm.FindSubmatch(page), pageTitle.FindSubmatch(page)
		if form == nil || title == nil {
			return "", fmt.Errorf("%s answers %s: %s", resp.Request.URL, resp.Status, page)
		}
		p.sees = append(p.sees, string(title[1]))
		values := url.Values{"prompt": {string(form[2])}, "login": {p.login}, "password": {"any"}}
		resp, err = p.client.PostForm(html.UnescapeString(string(form[1])), values)
	}
	return "", fmt.Errorf("more than 10 pages: %q", p.sees)
}

// read returns the text of the page at an address.
func (p *person) read(address string) (string, error) {
	resp, err := p.client.Get(address)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	return strings.Join(strings.Fields(string(page)), " "), err
}

// goes returns an editor whose person goes to every address that the editor is asked to open, and the
// text of the page that each visit ended on.
func goes(w *guarded, p *person) (o fakeeditor.Options, pages <-chan string) {
	ended := make(chan string, 16)
	return w.asked(func(address string) {
		page, err := p.goTo(address)
		if err == nil {
			page, err = p.read(page)
		}
		if err != nil {
			page = err.Error()
		}
		ended <- page
	}), ended
}

// signInAs signs in, and checks that the server knows who that is.
func signInAs(e *fakeeditor.Editor, p *identityProvider, pages <-chan string, login string) {
	p.t.Helper()
	var view editorapi.Server
	request(e, "editord/signIn", object{"server": "guarded"}, &view)
	if view.State != "ready" || view.SignedIn == nil || view.SignedIn.Issuer != p.Issuer || !slices.Contains(view.SignedIn.Scopes, "mcp") {
		p.t.Fatalf("after the sign-in the server is %s", marshal(view))
	}
	if page := <-pages; !strings.Contains(page, "You are signed in to “guarded”.") {
		p.t.Errorf("the person ends on the page %s", page)
	}
	if got := call(e, "guarded", "whoami", object{}).text(); got != login {
		p.t.Errorf("the server calls the person %q, want %q", got, login)
	}
}

// A sign-in at an identity provider that is not ours: with its registration, pages, consent, refresh
// tokens that work once, and revocation.
func TestOIDCProvider(t *testing.T) {
	w := guard(newWorld(t), nil)
	p := w.identityProvider()
	eve := newPerson(t, "eve")
	o, pages := goes(w, eve)
	e := w.attach(o)
	awaitState(e, "guarded", "needsSignIn")
	p.has("registration_create.success", 0) // nobody has asked for anything yet

	signInAs(e, p, pages, "eve")
	if want := []string{"Sign-in", "Authorize"}; !slices.Equal(eve.sees, want) {
		t.Errorf("the person has seen %q, want %q", eve.sees, want)
	}
	p.has("registration_create.success", 1)
	p.has("grant.success", 1)

	// A token that has ended is replaced, once for all who need it: the provider revokes everything when a
	// refresh token comes twice.
	other := w.attach(o, "guarded")
	for n := range 2 {
		p.post("expire")
		var calls []*fakeeditor.Pending
		for range 4 {
			for _, caller := range []*fakeeditor.Editor{e, other} {
				calls = append(calls, caller.Start("mcp/tools/call", toolCall("guarded", "echo", object{"text": "hi"})))
			}
		}
		for _, c := range calls {
			if raw, err := c.Wait(); err != nil || !strings.Contains(string(raw), `"text":"hi"`) {
				t.Errorf("after %d refreshes a call answers %s, %v", n, raw, err)
			}
		}
		p.has("refresh_token.consumed", n+1)
	}

	// The sign-in outlives the daemon.
	w.must("stop")
	p.post("expire")
	e = w.attach(o, "guarded")
	if got := call(e, "guarded", "whoami", object{}).text(); got != "eve" {
		t.Errorf("after a restart of the daemon the server calls the person %q", got)
	}
	p.has("refresh_token.consumed", 3)

	// What the provider has revoked is over.
	p.post("revoke")
	raw, err := e.Request("mcp/tools/call", toolCall("guarded", "echo", object{"text": "hi"}))
	if err == nil || !strings.Contains(string(err.Data), `"signInNeeded"`) {
		t.Errorf("after the revocation a call answers %s, %v", raw, err)
	}
	awaitNow(e, "guarded", "needsSignIn")
	p.has("registration_create.success", 1)

	// The client is still registered, and the person still known: they only agree again.
	eve.sees = nil
	signInAs(e, p, pages, "eve")
	p.has("registration_create.success", 1)
	if want := []string{"Authorize"}; !slices.Equal(eve.sees, want) {
		t.Errorf("the person has seen %q, want %q", eve.sees, want)
	}

	// Signing out reaches the provider.
	before := p.counts()
	request(e, "editord/signOut", object{"server": "guarded"}, nil)
	awaitNow(e, "guarded", "needsSignIn")
	after := p.counts()
	for _, event := range []string{"refresh_token.destroyed", "grant.revoked"} {
		if after[event] <= before[event] {
			t.Errorf("after signing out, %s has happened no more often than before: %v, %v", event, before, after)
		}
	}
	p.has("server_error", 0)
	p.has("grant.error", 1) // the refresh token that was revoked
}

// The command waits for the browser, and then the server knows the person.
func TestOIDCProviderFromTheShell(t *testing.T) {
	w := newWorld(t)
	p := w.identityProvider()
	eve := newPerson(t, "eve")
	command := w.spawn("signin", "guarded", "--json")
	shown, err := bufio.NewReader(command).ReadBytes('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, command.stderr.String())
	}
	var address struct{ SignIn editorapi.SignIn }
	unmarshal(t, shown, &address)
	back, err := eve.goTo(address.SignIn.URL)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(back, address.SignIn.RedirectURI+"?") {
		t.Fatalf("the provider leads to %s, not to %s", back, address.SignIn.RedirectURI)
	}
	if _, err := eve.read(back); err != nil {
		t.Fatal(err)
	}
	<-command.exited
	if command.code != 0 {
		t.Fatalf("exit code %d: %s", command.code, command.stderr.String())
	}
	if got := w.must("call", "guarded", "whoami"); !strings.Contains(got, "eve") {
		t.Errorf("the server calls the person %s", got)
	}
	if got := w.must("signout", "guarded"); !strings.Contains(got, "signed out of server \"guarded\" at "+p.Issuer) {
		t.Errorf("signout says %s", got)
	}
	if log, err := os.ReadFile(w.state("daemon.log")); err != nil || strings.Contains(string(log), "code=") {
		t.Errorf("daemon.log has the code, or cannot be read: %v", err)
	}
}
