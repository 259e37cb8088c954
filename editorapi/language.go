package editorapi

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// textDocument begins LSP's methods about a document.
const textDocument = "textDocument/"

// A language says what there is to say about documents of one kind. It speaks of a document as of one
// moment, and nothing that it returns is safe to show yet.
type language interface {
	// complete returns what may stand at a place. whole is false when there is more than it returns.
	complete(ctx context.Context, d *document, at int) (list []textdoc.Completion, whole bool)
	hover(d *document, at int) (textdoc.Hover, bool)
	symbols(d *document) []textdoc.Symbol
	// actions returns what a person may want to do with a part of the document.
	actions(d *document, part textdoc.Span) []action
	lenses(d *document) []lens
	check(d *document) []textdoc.Problem
}

// silent is a language that has nothing to say.
type silent struct{}

func (silent) complete(context.Context, *document, int) ([]textdoc.Completion, bool) {
	return nil, true
}
func (silent) hover(*document, int) (textdoc.Hover, bool) { return textdoc.Hover{}, false }
func (silent) symbols(*document) []textdoc.Symbol         { return nil }
func (silent) actions(*document, textdoc.Span) []action   { return nil }
func (silent) lenses(*document) []lens                    { return nil }
func (silent) check(*document) []textdoc.Problem          { return nil }

// An action is LSP's CodeAction: it runs a command.
type action struct {
	lspCommand
	kind protocol.CodeActionKind
}

// The kinds of our actions beside LSP's own.
const (
	kindRun protocol.CodeActionKind = "source.mcp.run"  // runs something that the document says
	kindMCP protocol.CodeActionKind = "source.mcp.call" // does something with a part of any document
)

// A lens is LSP's CodeLens: a command that is shown above a place.
type lens struct {
	textdoc.Span
	command lspCommand
}

// An lspCommand is LSP's Command with one argument.
type lspCommand struct {
	title, command string
	argument       any
}

// languageOf returns the language of d.
func (s *session) languageOf(d *document) language {
	if d.doubt {
		return doubtful{}
	}
	if file, ok := s.attachment.ConfigFile(d.uri, d.text.String()); ok {
		return configLanguage{s, file}
	}
	if approval, ok := s.approvalOf(d); ok {
		return approval
	}
	if isCallDocument(d) {
		return callLanguage{s}
	}
	return anyLanguage{s: s}
}

// isCallDocument reports whether d is a call document.
func isCallDocument(d *document) bool {
	return d.languageID == "mcp" || path.Ext(pathOf(d.uri)) == ".mcp"
}

// isConfiguration reports whether a document looks like a configuration file of ours.
func isConfiguration(uri string) bool {
	name := path.Base(pathOf(uri))
	return name == ".mcp.json" || name == "mcp.json"
}

// pathOf returns the path in a URI of any scheme, "" when there is none.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return u.Path
}

// documentRequests are what serves the requests about a document, by method.
var documentRequests = map[string]func(*session, *request, *document, language, documentParams) any{
	protocol.MethodTextDocumentCompletion:     (*session).completion,
	protocol.MethodTextDocumentHover:          (*session).hover,
	protocol.MethodTextDocumentDocumentSymbol: (*session).documentSymbol,
	protocol.MethodTextDocumentCodeAction:     (*session).codeAction,
	protocol.MethodTextDocumentCodeLens:       (*session).codeLens,
}

// aboutDocument serves the requests about a document. It is called in the order of the wire: what it
// returns speaks of the text that the sender saw.
func (s *session) aboutDocument(r *request) (rest func() (any, error)) {
	serve := documentRequests[r.method]
	if serve == nil {
		return fails(methodNotFound(r.method))
	}
	var p documentParams
	if err := decode(r.params, &p, ""); err != nil {
		return fails(err)
	}
	get, _ := s.seen(p.TextDocument.URI)
	return func() (any, error) {
		d := get(r.ctx)
		switch {
		case d == nil:
			return nil, nil
		case p.Range != nil:
			s.noteUsed(d.uri, d.span(*p.Range))
		case p.Position != nil:
			s.noteUsed(d.uri, d.span(Range{*p.Position, *p.Position}))
		}
		return serve(s, r, d, s.languageOf(d), p), nil
	}
}

// documentParams are the params of all requests about a document.
type documentParams struct {
	TextDocument documentID `json:"textDocument"`
	Position     *Position  `json:"position"`
	Range        *Range     `json:"range"`
	Context      struct {
		Only []protocol.CodeActionKind `json:"only"`
	} `json:"context"`
}

// at returns the place that a request is about.
func (p documentParams) at(d *document) int {
	if p.Position == nil {
		return 0
	}
	return d.text.Offset(textdoc.Position(*p.Position))
}

// Limits of what is shown, in characters.
const (
	maxLabel  = 100
	maxDetail = 200
	maxTitle  = 120
	maxHover  = 4000
)

// completion serves textDocument/completion.
func (s *session) completion(r *request, d *document, l language, p documentParams) any {
	list, whole := l.complete(r.ctx, d, p.at(d))
	items := []map[string]any{}
	for i, c := range list {
		item := map[string]any{
			"label": safetext.Line(c.Label, maxLabel), "kind": c.Kind,
			"sortText":   fmt.Sprintf("%05d", i), // the order is ours; editors sort by this
			"filterText": cmp.Or(c.Filter, c.Label), "textEdit": map[string]any{"range": d.lspRange(c.Insert.Span), "newText": c.Insert.Text},
		}
		if c.Detail != "" {
			item["detail"] = safetext.Line(c.Detail, maxDetail)
		}
		if c.Documentation != "" {
			item["documentation"] = shorten(safetext.Block(c.Documentation), maxHover)
		}
		items = append(items, item)
	}
	return map[string]any{"isIncomplete": !whole, "items": items}
}

// hover serves textDocument/hover.
func (s *session) hover(_ *request, d *document, l language, p documentParams) any {
	h, ok := l.hover(d, p.at(d))
	if !ok {
		return nil
	}
	return map[string]any{
		"contents": protocol.MarkupContent{Kind: "plaintext", Value: shorten(safetext.Block(h.Text), maxHover)},
		"range":    d.lspRange(h.Span),
	}
}

// shorten cuts a text to max characters.
func shorten(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	return string([]rune(text)[:max-1]) + "…"
}

// documentSymbol serves textDocument/documentSymbol: LSP's DocumentSymbol, or SymbolInformation for clients such
// as vim-lsp.
func (s *session) documentSymbol(_ *request, d *document, l language, _ documentParams) any {
	symbols := []map[string]any{}
	for _, symbol := range l.symbols(d) {
		shown := map[string]any{"name": safetext.Line(symbol.Name, maxLabel), "kind": symbol.Kind}
		if s.client.nestedSymbols {
			shown["detail"] = safetext.Line(symbol.Detail, maxDetail)
			shown["range"], shown["selectionRange"] = d.lspRange(symbol.Span), d.lspRange(symbol.Select)
		} else {
			shown["location"] = map[string]any{"uri": d.uri, "range": d.lspRange(symbol.Span)}
		}
		symbols = append(symbols, shown)
	}
	return symbols
}

// codeAction serves textDocument/codeAction. An editor that does not know CodeAction gets commands.
func (s *session) codeAction(_ *request, d *document, l language, p documentParams) any {
	part := textdoc.Span{}
	if p.Range != nil {
		part = d.span(*p.Range)
	}
	actions := []map[string]any{}
	for _, a := range s.answerAction(l.actions(d, part)) {
		if !asksFor(a.kind, p.Context.Only) {
			continue
		}
		command := a.lsp()
		if !s.client.codeActions {
			actions = append(actions, command)
			continue
		}
		actions = append(actions, map[string]any{"title": command["title"], "kind": a.kind, "command": command})
	}
	return actions
}

// asksFor reports whether an editor that asks only for some kinds gets one of this kind. A kind stands for
// all below it (LSP 3.18, CodeActionKind).
func asksFor(kind protocol.CodeActionKind, only []protocol.CodeActionKind) bool {
	return only == nil || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || kind == o || strings.HasPrefix(string(kind), string(o)+".")
	})
}

// codeLens serves textDocument/codeLens. Lenses of one place begin one character after the other: Neovim would
// mix them up.
func (s *session) codeLens(_ *request, d *document, l language, _ documentParams) any {
	lenses := []map[string]any{}
	before := map[Position]int{}
	for _, lens := range l.lenses(d) {
		at := d.lspRange(lens.Span)
		n := before[at.Start]
		before[at.Start]++
		if at.Start.Line < at.End.Line || at.Start.Character+n < at.End.Character {
			at.Start.Character += n
		}
		lenses = append(lenses, map[string]any{"range": at, "command": lens.command.lsp()})
	}
	return lenses
}

// lsp returns LSP's Command. One without a command only says something.
func (c lspCommand) lsp() map[string]any {
	arguments := []any{} // some editors fail without it
	if c.argument != nil {
		arguments = append(arguments, c.argument)
	}
	return map[string]any{"title": safetext.Line(c.title, maxTitle), "command": c.command, "arguments": arguments}
}

// applyEdit changes a document in the editor, and reports whether that was done. Where the editor can, it fails if the text
// has changed.
func (s *session) applyEdit(ctx context.Context, d *document, label string, e textdoc.Edit) (bool, error) {
	list := []any{map[string]any{"range": d.lspRange(e.Span), "newText": e.Text}}
	edit := map[string]any{"changes": map[string]any{d.uri: list}}
	if s.client.documentChanges {
		edit = map[string]any{"documentChanges": []any{
			map[string]any{"textDocument": documentID{d.uri, d.version}, "edits": list},
		}}
	}
	params := map[string]any{"edit": edit}
	if !s.plain() { // Neovim writes it over the last message
		params["label"] = safetext.Line(label, maxTitle)
	}
	answer, err := s.ask(ctx, protocol.MethodWorkspaceApplyEdit, params)
	return err == nil && isTrue(answer, "applied"), err
}

// catalogMoved is called when what servers offer has changed, or their states.
func (s *session) catalogMoved() {
	s.diagnostics.moved.Store(true)
	s.diagnostics.check.Trigger()
}
