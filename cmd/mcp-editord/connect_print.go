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
	Action  string               `json:"action"`         // connected, disconnected, unchanged, planned, declined or byHand
	Changes []agentconfig.Change `json:"changes,omitempty"`
	Backup  string               `json:"backup,omitempty"` // the copy of the configuration as it was
	ByHand  string               `json:"byHand,omitempty"` // what to add to a configuration that connect does not write
	Twice   []agentconfig.Twice  `json:"twice,omitempty"`  // the servers that the agent also starts itself

	agent agentconfig.Agent
}

// show writes the lines that come and go, and nothing of what is around them: that may be secret.
func (c *connecting) show(plan *agentconfig.Plan) error {
	var b strings.Builder
	b.WriteString(safetext.Line(plan.Path, math.MaxInt) + "\n")
	if plan.Removes {
		b.WriteString("  the whole file goes: nothing else is in it\n")
	}
	for _, change := range plan.Changes {
		b.WriteString("  at " + safetext.Line(change.Place, math.MaxInt) + "\n")
		for _, line := range change.Removed {
			b.WriteString("  - " + safetext.Line(line, math.MaxInt) + "\n")
		}
		for _, line := range change.Added {
			b.WriteString("  + " + safetext.Line(line, math.MaxInt) + "\n")
		}
	}
	return write(c.stderr, b.String())
}

// String says what was done, for people. Places come from the files of agents.
func (r connected) String() string {
	path := safetext.Line(r.Path, math.MaxInt)
	var text string
	switch r.Action {
	case "byHand":
		return fmt.Sprintf("connect does not write the configuration of %s; add this to it:\n%s", r.agent.Title, strings.TrimSuffix(r.ByHand, "\n"))
	case "unchanged":
		text = fmt.Sprintf("%s: nothing to change in %s", r.agent.Title, path)
	case "planned":
		text = fmt.Sprintf("%s: %s would change", r.agent.Title, path)
	case "declined":
		text = fmt.Sprintf("%s: %s was left as it is", r.agent.Title, path)
	default:
		text = fmt.Sprintf("%s %s; %s", r.Action, r.agent.Title, r.agent.Next)
		if r.Backup != "" {
			text += "\n  the configuration as it was: " + safetext.Line(r.Backup, math.MaxInt)
		}
	}
	if r.Action == "connected" && r.agent.BySelf != "" {
		text += "\n  " + r.agent.BySelf + "; with it, disconnect " + r.Agent
	}
	for _, twice := range r.Twice {
		text += fmt.Sprintf("\n  %s also starts %q itself; to share it, take %s out of %s", r.agent.Title, twice.Name, safetext.Line(twice.Place, math.MaxInt), path)
	}
	return text
}
