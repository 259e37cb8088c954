//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// attachAgent attaches an agent with the server "fake", which becomes ready, and rules for agents, as in mcp.json.
func attachAgent(t *testing.T, d *Daemon, folder string, rules map[string]string) (editorapi.Attachment, *screen) {
	t.Helper()
	s := newScreen()
	s.decide = func(_ context.Context, p editorapi.ApproveParams) (editorapi.Decision, error) {
		t.Errorf("the agent is asked about %q", p.Server)
		return editorapi.DecisionLater, nil
	}
	a := attachWith(t, d, s, editorapi.AttachParams{
		ClientName: "a client", Agent: &editorapi.Agent{Name: "Claude Code"},
		Folders: opened(folder), Servers: agentDefinition(t, rules), AutoStart: true, DynamicCommands: true,
		Capabilities: editorapi.Capabilities{MCP: true},
	})
	s.await(t, "ready")
	return a, s
}

// agentDefinition defines the server "fake" with rules for agents; nil for none.
func agentDefinition(t *testing.T, rules map[string]string) json.RawMessage {
	t.Helper()
	definition := fakeDefinition(t, plainScript)
	if rules == nil {
		return definition
	}
	encoded, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	return rawjson.SetPath(definition, encoded, "fake", "agents")
}

// refusal returns the detail of an error of the kind notAllowed, and else the whole error.
func refusal(err error) string {
	if own, ok := errors.AsType[*editorapi.Error](err); ok && own.Kind == editorapi.KindNotAllowed {
		return own.Detail
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// An agent decides nothing that a person has to decide, and is told so.
func TestAgentApprovesNothing(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	define(t, filepath.Join(folder, ".mcp.json"), "theirs")
	a, s := attachAgent(t, d, folder, nil)
	s.awaitNews(t, "theirs needsApproval")
	digest := serverOf(t, a, "theirs").Digest
	change := func(c editorapi.Change) error {
		_, err := c(t.Context())
		return err
	}
	for name, do := range map[string]func() error{
		"approve": func() error {
			_, err := a.ApproveServer(t.Context(), "theirs", digest, editorapi.DecisionAllow)
			return err
		},
		"revoke":         func() error { return a.RevokeApproval(digest) },
		"stop":           func() error { return change(a.StopServer("fake")) },
		"restart":        func() error { return change(a.RestartServer("fake")) },
		"mute":           func() error { return change(a.MuteServer("fake", true)) },
		"sign in":        func() error { return change(a.SignIn("fake")) },
		"finish sign-in": func() error { return a.FinishSignIn("fake", "x") },
		"sign out":       func() error { return change(a.SignOut("fake")) },
	} {
		if got := refusal(do()); got != "agent" {
			t.Errorf("%s: %s", name, got)
		}
	}
	err := change(a.StartServer("theirs"))
	if err == nil || !strings.Contains(err.Error(), "waits for approval in an editor or: mcp-editord approvals allow theirs") {
		t.Errorf("starting what waits for approval: %v", err)
	}
	if err := change(a.StartServer("fake")); err != nil {
		t.Error(err)
	}
	for _, said := range s.said {
		t.Errorf("the agent is told %q", said)
	}
}
