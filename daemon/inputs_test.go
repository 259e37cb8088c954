//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// needInput has the user define servers that get the value of an input, whose id is token.
func needInput(t *testing.T, d *Daemon, input string, names ...string) {
	t.Helper()
	servers := fakeDefinitions(t, plainScript, nil, names...)
	for _, name := range names {
		servers = rawjson.SetPath(servers, []byte(`"${input:token}"`), name, "env", "TOKEN")
	}
	file := rawjson.Set(json.RawMessage(`{"inputs":[`+input+`]}`), "servers", servers)
	writeFile(t, d.opts.Paths.Config, string(file))
	for len(d.store.User().Servers) == 0 {
		runtime.Gosched()
	}
}

// asker is an editor whose person is asked for inputs: the test sees each question and gives the answer.
type asker struct {
	*screen
	*editor
	asked   chan string // the server of each question, and when it is withdrawn
	answers chan string // each is a value; "" declines
	goes    chan error  // ends a question, as an editor does that goes
}

func attachAsker(t *testing.T, d *Daemon, folder string, autoStart bool) *asker {
	t.Helper()
	a := &asker{screen: newScreen(), asked: make(chan string, 10), answers: make(chan string), goes: make(chan error)}
	a.screen.answer = func(ctx context.Context, _ string, q editorapi.Question) (json.RawMessage, error) {
		a.asked <- q.Server
		select {
		case value := <-a.answers:
			if value == "" {
				return json.RawMessage(`{"action":"decline"}`), nil
			}
			return json.RawMessage(`{"action":"accept","content":{"value":` + string(rawjson.Quote(value)) + `}}`), nil
		case err := <-a.goes:
			return nil, err
		case <-ctx.Done():
			a.asked <- q.Server + " withdrawn"
			return nil, ctx.Err()
		}
	}
	a.editor = attachWith(t, d, a.screen, editorapi.AttachParams{
		ClientName: "an editor", Folders: opened(folder), AutoStart: autoStart, DynamicCommands: true,
		Capabilities: editorapi.Capabilities{MCP: true, Elicitation: json.RawMessage(`{"form":{}}`)},
	}).(*editor)
	return a
}

func (a *asker) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := <-a.asked; !slices.Contains(want, got) {
		t.Fatalf("asked is %q, want one of %q", got, want)
	}
}

// awaitStarts waits until so many starts wait for the one input that is asked for.
func (d *Daemon) awaitStarts(t *testing.T, n int) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for got := -1; got != n; runtime.Gosched() {
		d.mu.Lock()
		for _, q := range d.asking {
			got = len(q.starts)
		}
		d.mu.Unlock()
		if time.Now().After(deadline) {
			t.Fatalf("%d starts wait, want %d", got, n)
		}
	}
}

// An input that several starts need at the same time is asked for once, and each gets the answer.
func TestInputIsAskedForOnceForAllStarts(t *testing.T) {
	for _, input := range []string{`{"id":"token","type":"promptString"}`, `{"id":"token","type":"promptString","password":true}`} {
		for _, tt := range []struct{ name, answer, state string }{{"answered", "typed", "ready"}, {"declined", "", "failed"}} {
			t.Run(tt.name+" "+input, func(t *testing.T) {
				d, folder := newTestDaemon(t, 0)
				needInput(t, d, input, "one", "two")
				a := attachAsker(t, d, folder, true)
				a.expect(t, "one", "two")
				d.awaitStarts(t, 2)
				a.answers <- tt.answer
				a.awaitNews(t, "one "+tt.state)
				a.awaitNews(t, "two "+tt.state)
				if len(a.asked) != 0 {
					t.Errorf("then %q is asked about", <-a.asked)
				}
			})
		}
	}
}

// Whoever no longer waits for an input takes the question away from nobody else. The last one does, and who comes after that
// is asked anew.
func TestInputIsAskedForWhileOneStartWaits(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	needInput(t, d, `{"id":"token","type":"promptString"}`, "one", "two")
	a := attachAsker(t, d, folder, false)
	begins(t.Context(), a.StartServer("one"))
	a.expect(t, "one")
	begins(t.Context(), a.StartServer("two"))
	d.awaitStarts(t, 2)
	does(t, a.StopServer("one"))
	d.awaitStarts(t, 1)
	does(t, a.StopServer("two"))
	a.expect(t, "one withdrawn")
	begins(t.Context(), a.StartServer("two"))
	a.expect(t, "two")
	a.answers <- "typed"
	a.awaitNews(t, "two ready")
}

// An input goes on being asked for where another one waits for it, when the editor goes in which that was.
func TestInputIsAskedForWhereOneStillWaits(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	needInput(t, d, `{"id":"token","type":"promptString"}`, "one", "two")
	first, second := attachAsker(t, d, folder, false), attachAsker(t, d, t.TempDir(), false)
	begins(t.Context(), first.StartServer("one"))
	first.expect(t, "one")
	begins(t.Context(), second.StartServer("two"))
	d.awaitStarts(t, 2)
	first.goes <- editorapi.ErrEditorGone
	first.editor.Close()
	second.expect(t, "one")
	second.answers <- "typed"
	second.awaitNews(t, "two ready")
}

// A start that was under way when an editor came that can be asked, and that has failed because nobody could
// be asked before, is begun again for that editor.
func TestInputOfAStartThatNobodyCouldAnswer(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	needInput(t, d, `{"id":"token","type":"promptString","description":"The token"}`, "fake")
	unable := newScreen()
	attachWith(t, d, unable, editorapi.AttachParams{Folders: opened(folder), AutoStart: true, DynamicCommands: true})
	unable.await(t, "failed")
	able := attachAsker(t, d, folder, false)
	over := make(chan struct{})
	close(over)
	d.startForAnswer(able.connection("fake"), able.editor, over)
	able.expect(t, "fake")
	able.answers <- "typed"
	able.await(t, "ready")
}

// Who starts a server and cannot be asked for its input hears which editor is.
func TestWhoCannotGiveAnInputHearsWhereItIsAsked(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	needInput(t, d, `{"id":"token","type":"promptString","description":"The token"}`, "fake")
	able, unable := attachAsker(t, d, folder, false), newScreen()
	a := attachWith(t, d, unable, editorapi.AttachParams{Folders: opened(folder), DynamicCommands: true, Capabilities: editorapi.Capabilities{MCP: true}})
	started := begins(t.Context(), a.StartServer("fake"))
	able.expect(t, "fake")
	able.answers <- "typed"
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	const want = `server "fake" asks: The token (it waits until you answer in an editor)`
	unable.mu.Lock()
	defer unable.mu.Unlock()
	if len(unable.said) != 1 || unable.said[0] != want {
		t.Errorf("it hears %q, want %q", unable.said, want)
	}
}

// An editor that cannot ask for an input says so, and the next one in the same folder is asked. Meanwhile the server says that it
// waits for a person.
func TestInputIsAskedForInTheNextEditorThatCan(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	needInput(t, d, `{"id":"token","type":"promptString","password":true}`, "fake")
	attach := func(autoStart bool, answer func() (json.RawMessage, error)) *screen {
		s := newScreen()
		s.answer = func(context.Context, string, editorapi.Question) (json.RawMessage, error) { return answer() }
		attachWith(t, d, s, editorapi.AttachParams{
			Folders: opened(folder), AutoStart: autoStart, DynamicCommands: true,
			Capabilities: editorapi.Capabilities{Elicitation: json.RawMessage(`{"form":{}}`)},
		})
		return s
	}
	seen := make(chan struct{})
	attach(false, func() (json.RawMessage, error) {
		<-seen
		return json.RawMessage(`{"action":"accept","content":{"value":"typed"}}`), nil
	})
	starts := attach(true, func() (json.RawMessage, error) {
		return nil, &editorapi.RPCError{Code: editorapi.CodeMethodNotFound, Message: "not a password"}
	})
	last := func() (s editorapi.Server) {
		if n := len(starts.servers); n > 0 {
			s = starts.servers[n-1]
		}
		return s
	}
	starts.until(t, "waits for an input", func() bool {
		return last().State == editorapi.ServerStarting && last().WaitsFor == editorapi.WaitInput
	})
	close(seen)
	starts.until(t, "ready and waits for nothing", func() bool { return last().State == editorapi.ServerReady && last().WaitsFor == "" })
}
