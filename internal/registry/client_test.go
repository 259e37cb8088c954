package registry

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fake is a registry as the API's documents have it. While instead is set, that answers.
type fake struct {
	*httptest.Server
	instead atomic.Pointer[http.HandlerFunc]

	mu   sync.Mutex
	uris []string
}

// asked returns what was asked for.
func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.uris
}

func newFake(t *testing.T) *fake {
	t.Helper()
	text, err := os.ReadFile("testdata/servers.json")
	var servers []json.RawMessage
	if err != nil || json.Unmarshal(text, &servers) != nil {
		t.Fatal(err)
	}
	f, mux := &fake{}, http.NewServeMux()
	mux.HandleFunc("GET /v0.1/servers", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"servers": servers, "metadata": map[string]any{"nextCursor": "more"}})
	})
	mux.HandleFunc("GET /v0.1/servers/{name}/versions/{version}", func(w http.ResponseWriter, r *http.Request) {
		for _, raw := range servers {
			name, version := `"`+r.PathValue("name")+`"`, `"version": "`+strings.TrimPrefix(r.PathValue("version"), "latest")
			if strings.Contains(string(raw), name) && strings.Contains(string(raw), version) {
				_, _ = w.Write(raw)
				return
			}
		}
		says(404, `{"error":"Server not found"}`)(w, r)
	})
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.uris = append(f.uris, r.URL.RequestURI())
		f.mu.Unlock()
		if instead := f.instead.Load(); instead != nil {
			(*instead)(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func TestSearch(t *testing.T) {
	t.Parallel()
	const git, old, clock = "io.github.acme/git-tools", "org.example/old-git", "com.digital/clock"
	for _, test := range []struct {
		name   string
		words  []string
		cursor string
		asked  string // of the query
		want   []string
	}{
		{name: "one word", words: []string{"git"}, asked: "?limit=100&search=git&version=latest", want: []string{git, clock, old}},
		{name: "the next page", words: []string{"clock"}, cursor: "4", asked: "?cursor=4&limit=100&search=clock", want: []string{clock}},
		{name: "the longest, and the description", words: []string{"a", "example", "repository"}, asked: "search=repository", want: []string{old}},
		{name: "the title", words: []string{"acme", "GIT t"}, asked: "search=acme", want: []string{git}},
		{name: "characters, not bytes", words: []string{"éé", "old"}, asked: "search=old"},
		{name: "what needs escapes", words: []string{"a&b=c/d"}, asked: "search=a%26b%3Dc%2Fd"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			page, err := (&Client{Base: f.URL + "/"}).Search(t.Context(), test.words, test.cursor)
			var got []string
			for _, e := range page.Entries {
				got = append(got, e.Server.Name)
			}
			if err != nil || !slices.Equal(got, test.want) || page.Next != "more" || page.Age != 0 {
				t.Errorf("got %q, next %q, age %v, %v; want %q", got, page.Next, page.Age, err, test.want)
			}
			if len(f.asked()) != 1 || !strings.Contains(f.asked()[0], test.asked) {
				t.Errorf("asked %q, want %q in it", f.asked(), test.asked)
			}
		})
	}
	_, err := new(Client).Search(t.Context(), []string{"ab", "éé", " "}, "")
	if err == nil || !strings.Contains(err.Error(), "no word has 3 characters") {
		t.Errorf("short words: %v", err)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := &Client{Base: f.URL}
	e, age, err := c.Get(t.Context(), "io.github.acme/git-tools", "")
	if err != nil || age != 0 || f.asked()[0] != "/v0.1/servers/io.github.acme%2Fgit-tools/versions/latest" {
		t.Fatalf("age %v, %v; asked %q", age, err, f.asked())
	}
	p, r := e.Server.Packages[0], e.Server.Remotes[0]
	port, token := p.PackageArguments[1], p.EnvironmentVariables[0].Variables["token"]
	if p.RegistryType != NPM || port.Name != "--port" || port.Default != "8080" || len(port.Choices) != 2 ||
		!token.IsSecret || !r.Variables["tenant"].IsRequired || e.Meta.Official.Status != Active {
		t.Errorf("got %+v", e)
	}
	e, _, err = c.Get(t.Context(), "org.example/old-git", "0.1.0")
	if o := e.Meta.Official; err != nil || o.Status != Deprecated || o.StatusMessage != "use io.github.acme/git-tools" {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestGetFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ server, version, says, want string }{
		"no such server":  {server: "a/b", want: `"a/b" (latest) is not in the registry http://127.0.0.1`},
		"no such version": {server: "com.digital/clock", version: "2+b", want: `(2+b)`},
		"another server":  {server: "a/b", says: `{"server":{"name":"a/c"}}`, want: `it is about "a/c"`},
		"another version": {server: "a/b", version: "1", says: `{"server":{"name":"a/b","version":"2"}}`, want: `"2"`},
		"a wrong type":    {server: "a/b", says: `{"server":{"name":"a/b","packages":{}}}`, want: "answers with something else"},
		"no slash":        {server: "git", want: `"git" is not a name`},
		"a path":          {server: "../../admin/x", want: "is not a name"},
		"too long":        {server: "a/" + strings.Repeat("b", 200), want: "is not a name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			if test.says != "" {
				f.instead.Store(new(says(200, test.says)))
			}
			_, _, err := (&Client{Base: f.URL}).Get(t.Context(), test.server, test.version)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := &Client{Base: f.URL, Cache: filepath.Join(t.TempDir(), "a", "b")}
	for _, test := range []struct {
		name  string
		old   time.Duration // since the answer was kept
		asked int           // in all
	}{
		{"the first time", 0, 1},
		{"fresh", 4 * time.Minute, 1},
		{"stale", 6 * time.Minute, 2},
		{"of a wrong clock", -time.Hour, 3},
	} {
		age(t, c, test.old)
		before := len(f.asked())
		page, err := c.Search(t.Context(), []string{"digital"}, "")
		if err != nil || len(page.Entries) != 1 || len(f.asked()) != test.asked {
			t.Errorf("%s: got %+v, %v, asked %d times, want %d", test.name, page, err, len(f.asked()), test.asked)
		}
		if said := len(f.asked()) > before; said != (page.Age == 0) || !said && page.Age < test.old {
			t.Errorf("%s: age %v", test.name, page.Age)
		}
	}
}

// age makes everything that c keeps so old.
func age(t *testing.T, c *Client, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	files, _ := filepath.Glob(filepath.Join(c.Cache, "*"))
	for _, file := range files {
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
}
