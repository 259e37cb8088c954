//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Which editor is asked, and what it is told of whose call it was (editor protocol, "mcp/… from the daemon").
func TestWhom(t *testing.T) {
	can := editorapi.Capabilities{Sampling: json.RawMessage("{}")}
	in := func(e *editor, folders ...string) *editor {
		e.named, e.real, e.initialized = folders, folders, true
		return e
	}
	early := in(&editor{id: 1, caps: can, used: 1}, "/a")
	late := in(&editor{id: 2, caps: can, used: 9}, "/a")
	unable := in(&editor{id: 3, name: "Helix", used: 20}, "/a")
	gone := in(&editor{id: 4, caps: can, used: 30, closed: true}, "/a")
	wide := in(&editor{id: 5, caps: can, used: 5}, "/b", "/c") // on another connection
	other := in(&editor{id: 6, used: 21}, "/c")
	agent := in(&editor{id: 7, name: "mcp-editord", agent: &editorapi.Agent{Name: "Claude Code"}, used: 22}, "/c")
	none := in(&editor{id: 8, used: 23})
	free := in(&editor{id: 9, caps: can, used: 2})
	lost := in(&editor{id: 10, used: 24}, "/d")
	clever := in(&editor{id: 11, caps: can, agent: &editorapi.Agent{Name: "Codex"}, used: 40}, "/a", "/c", "/d")
	second := in(&editor{id: 12, caps: can, agent: &editorapi.Agent{Name: "Codex"}, used: 41}, "/d")
	lostAgent := in(&editor{id: 13, caps: can, agent: &editorapi.Agent{Name: "Codex"}, used: 42}, "/d")
	by := func(e *editor, id string) mcpclient.Owner {
		return mcpclient.Owner{User: e.id, Request: id, Tool: "tool" + id}
	}
	for _, tt := range []struct {
		name  string
		calls []mcpclient.Owner
		want  *editor
		says  string // the cause or the caller; "" when it is not certain
	}{
		{"nobody has a call under way: the one used last", nil, late, ""},
		{"the one whose call it is, though another was used later", []mcpclient.Owner{by(early, "7")}, early, "cause 7"},
		{"of several the one used last", []mcpclient.Owner{by(late, "1"), by(early, "2")}, late, ""},
		{"two calls of one editor", []mcpclient.Owner{by(early, "1"), by(early, "2")}, early, ""},
		{"a caller that cannot answer: the one used last in its folder", []mcpclient.Owner{by(unable, "1")}, late, "caller Helix tool1"},
		{"a caller that has gone", []mcpclient.Owner{{User: 99, Request: "1"}}, nil, ""},
		{"one of the callers cannot answer", []mcpclient.Owner{by(unable, "1"), by(early, "2")}, early, ""},
		{"none of the callers can answer", []mcpclient.Owner{by(unable, "1"), by(other, "2")}, late, ""},
		{"one that has a folder more", []mcpclient.Owner{by(other, "1")}, wide, "caller another editor tool1"},
		{"an agent that cannot answer", []mcpclient.Owner{by(agent, "1")}, wide, "caller Claude Code tool1"},
		{"a caller without a folder", []mcpclient.Owner{by(none, "1")}, free, "caller another editor tool1"},
		{"a caller whose folder no other editor has", []mcpclient.Owner{by(lost, "1")}, nil, ""},
		{"an agent that can answer", []mcpclient.Owner{by(clever, "1")}, clever, "cause 1"},
		{"an editor and an agent", []mcpclient.Owner{by(early, "1"), by(clever, "2")}, early, ""},
		{"an editor that cannot answer, and an agent", []mcpclient.Owner{by(other, "1"), by(clever, "2")}, late, ""},
		{"two agents: the question may be of the other one's call", []mcpclient.Owner{by(clever, "1"), by(second, "2")}, late, ""},
		{"two calls of one agent", []mcpclient.Owner{by(clever, "1"), by(clever, "2")}, clever, ""},
		{"two agents where no editor is", []mcpclient.Owner{by(second, "1"), by(lostAgent, "2")}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &connection{
				d:       &Daemon{editors: []*editor{early, late, unable, gone, wide, other, agent, none, free, lost, clever, second, lostAgent}},
				members: []*editor{early, late, unable, gone, clever},
			}
			got, q := c.whom(tt.calls, func(caps editorapi.Capabilities) bool { return caps.Sampling != nil }, nil)
			if got != tt.want {
				t.Errorf("asked is %+v, want %+v", got, tt.want)
			}
			says := ""
			if q.Cause != nil {
				says += "cause " + string(q.Cause.ID)
			}
			if q.Caller != nil {
				says += "caller " + q.Caller.Name + " " + q.Caller.Tool
			}
			if says != tt.says {
				t.Errorf("it is told %q, want %q", says, tt.says)
			}
		})
	}
}

// Who waits for a question that he cannot answer hears where it is. An agent does not, nor who can answer.
func TestCallersHearOfTheirQuestion(t *testing.T) {
	const form = `{"message":"Who\u001b[2J?","requestedSchema":{}}`
	answers, leaves := json.RawMessage(`{"action":"decline"}`), json.RawMessage(nil)
	for _, tt := range []struct {
		name    string
		caller  editorapi.Capabilities
		agent   *editorapi.Agent
		other   *editorapi.Capabilities // nil: there is no other editor
		reply   json.RawMessage         // of the other one; nil: it goes
		method  string
		want    []string
		nothing bool // nobody was asked
	}{
		{"an editor has it", declared("", ""), nil, new(declared(`{}`, "")), answers, wire.MethodElicit, []string{`server "srv" asks: Who\u{1b}[2J? (it waits until you answer in Neovim)`}, false},
		{"nobody", declared("", ""), nil, nil, nil, wire.MethodElicit, []string{`server "srv" asks: Who\u{1b}[2J? (nobody here can answer; open this folder in an editor, or make the call in a terminal)`}, true},
		{"nobody any more", declared("", ""), nil, new(declared(`{}`, "")), leaves, wire.MethodElicit, []string{
			`server "srv" asks: Who\u{1b}[2J? (it waits until you answer in Neovim)`, `server "srv" asks: Who\u{1b}[2J? (Neovim has left without an answer)`,
		}, false},
		{"a model in an editor", declared("", ""), nil, new(declared("", `{}`)), answers, wire.MethodSample, []string{`server "srv" wants the answer of a model (it waits until you answer in Neovim)`}, false},
		{"a model nowhere", declared("", ""), nil, nil, nil, wire.MethodSample, nil, true},
		{"the caller has it", declared(`{}`, ""), nil, new(declared(`{}`, "")), answers, wire.MethodElicit, nil, false},
		{"an agent", declared("", ""), &editorapi.Agent{Name: "Codex"}, new(declared(`{}`, "")), answers, wire.MethodElicit, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := newAsking(t, declared("", ""), `{}`)
			said := newScreen()
			asked := false
			screen := newScreen()
			screen.answer = func(context.Context, string, editorapi.Question) (json.RawMessage, error) {
				asked = true
				if tt.reply == nil {
					return nil, editorapi.ErrEditorGone
				}
				return tt.reply, nil
			}
			said.answer = screen.answer
			caller := &editor{d: c.d, id: 1, api: said, caps: tt.caller, agent: tt.agent, initialized: true}
			c.d.mu.Lock()
			c.d.editors = []*editor{caller}
			if tt.other != nil {
				c.d.editors = append(c.d.editors, &editor{d: c.d, id: 2, name: "Neovim", api: screen, caps: *tt.other, initialized: true})
			}
			c.d.mu.Unlock()
			ask := mcpclient.Ask{Method: tt.method, Params: json.RawMessage(form), Owners: []mcpclient.Owner{{User: 1, Request: "7"}}}
			_, _ = c.Request(t.Context(), ask)
			if asked == tt.nothing {
				t.Errorf("somebody was asked: %v", asked)
			}
			if !slices.Equal(said.said, tt.want) {
				t.Errorf("the caller hears %q, want %q", said.said, tt.want)
			}
			c.d.mu.Lock()
			c.d.editors = nil
			c.d.mu.Unlock()
		})
	}
}

// A question that no call has caused is for an agent only where no editor can answer it.
func TestQuestionsWithoutACallAreForEditors(t *testing.T) {
	can := editorapi.Capabilities{Sampling: json.RawMessage("{}")}
	agent := &editor{caps: can, agent: &editorapi.Agent{Name: "Codex"}, used: 9}
	able, unable := &editor{caps: can, used: 1}, &editor{used: 2}
	for _, tt := range []struct {
		members []*editor
		want    *editor
	}{{[]*editor{agent, able, unable}, able}, {[]*editor{agent, unable}, agent}, {[]*editor{unable}, nil}} {
		c := &connection{d: &Daemon{}, members: tt.members}
		if got, _ := c.whom(nil, func(caps editorapi.Capabilities) bool { return caps.Sampling != nil }, nil); got != tt.want {
			t.Errorf("asked is %+v, want %+v", got, tt.want)
		}
	}
}

// Promise 8: what a server may ask is limited.
func TestPromise8LimitOfQuestions(t *testing.T) {
	start := time.Now()
	c := &connection{d: &Daemon{}, log: zap.NewNop(), def: config.Definition{SamplingLimit: config.Rate{N: 2, Per: time.Minute}, ElicitationLimit: config.Rate{N: 5, Per: time.Minute}}}
	for _, tt := range []struct {
		after time.Duration
		ok    bool
	}{
		{0, true}, {time.Second, true}, {2 * time.Second, false}, {59 * time.Second, false},
		{61 * time.Second, true}, {61500 * time.Millisecond, true}, {62 * time.Second, false},
	} {
		err := c.maySample(start.Add(tt.after))
		if (err == nil) != tt.ok {
			t.Errorf("after %v: %v", tt.after, err)
		}
		if rpc := wire.AsRPC(err); err != nil && (rpc == nil || rpc.Code != codeRejected) {
			t.Errorf("after %v: the server would see %v", tt.after, err)
		}
	}
	for n := range 6 {
		if err := c.mayElicit(start); (err == nil) != (n < 5) {
			t.Errorf("question %d: %v", n, err)
		}
	}
	if err := c.mayElicit(start.Add(time.Minute + 1)); err != nil {
		t.Errorf("when the time of the limit is over: %v", err)
	}
	c.def.Sampling = config.SamplingDeny
	if c.maySample(start.Add(time.Hour)) == nil {
		t.Error("the configuration denies sampling, and it was allowed")
	}
}

// An editor that declared the ability may say of one question that it cannot answer it. Then the next one is asked,
// and the first has not refused anything.
func TestAsksTheNextOneThatCan(t *testing.T) {
	can := editorapi.Capabilities{Elicitation: json.RawMessage("{}")}
	var asked []int
	with := func(id int, answer json.RawMessage, err error) *editor {
		s := newScreen()
		s.answer = func(_ context.Context, _ string, q editorapi.Question) (json.RawMessage, error) {
			asked = append(asked, id)
			if q.Key != "word" {
				t.Errorf("%d is asked for %q", id, q.Key)
			}
			return answer, err
		}
		return &editor{id: id, api: s, caps: can, used: int64(10 - id), initialized: true}
	}
	unable := &editorapi.RPCError{Code: editorapi.CodeMethodNotFound, Message: "not this one"}
	d, _ := newTestDaemon(t, 0)
	first, second := with(1, nil, unable), with(2, json.RawMessage(`{"action":"accept"}`), nil)
	first.d, second.d = d, d
	c := &connection{d: d, name: "fs", log: zap.NewNop(), members: []*editor{first, second}}
	able := func(caps editorapi.Capabilities) bool { return caps.Elicitation != nil }
	answer, err := c.putToSomebody(t.Context(), mcpclient.Ask{Method: wire.MethodElicit, Key: "word"}, json.RawMessage("{}"), able)
	if err != nil || string(answer) != `{"action":"accept"}` || !slices.Equal(asked, []int{1, 2}) {
		t.Errorf("%s, %v; asked were %v", answer, err, asked)
	}
	if c.asked.refused != 0 {
		t.Errorf("%d questions count as refused", c.asked.refused)
	}
	c.members = []*editor{first}
	if _, err := c.putToSomebody(t.Context(), mcpclient.Ask{Method: wire.MethodElicit, Key: "word"}, json.RawMessage("{}"), able); err != errNobody {
		t.Errorf("with nobody else: %v", err)
	}
}

// The roots of the caller count for its own call, if it says that it has some; the daemon's for all else.
func TestCallersRoots(t *testing.T) {
	const mine = `{"roots":[{"uri":"file:///mine"}]}`
	var asked editorapi.Question
	var refuse error
	s := newScreen()
	s.answer = func(_ context.Context, _ string, q editorapi.Question) (json.RawMessage, error) {
		asked = q
		return json.RawMessage(mine), refuse
	}
	has := &editor{id: 1, api: s, caps: editorapi.Capabilities{Roots: true}}
	plain := &editor{id: 2, api: s}
	c := &connection{d: &Daemon{editors: []*editor{has, plain}}, name: "fs"}
	call := func(e *editor) mcpclient.Owner { return mcpclient.Owner{User: e.id, Request: "7"} }
	for _, tt := range []struct {
		name   string
		calls  []mcpclient.Owner
		key    string
		roots  config.Roots
		refuse error
		ok     bool
	}{
		{"its own call", []mcpclient.Owner{call(has)}, "r", config.Roots{}, nil, true},
		{"it fails", []mcpclient.Owner{call(has)}, "r", config.Roots{}, errors.New("no"), false},
		{"a caller without", []mcpclient.Owner{call(plain)}, "r", config.Roots{}, nil, false},
		{"nobody's call", nil, "r", config.Roots{}, nil, false},
		{"two calls", []mcpclient.Owner{call(has), call(plain)}, "r", config.Roots{}, nil, false},
		{"a server that is told once for all", []mcpclient.Owner{call(has)}, "", config.Roots{}, nil, false},
		{"a server that is told none", []mcpclient.Owner{call(has)}, "r", config.Roots{None: true}, nil, false},
		{"a server that is told others", []mcpclient.Owner{call(has)}, "r", config.Roots{Entries: []string{"/a"}}, nil, false},
	} {
		refuse, c.def.Roots = tt.refuse, tt.roots
		got, ok := c.callersRoots(t.Context(), mcpclient.Ask{Owners: tt.calls, Key: tt.key})
		if ok != tt.ok || ok && string(got) != mine {
			t.Errorf("%s: %s, %v; want %v", tt.name, got, ok, tt.ok)
		}
	}
	if asked.Server != "fs" || string(asked.Params) != "{}" || asked.Cause == nil || string(asked.Cause.ID) != "7" {
		t.Errorf("asked was %+v", asked)
	}
}
