package editorapi

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
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

	mu   sync.Mutex                 // guards the fields that follow, and keeps what is told in order
	disk map[string][]lspDiagnostic // by fileOf, as told
	told map[string][]lspDiagnostic // of documents, while they are open
}

// An lspDiagnostic is LSP's Diagnostic.
type lspDiagnostic struct {
	Range    Range  `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code,omitempty"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// Diagnostics implements [Editor]: it tells the problems of a file as it is on the disk.
func (s *session) Diagnostics(file string, list []Diagnostic) {
	converted := []lspDiagnostic{}
	for _, d := range list {
		at := Position{max(d.Line-1, 0), max(d.Column-1, 0)}
		converted = append(converted, diagnostic(Range{at, at}, int(d.Severity), "", d.Message))
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

// lensesMoved has the editor ask for code lenses again, where it can: they say what servers do, and which calls are under
// way. What it answers makes no difference.
func (s *session) lensesMoved() {
	if !s.client.refreshLenses {
		return
	}
	s.peer.running.Go(func() {
		ctx, cancel := context.WithTimeout(s.peer.ctx, refreshLimit)
		defer cancel()
		if _, err := s.ask(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil); err != nil {
			s.peer.log.Info("the editor did not refresh its code lenses", zap.Error(err))
		}
	})
}

// fromText tells the problems of an open document, unless it has changed meanwhile. Those that are the same as before
// are told only again.
func (g *diagnostics) fromText(s *session, d *document, problems []textdoc.Problem, again bool) {
	list := []lspDiagnostic{}
	for _, p := range problems {
		list = append(list, diagnostic(d.lspRange(p.Span), int(p.Severity), p.Code, p.Message))
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
	if nothing || known && !again && slices.Equal(before, list) {
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
		s.publish(uri, nil, append([]lspDiagnostic{}, g.disk[file]...))
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

func (s *session) publish(file string, version *int, list []lspDiagnostic) {
	s.tell(protocol.MethodTextDocumentPublishDiagnostics, struct {
		URI         string          `json:"uri"`
		Version     *int            `json:"version,omitempty"`
		Diagnostics []lspDiagnostic `json:"diagnostics"`
	}{file, version, list}, notice)
}

// diagnostic makes a message, which quotes names of files and servers, safe to show.
func diagnostic(at Range, severity int, code, message string) lspDiagnostic {
	return lspDiagnostic{at, severity, code, "mcp-editord", safetext.Line(message, maxDiagnostic)}
}
