package editorapi

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// registrations takes what an editor was asked to register, as "+id commands" and "-id".
type registrations chan string

func (r registrations) answers() map[string]fakeeditor.Answer {
	record := func(sign, list string) fakeeditor.Answer {
		return func(params json.RawMessage) (any, error) {
			for item := range rawjson.Elements(rawjson.Get(params, list)) {
				if method := rawjson.String(item, "method"); method != "workspace/executeCommand" {
					r <- "a registration for " + method
				}
				r <- strings.TrimSpace(sign + rawjson.String(item, "id") + " " + string(rawjson.Path(item, "registerOptions", "commands")))
			}
			return nil, nil
		}
	}
	return map[string]fakeeditor.Answer{
		"client/registerCapability":   record("+", "registrations"),
		"client/unregisterCapability": record("-", "unregisterations"),
	}
}

// settled awaits these steps.
func (r registrations) settled(t *testing.T, want ...string) {
	t.Helper()
	for _, step := range want {
		if got := <-r; got != step {
			t.Fatalf("the step is %q, want %q", got, step)
		}
	}
}

// dynamic declares that commands can be registered.
var dynamic = json.RawMessage(`{"workspace":{"executeCommand":{"dynamicRegistration":true}}}`)

// The change of one server leaves the registrations of the others alone, and a change that leaves the
// commands of a server as they are changes no registration. Many changes at once are one registration.
func TestOnlyWhatChangedIsRegistered(t *testing.T) {
	steps := make(registrations, 100)
	b := newFakeBackend()
	b.setCatalogs(offer("a", "t"), offer("b", "t", "x.y"), offer("none"))
	open(t, b, fakeeditor.Options{Capabilities: dynamic, Answers: steps.answers()})
	hashed := commandKey{calldoc.Tool, "b", "x.y"}.id()
	change := func(catalogs ...listing) {
		b.setCatalogs(catalogs...)
		for range 200 {
			b.theEditor().CatalogChanged("any", nil)
		}
	}
	steps.settled(t, `+mcp-commands-1 ["mcp.tool.a.t"]`, `+mcp-commands-2 ["mcp.tool.b.t","`+hashed+`"]`)
	change(offer("a", "t", "u"), offer("b", "t", "x.y"), offer("none"))
	steps.settled(t, `-mcp-commands-1`, `+mcp-commands-3 ["mcp.tool.a.t","mcp.tool.a.u"]`)
	change(offer("none", "t"), offer("b", "x.y", "t"), offer("a", "u", "t")) // the others are in another order
	steps.settled(t, `+mcp-commands-4 ["mcp.tool.none.t"]`)
	other := listing{Server: Server{Name: "none"}, Tools: raw(`{"name":"t","description":"another"}`)}
	change(other, offer("b", "t", "x.y"))
	steps.settled(t, `-mcp-commands-3`)
	change(offer("new", "t"))
	steps.settled(t, `-mcp-commands-2`, `-mcp-commands-4`, `+mcp-commands-5 ["mcp.tool.new.t"]`)
	if len(steps) > 0 {
		t.Errorf("then came %s", <-steps)
	}
}

// What an editor refuses is registered again with the next change, and the editor has none of it by then.
func TestRefusedRegistration(t *testing.T) {
	steps := make(registrations, 100)
	answers := steps.answers()
	register := answers["client/registerCapability"]
	var asked atomic.Int64
	answers["client/registerCapability"] = func(params json.RawMessage) (any, error) {
		if _, err := register(params); err != nil || asked.Add(1) > 1 {
			return nil, err
		}
		return nil, &fakeeditor.RPCError{Code: -32603, Message: "there is such a command"}
	}
	b := newFakeBackend()
	b.setCatalogs(offer("a", "t"), offer("b", "t"))
	open(t, b, fakeeditor.Options{Capabilities: dynamic, Answers: answers})
	steps.settled(t, `+mcp-commands-1 ["mcp.tool.a.t"]`, `+mcp-commands-2 ["mcp.tool.b.t"]`, `-mcp-commands-1`, `-mcp-commands-2`)
	b.theEditor().CatalogChanged("a", nil)
	steps.settled(t, `+mcp-commands-3 ["mcp.tool.a.t"]`, `+mcp-commands-4 ["mcp.tool.b.t"]`)
}
