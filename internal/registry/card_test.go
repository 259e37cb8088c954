package registry

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestCard(t *testing.T) {
	t.Parallel()
	const remotes = `"remotes":[{"type":"streamable-http","url":"https://{tenant}.example.com/mcp",` +
		`"headers":[{"name":"Authorization"}],"supportedProtocolVersions":["2025-11-25"]}]`
	const card = `{"name":"com.example/a","version":"1","packages":[{"registryType":"npm","identifier":"x"}],` + remotes + `}`
	for _, test := range []struct {
		name, kind, body string
		status           int
		want             string // of the error
	}{
		{"a card", cardType, card, 200, ""},
		{"as JSON", "application/json; charset=utf-8", card, 200, ""},
		{"as HTML", "text/html", card, 200, "answers with something else"},
		{"no remotes", cardType, `{"name":"com.example/a"}`, 200, "answers with something else"},
		{"no name", cardType, `{` + remotes + `}`, 200, "answers with something else"},
		{"a result of MCP", "application/json", `{"jsonrpc":"2.0","id":1}`, 200, "answers with something else"},
		{"none", "application/json", `{}`, 404, "refuses the request with HTTP 404"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.instead.Store(new(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				says(test.status, test.body)(w, r)
			})))
			c := &Client{Cache: t.TempDir()}
			got, err := c.Card(t.Context(), f.URL+"/mcp/?key=secret#x")
			if test.want != "" {
				want := "there is no server card: " + f.URL + "/mcp/server-card " + test.want
				if err == nil || err.Error() != want {
					t.Errorf("error %v, want %q", err, want)
				}
			} else if err != nil || got.Name != "com.example/a" || got.Packages != nil || len(got.Remotes[0].Headers) != 1 {
				t.Errorf("got %+v, %v", got, err)
			}
			if files, _ := os.ReadDir(c.Cache); len(files) > 0 || len(f.asked()) != 1 || f.asked()[0] != "/mcp/server-card" {
				t.Errorf("kept %v, asked %q", files, f.asked())
			}
		})
	}
	c := &Client{HTTP: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("it was asked")
	})}}
	for _, endpoint := range []string{"http://example.com/mcp", "https://a:b@example.com", "mailto:x", ":", ""} {
		if _, err := c.Card(t.Context(), endpoint); err == nil || strings.Contains(err.Error(), "it was asked") {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
}
