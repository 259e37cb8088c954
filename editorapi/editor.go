package editorapi

import (
	"context"
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// This file is the session as the backend sees it.
var _ Editor = (*session)(nil)

// Ask implements [Editor].
func (s *session) Ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return s.peer.ask(ctx, method, params, news)
}

// Notify implements [Editor].
func (s *session) Notify(method string, params any) error {
	return s.peer.notify(method, params, notice)
}

// Tell implements [Editor].
func (s *session) Tell(method string, params any) error {
	return s.peer.notify(method, params, news)
}

// Relay implements [Editor].
func (s *session) Relay(method string, params any) error {
	return s.peer.notify(method, params, hint)
}

// ShowMessage implements [Editor].
func (s *session) ShowMessage(severity Severity, text string) error {
	return s.message(severity, safetext.Line(text, maxShownLine))
}

// CatalogChanged implements [Editor].
func (s *session) CatalogChanged(server string, kinds []string) {
	s.commands.changed()
	if len(kinds) > 0 {
		_ = s.Tell(methodCatalogChanged.name, CatalogChanged{server, kinds}) // an editor that has gone has no commands
	}
	s.registrar.debouncer.Trigger()
}
