package oauth

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"
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
	c, err := listen("", `files "of mine"`)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	c.expect(expected{state: testState, issuer: testIssuer, issRequired: issRequired})
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
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.uri()+"?"+query, nil)
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

// code waits for testCode, and returns what wait does with it.
func code(t *testing.T, c *callback) (finish func(error)) {
	t.Helper()
	code, finish, err := c.wait(t.Context())
	if code != testCode || err != nil {
		t.Fatalf("the browser brought %q, %v", code, err)
	}
	return finish
}

func TestSignedIn(t *testing.T) {
	c := listening(t, true)
	page := open(t, c, goodQuery)
	code(t, c)(nil)
	c.close() // the page arrives although
	(<-page).check(t, http.StatusOK, "You are signed in to “files &#34;of mine&#34;”.")
}

func TestCodeDidNotHelp(t *testing.T) {
	for name, tt := range map[string]struct {
		err     error
		text    string
		without string
	}{
		"for a reason that is meant to be read": {&Failed{"the <server> is out of order"}, "Why: the &lt;server&gt; is out of order.", "says why"},
		"for another reason":                    {errors.New("body: secret"), "Your editor says why.", "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			c := listening(t, true)
			page := open(t, c, goodQuery)
			code(t, c)(tt.err)
			got := <-page
			got.check(t, http.StatusForbidden, tt.text)
			got.check(t, http.StatusForbidden, "You are not signed in to")
			if strings.Contains(got.text, tt.without) {
				t.Errorf("the page has %q: %s", tt.without, got.text)
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
		status int
	}{
		{"another state", func(r *http.Request) { r.URL.RawQuery = "code=strange&state=strange" + issQuery }, 400},
		{"a longer state", func(r *http.Request) { r.URL.RawQuery = "code=strange" + issQuery + "&state=" + testState + "0" }, 400},
		{"no state", func(r *http.Request) { r.URL.RawQuery = "code=strange" + issQuery }, 400},
		{"an empty state", func(r *http.Request) { r.URL.RawQuery = "code=strange&state=" + issQuery }, 400},
		{"two states", func(r *http.Request) { r.URL.RawQuery += "&state=" + testState }, 400},
		{"an error with another state", func(r *http.Request) { r.URL.RawQuery = "error=access_denied&error_description=strange&state=strange" }, 400},
		{"nothing", func(r *http.Request) { r.URL.RawQuery = "" }, 400},
		{"a damaged query", func(r *http.Request) { r.URL.RawQuery = "%zz;strange" }, 400},
		{"another path", func(r *http.Request) { r.URL.Path = "/strange" }, 404},
		{"no path", func(r *http.Request) { r.URL.Path = "/" }, 404},
		{"a path below", func(r *http.Request) { r.URL.Path += "/" }, 404},
		{"an escaped path", func(r *http.Request) { r.URL.RawPath = "/%" + hex(r.URL.Path[1]) + r.URL.Path[2:] }, 404},
		{"favicon", func(r *http.Request) { r.URL.Path = "/favicon.ico"; r.URL.RawQuery = "" }, 404},
		{"POST", func(r *http.Request) { r.Method = http.MethodPost }, 405},
		{"POST with a body", func(r *http.Request) {
			r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(goodQuery)), int64(len(goodQuery))
		}, 405},
		{"OPTIONS", func(r *http.Request) { r.Method = http.MethodOptions }, 405},
		{"another host", func(r *http.Request) { r.Host = "strange.example" }, 421},
		{"another host with the port", func(r *http.Request) { r.Host = "strange.example:" + r.URL.Port() }, 421},
		{"another name of this machine", func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }, 421},
		{"another port", func(r *http.Request) { r.Host = "127.0.0.1:1" }, 421},
		{"prefetch", func(r *http.Request) { r.Header.Set("Sec-Purpose", "prefetch;prerender") }, 503},
		{"prefetch by its old name", func(r *http.Request) { r.Header.Set("Purpose", "prefetch") }, 503},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := get(t, c, goodQuery)
			tt.change(r)
			got := browse(t, r)
			got.check(t, tt.status, notYours)
			for _, secret := range []string{"strange", testCode, testState, "as.example"} {
				if strings.Contains(got.text, secret) {
					t.Errorf("the page shows %q: %s", secret, got.text)
				}
			}
		})
	}
	t.Run("HEAD", func(t *testing.T) {
		r := get(t, c, goodQuery)
		r.Method = http.MethodHead
		browse(t, r).check(t, http.StatusOK, "")
	})

	page := open(t, c, goodQuery)
	code(t, c)(nil)
	(<-page).check(t, http.StatusOK, "You are signed in")
}

func hex(b byte) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[b>>4], digits[b&15]})
}

func TestNothingBelongsBeforeExpect(t *testing.T) {
	c, err := listen("", "files")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, query := range []string{goodQuery, "code=x&state=", "code=x"} {
		browse(t, get(t, c, query)).check(t, http.StatusBadRequest, "does not belong")
	}
	if err := c.paste(c.uri() + "?code=x&state="); !errors.Is(err, errForeign) {
		t.Errorf("pasting an address: %v", err)
	}
	if err := c.paste("code"); !errors.Is(err, errForeign) {
		t.Errorf("pasting a code: %v", err)
	}
}

func TestUsedAlready(t *testing.T) {
	c := listening(t, true)
	first := open(t, c, goodQuery)
	finish := code(t, c)
	browse(t, get(t, c, goodQuery)).check(t, http.StatusConflict, "was used already")
	browse(t, get(t, c, "error=access_denied&state="+testState+issQuery)).check(t, http.StatusConflict, "was used already")
	if err := c.paste(c.uri() + "?" + goodQuery); !errors.Is(err, errUsed) {
		t.Errorf("pasting it too: %v", err)
	}
	finish(nil)
	(<-first).check(t, http.StatusOK, "You are signed in")
	browse(t, get(t, c, goodQuery)).check(t, http.StatusConflict, "was used already")
	if len(c.responses) != 0 {
		t.Error("the code would be redeemed twice")
	}
}

func TestManyAtOnceUseItOnce(t *testing.T) {
	c := listening(t, true)
	var pages []<-chan shown
	for range 3 * maxBrowsers {
		pages = append(pages, open(t, c, goodQuery))
	}
	code(t, c)(nil)
	signedIn := 0
	for _, page := range pages {
		if s := <-page; s.status == http.StatusOK {
			signedIn++
		} else {
			s.check(t, http.StatusConflict, "was used already")
		}
	}
	if signedIn != 1 {
		t.Errorf("%d browsers were told that they are signed in", signedIn)
	}
}

func TestRedeemingTakesLong(t *testing.T) {
	c := listening(t, true)
	c.patience = time.Millisecond
	page := open(t, c, goodQuery)
	finish := code(t, c)
	(<-page).check(t, http.StatusAccepted, "is not finished yet")
	finish(nil)
	finish(errors.New("twice"))
}

func TestClosedBeforeTheOutcome(t *testing.T) {
	c := listening(t, true)
	page := open(t, c, goodQuery)
	code(t, c)
	c.close()
	c.close()
	(<-page).check(t, http.StatusAccepted, "is not finished yet")
}

func TestNobodyCame(t *testing.T) {
	c := listening(t, true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, finish, err := c.wait(ctx)
	if code != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("it is %q, %v", code, err)
	}
	finish(err)
}

func TestHeaderTooLarge(t *testing.T) {
	c := listening(t, true)
	r := get(t, c, goodQuery)
	r.Header.Set("X-Large", strings.Repeat("x", 2*maxBrowserHeader))
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("the status is %d", answer.StatusCode)
	}
	if len(c.responses) != 0 {
		t.Error("it has ended the sign-in")
	}
}

func TestNoMoreConnections(t *testing.T) {
	c := listening(t, true)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp4", c.host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	var idle []net.Conn
	for range maxBrowsers {
		idle = append(idle, dial())
	}
	over := dial()
	if _, err := io.WriteString(over, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	over.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // an answer would be there
	if n, err := over.Read(make([]byte, 1)); err == nil {
		t.Fatalf("connection %d was answered: %d", maxBrowsers+1, n)
	}
	over.SetReadDeadline(time.Time{})
	idle[0].Close()
	if _, err := over.Read(make([]byte, 1)); err != nil {
		t.Errorf("it is not answered when there is room: %v", err)
	}
}

// Who sends half a request, or none, does not hold close up.
func TestCloseLeavesNothing(t *testing.T) {
	c := listening(t, true)
	for _, text := range []string{"", "GET /"} {
		conn, err := net.Dial("tcp4", c.host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	browse(t, get(t, c, "")) // those before it are accepted
	c.close()
	again, err := listen(c.uri(), "files")
	if err != nil {
		t.Fatal(err)
	}
	if again.uri() != c.uri() {
		t.Errorf("it listens at %s, want %s", again.uri(), c.uri())
	}
	again.close()
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if !strings.Contains(string(stacks), "oauth.(*callback)") && !strings.Contains(string(stacks), "http.(*conn).serve") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("there are goroutines left:\n%s", stacks)
		}
	}
}

func TestPortTaken(t *testing.T) {
	c := listening(t, false)
	_, err := listen(c.uri(), "files")
	if failed, ok := err.(*Failed); !ok || !strings.Contains(failed.Message, "needs port "+strings.Split(c.host, ":")[1]+" of this machine") {
		t.Errorf("the error is %v", err)
	}
}

func TestListenRefuses(t *testing.T) {
	for _, uri := range []string{
		"http://127.0.0.1/path", "http://127.0.0.1:-1/path", "http://127.0.0.1:65536/path", "http://127.0.0.1:08080/path", "http://127.0.0.1:x/path",
		"http://127.0.0.1:8080", "http://localhost:8080/path", "http://0.0.0.0:8080/path", "http://[::1]:8080/path", "https://127.0.0.1:8080/path",
		"http://127.0.0.1:8080/path?x=1", "http://127.0.0.1:8080/path#x", "http://me@127.0.0.1:8080/path", "127.0.0.1:8080/path", "\x00",
	} {
		if c, err := listen(uri, "files"); err == nil {
			c.close()
			t.Errorf("it listens at %q", uri)
		}
	}
}

func TestRandomAddresses(t *testing.T) {
	one, other := listening(t, false), listening(t, false)
	if one.path == other.path || len(one.path) != 1+22 {
		t.Errorf("the paths are %s and %s", one.path, other.path)
	}
}
