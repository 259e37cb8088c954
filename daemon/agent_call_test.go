//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const askFirst = `{"name":"echo","arguments":{"path":"/tmp/a"}}`

// attachPerson attaches an editor that a person uses, in the same folder as an agent.
func attachPerson(t *testing.T, d *Daemon, folder string) (*person, editorapi.Attachment) {
	t.Helper()
	s := newScreen()
	p := newPerson(t, s)
	a := attachWith(t, d, s, editorapi.AttachParams{
		ClientName: "an editor", Folders: opened(folder), DynamicCommands: true,
		Capabilities: editorapi.Capabilities{MCP: true, Approval: true},
	})
	return p, a
}

// What no agent may call, an agent does not even see. Editors do.
func TestAgentNever(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	agent, _ := attachAgent(t, d, folder, map[string]string{"ech*": "never"})
	list, err := call(t.Context(), agent, "tools/list", `{}`)
	if err != nil || strings.Contains(list, `"echo"`) || !strings.Contains(list, `"process"`) {
		t.Errorf("the agent lists %s, %v", list, err)
	}
	e := agent.(*editor)
	d.mu.Lock()
	def, c, err := e.definition("fake")
	sight := e.sees(def, c, c.client.Lists())
	d.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	all := c.client.Lists().Of(wire.ListTools)
	if left := sight.visible(); len(left) != len(all)-1 || toolNamed(left, "echo") != nil {
		t.Errorf("the agent's catalog has %d tools of %d", len(left), len(all))
	}
	if _, err := call(t.Context(), agent, "tools/call", askFirst); refusal(err) != "never" {
		t.Errorf("called: %v", err)
	}
	if _, err := call(t.Context(), agent, "tools/call", `{"name":"process"}`); err != nil {
		t.Errorf("what is not ruled out: %v", err)
	}
	if _, err := call(t.Context(), agent, "tools/call", `{"name":"process","Name":"echo"}`); err == nil || !strings.Contains(err.Error(), `"Name"`) {
		t.Errorf("a name in two spellings: %v", err)
	}
	if got := (&editor{}).sees(def, c, c.client.Lists()).visible(); len(got) != len(all) {
		t.Error("the rules for agents hide tools from editors")
	}
}

// A person says whether an agent may make a call, and sees the call as it is sent.
func TestAgentAsk(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	agent, _ := attachAgent(t, d, folder, map[string]string{"*": "ask", "process": "allow"})
	if _, err := call(t.Context(), agent, "tools/call", askFirst); refusal(err) != "ask" {
		t.Errorf("with nobody to ask: %v", err)
	}
	p, person := attachPerson(t, d, folder)
	var seen editorapi.ApproveParams
	decide := person.(*editor).api.(*screen).decide
	person.(*editor).api.(*screen).decide = func(ctx context.Context, q editorapi.ApproveParams) (editorapi.Decision, error) {
		seen = q
		return decide(ctx, q)
	}
	for _, test := range []struct {
		answer editorapi.Decision
		want   string
	}{{editorapi.DecisionAllow, ""}, {editorapi.DecisionDeny, "denied"}, {editorapi.DecisionLater, "denied"}, {editorapi.DecisionAllow, ""}} {
		_, done := beginCall(agent, askFirst)
		p.expect("fake")
		p.answers <- test.answer
		over := <-done
		if got := refusal(over.err); got != test.want {
			t.Errorf("%s: %q, want %q", test.answer, got, test.want)
		}
		if over.err == nil && !strings.Contains(over.result, `"arguments":{"path":"/tmp/a"}`) {
			t.Errorf("the server got %s", over.result)
		}
	}
	if seen.Kind != editorapi.ApproveCall || seen.Call == nil || seen.Call.Agent != "Claude Code" || string(seen.Call.Arguments) != `{"path":"/tmp/a"}` ||
		!strings.Contains(seen.Text.Whole, `path = "/tmp/a"`) || seen.Text.Title != `May the agent "Claude Code" call "echo" of "fake"?` {
		t.Errorf("the question is %+v", seen)
	}
	if _, err := call(t.Context(), agent, "tools/call", `{"name":"process"}`); err != nil {
		t.Errorf("what is allowed: %v", err)
	}
	if _, err := call(t.Context(), agent, "tools/call", `{"name":"echo","arguments":{"a":"`+strings.Repeat("x", maxShownCall)+`"}}`); refusal(err) != "ask" {
		t.Errorf("more than a person can read: %v", err)
	}
	p.nothing(person)
}

// Fault nobody-answers: a call waits for the person as long as the agent wants it. Begin does not wait, and
// the question goes when the agent no longer wants the call.
func TestAgentCancelsWhatIsAsked(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	agent, _ := attachAgent(t, d, folder, map[string]string{"*": "ask"})
	p, person := attachPerson(t, d, folder)
	cancel, done := begin(agent, "echo")
	p.expect("fake")
	cancel()
	p.expect("fake withdrawn")
	if (<-done).err == nil {
		t.Error("a call that was cancelled succeeds")
	}
	_, done = begin(agent, "echo")
	p.expect("fake")
	agent.Close()
	p.expect("fake withdrawn")
	<-done
	p.nothing(person)
}

// Where an editor goes away or cannot ask, the next one in the same folder is asked; never one
// elsewhere, and never another agent.
func TestAgentAsksTheNextEditor(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	agent, _ := attachAgent(t, d, folder, map[string]string{"*": "ask"})
	other, _ := attachAgent(t, d, folder, nil)
	_, elsewhere := attachPerson(t, d, t.TempDir())
	first, _ := attachPerson(t, d, folder)
	second, a := attachPerson(t, d, folder)
	a.Used()
	elsewhere.Used()
	other.Used()
	_, done := begin(agent, "echo")
	second.expect("fake")
	a.Close()
	second.expect("fake withdrawn")
	first.expect("fake")
	first.answers <- editorapi.DecisionAllow
	if err := (<-done).err; err != nil {
		t.Error(err)
	}
}

// A call that is refused, by the rules or by a person, starts no server.
func TestRefusedCallsStartNothing(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	definition := agentDefinition(t, map[string]string{"echo": "ask", "process": "never"})
	agent, s := attachKnowing(t, d, folder, false, definition)
	p, person := attachPerson(t, d, folder)
	refused := func(tool string, answers ...editorapi.Decision) string {
		_, done := begin(agent, tool)
		for _, answer := range answers {
			p.expect("fake")
			p.answers <- answer
		}
		return refusal((<-done).err)
	}
	for _, test := range []struct {
		tool, want string
		answers    []editorapi.Decision
	}{
		{"process", "never", nil},
		{"echo", "denied", []editorapi.Decision{editorapi.DecisionDeny}},
		{"echo", "denied", []editorapi.Decision{editorapi.DecisionLater}},
	} {
		if got := refused(test.tool, test.answers...); got != test.want {
			t.Errorf("%s comes to %q, want %q", test.tool, got, test.want)
		}
		if state := agent.Servers()[0].State; state != "stopped" {
			t.Errorf("after a call of %s that is refused, the server is %s", test.tool, state)
		}
	}
	if got := refused("echo", editorapi.DecisionAllow); got != "" {
		t.Errorf("after a yes: %s", got)
	}
	s.await(t, "ready")
	p.nothing(person)

	mine := attachWith(t, d, newScreen(), editorapi.AttachParams{Folders: opened(folder), Servers: definition})
	does(t, mine.StopServer("fake"))
	_, err := call(t.Context(), agent, "tools/call", askFirst) // nobody is asked: it would fail all the same
	wantKind(t, "a call of what a person has stopped", err, editorapi.KindServerNotReady, "stopped")
	p.nothing(person)
}

// Fault question-flood: an agent makes many calls at once that need a person. Each is asked about, one
// after the other; beyond the limit they fail at once. What waits goes with the agent.
func TestAgentAsksOfManyCalls(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	agent, _ := attachKnowing(t, d, folder, false, agentDefinition(t, map[string]string{"*": "ask"}))
	p, person := attachPerson(t, d, folder)
	over := make(chan error, maxAskedCalls+50)
	for range cap(over) {
		agent.Begin(editorapi.Call{Server: "fake", Method: "tools/call", Params: json.RawMessage(askFirst)}, nil,
			func(_ json.RawMessage, err error, _ *cork.Cork) { over <- err })
	}
	for range 50 {
		if err := <-over; refusal(err) != "ask" || !strings.Contains(err.Error(), "64 calls of this agent wait") {
			t.Errorf("beyond the limit: %v", err)
		}
	}
	for range 10 {
		p.expect("fake")
		p.answers <- editorapi.DecisionAllow
		if err := <-over; err != nil {
			t.Errorf("after a yes: %v", err)
		}
	}
	p.expect("fake")
	agent.Close()
	p.expect("fake withdrawn")
	for range maxAskedCalls - 10 {
		wantKind(t, "a call whose agent has gone", <-over, editorapi.KindCancelled, "")
	}
	d.mu.Lock()
	if agent.askedCalls != 0 {
		t.Errorf("%d calls still wait", agent.askedCalls)
	}
	d.mu.Unlock()
	p.nothing(person)
}
