package editorapi

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/keptfiles"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// textScheme is the scheme of the texts that a client fetches with workspace/textDocumentContent.
const textScheme = "mcp"

const methodTextDocumentContent = string(protocol.MethodWorkspaceTextDocumentContent)

// What is kept of texts that an editor fetches. The oldest go; what is larger is a file.
const (
	maxTexts     = 32
	maxTextBytes = 8 << 20
)

// textExtensions are those that a text may have. Nothing that an editor or the system would run.
var textExtensions = []string{".txt", ".md", ".json", ".yaml", ".mcp"}

// openText shows a long text, which must be safe to show, in a document of its own. name says what it is
// about, with the extension of its kind; it may have any characters. With edit, the user can change the
// document, and it is a file.
//
// Where the client declared workspace/textDocumentContent, the document is one that the client fetches,
// else it is a file, which goes after a week. Where the client cannot show a document, or says that it
// did not, a message has the beginning of the text and the path of the file. shown is false then. openText
// waits for the client, but not longer than a question does.
func (s *session) openText(ctx context.Context, name, text string, edit bool) (shown bool) {
	extension := filepath.Ext(name)
	if slices.Contains(textExtensions, extension) {
		name = strings.TrimSuffix(name, extension)
	} else {
		extension = textExtensions[0]
	}
	if !edit { // else it is made of values that must stay, and has nothing of the kind
		text = safetext.Inert(text)
	}
	if s.client.showText && s.client.showDocument && !edit {
		if uri, ok := s.texts.add(name+extension, text); ok {
			if shown, err := s.showDocument(ctx, uri); shown || err != nil {
				return shown
			}
		}
	}
	begin := safetext.Line(name, maxCommandPart) + ": " + beginning(strings.TrimSpace(text))
	path, err := s.keep(keptfiles.Kind{Label: name, Extension: extension, ReadOnly: !edit, Draft: edit}, text)
	if err == nil && edit {
		s.drafts.written.Store(path, text)
	}
	if err != nil {
		s.peer.log.Warn("a long text is not kept", zap.Error(err))
		s.show(SeverityWarning, begin+" The rest cannot be shown: the log of mcp-editord says why.")
		return false
	}
	if s.client.showDocument {
		if shown, err := s.showDocument(ctx, fileuri.FromPath(path)); shown || err != nil {
			return shown
		}
	}
	if edit {
		s.ShowMessage(SeverityInfo, "Open this file to go on: "+path)
	} else {
		s.show(SeverityInfo, begin+" All of it is in "+safetext.Line(path, maxShownLine))
	}
	return false
}

// keep writes what is too long to show to a file that only the user can read, and returns its path.
func (s *session) keep(k keptfiles.Kind, content string) (path string, err error) {
	if s.o.TextDir == "" {
		return "", errors.New("there is no folder for long texts")
	}
	f := keptfiles.Files{Dir: s.o.TextDir}
	path, _, err = f.Write(k, len(content), strings.NewReader(content))
	return path, err
}

// drafts are the documents that an editor was given to go on with. What somebody has changed and saved stays for ever;
// the others go when their document is closed, or with the editor.
type drafts struct {
	written sync.Map // by path: what we wrote
}

// closed removes the file at a path if nobody has changed it.
func (d *drafts) closed(path string) error {
	text, ours := d.written.LoadAndDelete(path)
	if !ours {
		return nil
	}
	now, err := os.ReadFile(path)
	if err != nil || string(now) != text {
		return err
	}
	return os.Remove(path)
}

// close removes all that nobody has changed.
func (d *drafts) close() (err error) {
	for path := range d.written.Range {
		err = errors.Join(err, d.closed(path.(string)))
	}
	return err
}

// tellRemoving logs that a draft could not be removed.
func (s *session) tellRemoving(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.peer.log.Warn("removing a draft", zap.Error(err))
	}
}

// textDocumentContent serves workspace/textDocumentContent (LSP 3.18).
func (s *session) textDocumentContent(r *request) (any, error) {
	text, ok := s.texts.find(rawjson.String(r.params, "uri"))
	if !ok {
		return nil, errorf(KindInvalidParams, "uri", "this text is no longer kept; run its command again")
	}
	return protocol.TextDocumentContentResult{Text: text}, nil
}

// texts are the texts that one editor may fetch. They are counted in the memory of the editor.
type texts struct {
	memory *budget.Budget

	mu    sync.Mutex // guards the fields that follow
	list  []keptText // the oldest first
	bytes int        // of list
	added int        // so far
}

type keptText struct{ uri, text string }

// add keeps a text, and returns the URI to fetch it at. ok is false when there is no memory for it.
func (t *texts) add(name, text string) (uri string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(text) > maxTextBytes {
		return "", false
	}
	for len(t.list) > 0 && (len(t.list) == maxTexts || t.bytes+len(text) > maxTextBytes) {
		t.drop()
	}
	if !t.memory.Acquire(len(text)) {
		return "", false
	}
	t.added++
	t.bytes += len(text)
	u := url.URL{Scheme: textScheme, Host: "editord", Path: "/" + strconv.Itoa(t.added) + "/" + strings.ReplaceAll(name, "/", "_")}
	t.list = append(t.list, keptText{u.String(), text})
	return u.String(), true
}

// find returns the text of a URI.
func (t *texts) find(uri string) (text string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.list, func(k keptText) bool { return sameURI(k.uri, uri) })
	if i < 0 {
		return "", false
	}
	return t.list[i].text, true
}

// sameURI compares two URIs, of which an editor may have escaped one in another way.
func sameURI(a, b string) bool {
	x, err := url.Parse(a)
	y, wrong := url.Parse(b)
	return err == nil && wrong == nil && x.Scheme == y.Scheme && x.Host == y.Host && x.Path == y.Path
}

// drop forgets the oldest text. mu is held, and there is one.
func (t *texts) drop() {
	size := len(t.list[0].text)
	t.list[0] = keptText{}
	t.list = t.list[1:]
	t.bytes -= size
	t.memory.Release(size)
}

// close forgets all texts.
func (t *texts) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.list) > 0 {
		t.drop()
	}
}
