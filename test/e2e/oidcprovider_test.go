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
	"strings"
	"testing"
)

// An identityProvider is oidc-provider and the MCP server that it protects: see
// test/testkit/oidcprovider/provider.mjs.
type identityProvider struct {
	t                    *testing.T
	Issuer, MCP, Control string
}

// identityProvider starts one with these arguments. It ends with the test.
func (w *world) identityProvider(args ...string) *identityProvider {
	w.t.Helper()
	modules := filepath.Dir(installed(w.t, "the identity provider", "oidc-provider"))
	program, err := filepath.Abs(filepath.Join("..", "testkit", "oidcprovider", "provider.mjs"))
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command("node", append([]string{program}, args...)...)
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
	leave := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &person{login: login, client: &http.Client{Jar: jar, CheckRedirect: leave}}
}

var (
	pageForm   = regexp.MustCompile(`<form autocomplete="off" action="([^"]*)" method="post">\s*<input type="hidden" name="prompt" value="([a-z]+)"/>`)
	pageCancel = regexp.MustCompile(`<a href="([^"]*)">\[ Cancel \]</a>`)
	pageTitle  = regexp.MustCompile(`<h1>([^<]*)</h1>`)
)

// goTo opens an address and does what the pages want, until a page sends the browser away from the
// provider. It returns where to. With cancel the person does not agree.
func (p *person) goTo(address string, cancel bool) (away string, err error) {
	provider, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	resp, err := p.client.Get(address)
	for range 10 {
		if err != nil {
			return "", err
		}
		page, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return "", err
		}
		if next, err := resp.Location(); err == nil {
			if next.Host != provider.Host {
				return next.String(), nil
			}
			if resp, err = p.client.Get(next.String()); err != nil {
				return "", err
			}
			continue
		}
		form, abort, title := pageForm.FindSubmatch(page), pageCancel.FindSubmatch(page), pageTitle.FindSubmatch(page)
		if form == nil || abort == nil || title == nil {
			return "", fmt.Errorf("%s answers %s: %s", resp.Request.URL, resp.Status, page)
		}
		p.sees = append(p.sees, string(title[1]))
		if cancel {
			resp, err = p.client.Get(html.UnescapeString(string(abort[1])))
		} else {
			values := url.Values{"prompt": {string(form[2])}, "login": {p.login}, "password": {"any"}}
			resp, err = p.client.PostForm(html.UnescapeString(string(form[1])), values)
		}
		if err != nil {
			return "", err
		}
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
