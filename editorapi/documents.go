package editorapi

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// maxDocument is how large a document may be, in bytes, for the daemon to say anything about it.
const maxDocument = 4 << 20

// A document is the text that an editor has open, as of one moment. It does not change.
type document struct {
	uri        string
	languageID string
	version    int
	text       textdoc.Text
	saved      bool // its editor has opened or saved it, and not changed it since
	doubt      bool // its editor may have another text; see order.go
}

// documents are what an editor has open (LSP 3.18, Text Document Synchronization). They change in the
// order of their versions, and a request sees the text that its sender saw.
type documents struct {
	changing sync.Mutex // held while a text takes the place of another; comes before mu

	mu      sync.Mutex // guards the fields that follow
	open    map[string]*document
	moments map[string]*moment // by document; what is in one, changing guards
	used    spot               // where the user was last in a document that is not one of ours
	usedOne spot               // the same in a call document
	runs    map[*run]struct{}  // with their anchors
	looked  lookedAt
	moved   chan struct{} // closed and replaced when one changes
}

// A spot is where the user is in a document: a range, or a cursor where both ends are equal.
type spot struct {
	uri  string // "" for nowhere
	span textdoc.Span
}

// An anchor is a place in an open document that follows its changes.
type anchor struct {
	uri  string
	at   int
	lost bool // the place is gone, or the document is closed
}

// A documentID is LSP's VersionedTextDocumentIdentifier.
type documentID struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

// didOpen handles textDocument/didOpen.
func (s *session) didOpen(params json.RawMessage) error {
	var p struct {
		TextDocument struct {
			documentID
			LanguageID string `json:"languageId"`
			Text       string `json:"text"`
		} `json:"textDocument"`
	}
	if err := decode(params, &p, ""); err != nil {
		return err
	}
	s.forget(p.TextDocument.URI)
	s.put(&document{
		uri: p.TextDocument.URI, languageID: p.TextDocument.LanguageID, version: p.TextDocument.Version, text: textdoc.New(p.TextDocument.Text), saved: true,
	}, nil)
	s.noteUsed(p.TextDocument.URI, textdoc.Span{})
	return nil
}

// didChange handles textDocument/didChange. Of a document that the daemon does not have, nothing is known
// until it is opened again.
func (s *session) didChange(params json.RawMessage) error {
	var p struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version *int   `json:"version"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Range *Range `json:"range"`
			Text  string `json:"text"`
		} `json:"contentChanges"`
	}
	if err := decode(params, &p, ""); err != nil {
		return err
	}
	d := s.document(p.TextDocument.URI)
	if d == nil {
		return nil
	}
	c := change{version: *cmp.Or(p.TextDocument.Version, &d.version)} // one without comes in order
	for _, part := range p.ContentChanges {
		one := textdoc.Change{Text: part.Text, Whole: part.Range == nil}
		if part.Range != nil {
			one.Start, one.End = textdoc.Position(part.Range.Start), textdoc.Position(part.Range.End)
		}
		c.parts = append(c.parts, one)
	}
	s.take(d, c)
	return nil
}

// didSave handles textDocument/didSave.
func (s *session) didSave(params json.RawMessage) error {
	var p struct {
		TextDocument documentID `json:"textDocument"`
		Text         *string    `json:"text"`
	}
	err := decode(params, &p, "")
	if err == nil {
		s.save(p.TextDocument.URI, p.Text)
	}
	return err
}

// didClose handles textDocument/didClose.
func (s *session) didClose(uri string) {
	s.drop(uri)
	if path, err := fileuri.ToPath(uri); err == nil {
		s.peer.running.Go(func() { s.tellRemoving(s.drafts.closed(path)) }) // the reader waits for no disk
	}
}

// drop forgets a document that the daemon does not follow any more, and its problems.
func (s *session) drop(uri string) {
	s.forget(uri)
	s.diagnostics.closed(s, uri)
}

// document returns what the editor has open, nil when it does not have uri open.
func (s *session) document(uri string) *document {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	return s.documents.open[uri]
}

// openDocuments returns all documents.
func (s *session) openDocuments() []*document {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	return slices.Collect(maps.Values(s.documents.open))
}

// replace puts d in the place of the document of the same name, unless it is too large. Its memory is the editor's.
func (s *session) replace(d *document, edits []textdoc.Edit) (ok bool) {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	if d.text.Len() > maxDocument || !s.peer.memory.Acquire(d.text.Len()) {
		return false
	}
	if before := s.documents.open[d.uri]; before != nil {
		s.peer.memory.Release(before.text.Len())
	}
	s.documents.open[d.uri] = d
	s.documents.announce()
	for r := range s.documents.runs {
		if r.uri == d.uri {
			r.follow(edits)
		}
	}
	if n := len(edits); n > 0 {
		at := edits[n-1].Start + len(edits[n-1].Text)
		s.documents.use(d, textdoc.Span{Start: at, End: at})
	}
	return true
}

// announce wakes those who wait for a document to change. mu is held.
func (d *documents) announce() {
	close(d.moved)
	d.moved = make(chan struct{})
}

// awaitChange waits until d is not what the editor has open any more, or ctx ends.
func (s *session) awaitChange(ctx context.Context, d *document) {
	for {
		s.documents.mu.Lock()
		same, moved := s.documents.open[d.uri] == d, s.documents.moved
		s.documents.mu.Unlock()
		if !same {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// follow moves a with the changes of its document.
func (a *anchor) follow(edits []textdoc.Edit) {
	for _, e := range edits {
		at, ok := textdoc.Shift(a.at, e)
		a.at, a.lost = at, a.lost || !ok
	}
}

// forget drops a document.
func (s *session) forget(uri string) {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	d := s.documents.open[uri]
	if d == nil {
		return
	}
	delete(s.documents.open, uri)
	if m := s.documents.moments[uri]; m != nil {
		delete(s.documents.moments, uri)
		close(m.over)
	}
	s.documents.announce()
	s.peer.memory.Release(d.text.Len())
	for r := range s.documents.runs {
		r.lost = r.lost || r.uri == uri
	}
}

// locate returns the document of a as it is now, and the place in it; nil when it is lost.
func (s *session) locate(a *anchor) (*document, int) {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	if a.lost {
		return nil, 0
	}
	return s.documents.open[a.uri], a.at
}

// noteUsed notes where the user is. No notification of LSP says which document has the focus, so a
// document counts as used when it is opened, changed or asked about.
func (s *session) noteUsed(uri string, span textdoc.Span) {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	if d := s.documents.open[uri]; d != nil {
		s.documents.use(d, span)
	}
}

// use is noteUsed with mu held.
func (o *documents) use(d *document, span textdoc.Span) {
	switch {
	case isCallDocument(d):
		o.usedOne = spot{d.uri, span}
	case isConfiguration(d.uri):
	default:
		o.used = spot{d.uri, span}
	}
}

// lastContext returns where the user was last in a document other than a call document or a
// configuration file, nil when there is none that is open.
func (s *session) lastContext() *Context {
	s.documents.mu.Lock()
	d, span := s.documents.open[s.documents.used.uri], s.documents.used.span
	s.documents.mu.Unlock()
	if d == nil || d.doubt {
		return nil
	}
	return contextOf(d, span)
}

// contextOf returns the context of a part of a document.
func contextOf(d *document, span textdoc.Span) *Context {
	text := d.text.String()
	if span.End > len(text) || span.Start > span.End { // it has changed
		span = textdoc.Span{}
	}
	c := &Context{TextDocument: &TextDocument{URI: d.uri}, LanguageID: d.languageID}
	c.Range = new(d.lspRange(span))
	if span.Start < span.End {
		c.SelectedText = new(text[span.Start:span.End])
	}
	return c
}

// lspRange returns s as LSP has it.
func (d *document) lspRange(s textdoc.Span) Range {
	return Range{Start: Position(d.text.Position(s.Start)), End: Position(d.text.Position(s.End))}
}

// span returns r in bytes.
func (d *document) span(r Range) textdoc.Span {
	start := d.text.Offset(textdoc.Position(r.Start))
	return textdoc.Span{Start: start, End: max(start, d.text.Offset(textdoc.Position(r.End)))}
}

// textSync handles the notifications of text synchronization, and reports whether method is one.
func (s *session) textSync(method string, params json.RawMessage) bool {
	s.documents.changing.Lock()
	defer s.documents.changing.Unlock()
	var err error
	switch strings.TrimPrefix(method, textDocument) {
	case "didOpen":
		err = s.didOpen(params)
	case "didChange":
		err = s.didChange(params)
	case "didSave":
		err = s.didSave(params)
	case "didClose":
		s.didClose(rawjson.String(rawjson.Get(params, "textDocument"), "uri"))
	default:
		return false
	}
	if err != nil {
		s.peer.log.Info("a document is not followed", zap.String("method", strings.Clone(method)), zap.Error(err))
	}
	s.diagnostics.check.Trigger()
	return true
}
