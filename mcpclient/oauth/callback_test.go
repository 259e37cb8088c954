package oauth

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const (
	testState  = "the-state-0123456789"
	testIssuer = "https://as.example/tenant"
	testCode   = "the-code-0123456789"
)

var (
	issQuery  = "&iss=" + url.QueryEscape(testIssuer)
	goodQuery = "code=" + testCode + "&state=" + testState + issQuery
)

// listening returns a callback that expects testState of testIssuer.
func listening(t *testing.T, issRequired bool) *callback {
	t.Helper()
	c, err := listen("", `<files> "of mine"`, &oauthex.AuthServerMeta{Issuer: testIssuer, AuthorizationResponseIssParameterSupported: issRequired})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.close(nil) })
	c.state = testState
	return c
}

// shown is what a browser got.
type shown struct {
	status int
	header http.Header
	text   string
}

func (s shown) check(t *testing.T, status int, text string) {
	t.Helper()
	if s.status != status || !strings.Contains(s.text, text) {
		t.Errorf("the browser got %d %q, want %d with %q", s.status, s.text, status, text)
	}
}

// browse sends r as a browser does, on a connection of its own.
func browse(t *testing.T, r *http.Request) (s shown) {
	t.Helper()
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Error(err)
		return shown{}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return shown{answer.StatusCode, answer.Header, string(text)}
}

// get returns a request for c's address with a query.
func get(t *testing.T, c *callback, query string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.address+"?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// open has a browser get c's address with a query.
func open(t *testing.T, c *callback, query string) <-chan shown {
	t.Helper()
	r, page := get(t, c, query), make(chan shown, 1)
	go func() { page <- browse(t, r) }()
	return page
}

// wantCode waits for testCode.
func wantCode(t *testing.T, c *callback) {
	t.Helper()
	if code, err := c.wait(t.Context()); code != testCode || err != nil {
		t.Fatalf("the browser brought %q, %v", code, err)
	}
}

// What came of the code is on the page, and no text of a server is more than text there.
func TestOutcome(t *testing.T) {
	const name = "“&lt;files&gt; &#34;of mine&#34;”"
	for _, tt := range []struct {
		name    string
		outcome func(c *callback)
		status  int
		text    string
	}{
		{"signed in", func(c *callback) { c.close(nil) }, 200, "You are signed in to " + name + "."}, // the page arrives although it is closed
		{"for a reason that is meant to be read", func(c *callback) { c.close(&Failed{"the <server> is out of order"}) }, 403, "Why: the &lt;server&gt; is out of order."},
		{"for another reason", func(c *callback) { c.close(errors.New("body: strange")) }, 403, "You are not signed in to " + name},
		{"the first counts", func(c *callback) { c.close(nil); c.close(errors.New("twice")) }, 200, "You are signed in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := listening(t, true)
			page := open(t, c, goodQuery)
			wantCode(t, c)
			tt.outcome(c)
			got := <-page
			got.check(t, tt.status, tt.text)
			if strings.Contains(got.text, "strange") {
				t.Errorf("the page shows %s", got.text)
			}
		})
	}
}

// What strangers on this machine or on a web page may send ends nothing, and is not shown.
func TestForeignRequests(t *testing.T) {
	const notYours = "This address does not belong to a sign-in that is under way."
	c := listening(t, true)
	for _, tt := range []struct {
		name   string
		change func(r *http.Request)
	}{
		{"another state", func(r *http.Request) { r.URL.RawQuery = "code=strange&state=strange" + issQuery }},
		{"a longer state", func(r *http.Request) { r.URL.RawQuery = "code=strange" + issQuery + "&state=" + testState + "0" }},
		{"no state", func(r *http.Request) { r.URL.RawQuery = "code=strange" + issQuery }},
		{"two states", func(r *http.Request) { r.URL.RawQuery += "&state=" + testState }},
		{"an error with another state", func(r *http.Request) { r.URL.RawQuery = "error=access_denied&error_description=strange&state=strange" }},
		{"nothing", func(r *http.Request) { r.URL.RawQuery = "" }},
		{"a damaged query", func(r *http.Request) { r.URL.RawQuery = "%zz;strange" }},
		{"another path", func(r *http.Request) { r.URL.Path = "/strange" }},
		{"a path below", func(r *http.Request) { r.URL.Path += "/" }},
		{"favicon", func(r *http.Request) { r.URL.Path = "/favicon.ico"; r.URL.RawQuery = "" }},
		{"POST", func(r *http.Request) {
			r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(goodQuery)), int64(len(goodQuery))
		}},
		{"OPTIONS", func(r *http.Request) { r.Method = http.MethodOptions }},
		{"another host with the port", func(r *http.Request) { r.Host = "strange.example:" + r.URL.Port() }},
		{"another name of this machine", func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }},
		{"another port", func(r *http.Request) { r.Host = "127.0.0.1:1" }},
		{"prefetch", func(r *http.Request) { r.Header.Set("Sec-Purpose", "prefetch;prerender") }},
		{"prefetch by its old name", func(r *http.Request) { r.Header.Set("Purpose", "prefetch") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := get(t, c, goodQuery)
			tt.change(r)
			got := browse(t, r)
			got.check(t, http.StatusBadRequest, notYours)
			for _, secret := range []string{"strange", testCode, testState, "as.example"} {
				if strings.Contains(got.text, secret) {
					t.Errorf("the page shows %q: %s", secret, got.text)
				}
			}
		})
	}
	large := get(t, c, goodQuery)
	large.Header.Set("X-Large", strings.Repeat("x", 2*maxBrowserHeader))
	if answer, err := new(http.Transport).RoundTrip(large); err != nil || answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a large header: %v, %v", answer, err)
	}

	page := open(t, c, goodQuery)
	wantCode(t, c)
	c.close(nil)
	(<-page).check(t, http.StatusOK, "You are signed in")
}

// A response is used once, however many come at once, and whichever way.
func TestUsedAlready(t *testing.T) {
	c := listening(t, true)
	pages := make(chan shown)
	for range 3 * maxBrowsers {
		r := get(t, c, goodQuery)
		go func() { pages <- browse(t, r) }()
	}
	wantCode(t, c)
	for range 3*maxBrowsers - 1 {
		(<-pages).check(t, http.StatusBadRequest, "was used already")
	}
	browse(t, get(t, c, "error=access_denied&state="+testState+issQuery)).check(t, http.StatusBadRequest, "was used already")
	if err := c.paste(c.address + "?" + goodQuery); !errors.Is(err, errUsed) {
		t.Errorf("pasting it too: %v", err)
	}
	c.close(nil)
	(<-pages).check(t, http.StatusOK, "You are signed in")
	if len(c.responses) != 0 {
		t.Error("another response waits")
	}
}

// Who sends half a request, or none, does not hold close up. Then the port is free again, for a client that is
// registered with it.
func TestCloseLeavesNothing(t *testing.T) {
	c := listening(t, true)
	for _, text := range []string{"", "GET /"} {
		conn := must(net.Dial("tcp4", c.host))
		defer conn.Close()
		must(io.WriteString(conn, text))
	}
	browse(t, get(t, c, "")) // those before it are accepted
	_, err := listen(c.address, "files", new(oauthex.AuthServerMeta))
	wantFailed(t, err, "needs port "+strings.Split(c.host, ":")[1]+" of this machine")
	c.close(nil)
	again, err := listen(c.address, "files", new(oauthex.AuthServerMeta))
	if err != nil {
		t.Fatal(err)
	}
	defer again.close(nil)
	if again.address != c.address {
		t.Errorf("it listens at %s, want %s", again.address, c.address)
	}
	if other := listening(t, false); other.path == c.path || len(other.path) < 23 {
		t.Errorf("the paths are %s and %s", other.path, c.path)
	}
}

func TestPageIsLockedUp(t *testing.T) {
	c := listening(t, true)
	got := browse(t, get(t, c, ""))
	for name, want := range map[string]string{
		"Content-Type":            "text/html; charset=utf-8",
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
		"Cache-Control":           "no-store",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none';",
	} {
		if !strings.HasPrefix(got.header.Get(name), want) {
			t.Errorf("%s is %q, want %q", name, got.header.Get(name), want)
		}
	}
	for _, loaded := range []string{"<script", "src=", "href=", "url(", "@import", "<form"} {
		if strings.Contains(got.text, loaded) {
			t.Errorf("the page has %s", loaded)
		}
	}
}
