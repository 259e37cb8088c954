package editorapi

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Open documents are checked once nobody has typed for checkQuiet, and at the latest checkMax after
// a change.
const (
	checkQuiet = 150 * time.Millisecond
	checkMax   = time.Second

	refreshLimit = 30 * time.Second // of an editor, to answer that it refreshes its code lenses
)

// maxDiagnostic is how many characters of a problem are shown.
const maxDiagnostic = 1000

// diagnostics are the problems of files as the editor was told. Those of an open document come from its
// text, those of any other from the disk: the last words of either replace what was told before
// (LSP 3.18, PublishDiagnostics Notification).
type diagnostics struct {
	check *debounce.Debouncer // checks the open documents
	moved atomic.Bool         // servers have changed since the last check
	again atomic.Bool         // the next check tells also what was told before

	mu   sync.Mutex                       // guards the fields that follow, and keeps what is told in order
	disk map[string][]protocol.Diagnostic // by fileOf, as told
	told map[string][]protocol.Diagnostic // of documents, while they are open
}

// Diagnostics implements [Editor]: it tells the problems of a file as it is on the disk.
func (s *session) Diagnostics(file string, list []Diagnostic) {
	converted := []protocol.Diagnostic{}
	for _, d := range list {
		at := protocol.Position{Line: uint32(max(d.Line-1, 0)), Character: uint32(max(d.Column-1, 0))}
		converted = append(converted, diagnostic(protocol.Range{Start: at, End: at}, int(d.Severity), "", d.Message))
	}
	s.diagnostics.mu.Lock()
	defer s.diagnostics.mu.Unlock()
	if s.diagnostics.disk[file] = converted; len(converted) == 0 {
		delete(s.diagnostics.disk, file)
	}
	if s.diagnostics.told[file] == nil {
		s.publish(file, nil, converted)
	}
}

// checkDocuments tells the problems of the open documents.
func (s *session) checkDocuments() {
	again := s.diagnostics.again.Swap(false)
	moved, lenses := s.diagnostics.moved.Swap(false), false
	for _, d := range s.openDocuments() {
		language := s.languageOf(d)
		s.diagnostics.fromText(s, d, language.check(d), again)
		if _, none := language.(anyLanguage); !none {
			lenses = true
		}
	}
	if moved && lenses {
		s.lensesMoved()
	}
}

// checkAgain tells the problems of the open documents once more. lsp-mode never shows those that come while it asks
// something.
func (s *session) checkAgain() {
	s.diagnostics.again.Store(true)
	s.diagnostics.check.Trigger()
}

// refreshLenses has the editor ask for the code lenses again: they say what servers do. What it answers makes
// no difference.
func (s *session) refreshLenses() {
	ctx, cancel := context.WithTimeout(s.peer.ctx, refreshLimit)
	defer cancel()
	if _, err := s.ask(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil); err != nil {
		s.peer.log.Info("the editor did not refresh its code lenses", zap.Error(err))
	}
}

// fromText tells the problems of an open document, unless it has changed meanwhile. Those that are the same as before
// are told only again.
func (g *diagnostics) fromText(s *session, d *document, problems []textdoc.Problem, again bool) {
	list := []protocol.Diagnostic{}
	for _, p := range problems {
		list = append(list, diagnostic(d.protocolRange(p.Span), int(p.Severity), p.Code, p.Message))
	}
	file := fileOf(d.uri)
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.document(d.uri) != d {
		return // it is checked again
	}
	before, known := g.told[file]
	g.told[file] = list
	nothing := len(before) == 0 && len(list) == 0 && (known || g.disk[file] == nil)
	if nothing || known && !again && slices.EqualFunc(before, list, sameDiagnostic) {
		return
	}
	s.publish(d.uri, &d.version, list)
}

// closed tells the problems of a document on the disk again.
func (g *diagnostics) closed(s *session, uri string) {
	file := fileOf(uri)
	g.mu.Lock()
	defer g.mu.Unlock()
	if told := g.told[file]; len(told) > 0 || len(g.disk[file]) > 0 {
		s.publish(uri, nil, append([]protocol.Diagnostic{}, g.disk[file]...))
	}
	delete(g.told, file)
}

// fileOf returns the URI of a document as the daemon writes that of a file. Editors escape other characters
// in it, such as VS Code the plus in c++.
func fileOf(uri string) string {
	path, err := fileuri.ToPath(uri)
	if err != nil {
		return uri
	}
	return fileuri.FromPath(path)
}

func (s *session) publish(file string, version *int, list []protocol.Diagnostic) {
	params := protocol.PublishDiagnosticsParams{URI: uri.URI(file), Diagnostics: list}
	if version != nil {
		params.Version = protocol.NewOptional(int32(*version))
	}
	s.tell(protocol.MethodTextDocumentPublishDiagnostics, params, notice)
}

func diagnostic(at protocol.Range, severity int, code, message string) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range: at, Severity: protocol.DiagnosticSeverity(severity),
		Source:  protocol.NewOptional("mcp-editord"),
		Message: protocol.String(safetext.Line(message, maxDiagnostic)), // it quotes names of files and servers
	}
	if code != "" {
		d.Code = protocol.String(code)
	}
	return d
}

func sameDiagnostic(a, b protocol.Diagnostic) bool {
	return a.Range == b.Range && a.Severity == b.Severity && a.Code == b.Code && a.Message == b.Message
}

// protocolRange returns s as LSP has it.
func (d *document) protocolRange(s textdoc.Span) protocol.Range {
	r := d.lspRange(s)
	at := func(p Position) protocol.Position {
		return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
	}
	return protocol.Range{Start: at(r.Start), End: at(r.End)}
}
