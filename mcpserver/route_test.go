package mcpserver

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

func TestResource(t *testing.T) {
	servers := []editorapi.CatalogServer{
		offers("files", nil, nil, []string{`{"uri":"file:///both"}`, `{"uri":"file:///mine"}`}, []string{`{"uriTemplate":"file:///{+path}"}`, `{"uriTemplate":"file:///{+path}"}`}),
		offers("git", nil, nil, []string{`{"uri":"file:///both"}`, `{"uri":"git:///one"}`}, []string{`{"uriTemplate":"file:///repo/{name}"}`, `{"uriTemplate":"git:///{ref}/log"}`, `{"uriTemplate":"same:///{x}"}`}),
		offers("db", nil, nil, nil, []string{`{"uriTemplate":"git:///{ref}/l{+rest}"}`, `{"uriTemplate":"same:///{y}"}`, `{"uriTemplate":"{scheme}:{+all}/end"}`}),
		offers("quiet", []string{`{"name":"t"}`}, nil, nil, nil),
	}
	waits := offers("waits", nil, nil, []string{`{"uri":"waits:///x"}`}, nil)
	waits.Server.State = editorapi.ServerNeedsApproval
	c := newCatalog(append(servers, waits), naming{})
	for _, tt := range []struct{ name, uri, meta, want string }{
		{"listed by one", "git:///one", "", "git"},
		{"listed by two", "file:///both", "", `-32602 several servers have the resource "file:///both": "files", "git"; name one of them in _meta, as in {"mcp-editord/server": "files"}`},
		{"listed by two, with one named", "file:///both", `{"mcp-editord/server":"git"}`, "git"},
		{"listed by two, with none named", "file:///both", `{"mcp-editord/server":null,"progressToken":1}`, `-32602 several servers have the resource "file:///both": "files", "git"; name one of them in _meta, as in {"mcp-editord/server": "files"}`},
		{"a server that does not list it", "git:///one", `{"mcp-editord/server":"quiet"}`, "quiet"},
		{"a server that is not there", "git:///one", `{"mcp-editord/server":"x"}`, `-32602 _meta["mcp-editord/server"] is "x", which is not a server that can be used`},
		{"a server that may not run", "waits:///x", `{"mcp-editord/server":"waits"}`, `-32602 _meta["mcp-editord/server"] is "waits", which is not a server that can be used`},
		{"no name", "git:///one", `{"mcp-editord/server":7}`, `-32602 _meta["mcp-editord/server"] is 7, which is not a server that can be used`},
		{"the template that matches whole, with more text before", "file:///repo/x", "", "git"},
		{"a whole match before a longer text", "file:///repo/x/y", "", "files"},
		{"a template that matches twice", "file:///else", "", "files"},
		{"only the text before", "git:///a/b", "", `-32602 several servers have the resource "git:///a/b": "git", "db"; name one of them in _meta, as in {"mcp-editord/server": "git"}`},
		{"one matches whole, the other does not", "git:///a/lost", "", "db"},
		{"both match whole", "git:///a/log", "", `-32602 several servers have the resource "git:///a/log": "git", "db"; name one of them in _meta, as in {"mcp-editord/server": "git"}`},
		{"templates of two servers", "same:///1", "", `-32602 several servers have the resource "same:///1": "git", "db"; name one of them in _meta, as in {"mcp-editord/server": "git"}`},
		{"a template that begins with an expression", "any:thing/end", "", "db"},
		{"a template that begins with an expression and does not match", "any:thing", "", `-32002 no server has the resource "any:thing" {"uri":"any:thing"}`},
		{"nobody has it", "waits:///x", "", `-32002 no server has the resource "waits:///x" {"uri":"waits:///x"}`},
		{"a template itself", "git:///{ref}/log", "", "git"},
		{"a template of one server twice", "file:///{+path}", "", "files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := c.resource(tt.uri, json.RawMessage(tt.meta))
			if err != nil {
				got = strings.TrimSpace(strings.Join([]string{strconv.FormatInt(err.Code, 10), err.Message, string(err.Data)}, " "))
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A server that has resources is asked for those that nobody lists, if it is the only one.
func TestResourceOfTheOnlyServer(t *testing.T) {
	able := offers("able", nil, nil, nil, nil)
	able.Server.Capabilities = json.RawMessage(`{"resources":{}}`)
	other := offers("other", []string{`{"name":"t"}`}, nil, nil, nil)
	if got, err := newCatalog([]editorapi.CatalogServer{other, able}, naming{}).resource("x:y", nil); err != nil || got != "able" {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := newCatalog([]editorapi.CatalogServer{able, offers("two", nil, nil, []string{`{"uri":"a:b"}`}, nil)}, naming{}).resource("x:y", nil); err == nil {
		t.Errorf("with two: got %s", got)
	}
	if got, err := newCatalog(nil, naming{single: "x"}).resource("x:y", json.RawMessage(`{"mcp-editord/server":"y"}`)); err != nil || got != "x" {
		t.Errorf("with --server: got %s, %v", got, err)
	}
}

func TestTemplates(t *testing.T) {
	for _, tt := range []struct {
		template, uri string
		want          int
	}{
		{"a:{x}", "a:b", wholeFit + 2},
		{"a:{x}", "a:", wholeFit + 2},
		{"a:{x}", "b:", 0},
		{"a:{x}", "a:b/c", 2},
		{"a:{x}", "a:b?c", 2},
		{"a:{+x}", "a:b/c?d#e", wholeFit + 2},
		{"a:{x,y}/{z}", "a:1,2/3", wholeFit + 2},
		{"a:{x}x{y}", "a:1x2x3", wholeFit + 2},
		{"a:{x}x{y}/end", "a:1x2x3/end", wholeFit + 2},
		{"a:{x}x{y}/end", "a:123/end", 2},
		{"a:{+x}x{y}", "a:1x2/3x4", wholeFit + 2},
		{"a:b{?q,r}", "a:b?q=1&r=/2", wholeFit + 3},
		{"a:b{?q}", "a:b", wholeFit + 3},
		{"a:b{?q}", "a:bq=1", 3},
		{"a:b{?q}", "a:b?q#f", 3},
		{"a:b{?q}{&r}{#f}", "a:b?q=1&r=2#x/y", wholeFit + 3},
		{"a:b{/p*}", "a:b/c/d", wholeFit + 3},
		{"a:b{/p*}", "a:bc/d", 3},
		{"a:b{/p*}/e", "a:b/c/d/e", wholeFit + 3},
		{"a:b{.x}{;y}", "a:b.c;y=1", wholeFit + 3},
		{"{x}:b", "a:b", wholeFit},
		{"{x}:b", "a:c", 0},
		{"a:b", "a:b", wholeFit + 3},
		{"a:b", "a:bc", 3},
		{"", "", wholeFit},
		{"", "a", 0},
		{"a:{x", "a:{x", wholeFit + 4},
		{"a:{}}", "a:1}", wholeFit + 2},
	} {
		steps := maxTemplateSteps
		if got := fitOf(tt.template, tt.uri, &steps); got != tt.want {
			t.Errorf("%s of %s: %d, want %d", tt.template, tt.uri, got, tt.want)
		}
	}
}

// The work is bounded, whatever servers list: the text before the first expression still counts.
func TestTemplatesBounded(t *testing.T) {
	hostile := "a:" + strings.Repeat("{+x}a", 1000)
	steps := maxTemplateSteps
	if got := fitOf(hostile, "a:"+strings.Repeat("a", 100_000)+"b", &steps); got != 2 || steps > 0 {
		t.Errorf("got %d with %d steps left", got, steps)
	}
}
