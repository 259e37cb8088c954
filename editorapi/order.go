package editorapi

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// This file keeps the changes of a document in the order of their versions: "The version number of a document
// will increase after each change" (LSP 3.18, VersionedTextDocumentIdentifier). Helix 25.01 sends each change from
// a task of its own, and one overtakes another.

// defaultOrderWait is how long a change waits for one with a lower version. Changes that overtake one another come
// within a few milliseconds; of an editor that leaves out versions, as Neovim does, each gap costs this much.
const defaultOrderWait = 200 * time.Millisecond

// maxDiskWait is how long a request waits for the disk that a document is on.
const maxDiskWait = 2 * time.Second

// sayInDoubt is what to do about a document in doubt.
const sayInDoubt = "the editor's changes came out of order; save the document, then run it again"

func errInDoubt() error { return errorf(KindInvalidParams, "textDocument", sayInDoubt) }

// A change is one of textDocument/didChange.
type change struct {
	version int
	parts   []textdoc.Change
}

// A moment is a short time in which changes may still come that were sent before others.
type moment struct {
	uri   string
	early []change // those that follow one that is missing, in the order of their versions
	bytes int      // in early
	saved bool     // the text was saved meanwhile: it has all that was changed before
	over  chan struct{}
}

// take makes a change of a document, or has it wait for one that is missing. changing is held.
func (s *session) take(d *document, c change) {
	m := s.moment(d.uri)
	switch {
	case m != nil && m.saved && c.version > d.version: // nobody knows whether the text that was saved has it
		inDoubt := *d
		inDoubt.version, inDoubt.saved, inDoubt.doubt = c.version, false, true
		s.put(&inDoubt, nil)
		return
	case m != nil && m.saved:
		return
	case c.version > d.version+1:
		if m == nil {
			m = s.beginMoment(d.uri)
		}
		at, _ := slices.BinarySearchFunc(m.early, c.version+1, func(one change, version int) int { return one.version - version })
		m.early = slices.Insert(m.early, at, c)
		for _, p := range c.parts {
			m.bytes += len(p.Text)
		}
		if m.bytes > maxDocument {
			s.catchUp(d.uri)
		}
		return
	}
	d = s.put(d.after(c))
	for d != nil && m != nil && len(m.early) > 0 && m.early[0].version <= d.version+1 {
		d = s.put(d.after(m.early[0]))
		m.early = m.early[1:]
	}
	if m != nil && len(m.early) == 0 {
		s.endMoment(m)
	}
}

// after returns d after a change, and what that did to its text. The text of a document in doubt stays as it is.
func (d *document) after(c change) (*document, []textdoc.Edit) {
	next := &document{uri: d.uri, languageID: d.languageID, version: max(c.version, d.version), text: d.text}
	next.doubt = d.doubt || c.version < d.version
	var edits []textdoc.Edit
	for _, part := range c.parts {
		if next.doubt = next.doubt && !(part.Whole && c.version >= d.version); next.doubt {
			continue
		}
		text, edit, ok := next.text.Apply(part)
		if next.doubt = !ok; ok {
			next.text, edits = text, append(edits, edit)
		}
	}
	return next, edits
}

// save notes that a document was saved. Its text is what counts, where the editor sends it. changing is held.
func (s *session) save(uri string, text *string) {
	if text != nil {
		s.catchUp(uri)
	}
	d := s.document(uri)
	if d == nil {
		return
	}
	saved, edits := *d, []textdoc.Edit(nil)
	if text != nil && *text != d.text.String() {
		var whole *document
		whole, edits = d.after(change{d.version, []textdoc.Change{{Whole: true, Text: *text}}})
		saved.text = whole.text
		s.beginMoment(uri).saved = true
	}
	saved.saved, saved.doubt = true, d.doubt && text == nil
	s.put(&saved, edits)
}

// catchUp makes the changes that wait, without those that are missing. changing is held.
func (s *session) catchUp(uri string) {
	m := s.moment(uri)
	if m == nil {
		return
	}
	d := s.document(uri)
	for _, c := range m.early {
		if d != nil {
			d = s.put(d.after(c))
		}
	}
	s.endMoment(m)
}

// put puts a document in the place of the one before it, and returns it; nil when it is too large to be followed.
func (s *session) put(d *document, edits []textdoc.Edit) *document {
	if !s.replace(d, edits) {
		s.peer.log.Info("a document is too large, or too many are open; the daemon says nothing about it")
		s.drop(d.uri)
		return nil
	}
	return d
}

// moment returns the moment that a document is in, nil for none.
func (s *session) moment(uri string) *moment {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	return s.documents.moments[uri]
}

func (s *session) beginMoment(uri string) *moment {
	m := &moment{uri: uri, over: make(chan struct{})}
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	s.documents.moments[uri] = m
	time.AfterFunc(s.o.OrderWait, func() {
		s.documents.changing.Lock()
		defer s.documents.changing.Unlock()
		if s.moment(uri) == m {
			s.catchUp(uri)
			s.diagnostics.check.Trigger()
		}
	})
	return m
}

// endMoment lets the requests about a document go on.
func (s *session) endMoment(m *moment) {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	if s.documents.moments[m.uri] == m {
		delete(s.documents.moments, m.uri)
		close(m.over)
	}
}

// seen returns a function that returns the document that the sender of a request saw, nil for none. seen is called in the
// order of the wire. At once means that no change is missing; else the function waits a moment for those.
func (s *session) seen(uri string) (get func(context.Context) *document, atOnce bool) {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	d, m := s.documents.open[uri], s.documents.moments[uri]
	return func(ctx context.Context) *document {
		if m == nil {
			return d
		}
		select {
		case <-m.over:
		case <-ctx.Done():
		}
		return s.document(uri)
	}, m == nil
}

// unlikeItsFile reports whether the file of a document has another text. Without a file, or where its disk does not
// answer, there is nothing to compare with. Line ends and a line break at the end make no difference: editors have
// their own ways with them.
func (d *document) unlikeItsFile(ctx context.Context) bool {
	path, err := fileuri.ToPath(d.uri)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, maxDiskWait)
	defer cancel()
	read := make(chan []byte, 1)
	go func() { // the disk may never answer
		data, _ := safeopen.Read(path, maxDocument)
		read <- data
	}()
	plain := func(text string) string {
		return strings.TrimRight(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
	}
	select {
	case data := <-read:
		return data != nil && utf8.Valid(data) && plain(string(data)) != plain(d.text.String())
	case <-ctx.Done():
		return false
	}
}

// A doubtful document is one whose text the editor and the daemon may have differently: nothing is done with it.
type doubtful struct{ silent }

func (doubtful) lenses(*document) []lens {
	return []lens{{command: lspCommand{title: sayInDoubt}}}
}
func (doubtful) check(*document) []textdoc.Problem {
	return []textdoc.Problem{{Severity: textdoc.Warning, Message: sayInDoubt}}
}
