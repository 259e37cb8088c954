package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// This file asks what servers ask. A plain client has no form for that: what can be said with one choice is
// asked in a message box, and all else in a document that the user fills in.

// plainCapabilities returns what a plain client can answer. It can always be shown a message with the path
// of a document; what a model would be asked is too long for that, unless the client opens it.
func plainCapabilities(client clientCapabilities) Capabilities {
	c := Capabilities{Elicitation: json.RawMessage(`{"form":{},"url":{}}`)}
	if client.showDocument {
		c.Sampling = json.RawMessage(`{}`)
	}
	return c
}

// Sample implements [Editor]. In a plain client a person answers.
func (s *session) Sample(ctx context.Context, q Question) (json.RawMessage, error) {
	if !s.plain() {
		return s.question(ctx, methodSample.name, q)
	}
	if err := s.untilTaken(ctx, q.Server, q.causeID()); err != nil {
		return nil, err
	}
	const schema = `{"type":"object","properties":{"text":{"type":"string","description":"the answer that the server gets"}},"required":["text"]}`
	answer, err := s.askInDocument(ctx, q.open(samplingText(q.Params), json.RawMessage(schema)))
	if err != nil {
		return nil, err
	}
	if rawjson.String(answer, "action") != answerAccept {
		return nil, &RPCError{Code: codeRejected, Message: "the user declined"}
	}
	content := rawjson.Set(rawjson.Set(nil, "type", rawjson.Quote("text")), "text", rawjson.Quote(rawjson.String(rawjson.Get(answer, "content"), "text")))
	return encodeOwn(map[string]any{"role": "assistant", "content": json.RawMessage(content), "model": "person", "stopReason": "endTurn"}), nil
}

// codeRejected is the error code of a sampling that the user rejected (MCP 2025-11-25, Client, Sampling).
const codeRejected = -1

// samplingText returns what a model is asked, for a person.
func samplingText(params json.RawMessage) string {
	var parts []string
	if system := rawjson.String(params, "systemPrompt"); system != "" {
		parts = append(parts, "system: "+system)
	}
	for message := range rawjson.Elements(rawjson.Get(params, "messages")) {
		content := rawjson.Get(message, "content")
		blocks := []json.RawMessage{content}
		if len(content) > 0 && content[0] == '[' {
			blocks = nil
			for block := range rawjson.Elements(content) {
				blocks = append(blocks, block)
			}
		}
		for _, block := range blocks {
			text, ok := rawjson.Text(rawjson.Get(block, "text"))
			if !ok {
				text = "[" + rawjson.String(block, "type") + "]"
			}
			parts = append(parts, rawjson.String(message, "role")+": "+text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// Elicit implements [Editor].
func (s *session) Elicit(ctx context.Context, q Question) (json.RawMessage, error) {
	if !s.plain() {
		return s.question(ctx, methodElicit.name, q)
	}
	var note InputNote
	if err := decode(rawjson.Path(q.Params, "_meta", "mcp-editord/input"), &note, ""); err != nil {
		return nil, err
	}
	if note.Password {
		return nil, s.refusePassword(q.Server, note.ID)
	}
	if err := s.untilTaken(ctx, q.Server, q.causeID()); err != nil {
		return nil, err
	}
	if rawjson.String(q.Params, "mode") == "url" {
		return s.elicitURL(ctx, q)
	}
	return s.elicitForm(ctx, q)
}

// elicitForm asks with a form in an editor without a plugin, in a message box or a document.
func (s *session) elicitForm(ctx context.Context, q Question) (json.RawMessage, error) {
	schema := rawjson.Get(q.Params, "requestedSchema")
	if answer, asked, err := s.elicitInBox(ctx, q, schema); asked || err != nil {
		return answer, err
	}
	return s.askInDocument(ctx, q.open(questionText(q), schema))
}

// causeID returns the id of the request that led to q, nil when that is not known.
func (q Question) causeID() json.RawMessage {
	if q.Cause == nil {
		return nil
	}
	return q.Cause.ID
}

// open returns q as a question that is asked in a document.
func (q Question) open(text string, schema json.RawMessage) *openQuestion {
	return &openQuestion{server: q.Server, text: text, schema: schema, cause: q.causeID()}
}

// questionText returns what is asked, with whose call led to it.
func questionText(q Question) string {
	text := rawjson.String(q.Params, "message")
	if q.Caller != nil {
		text += "\n(This is about a call of " + q.Caller.Name + ".)"
	}
	return text
}

// refusePassword says that this editor does not ask for a password: a message box and a document show what
// is typed. It tells the user once for each what to do.
func (s *session) refusePassword(server, id string) error {
	s.mu.Lock()
	said := slices.Contains(s.refused, server+"\x00"+id)
	if !said {
		s.refused = append(s.refused, server+"\x00"+id)
	}
	s.mu.Unlock()
	if !said {
		s.ShowMessage(SeverityWarning, fmt.Sprintf("The MCP server %q needs the password %q, which this editor would show as you type it; in its folder, run: mcp-editord tools %s", server, id, safetext.ShellWord(server)))
	}
	return &RPCError{Code: CodeMethodNotFound, Message: "this editor cannot ask for a password"}
}

// elicitURL asks whether an address may be opened, and opens it (MCP 2025-11-25, Elicitation, URL mode).
func (s *session) elicitURL(ctx context.Context, q Question) (json.RawMessage, error) {
	address := rawjson.String(q.Params, "url")
	var note URLNote
	if err := decode(rawjson.Path(q.Params, "_meta", "mcp-editord/url"), &note, ""); err != nil {
		return nil, err
	}
	if u, err := url.Parse(address); err == nil && note.Host == "" {
		note.Host = u.Hostname()
	}
	title := fmt.Sprintf("The MCP server %q asks you to open a page at %s.", q.Server, note.Host)
	action, err := s.agree(ctx, title, note.Warning, address+"\n"+questionText(q))
	switch {
	case cannotAsk(err):
		text := title + "\n" + note.Warning + "\n" + address + "\n\n" + questionText(q) + "\n\nOpen it yourself, and then run Send."
		return s.askInDocument(ctx, q.open(text, nil))
	case err != nil:
		return nil, err
	case action == actionCancel:
		return actionResult(answerDecline), nil
	case action != actionOpen:
		return actionResult(answerCancel), nil
	}
	opened := false
	if s.client.showDocument {
		if opened, err = s.visit(ctx, address); err != nil {
			return nil, err
		}
	}
	if !opened {
		s.ShowMessage(SeverityInfo, "Open this address in a browser: "+address)
	}
	return actionResult(answerAccept), nil
}

// actionResult returns MCP's ElicitResult without content.
func actionResult(action string) json.RawMessage {
	return rawjson.Set(nil, "action", rawjson.Quote(action))
}
