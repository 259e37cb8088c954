package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// relay has the daemon pass on a notification of server s.
func (d *fakeDaemon) relay(method, params string, subscribed ...string) {
	_ = d.theEditor().Relay(&editorapi.Notification{Server: "s", Method: method, Params: json.RawMessage(params)}, subscribed)
}

// The agent is told which lists have changed, and only those: in the modern era, only those it wants.
func TestListChanged(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	a := open(t, d, Options{})
	a.send(modern(`"l"`, "subscriptions/listen", `{}`, `"notifications":{"toolsListChanged":true,"promptsListChanged":false,"x":true}`))
	a.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{"toolsListChanged":true}}}`)
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
	a.want(changed) // since the agent has not seen any
	s := running("s", tool("x"), tool("y"))
	s.prompts = []string{`{"name":"p"}`}
	d.set(s)
	a.want(changed)
	a.hello(`{}`)
	s.resources, s.templates = []string{`{"uri":"a://b","name":"b"}`}, []string{`{"uriTemplate":"c://{d}","name":"d"}`}
	d.set(s)
	a.want(`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
	a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
	s.tools = nil
	d.set(s)
	a.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	a.silent()
}

// The first list waits for a server that nobody has ever seen, and for no other.
func TestFirstListWaits(t *testing.T) {
	starting := offered{Server: editorapi.Server{Name: "s", State: editorapi.ServerStarting}}
	d := &fakeDaemon{servers: []offered{starting}}
	a := open(t, d, Options{})
	a.hello(`{}`)
	a.send(legacy(`1`, "tools/list", ``))
	a.silent()
	d.set(running("s", tool("x")))
	if got := string(a.answer("1")); !strings.Contains(got, "s__x") { // the change may be told before
		t.Errorf("got %s", got)
	}
	starting.tried = true
	d.set(starting)
	a.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	a.ask(legacy(`2`, "tools/list", ``), `{"tools":[]}`)
}

// Without a daemon, lists are empty and calls say why.
func TestNoDaemon(t *testing.T) {
	a := open(t, &fakeDaemon{refuse: errors.New("no daemon")}, Options{})
	a.hello(`{}`)
	a.ask(legacy(`1`, "tools/list", ``), `{"tools":[]}`)
	a = open(t, &fakeDaemon{refuse: errors.New("no daemon")}, Options{Servers: []string{"s"}})
	a.hello(`{}`)
	a.send(legacy(`1`, "prompts/get", `{"name":"p"}`))
	a.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"mcp-editord cannot reach its daemon: no daemon","data":{"kind":"internal"}}}`)
}

// Updates go to who subscribed; the subscription outlives the daemon, and ends with the last who wants it.
func TestSubscriptions(t *testing.T) {
	s := running("s")
	s.resources = []string{`{"uri":"a://b","name":"b"}`}
	other := running("other")
	other.resources = []string{`{"uri":"c://d","name":"d"}`}
	d := &fakeDaemon{servers: []offered{s, other}}
	a := open(t, d, Options{})
	a.hello(`{}`)
	a.ask(legacy(`1`, "resources/subscribe", `{"uri":"a://b"}`), `{}`)
	a.send(modern(`5`, "subscriptions/listen", `{}`, `"notifications":{"resourceSubscriptions":["a://b","nobody://has"]}`))
	a.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5},"notifications":{"resourceSubscriptions":["a://b"]}}}`)
	d.relay("notifications/resources/updated", `{"uri":"a://b","t":1.0}`, "a://b")
	a.want(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","t":1.0}}`)
	a.want(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","t":1.0,"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`)

	d.gone(nil)
	const subscribe = `resources/subscribe s {"uri":"a://b"}`
	d.await(t, "it is subscribed at the next daemon", func() bool { return len(d.params) == 2 && slices.Contains(d.calls[d.before:], subscribe) })

	a.ask(legacy(`2`, "resources/unsubscribe", `{"uri":"a://b"}`), `{}`)
	d.relay("notifications/resources/updated", `{"uri":"a://b"}`, "a://b")
	a.want(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`)
	a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	d.await(t, "it is unsubscribed", func() bool { return d.calls[len(d.calls)-1] == `resources/unsubscribe s {"uri":"a://b"}` })
	d.relay("notifications/resources/updated", `{"uri":"a://b"}`, "a://b")
	a.silent()
}

// A listen that is cancelled while it waits for the catalog subscribes to nothing: not now, and not at the
// next daemon.
func TestListenCancelledWhileItWaits(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	s := newSession(ctx, io.Discard, Options{
		Connect: func(context.Context) (net.Conn, error) { return nil, errors.New("no daemon") },
		Log:     zap.NewNop(),
	})
	defer s.running.Wait()
	defer end()
	s.shelf.put([]editorapi.CatalogServer{{
		Server: editorapi.Server{Name: "s", State: editorapi.ServerReady}, Tried: true, Resources: raws([]string{`{"uri":"a://b","name":"b"}`}),
	}})
	for _, cancelled := range []bool{false, true} {
		listening, cancel := context.WithTimeout(ctx, time.Nanosecond) // for nobody answers
		l := &listen{id: wire.NumberID(5), cancel: cancel}
		s.listens[l.id] = l
		if cancelled {
			s.endListen(l)
		}
		s.listenTo(listening, l, []string{"a://b"})
		if s.subscribes() == cancelled {
			t.Errorf("cancelled: %v, subscribed: %v", cancelled, s.subscribes())
		}
		s.endListen(l)
	}
}

func TestLogMessages(t *testing.T) {
	s := running("s", tool("x"))
	s.Capabilities = json.RawMessage(`{"logging":{}}`)
	d := &fakeDaemon{servers: []offered{s, running("mute")}}
	message := func(level string) string { return `{"level":"` + level + `","data":1.0}` }
	relayed := func(level string) string {
		return `{"jsonrpc":"2.0","method":"notifications/message","params":` + message(level) + `}`
	}
	a := open(t, d, Options{})
	a.send(modern(`0`, "tools/list", `{}`, ``))
	a.next()
	d.relay("notifications/message", message("error")) // nobody wants it
	a.ask(modern(`0`, "tools/call", `{}`, `"name":"s__x"`), `{"resultType":"complete"}`)
	a.hello(`{}`)
	a.refused(legacy(`1`, "logging/setLevel", `{"level":"loud"}`), -32602)
	a.ask(legacy(`2`, "logging/setLevel", `{"level":"warning"}`), `{}`)
	d.await(t, "the server is told", func() bool { return d.calls[len(d.calls)-1] == `logging/setLevel s {"level":"warning"}` })
	d.relay("notifications/message", message("info"))
	d.relay("notifications/message", message("error"))
	a.want(relayed("error"))
	a.silent()
}

// The roots of an agent are its folders, as long as it names some that may be.
func TestRoots(t *testing.T) {
	d := &fakeDaemon{}
	dir := t.TempDir()
	a := open(t, d, Options{Dir: dir, Home: "/home/me"})
	a.hello(`{"roots":{"listChanged":true}}`)
	answer := func(roots string) {
		t.Helper()
		question := a.next()
		if rawjson.String(question, "method") != "roots/list" {
			t.Fatalf("got %s", question)
		}
		a.reply(question, `"result":{"roots":`+roots+`}`)
	}
	answer(`[{"uri":"file:///w/a"},{"uri":"file:///"},{"uri":"file:///home/me"},{"uri":"https://x"},{"uri":"file:///w/b","name":"B"}]`)
	d.await(t, "the roots are the folders", func() bool { return len(d.folders) == 1 && d.folders[0] == "file:///w/a file:///w/b" })
	a.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	answer(`[]`)
	d.await(t, "the project is the folder", func() bool { return len(d.folders) == 2 && d.folders[1] == fileuri.FromPath(dir) })
	d = &fakeDaemon{}
	a = open(t, d, Options{Dir: dir, Folders: []string{filepath.Join(dir, "x")}})
	a.hello(`{"roots":{}}`)
	a.silent()
	if p := d.params[0]; uris(p.Folders) != fileuri.FromPath(filepath.Join(dir, "x")) || p.Agent.Within != "" {
		t.Errorf("it attached with %v, %+v", p.Folders, p.Agent)
	}
}

// Roots that the agent names while it attaches to a daemon that takes its time are its folders too.
func TestRootsDuringTheHandshake(t *testing.T) {
	d := &fakeDaemon{slow: make(chan struct{})}
	a := open(t, d, Options{Dir: t.TempDir()})
	a.hello(`{"roots":{}}`)
	d.await(t, "it is attaching", func() bool { return len(d.params) == 1 })
	a.reply(a.next(), `"result":{"roots":[{"uri":"file:///w/a"}]}`)
	a.silent() // it has read the roots
	close(d.slow)
	d.await(t, "the roots are the folders", func() bool { return len(d.folders) == 1 && d.folders[0] == "file:///w/a" })
}

// A daemon that goes while the agent shakes hands with it costs the agent a moment, and no call.
func TestDaemonThatGoesDuringTheHandshake(t *testing.T) {
	d := &fakeDaemon{servers: []offered{running("s", tool("x"))}}
	a := open(t, d, Options{})
	a.hello(`{}`)
	d.mu.Lock()
	d.going = 4
	d.mu.Unlock()
	d.gone(nil)
	for begun := false; !begun; runtime.Gosched() { // else the daemon may have got the call before it went
		d.mu.Lock()
		begun = d.going < 4
		d.mu.Unlock()
	}
	a.ask(legacy(`1`, "tools/call", `{"name":"s__x"}`), `{}`)
}
