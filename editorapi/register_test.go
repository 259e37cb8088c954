package editorapi

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

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

// next awaits the next step.
func (r registrations) next(t *testing.T) string {
	t.Helper()
	select {
	case step := <-r:
		return step
	case <-time.After(2 * time.Minute):
		t.Fatal("no registration came")
		return ""
	}
}

// These tests run on the real clock: jsonrpc2 keeps the channels of its calls in a pool for the
// whole process, which testing/synctest does not allow.
func TestRegistration(t *testing.T) {
	steps := make(registrations, 100)
	b := newFakeBackend()
	b.setCatalogs(offer("s", "a"))
	conn, _ := serve(t, b)
	e := fakeeditor.New(t, conn, fakeeditor.Options{
		Capabilities: json.RawMessage(`{"workspace":{"executeCommand":{"dynamicRegistration":true}}}`),
		Answers:      steps.answers(),
	})
	result := e.Initialize()
	wantJSON(t, rawjson.Path(result, "capabilities", "executeCommandProvider", "commands"), `["editord.restartServer","editord.showStatus","editord.showServerLog"]`)
	settled := func(want ...string) {
		t.Helper()
		for _, step := range want {
			if got := steps.next(t); got != step {
				t.Fatalf("the step is %q, want %q", got, step)
			}
		}
	}
	settled(`+mcp-commands-1 ["mcp.tool.s.a"]`)

	editor := b.theEditor()
	editor.CatalogChanged("s", []string{"tools"}) // nothing has changed, and the next step shows that nothing was done

	b.setCatalogs(offer("s", "a", "b"))
	for range 200 { // many events are one registration
		editor.CatalogChanged("s", []string{"tools"})
	}
	settled(`-mcp-commands-1`, `+mcp-commands-2 ["mcp.tool.s.a","mcp.tool.s.b"]`)

	b.setCatalogs()
	editor.CatalogChanged("s", []string{"tools"})
	settled(`-mcp-commands-2`)

	b.setCatalogs(offer("s", "c"))
	editor.CatalogChanged("s", []string{"tools"})
	settled(`+mcp-commands-3 ["mcp.tool.s.c"]`)

	e.Vanish()
}

// The next registration waits for the answer to the one before it.
func TestRegistrationsAreAwaited(t *testing.T) {
	release := make(chan struct{})
	steps := make(registrations, 100)
	answers := steps.answers()
	register := answers["client/registerCapability"]
	answers["client/registerCapability"] = func(params json.RawMessage) (any, error) {
		result, err := register(params)
		<-release
		return result, err
	}
	b := newFakeBackend()
	b.setCatalogs(offer("s", "a"))
	e := open(t, b, fakeeditor.Options{
		Capabilities: json.RawMessage(`{"workspace":{"executeCommand":{"dynamicRegistration":true}}}`),
		Answers:      answers,
	})
	if got := steps.next(t); got != `+mcp-commands-1 ["mcp.tool.s.a"]` {
		t.Fatal(got)
	}
	b.setCatalogs(offer("s", "b"))
	b.theEditor().CatalogChanged("s", []string{"tools"})
	e.AwaitMethod("editord/catalogChanged")
	if len(steps) != 0 {
		t.Fatalf("before the answer there was %q", steps.next(t))
	}
	close(release)
	for _, want := range []string{`-mcp-commands-1`, `+mcp-commands-2 ["mcp.tool.s.b"]`} {
		if got := steps.next(t); got != want {
			t.Fatalf("the step is %q, want %q", got, want)
		}
	}
}

// An editor that does not allow registration gets the commands that are known with initialize.
func TestStaticCommands(t *testing.T) {
	b := newFakeBackend()
	b.setCatalogs(offer("s", "b", "a"))
	conn, _ := serve(t, b)
	e := fakeeditor.New(t, conn, fakeeditor.Options{})
	wantJSON(t, rawjson.Path(e.Initialize(), "capabilities", "executeCommandProvider", "commands"),
		`["editord.restartServer","editord.showStatus","editord.showServerLog","mcp.tool.s.a","mcp.tool.s.b"]`)
}
