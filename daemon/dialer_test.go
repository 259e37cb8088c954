//go:build linux || darwin

package daemon

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/mcpclient/streamable"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// noLog drops what servers say.
type noLog struct{}

func (noLog) Line(wire.LogSource, string) {}
func (noLog) Skipped(bool)                {}

// remote returns the definition of a server that is reached by HTTP.
func remote(headers map[string]string) config.Definition {
	return config.Definition{
		Name: "remote", Source: config.Source{URI: config.SourceEditor, Trusted: true},
		Transport: config.HTTP, URL: "https://mcp.example/${env:TENANT}", Headers: headers, Scope: config.ScopeUser,
	}
}

// newRemote returns a connection for def that nobody has started.
func newRemote(t *testing.T, def config.Definition, env map[string]string) *connection {
	t.Helper()
	d, _ := newTestDaemon(t, time.Hour)
	d.opts.Version = "1.2"
	d.mu.Lock()
	c := d.newConnection("k", def, &editor{env: env})
	d.mu.Unlock()
	t.Cleanup(c.end)
	return c
}

func TestHTTPDialer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		headers map[string]string
		sse     bool
		want    http.Header
	}{
		{"nothing configured", nil, false, http.Header{"User-Agent": {"mcp-editord/1.2"}}},
		{"HTTP+SSE", nil, true, http.Header{"User-Agent": {"mcp-editord/1.2"}}},
		{"headers", map[string]string{"authorization": "Bearer ${env:TOKEN}"}, false,
			http.Header{"User-Agent": {"mcp-editord/1.2"}, "Authorization": {"Bearer s3cret"}}},
		{"a User-Agent of one's own", map[string]string{"user-agent": "mine"}, false, http.Header{"User-Agent": {"mine"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			def := remote(tt.headers)
			if tt.sse {
				def.Transport = config.SSE
			}
			env := map[string]string{"TENANT": "t1", "TOKEN": "s3cret"}
			c := newRemote(t, def, env)
			expanded, err := def.Expand(c.vars())
			if err != nil {
				t.Fatal(err)
			}
			got := c.httpDialer(expanded, env).(streamable.Dialer)
			if got.URL != "https://mcp.example/t1" || got.SSE != tt.sse {
				t.Errorf("it goes to %s, SSE %v", got.URL, got.SSE)
			}
			if !maps.EqualFunc(got.Header, tt.want, slices.Equal) {
				t.Errorf("the header is %v, want %v", got.Header, tt.want)
			}
		})
	}
}

// Faults secret-leak and hostile-variable: an error names what cannot be sent, but no values.
func TestHTTPDialRefuses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		url     string
		headers map[string]string
		env     map[string]string
		want    string
	}{
		{"a variable without a value", "https://h/", map[string]string{"X-Key": "${env:KEY}"}, nil, "${env:KEY}"},
		{"a line break in a header", "https://h/", map[string]string{"X-Key": "${env:KEY}"}, map[string]string{"KEY": "s3cret\r\nHost: evil"}, "X-Key"},
		{"a control character in a header", "https://h/", map[string]string{"X-Key": "${env:KEY}"}, map[string]string{"KEY": "s3cret\x00"}, "X-Key"},
		{"another scheme", "${env:KEY}", nil, map[string]string{"KEY": "file:///s3cret"}, "url"},
		{"no host", "https://${env:KEY}", nil, map[string]string{"KEY": ":443/s3cret"}, "url"},
		{"no URL", "${env:KEY}", nil, map[string]string{"KEY": "s3cret"}, "url"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			def := remote(tt.headers)
			def.URL = tt.url
			_, err := newRemote(t, def, tt.env).Dial(t.Context(), noLog{})
			var e *wire.Error
			if !errors.As(err, &e) || e.Kind != wire.KindSpawn || !strings.Contains(e.Message, tt.want) {
				t.Fatalf("Dial returned %v, want %q in it", err, tt.want)
			}
			if strings.Contains(e.Message, "s3cret") {
				t.Errorf("the message has the value: %s", e.Message)
			}
		})
	}
}

func TestProxy(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		url  string
		want string // "" for none
	}{
		{"none", nil, "https://mcp.example/", ""},
		{"of https", map[string]string{"HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://q:2"}, "https://mcp.example/", "http://p:1"},
		{"of http", map[string]string{"HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://q:2"}, "http://mcp.example/", "http://q:2"},
		{"lower case first", map[string]string{"HTTPS_PROXY": "http://p:1", "https_proxy": "http://q:2"}, "https://mcp.example/", "http://q:2"},
		{"without a scheme", map[string]string{"https_proxy": "p:1"}, "https://mcp.example/", "http://p:1"},
		{"an exception", map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "other,.example"}, "https://mcp.example/", ""},
		{"this machine", map[string]string{"HTTP_PROXY": "http://p:1"}, "http://localhost:8080/", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tt.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := proxy(tt.env)(r)
			if err != nil {
				t.Fatal(err)
			}
			if got == nil && tt.want != "" || got != nil && got.String() != tt.want {
				t.Errorf("the proxy is %v, want %q", got, tt.want)
			}
		})
	}
}
