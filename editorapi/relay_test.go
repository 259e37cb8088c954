package editorapi

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// Notifications of a server, as an editor gets them and in the order in which they were relayed.
func TestRelay(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Capabilities: mcpEditor})
	updated := &Notification{Server: "s", Method: "notifications/resources/updated", Params: json.RawMessage(`{"uri": "x:/a", "n":1.0}`)}
	for _, r := range []struct {
		n          *Notification
		subscribed []string
	}{
		{updated, []string{"x:/", "x:/a\"\n"}},
		{&Notification{Server: "s \"1\"", Method: "notifications/\"x\"\u2028"}, nil},
		{updated, nil},
		{&Notification{Server: "s", Method: "end"}, nil},
	} {
		if err := b.theEditor().Relay(r.n, r.subscribed); err != nil {
			t.Fatal(err)
		}
	}
	e.AwaitMethod("mcp/end")
	var got []string
	for _, m := range e.Messages() {
		if !m.Sent && m.Method != "" {
			got = append(got, m.Method+" "+string(m.Params))
		}
	}
	for i, want := range []string{
		`mcp/notifications/resources/updated {"server":"s","params":{"uri": "x:/a", "n":1.0},"subscribed":["x:/","x:/a\"\n"]}`,
		"mcp/notifications/\"x\"\u2028 {\"server\":\"s \\\"1\\\"\"}",
		`mcp/notifications/resources/updated {"server":"s","params":{"uri": "x:/a", "n":1.0}}`,
		`mcp/end {"server":"s"}`,
	} {
		if i >= len(got) || got[i] != want {
			t.Fatalf("got  %q\nwant %q as number %d", got, want, i)
		}
	}
}

// Promise 4: a large notification costs one encoding, however many get it, and none when nobody does.
func TestPromise4RelayEncodesOnce(t *testing.T) {
	stalled := func() *session {
		b := newFakeBackend()
		e := open(t, b, fakeeditor.Options{Capabilities: mcpEditor})
		e.Stall()
		return b.session()
	}
	last := func(s *session) []byte { // nil when all is written
		s.peer.out.mu.Lock()
		defer s.peer.out.mu.Unlock()
		if len(s.peer.out.queue) == 0 {
			return nil
		}
		return s.peer.out.queue[len(s.peer.out.queue)-1].frame
	}
	one, other := stalled(), stalled()
	n := &Notification{Server: "s", Method: "notifications/x", Params: json.RawMessage(`{}`)}
	for last(one) == nil || last(other) == nil { // the first ones are written: the connection has room
		for _, s := range []*session{one, other} {
			if err := s.Relay(n, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a, b := last(one), last(other); &a[0] != &b[0] || &a[0] != &n.frame[0] {
		t.Error("two editors do not share what was encoded")
	}

	// More than the connection takes, so that what waits does not become less.
	large := &Notification{Server: "s", Method: "notifications/x", Params: json.RawMessage(`{"x":"` + strings.Repeat("x", maxQueuedBytes) + `"}`)}
	for one.Relay(large, nil) == nil {
	}
	other.peer.end(nil)
	unsent := &Notification{Server: "s", Method: "notifications/x", Params: json.RawMessage(`{}`)}
	if err := one.Relay(unsent, nil); err != ErrLeftOut {
		t.Errorf("Relay to an editor without room returned %v", err)
	}
	if err := other.Relay(unsent, []string{"x:/"}); !errors.Is(err, ErrEditorGone) {
		t.Errorf("Relay to an editor that has gone returned %v", err)
	}
	if unsent.frame != nil {
		t.Error("what nobody gets was encoded")
	}
}
