//go:build linux || darwin

package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// person answers a screen's questions: the test sees each question and gives the answer.
type person struct {
	t       *testing.T
	asked   chan string // the server of each question
	answers chan editorapi.Decision
	goes    chan error   // ends a question, as an editor does that goes
	before  atomic.Int64 // open questions
}

func newPerson(t *testing.T, s *screen) *person {
	p := &person{t: t, asked: make(chan string, 100), answers: make(chan editorapi.Decision), goes: make(chan error)}
	s.decide = func(ctx context.Context, q editorapi.ApproveParams) (editorapi.Decision, error) {
		if p.before.Add(1) > 1 {
			t.Errorf("%s is asked about while another question is open", q.Server)
		}
		defer p.before.Add(-1)
		p.asked <- q.Server
		select {
		case d := <-p.answers:
			return d, nil
		case err := <-p.goes:
			return editorapi.DecisionLater, err
		case <-ctx.Done():
			p.asked <- q.Server + " withdrawn"
			return editorapi.DecisionLater, ctx.Err()
		}
	}
	return p
}

func (p *person) expect(want string) {
	p.t.Helper()
	select {
	case got := <-p.asked:
		if got != want {
			p.t.Fatalf("the question is about %q, want %q", got, want)
		}
	case <-time.After(2 * time.Minute):
		p.t.Fatalf("there was no question about %q", want)
	}
}

// nothing checks that nobody is asked once the last answer is carried out. The next question would
// come with it, or with a reconcile.
func (p *person) nothing(a editorapi.Attachment) {
	p.t.Helper()
	e := a.(*editor)
	asking := func() *approvalQuestion {
		e.d.mu.Lock()
		defer e.d.mu.Unlock()
		return e.asking
	}
	if q := asking(); q != nil {
		<-q.done
	}
	<-e.reconciling.Again()
	if asking() != nil || len(p.asked) > 0 {
		p.t.Errorf("there is another question")
	}
}

// define writes a configuration file with servers that can never run.
func define(t *testing.T, path string, names ...string) {
	t.Helper()
	var servers []string
	for _, name := range names {
		servers = append(servers, fmt.Sprintf(`%q:{"command":"/nothing/%s"}`, name, name))
	}
	writeFile(t, path, `{"mcpServers":{`+strings.Join(servers, ",")+`}}`)
}

// own has the user define the server "fake", which can never run.
func (d *Daemon) own(t *testing.T) {
	t.Helper()
	define(t, d.opts.Paths.Config, "fake")
	for len(d.store.User().Servers) == 0 {
		runtime.Gosched()
	}
}

// However many servers a project has, one question is open. Putting it off puts off the rest of the
// file. Your own server waits for none of this.
func TestPromise8OneQuestionAtATime(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	file, other := filepath.Join(folder, ".mcp.json"), filepath.Join(folder, ".cursor", "mcp.json")
	define(t, file, "a", "b", "c", "d", "e")
	define(t, other, "x", "y")
	s := newScreen()
	p := newPerson(t, s)
	a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
	p.expect("a")
	s.awaitNews(t, "fake ready") // the user's own
	p.answers <- editorapi.DecisionDeny
	p.expect("b")
	p.answers <- editorapi.DecisionAllow
	p.expect("c")
	p.answers <- editorapi.DecisionLater
	p.expect("x")
	define(t, other, "z")
	p.expect("x withdrawn")
	p.expect("z")
	p.answers <- editorapi.DecisionLater
	p.nothing(a)

	define(t, file, "a", "b", "c", "d", "new")
	p.expect("new")
	p.answers <- editorapi.DecisionDeny
	p.nothing(a)
}

// The question about a server that you start comes before all others, even if you put it off.
func TestStartingAsksFirst(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	define(t, filepath.Join(folder, ".mcp.json"), "a", "b", "c")
	s := newScreen()
	p := newPerson(t, s)
	a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
	p.expect("a")
	oneIsWanted := func() bool { return len(a.(*editor).wanted) == 1 }
	first := begins(t.Context(), a.StartServer("c"))
	p.expect("a withdrawn")
	p.expect("c")
	second := begins(t.Context(), a.StartServer("b")) // which waits for its turn
	d.await(t, "b is wanted", oneIsWanted)
	p.answers <- editorapi.DecisionLater
	if <-first == nil {
		t.Error("c was started, though it was put off")
	}
	p.expect("b")
	p.answers <- editorapi.DecisionDeny
	if <-second == nil {
		t.Error("b was started, though it was denied")
	}
	p.nothing(a)

	ctx, cancel := context.WithCancel(t.Context())
	first = begins(ctx, a.StartServer("a"))
	p.expect("a")
	second = begins(ctx, a.StartServer("c"))
	d.await(t, "c is wanted", oneIsWanted)
	cancel()
	<-first
	<-second
	p.answers <- editorapi.DecisionAllow // a question that is open stays
	p.nothing(a)
}

// Who starts a server while the question about it is being withdrawn, since another one is more urgent, has that question
// asked next.
func TestStartingWhatWasJustWithdrawnAsksAgain(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	define(t, filepath.Join(folder, ".mcp.json"), "a", "b")
	s := newScreen()
	p := newPerson(t, s)
	asks, withdrawing := s.decide, make(chan struct{})
	s.decide = func(ctx context.Context, q editorapi.ApproveParams) (editorapi.Decision, error) {
		decision, err := asks(ctx, q)
		if err != nil { // the editor takes a while to take it back
			<-withdrawing
		}
		return decision, err
	}
	a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
	p.expect("a")
	over := map[string]<-chan error{"b": begins(t.Context(), a.StartServer("b"))}
	p.expect("a withdrawn")
	over["a"] = begins(t.Context(), a.StartServer("a"))
	close(withdrawing)
	for _, name := range []string{"b", "a"} {
		p.expect(name)
		p.answers <- editorapi.DecisionDeny
		if <-over[name] == nil {
			t.Errorf("%s was started, though it was denied", name)
		}
	}
	p.nothing(a)
}
