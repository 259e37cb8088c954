package daemon

import (
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxDiagnostic is how many characters of a problem an editor is told.
const maxDiagnostic = 1000

// showProblems publishes what is wrong in the configuration as diagnostics of
// its files, and says in one line when something has no effect because of it.
// What the editor was told already is not repeated. Only reconcile calls it.
func (e *editor) showProblems(problems []config.Problem) {
	byFile := map[string][]config.Problem{}
	for _, p := range problems {
		byFile[p.URI] = append(byFile[p.URI], p)
	}
	for file := range e.faults {
		if byFile[file] == nil {
			byFile[file] = []config.Problem{} // it is mended: its diagnostics go
		}
	}
	for file, list := range byFile {
		text, err := json.Marshal(list)
		if err != nil || e.faults[file] == string(text) {
			continue
		}
		e.faults[file] = string(text)
		if len(list) == 0 {
			delete(e.faults, file)
		}
		e.publish(file, list)
	}
}

func (e *editor) publish(file string, problems []config.Problem) {
	diagnostics := []protocol.Diagnostic{}
	var worst *config.Problem
	errs := 0
	for _, p := range problems {
		severity := protocol.DiagnosticSeverityWarning
		if p.Severity == "error" {
			severity = protocol.DiagnosticSeverityError
			if errs++; worst == nil {
				worst = &p
			}
		}
		at := protocol.Position{Line: uint32(max(p.Line-1, 0)), Character: uint32(max(p.Column-1, 0))}
		diagnostics = append(diagnostics, protocol.Diagnostic{
			Range: protocol.Range{Start: at, End: at}, Severity: severity, Source: protocol.NewOptional("mcp-editord"),
			Message: protocol.String(safetext.Line(p.Message, maxDiagnostic)), // it quotes names of the file
		})
	}
	if file != config.SourceEditor && file != config.SourceBuiltin {
		e.notify(protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{URI: uri.URI(file), Diagnostics: diagnostics})
	}
	if worst == nil {
		return
	}
	place := file
	if path, err := fileuri.ToPath(file); err == nil {
		place = path
	}
	if worst.Line > 0 { // else it is about the file as a whole
		place += fmt.Sprintf(": line %d", worst.Line)
	}
	text := place + ": " + worst.Message
	if errs > 1 {
		text += fmt.Sprintf(" (and %d more)", errs-1)
	}
	if err := e.api.ShowMessage(editorapi.SeverityError, text); err != nil {
		e.log.Debug("showing a message", zap.Error(err))
	}
}
