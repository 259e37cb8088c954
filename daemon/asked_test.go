//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

const aForm = `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`

// The editor hears how many questions were refused in a row, whatever a refusal looks like.
func TestPromise8RefusedInARow(t *testing.T) {
	c, _ := newAsking(t, declared(`{}`, `{}`), "")
	var told []int
	var answer string
	var failure error
	c.members[0].api.(*screen).answer = func(_ context.Context, _ string, q editorapi.Question) (json.RawMessage, error) {
		told = append(told, q.Refused)
		return json.RawMessage(answer), failure
	}
	withdrawn, cancel := context.WithCancel(t.Context())
	cancel()
	for _, step := range []struct {
		name, method, answer string
		err                  error
		ctx                  context.Context
	}{
		{"declined", wire.MethodElicit, `{"action":"decline"}`, nil, t.Context()},
		{"cancelled", wire.MethodElicit, `{"action":"cancel"}`, nil, t.Context()},
		{"an answer that is none", wire.MethodElicit, `{}`, nil, t.Context()},
		{"an error", wire.MethodElicit, "", &editorapi.RPCError{Code: -32603, Message: "no"}, t.Context()},
		{"the editor goes", wire.MethodElicit, "", editorapi.ErrEditorGone, t.Context()},
		{"taken back by the server", wire.MethodElicit, "", context.Canceled, withdrawn},
		{"sampling rejected", wire.MethodSample, "", &editorapi.RPCError{Code: -1, Message: "no"}, t.Context()},
		{"accepted", wire.MethodElicit, `{"action":"accept","content":{}}`, nil, t.Context()},
		{"declined again", wire.MethodElicit, `{"action":"decline"}`, nil, t.Context()},
		{"sampled", wire.MethodSample, `{}`, nil, t.Context()},
		{"the last", wire.MethodElicit, `{"action":"decline"}`, nil, t.Context()},
	} {
		answer, failure = step.answer, step.err
		_, _ = c.Request(step.ctx, asks(c, step.method, json.RawMessage(aForm)))
	}
	if want := []int{0, 1, 2, 3, 4, 5, 5, 6, 0, 1, 0}; !slices.Equal(told, want) {
		t.Errorf("the editor was told %v, want %v", told, want)
	}
}

// The questions of a muted server, open ones too, are refused at once until you unmute it or start
// it anew. All its editors hear of it.
func TestPromise8Mute(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	s, other := newScreen(), newScreen()
	asked := make(chan string, 10)
	mayAnswer := make(chan struct{})
	answer := func(ctx context.Context, method string, q editorapi.Question) (json.RawMessage, error) {
		asked <- fmt.Sprintf("%s %d", method, q.Refused)
		select {
		case <-mayAnswer:
			return json.RawMessage(`{"action":"accept","content":{}}`), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	s.answer, other.answer = answer, answer
	a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, declared(`{}`, `{}`))
	attachScreen(t, d, folder, other, fakeserver.Script{Plain: true}, declared(`{}`, `{}`))
	s.await(t, "ready")

	ask := func(tool string) chan outcome {
		done := make(chan outcome, 1)
		go func() {
			result, err := call(t.Context(), a, "tools/call", `{"name":"`+tool+`","arguments":{"params":`+aForm+`}}`)
			done <- outcome{result, err}
		}()
		return done
	}
	answered := func(done chan outcome, want string) {
		t.Helper()
		select {
		case o := <-done:
			if o.err != nil || !strings.Contains(o.result, want) {
				t.Fatalf("the server got %s, %v; want %s", o.result, o.err, want)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("never %s", want)
		}
	}
	mute := func(muted bool) {
		t.Helper()
		view, err := a.MuteServer("fake", muted)(t.Context())
		if err != nil || view.Muted != muted {
			t.Fatalf("muted %v: %v, %v", muted, view.Muted, err)
		}
		for _, screen := range []*screen{s, other} {
			screen.until(t, fmt.Sprint("muted ", muted), func() bool {
				return len(screen.servers) > 0 && screen.servers[len(screen.servers)-1].Muted == muted
			})
		}
	}

	open := ask("ask_elicitation")
	if got := <-asked; got != "elicitation/create 0" {
		t.Fatal(got)
	}
	mute(true)
	answered(open, `"action":"decline"`)
	answered(ask("ask_elicitation"), `"action":"decline"`)
	answered(ask("ask_sampling"), `"code":-1`)
	answered(ask("ask_roots"), `"roots"`)
	if _, err := a.StartServer("fake")(t.Context()); err != nil || !a.Servers()[0].Muted {
		t.Fatalf("a start of a running server unmuted it (%v)", err)
	}

	close(mayAnswer)
	mute(false)
	answered(ask("ask_elicitation"), `"action":"accept"`)
	mute(true)
	if view, err := a.RestartServer("fake")(t.Context()); err != nil || view.Muted {
		t.Fatalf("a restart leaves it muted: %v, %v", view.Muted, err)
	}
	answered(ask("ask_elicitation"), `"action":"accept"`)
	for want := 2; want > 0; want-- { // the muted server asked nothing
		if got := <-asked; got != "elicitation/create 0" {
			t.Errorf("the question is %q", got)
		}
	}
	if len(asked) > 0 {
		t.Errorf("there is another question: %q", <-asked)
	}
	if _, err := a.MuteServer("nobody", true)(t.Context()); err == nil {
		t.Error("a server that does not exist was muted")
	}
}
