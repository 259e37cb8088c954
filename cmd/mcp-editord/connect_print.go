package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// connected is what connect and disconnect print for an agent with --json.
type connected struct {
	Agent   string               `json:"agent"`
	Path    string               `json:"path,omitempty"` // of its configuration
	Action  string               `json:"action"`         // connected, disconnected, unchanged, planned or byHand
	Changes []agentconfig.Change `json:"changes,omitempty"`
	Backup  string               `json:"backup,omitempty"` // the copy of the configuration as it was
	ByHand  string               `json:"byHand,omitempty"` // what to add to a configuration that connect does not write
	Others  []string             `json:"others,omitempty"` // the servers that the agent has itself
}

// shown returns the lines that come and go, and nothing of what is around them: that may be secret.
func shown(plan *agentconfig.Plan) string {
	t := &table{}
	t.row(plan.Path)
	for _, change := range plan.Changes {
		t.note("at " + change.Place)
		for _, line := range change.Removed {
			t.note("- " + line)
		}
		for _, line := range change.Added {
			t.note("+ " + line)
		}
	}
	return t.String()
}

// text says what was done, for people. Names come from the files of agents.
func (r connected) text(agent agentconfig.Agent, wanted bool) string {
	path := safetext.Line(r.Path, math.MaxInt)
	text := agent.Title + ": " + map[string]string{
		"unchanged": "nothing to change in " + path, "planned": path + " would change",
	}[r.Action]
	switch r.Action {
	case "byHand":
		text = strings.TrimSuffix(r.ByHand, "\n")
		if !wanted {
			text = fmt.Sprintf("connect does not write the configuration of %s; add this to it:\n%s", agent.Title, text)
		}
	case "connected", "disconnected":
		text = fmt.Sprintf("%s %s; %s", r.Action, agent.Title, agent.Next)
	}
	if r.Backup != "" {
		text += "\n  the configuration as it was: " + safetext.Line(r.Backup, math.MaxInt)
	}
	if r.Action == "connected" && agent.BySelf != "" {
		text += "\n  " + agent.BySelf + "; with it, disconnect " + r.Agent
	}
	if len(r.Others) > 0 {
		text += fmt.Sprintf("\n  %s has servers of its own: %s; one that mcp-editord has too runs twice until you take it out of %s",
			agent.Title, safetext.Line(strings.Join(r.Others, ", "), math.MaxInt), path)
	}
	return text
}
