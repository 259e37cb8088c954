//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

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
