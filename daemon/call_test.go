//go:build linux || darwin

package daemon

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// The error that an editor gets for each way in which a call can fail (editor protocol, section 6).
func TestAsEditorError(t *testing.T) {
	for _, tt := range []struct {
		kind   wire.Kind
		want   editorapi.Kind
		code   int32
		detail string
	}{
		{wire.KindNotReady, editorapi.KindServerNotReady, -32803, "d"},
		{wire.KindGone, editorapi.KindServerGone, -32803, "d"},
		{wire.KindTimeout, editorapi.KindTimeout, -32803, "d"},
		{wire.KindCancelled, editorapi.KindCancelled, -32800, "d"},
		{wire.KindCapabilityNotSupported, editorapi.KindCapabilityNotSupported, -32803, "d"},
		{wire.KindTooLarge, editorapi.KindTooLarge, -32803, "d"},
		{wire.KindInvalidParams, editorapi.KindInvalidParams, -32602, "d"},
		{wire.KindInvalidResult, editorapi.KindInvalidResult, -32803, "d"},
		{wire.KindHTTP, editorapi.KindHTTP, -32803, "d"},
		{wire.KindSignInNeeded, editorapi.KindSignInNeeded, -32803, "d"},
		{wire.KindScope, editorapi.KindSignInNeeded, -32803, "d"},
		{wire.KindUnresponsive, editorapi.KindServerGone, -32803, "d"},
		{wire.KindExit, editorapi.KindServerGone, -32803, "d"},
		{wire.KindNotMCP, editorapi.KindServerGone, -32803, "d"},
		{wire.KindUnreachable, editorapi.KindServerGone, -32803, "d"},
		{wire.KindUnauthorized, editorapi.KindServerGone, -32803, "d"},
		{wire.KindSessionLost, editorapi.KindServerGone, -32803, "d"},
		{wire.KindSpawn, editorapi.KindServerNotReady, -32803, "failed"},
		{wire.KindStartTimeout, editorapi.KindServerNotReady, -32803, "failed"},
		{wire.KindProtocol, editorapi.KindServerNotReady, -32803, "failed"},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			err := (&editor{}).asEditorError(t.Context(), "srv", &wire.Error{Kind: tt.kind, Detail: "d", Message: "m"})
			got, ok := errors.AsType[*editorapi.Error](err)
			if !ok || *got != (editorapi.Error{Kind: tt.want, Server: "srv", Detail: tt.detail, Message: "m"}) || got.Kind.Code() != tt.code {
				t.Errorf("the editor gets %+v", err)
			}
		})
	}
}

// The client of a server that starts or restarts decides about a call; a call to a server that does
// not run fails here.
func TestReady(t *testing.T) {
	for _, tt := range []struct {
		state mcpclient.State
		ok    bool
	}{
		{mcpclient.StateReady, true},
		{mcpclient.StateRestarting, true},
		{mcpclient.StateStarting, true},
		{mcpclient.StateStopped, false},
		{mcpclient.StateFailed, false},
	} {
		t.Run(string(tt.state), func(t *testing.T) {
			def := config.Definition{Name: "srv", Enabled: true, Source: config.Source{Trusted: true}}
			c := &connection{status: mcpclient.Status{State: tt.state}, used: map[*editor]bool{}}
			e := &editor{d: &Daemon{}, set: &config.Set{Servers: []config.Definition{def}}, on: map[string]*connection{"srv": c}}
			_, _, _ = e.ready("srv", "tools/list")
			if c.used[e] {
				t.Error("listing its tools counts as using the server")
			}
			_, got, err := e.ready("srv", "tools/call")
			if c.used[e] != tt.ok {
				t.Errorf("after a call, the editor has used the server: %v", c.used[e])
			}
			if tt.ok {
				if got != c || err != nil {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if wrong, ok := errors.AsType[*editorapi.Error](err); !ok || wrong.Kind != editorapi.KindServerNotReady || wrong.Detail != string(tt.state) {
				t.Errorf("the error is %+v", err)
			}
		})
	}
}

// What the configuration binds: the most specific rule for each argument, and whether it is a place alone.
func TestBound(t *testing.T) {
	def := config.Definition{Name: "srv", Enabled: true, Tools: map[string]config.ToolRule{
		"*":    {Bind: map[string]string{"file": "${file}", "root": "${workspaceFolder}", "who": "${env:USER}"}},
		"re*":  {Bind: map[string]string{"file": "${relativeFile}", "text": "${selectedText}"}},
		"read": {Bind: map[string]string{"root": "${fileDirname}", "at": "${file}:${lineNumber}"}},
	}}
	e := &editor{
		d: &Daemon{}, folders: []string{"/w"}, env: map[string]string{"USER": "me"},
		set: &config.Set{Servers: []config.Definition{def}}, on: map[string]*connection{},
	}
	where := &editorapi.Context{TextDocument: &editorapi.TextDocument{URI: "file:///w/d/x.go"}, Range: &editorapi.Range{}}
	for _, tt := range []struct {
		tool  string
		where *editorapi.Context
		want  map[string]editorapi.Bound
	}{
		{"read", where, map[string]editorapi.Bound{
			"file": {Text: "d/x.go", Pattern: true}, "root": {Text: "/w/d", Place: true}, "at": {Text: "/w/d/x.go:1"}, "who": {Text: "me", Pattern: true},
		}},
		{"write", where, map[string]editorapi.Bound{
			"file": {Text: "/w/d/x.go", Place: true, Pattern: true}, "root": {Text: "/w", Place: true, Pattern: true}, "who": {Text: "me", Pattern: true},
		}},
		{"write", nil, map[string]editorapi.Bound{
			"root": {Text: "/w", Place: true, Pattern: true}, "who": {Text: "me", Pattern: true},
		}},
	} {
		if got := e.Bound("srv", tt.tool, tt.where); !maps.Equal(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.tool, got, tt.want)
		}
	}
}

// A server that wants the user to sign in is not one that failed: an editor without a view of it is told
// what to do, and so is who calls it.
func TestNeedsSignIn(t *testing.T) {
	_, _, a, s := newReady(t)
	c := a.(*editor).connection("fake")
	const why = "mcp.test wants you to sign in; run: mcp-editord signin fake"
	c.StatusChanged(mcpclient.Status{State: mcpclient.StateFailed, Err: wire.Errorf(wire.KindSignInNeeded, "", why)})
	if shown := s.await(t, "needsSignIn"); shown.Error == nil || shown.Error.Kind != editorapi.ServerSignInNeeded || shown.Error.Message != why {
		t.Errorf("shown is %+v", shown.Error)
	}
	s.until(t, why, func() bool { return slices.Contains(s.said, `MCP server "fake": `+why) })
	_, err := call(t.Context(), a, wire.MethodCallTool, `{"name":"x"}`)
	if got, ok := errors.AsType[*editorapi.Error](err); !ok || *got != (editorapi.Error{Kind: editorapi.KindSignInNeeded, Server: "fake", Message: why}) {
		t.Errorf("the error is %+v", err)
	}
}

// The daemon remembers the version that a server speaks by its definition.
func TestEras(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	s := newScreen()
	attachScreen(t, d, folder, s, fakeserver.Script{Plain: true, AnswerVersion: "2025-06-18"}, editorapi.Capabilities{})
	digest := s.await(t, "ready").Digest
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.eras[digest] != "2025-06-18" {
		t.Errorf("remembered is %q", d.eras[digest])
	}
	for i := range 2 * maxEras {
		d.rememberEra(fmt.Sprint("digest ", i), "2025-11-25")
	}
	if len(d.eras) > maxEras {
		t.Errorf("%d are remembered", len(d.eras))
	}
}
