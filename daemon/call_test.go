//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
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
			c := &connection{status: mcpclient.Status{State: tt.state}}
			e := &editor{d: &Daemon{}, set: &config.Set{Servers: []config.Definition{def}}, on: map[string]*connection{"srv": c}}
			_, got, err := e.ready("srv", "tools/call")
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

// A server that has ended is restarting, and a call to it says so at once. Its next process never
// finishes its handshake, so no call can find it ready again.
func TestCallWhileRestarting(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	script := filepath.Join(t.TempDir(), "script") // read anew at each start
	lives := func(s fakeserver.Script) {
		t.Helper()
		if err := os.WriteFile(script, []byte(strings.TrimPrefix(s.Environ(), fakeserver.Env+"=")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lives(fakeserver.Script{Plain: true})
	s := newScreen()
	a := attachServer(t, d, folder, s, script, editorapi.Capabilities{})
	s.await(t, "ready")
	lives(fakeserver.Script{Plain: true, Steps: map[string][]json.RawMessage{"initialize": {json.RawMessage(`{"do":"hang"}`)}}})
	if _, err := call(t.Context(), a, "tools/call", `{"name":"exit","arguments":{"code":1}}`); kindOf(err) != editorapi.KindServerGone {
		t.Fatalf("the call that ends it: %v", err)
	}
	s.await(t, "restarting")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // ends a call that waits
	defer cancel()
	_, err := call(ctx, a, "tools/call", `{"name":"echo"}`)
	wrong, ok := errors.AsType[*editorapi.Error](err)
	if !ok || wrong.Kind != editorapi.KindServerNotReady || wrong.Detail != "restarting" && wrong.Detail != "starting" {
		t.Errorf("the error is %+v", err)
	}
}

// The daemon remembers the version that a server speaks by its definition, within bounds.
func TestEras(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	s := newScreen()
	a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true, AnswerVersion: "2025-06-18"}, editorapi.Capabilities{})
	digest := s.await(t, "ready").Digest
	defer a.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.eras[digest] != "2025-06-18" {
		t.Errorf("remembered is %q", d.eras[digest])
	}
	for i := range maxEras {
		d.rememberEra(fmt.Sprint("digest ", i), "2025-11-25")
	}
	last := fmt.Sprint("digest ", maxEras-1)
	if len(d.eras) != maxEras || d.eras[last] != "2025-11-25" {
		t.Errorf("%d are remembered, the last %q", len(d.eras), d.eras[last])
	}
	d.rememberEra(last, "2026-07-28")
	if len(d.eras) != maxEras || d.eras[last] != "2026-07-28" {
		t.Errorf("after a change %d are remembered, the last %q", len(d.eras), d.eras[last])
	}
}

// What an editor declares reaches the server unchanged, and decides who shares it.
func TestCapabilitiesAreDeclared(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	record := filepath.Join(t.TempDir(), "record")
	attach := func(extensions string) {
		t.Helper()
		s := newScreen()
		caps := declared(`{"form":{}}`, `{}`)
		caps.Extensions = json.RawMessage(extensions)
		attachScreen(t, d, folder, s, fakeserver.Script{Plain: true, Record: record}, caps)
		s.await(t, "ready")
	}
	attach(`{"io.example/ui":{"n":1.0}}`)
	line, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(line), "\n")
	got := rawjson.Path([]byte(first), "params", "capabilities")
	if want := `{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{}},"extensions":{"io.example/ui":{"n":1.0}}}`; string(got) != want {
		t.Errorf("declared is %s, want %s", got, want)
	}
	attach(`{"io.example/ui":{"n":1.0}}`)
	d.awaitConnections(t, 1)
	attach(`{"io.example/ui":{}}`)
	d.awaitConnections(t, 2)
}
