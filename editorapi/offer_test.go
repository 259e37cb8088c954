package editorapi

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
)

// A catalog is encoded as its type is, byte for byte.
func TestCatalogEncoding(t *testing.T) {
	odd := listing{
		Server: full(t),
		Tools: raw(`{"name":"plain"}`, "{ \"name\" : \"spaced\",\r\n\t\"x\": [ 1.0 , 1e400, { } ] }", `{"name":"a.b \u00e9<&>\/","d":" white  space \" "}`,
			`{"name":"twice","n":1}`, `{"name":"twice","n":2}`),
		Prompts:           raw(`{"name":"plain", "arguments":[ ]}`),
		Resources:         raw(`{"uri":"a:b"}`, `{ "uri": "c:d" }`),
		ResourceTemplates: raw(`{"uriTemplate":"a:{b}"}`),
	}
	some := listing{Server: Server{Name: "a.b c", State: ServerReady}, Tools: raw(`{"name":"t"}`)}
	for _, test := range []struct {
		name     string
		listings []listing
	}{
		{"no server", nil},
		{"a server without anything", []listing{{Server: Server{Name: "s"}}}},
		{"odd definitions", []listing{odd}},
		{"several servers", []listing{some, odd, {Server: Server{Name: "s"}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := CatalogResult{[]CatalogServer{}}
			var catalogs []ServerCatalog
			for _, l := range test.listings {
				entry := CatalogServer{Server: l.Server, Resources: l.Resources, ResourceTemplates: l.ResourceTemplates}
				for _, tool := range l.Tools {
					entry.Tools = append(entry.Tools, CatalogTool{keyOf(calldoc.Tool, l.Server.Name, tool).id(), tool})
				}
				for _, prompt := range l.Prompts {
					entry.Prompts = append(entry.Prompts, CatalogPrompt{keyOf(calldoc.Prompt, l.Server.Name, prompt).id(), prompt})
				}
				want.Servers = append(want.Servers, entry)
				catalogs = append(catalogs, ServerCatalog{Server: NewView(l.Server), Offer: l.offer()})
			}
			got := encodeCatalog(catalogs)
			wantJSON(t, got, string(encodeOwn(want)))
			if cap(got) > len(got)+1+100*len(catalogs) {
				t.Errorf("%d bytes were made room for, and %d used", cap(got), len(got))
			}
		})
	}
	nothing := NewView(Server{Name: "s", State: ServerFailed})
	wantJSON(t, encodeCatalog([]ServerCatalog{{Server: nothing}}), string(encodeOwn(CatalogResult{[]CatalogServer{{Server: nothing.Server}}})))
}

// An offer takes the lists as they are. It copies only what has white space.
func TestOfferAliasesItsLists(t *testing.T) {
	tools := raw(`{"name":"t"}`, `{"name": "u"}`)
	o := NewOffer("s", tools, nil, tools[:1], nil)
	if &o.tools[0].definition[0] != &tools[0][0] || &o.resources[0][0] != &tools[0][0] {
		t.Error("a definition without white space was copied")
	}
	if string(tools[1]) != `{"name": "u"}` || string(o.tools[1].definition) != `{"name":"u"}` || o.copied != len(`{"name":"u"}`) {
		t.Errorf("%s became %s, and %d bytes were copied", tools[1], o.tools[1].definition, o.copied)
	}
}
