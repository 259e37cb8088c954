package daemon

import (
	"encoding/json"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Which editor is asked (editor protocol, section 3).
func TestWhom(t *testing.T) {
	can := editorapi.Capabilities{Sampling: json.RawMessage("{}")}
	early := &editor{id: 1, caps: can, used: 1}
	late := &editor{id: 2, caps: can, used: 9}
	unable := &editor{id: 3, used: 20}
	gone := &editor{id: 4, caps: can, used: 30, closed: true}
	by := func(e *editor, id string) mcpclient.Owner { return mcpclient.Owner{User: e.id, Request: id} }
	for _, tt := range []struct {
		name  string
		calls []mcpclient.Owner
		want  *editor
		cause string // "" when it is not certain
	}{
		{"nobody has a call under way: the one used last", nil, late, ""},
		{"the one whose call it is, though another was used later", []mcpclient.Owner{by(early, "7")}, early, "7"},
		{"of several the one used last", []mcpclient.Owner{by(late, "1"), by(early, "2")}, late, ""},
		{"two calls of one editor", []mcpclient.Owner{by(early, "1"), by(early, "2")}, early, ""},
		{"a caller that cannot answer is not asked, and nobody else is", []mcpclient.Owner{by(unable, "1")}, nil, ""},
		{"a caller that has gone is not asked, and nobody else is", []mcpclient.Owner{by(gone, "1")}, nil, ""},
		{"one of the callers cannot answer", []mcpclient.Owner{by(unable, "1"), by(early, "2")}, early, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := []*editor{early, late, unable, gone}
			c := &connection{d: &Daemon{editors: all}, members: all}
			got, cause := c.whom(tt.calls, func(caps editorapi.Capabilities) bool { return caps.Sampling != nil })
			if got != tt.want {
				t.Errorf("asked is %+v, want %+v", got, tt.want)
			}
			switch {
			case cause == nil && tt.cause != "", cause != nil && string(cause.ID) != tt.cause:
				t.Errorf("the cause is %+v, want %q", cause, tt.cause)
			}
		})
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
