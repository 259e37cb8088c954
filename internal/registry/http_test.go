package registry

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// says answers with a status and a body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// What a registry answers when it is not well, with something on the disk and with nothing there.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		instead http.HandlerFunc
		want    string // of the error when nothing is on the disk
		refused bool   // the disk does not help
	}{
		{"down", says(503, "<html>"), "is busy or out of order (HTTP 503); check the network", false},
		{"a page of HTML", says(200, "<html>sign in to the hotel's network</html>"), "answers with something else", false},
		{"JSON of something else", says(200, `{"ok":true}`), "it has no servers", false},
		{"a name twice", says(200, "{\"servers\":[],\"\u202e\":1,\"\u202e\":1}"), `\u202e`, false},
		{"deep", says(200, `{"servers":[`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`]}`), "nested more than", false},
		{"endless", says(200, `{"servers":["`+strings.Repeat("x", maxBody)+`"]}`), "breaks off: http: request body too large", false},
		{"half", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte(`{`))
		}, "breaks off: unexpected EOF", false},
		{"gone", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached: EOF; check", false},
		{"unprocessable", says(422, `{}`), "refuses the request with HTTP 422; check", true},
		{"authentication", says(401, ``), "refuses the request with HTTP 401", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			c := &Client{Base: f.URL, Cache: t.TempDir()}
			f.instead.Store(&test.instead)
			_, err := c.Search(t.Context(), []string{"digital"}, "")
			want := `searching for "digital": the registry ` + f.URL + " "
			if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q and %q", err, want, test.want)
			}
			if files, _ := os.ReadDir(c.Cache); len(files) > 0 {
				t.Errorf("it keeps %v", files)
			}
			f.instead.Store(nil)
			if _, err := c.Search(t.Context(), []string{"digital"}, ""); err != nil {
				t.Fatal(err)
			}
			age(t, c, 48*time.Hour)
			f.instead.Store(&test.instead)
			page, err := c.Search(t.Context(), []string{"digital"}, "")
			if helps := err == nil && len(page.Entries) == 1 && page.Age >= 48*time.Hour; helps == test.refused {
				t.Errorf("with a file: %+v, %v", page, err)
			}
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The error is one sentence, without what Go wraps around the reason.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	noHost := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "registry.example"}}
	hostile := errors.New("x509: valid for \x1b]8;;evil")
	for _, test := range []struct {
		name, base string
		fails      error // nil to try
		want       string
	}{
		{"no name", "https://registry.example/", noHost, "the registry https://registry.example cannot be reached: lookup registry.example: no such host; " +
			"check the network, or name another registry with MCP_EDITORD_REGISTRY"},
		{"nobody listens", closed.URL, nil, "cannot be reached: connection refused; check"},
		{"a text of theirs", "https://registry.example", hostile, `cannot be reached: x509: valid for \u{1b}]8;;evil; check`},
		{"not encrypted", "http://registry.example", nil, "the registry's address must be https"},
		{"a password", "https://me:pass@registry.example", nil, "the registry's address must be https"},
		{"a file", "file:///etc/passwd", nil, "the registry's address must be https"},
		{"no URL", "https://re gistry%", nil, "the registry's address must be https"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := &Client{Base: test.base}
			if test.fails != nil {
				c.HTTP = &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) { return nil, test.fails })}
			}
			_, _, err := c.Get(t.Context(), "a/b", "")
			if err == nil || !strings.HasPrefix(err.Error(), `getting "a/b": the registry`) || !strings.Contains(err.Error(), test.want) ||
				strings.Contains(err.Error(), "pass@") || strings.Contains(err.Error(), "Get \"") {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A registry that takes the request and never answers.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := &Client{HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}}
		_, err := c.Search(t.Context(), []string{"git"}, "")
		want := "the registry " + DefaultBase + " cannot be reached: no answer in time;"
		if err == nil || !strings.Contains(err.Error(), want) || time.Since(began) != timeout {
			t.Errorf("error %v after %v, want %q", err, time.Since(began), want)
		}
	})
}

func TestRedirect(t *testing.T) {
	t.Parallel()
	const good = `{"server":{"name":"a/b"}}`
	secure := httptest.NewTLSServer(says(200, good))
	defer secure.Close()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it asks another host") }))
	defer other.Close()
	for name, test := range map[string]struct{ to, want string }{
		"the same host":  {"/elsewhere", ""},
		"https":          {secure.URL, ""},
		"another host":   {other.URL, "it redirects too often, or to what is not https"},
		"another scheme": {"ftp://127.0.0.1/", "it redirects too often, or to what is not https"},
		"in a circle":    {"/v0.1/servers", "it redirects too often"},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/elsewhere", says(200, good))
			mux.Handle("/", http.RedirectHandler(test.to, http.StatusFound))
			f := httptest.NewServer(mux)
			defer f.Close()
			_, _, err := (&Client{Base: f.URL, HTTP: secure.Client()}).Get(t.Context(), "a/b", "")
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
