package editorapi

import (
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// This file has what the backend tells an editor. A plain client gets no notification of editord/ or mcp/
// that it did not ask for with a request of these groups: some show their users each one that they do not
// know.
var _ Editor = (*session)(nil)

// ServerChanged implements [Editor].
func (s *session) ServerChanged(server Server) {
	if !s.plain() {
		methodServerChanged.tell(s, server)
	}
	s.catalogMoved()
}

// ServerRemoved implements [Editor].
func (s *session) ServerRemoved(server string) {
	if !s.plain() {
		methodServerRemoved.tell(s, ServerRemoved{server})
	}
	s.catalogMoved()
}

// CatalogChanged implements [Editor].
func (s *session) CatalogChanged(server string, kinds []string) {
	if len(kinds) > 0 && !s.plain() {
		methodCatalogChanged.tell(s, CatalogChanged{server, kinds})
	}
	s.registrar.debouncer.Trigger()
	s.catalogMoved()
}

// SubscriptionEnded implements [Editor].
func (s *session) SubscriptionEnded(server, uri, reason string) {
	methodSubscriptionEnded.tell(s, SubscriptionEnded{Server: server, URI: uri, Reason: reason})
}

// ServerLogged implements [Editor].
func (s *session) ServerLogged(l ServerLogged) { methodServerLogged.tell(s, l) }

// ShowMessage implements [Editor].
func (s *session) ShowMessage(severity Severity, text string) {
	s.show(severity, safetext.Line(text, maxShownLine))
}

// show is ShowMessage with a text that is safe already.
func (s *session) show(severity Severity, text string) {
	s.tell(protocol.MethodWindowShowMessage, protocol.ShowMessageParams{
		Type:    protocol.MessageType(severity),
		Message: text,
	}, notice)
}

// tell sends the notification when there is room for it.
func (m notificationToEditor[P]) tell(s *session, params P) { s.tell(m.name, params, news) }

// tell sends a notification. An editor that has gone needs none.
func (s *session) tell(method string, params any, c class) {
	if err := s.peer.notify(method, params, c); err != nil {
		s.peer.log.Debug("telling an editor", zap.String("method", method), zap.Error(err))
	}
}
