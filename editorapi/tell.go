package editorapi

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// This file has what the backend tells an editor.
var _ Editor = (*session)(nil)

// maxDiagnostic is how many characters of a problem are shown.
const maxDiagnostic = 1000

// ServerChanged implements [Editor].
func (s *session) ServerChanged(server *View) { s.tell(methodServerChanged.name, server.json(), news) }

// ServerRemoved implements [Editor].
func (s *session) ServerRemoved(server string) {
	methodServerRemoved.tell(s, ServerRemoved{server})
}

// CatalogChanged implements [Editor].
func (s *session) CatalogChanged(server string, kinds []string) {
	if len(kinds) > 0 {
		methodCatalogChanged.tell(s, CatalogChanged{server, kinds})
	}
	s.registrar.debouncer.Trigger()
}

// SubscriptionEnded implements [Editor].
func (s *session) SubscriptionEnded(server, uri, reason string) {
	methodSubscriptionEnded.tell(s, SubscriptionEnded{Server: server, URI: uri, Reason: reason})
}

// ServerLogged implements [Editor].
func (s *session) ServerLogged(l ServerLogged) { methodServerLogged.tell(s, l) }

// Diagnostics implements [Editor].
func (s *session) Diagnostics(file string, list []Diagnostic) {
	diagnostics := []protocol.Diagnostic{}
	for _, d := range list {
		at := protocol.Position{Line: uint32(max(d.Line-1, 0)), Character: uint32(max(d.Column-1, 0))}
		diagnostics = append(diagnostics, protocol.Diagnostic{
			Range: protocol.Range{Start: at, End: at}, Severity: protocol.DiagnosticSeverity(d.Severity),
			Source:  protocol.NewOptional("mcp-editord"),
			Message: protocol.String(safetext.Line(d.Message, maxDiagnostic)), // it quotes names of the file
		})
	}
	s.tell(protocol.MethodTextDocumentPublishDiagnostics, protocol.PublishDiagnosticsParams{URI: uri.URI(file), Diagnostics: diagnostics}, notice)
}

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
