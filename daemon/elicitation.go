package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

const (
	modeForm = "form"
	modeURL  = "url"
)

// The answers that nobody gave: when nobody is there to ask, and when the server is muted. Muting
// says no to all that a server asks ("decline: User explicitly declined the request", MCP
// 2025-11-25, Elicitation, Response Actions).
var (
	elicitationCancelled = json.RawMessage(`{"action":"cancel"}`)
	elicitationMuted     = json.RawMessage(`{"action":"decline"}`)
)

// ourMeta is the prefix of the daemon's own members in _meta.
const ourMeta = "mcp-editord/"

// elicit asks the user for what a server wants to know (MCP 2025-11-25 and 2026-07-28, Client,
// Elicitation).
func (c *connection) elicit(ctx context.Context, ask mcpclient.Ask) (json.RawMessage, error) {
	params := ask.Params
	mode, err := elicitationMode(params)
	if err != nil {
		return nil, err
	}
	able := func(caps editorapi.Capabilities) bool { return canAnswer(caps, mode) }
	if caps := told(ask); caps.Elicitation != nil && !able(caps) {
		// "Server sends an elicitation/create request with a mode not declared in
		// client capabilities: -32602 (Invalid params)".
		return nil, invalidQuestion("the client did not declare elicitation in mode %q", mode)
	}
	if c.muted() {
		return elicitationMuted, nil
	}
	if err := c.mayElicit(time.Now()); err != nil {
		return nil, err
	}
	params = withoutOurMeta(params)
	if mode == modeURL {
		if params, err = withHost(params); err != nil {
			return nil, err
		}
	}
	answer, err := c.putToSomebody(ctx, ask, params, able)
	switch {
	case err == errNobody, errors.Is(err, editorapi.ErrEditorGone),
		err != nil && ctx.Err() != nil: // nobody waits any more for the call that needs it
		return elicitationCancelled, nil
	case errors.Is(err, errMuted):
		return elicitationMuted, nil
	case err != nil:
		return nil, asRPC(err)
	case mode == modeForm:
		return withDefaults(answer, params), nil
	default:
		return answer, nil
	}
}

// elicitationMode returns the mode of an elicitation. "Clients MUST treat requests without a mode
// field as form mode" (MCP 2025-11-25, Elicitation Requests).
func elicitationMode(params json.RawMessage) (string, error) {
	if rawjson.IsAbsent(rawjson.Get(params, "mode")) {
		return modeForm, nil
	}
	mode := rawjson.String(params, "mode")
	if mode != modeForm && mode != modeURL {
		return "", invalidQuestion("the mode of an elicitation must be %q or %q", modeForm, modeURL)
	}
	return mode, nil
}

// canAnswer reports whether an editor that declared caps answers elicitations in this mode. "An
// empty capabilities object is equivalent to declaring support for form mode only" (MCP
// 2025-11-25, Elicitation, Capabilities).
func canAnswer(caps editorapi.Capabilities, mode string) bool {
	if caps.Elicitation == nil {
		return false
	}
	url := rawjson.Get(caps.Elicitation, modeURL) != nil
	if mode == modeURL {
		return url
	}
	return rawjson.Get(caps.Elicitation, modeForm) != nil || !url
}

// withoutOurMeta removes from _meta what only the daemon may say there. By these members editors
// distinguish the daemon's own questions from those of servers.
func withoutOurMeta(params json.RawMessage) json.RawMessage {
	ours := false
	kept := []byte{'{'}
	for name, value := range rawjson.Members(rawjson.Get(params, "_meta")) {
		if strings.HasPrefix(name, ourMeta) {
			ours = true
			continue
		}
		kept = appendMember(kept, name, value)
	}
	if !ours {
		return params
	}
	return rawjson.Set(params, "_meta", append(kept, '}'))
}

// withDefaults fills in the answer to a form: where the editor left a property out, it takes the
// default of the schema. What the editor said stays as it is.
//
// "All primitive types support optional default values to provide sensible starting
// points" (MCP 2025-11-25, Elicitation, Requested Schema); not every editor shows them.
func withDefaults(answer, form json.RawMessage) json.RawMessage {
	content := rawjson.Get(answer, "content")
	if rawjson.String(answer, "action") != "accept" || !rawjson.IsAbsent(content) && !rawjson.IsObject(content) {
		return answer
	}
	said := map[string]bool{}
	filled := []byte{'{'}
	for name, value := range rawjson.Members(content) {
		said[name] = true
		filled = appendMember(filled, name, value)
	}
	for name, property := range rawjson.Members(rawjson.Path(form, "requestedSchema", "properties")) {
		// Content has strings, numbers, booleans and lists, nothing else.
		if value := rawjson.Get(property, "default"); !said[name] && !rawjson.IsAbsent(value) && !rawjson.IsObject(value) {
			filled = appendMember(filled, name, value)
		}
	}
	return rawjson.Set(answer, "content", append(filled, '}'))
}

// appendMember appends a member to an object without its closing brace.
func appendMember(object []byte, name string, value []byte) []byte {
	if len(object) > 1 {
		object = append(object, ',')
	}
	object = append(object, rawjson.Quote(name)...)
	object = append(object, ':')
	return append(object, value...)
}

// elicit asks one of the daemon's own questions, whose form has the one property [inputAnswer].
func (e *editor) elicit(ctx context.Context, q editorapi.Question) (string, error) {
	answer, err := e.api.Elicit(ctx, q)
	if err != nil {
		return "", err
	}
	if action := rawjson.String(answer, "action"); action != "accept" {
		return "", fmt.Errorf("the answer was %q", action)
	}
	return rawjson.String(rawjson.Get(answer, "content"), inputAnswer), nil
}
