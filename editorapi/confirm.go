package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// actionRun runs what is destructive. A bare Enter takes the action before it.
const actionRun = "Run"

// sayAgain is what to do about a call that nobody could be asked about.
const sayAgain = "destructive: again to confirm"

// lookedAt is a call that was run once, and not sent, since nobody could be asked about it.
type lookedAt struct{ uri, text string }

// lookAt returns a call as it is now.
func (d *document) lookAt(call *calldoc.Call) lookedAt {
	return lookedAt{d.uri, d.text.String()[call.Span.Start:call.Span.End]}
}

// isLookedAt reports whether running a call once more sends it.
func (s *session) isLookedAt(call lookedAt) bool {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	return s.documents.looked == call
}

// confirmed reports whether what is sent of a call may go out. The person has just run it, so a box is in nobody's way.
func (s *session) confirmed(ctx context.Context, this *run, c *command, params json.RawMessage) bool {
	look := func(at lookedAt) {
		s.documents.mu.Lock()
		s.documents.looked = at
		s.documents.mu.Unlock()
		s.catalogMoved()
	}
	if c.kind != calldoc.Tool || !calldoc.Destructive(c.definition) {
		return true
	}
	if s.isLookedAt(this.call) {
		look(lookedAt{})
		return true
	}
	var body []string
	for name, value := range rawjson.Members(rawjson.Get(params, "arguments")) {
		// A line for each: a value with a line break must not look like another argument.
		body = append(body, safetext.Line(name+": "+rawjson.Bare(value), math.MaxInt))
	}
	title := fmt.Sprintf("Run %s.%s? Its server says that it is destructive.", c.server, c.name)
	text, all := boxText(title, strings.Join(body, "\n"))
	if !all {
		text, _ = boxText(title, strings.Join(body, "\n"), "More is in the document.")
	}
	action, err := "", errNoAnswer
	if s.client.named { // ALE says no name, and never answers
		action, err = s.box(ctx, text, actionCancel, actionRun)
	}
	if cannotAsk(err) {
		look(this.call)
		return false
	}
	return err == nil && action == actionRun
}
