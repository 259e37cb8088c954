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
		{"the template with more text before its expression", "file:///repo/x", "", "git"},
		{"a template that is there twice", "file:///else", "", "files"},
		{"templates of two servers that begin so", "git:///a/b", "", `-32602 several servers have the resource "git:///a/b": "git", "db"; name one of them in _meta, as in {"mcp-editord/server": "git"}`},
		{"templates of two servers", "same:///1", "", `-32602 several servers have the resource "same:///1": "git", "db"; name one of them in _meta, as in {"mcp-editord/server": "git"}`},
		{"a template that begins with an expression", "any:thing", "", `-32002 no server has the resource "any:thing" {"uri":"any:thing"}`},
		{"a template that begins with an expression", "any:thing/end", "", `-32002 no server has the resource "any:thing/end" {"uri":"any:thing/end"}`},
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
