// Package textdoc keeps the text of a document that an editor has open, and has the words in which a
// language server speaks about places in it. Inside the program places are bytes; only editorapi
// converts them to LSP's positions, with [Text.Position] and [Text.Offset].
package textdoc

// Span is a part of a text: bytes from Start up to but not including End.
type Span struct{ Start, End int }

// Contains reports whether at is in s or at its end, where a cursor behind its last character is.
func (s Span) Contains(at int) bool { return s.Start <= at && at <= s.End }

// An Edit puts Text in the place of a part of a text.
type Edit struct {
	Span
	Text string
}

// Severity is LSP's DiagnosticSeverity.
type Severity int

// The severities of problems.
const (
	Error   Severity = 1
	Warning Severity = 2
	Info    Severity = 3
)

// A Problem is something wrong in a text: what is wrong, and what to do.
type Problem struct {
	Span
	Severity Severity
	Code     string // tells kinds of problems apart, for actions; "" for most
	Message  string // may quote the text and what servers sent: it is not safe to show yet
}

// CompletionKind is LSP's CompletionItemKind.
type CompletionKind int

// The kinds of completions.
const (
	KindFunction CompletionKind = 3
	KindVariable CompletionKind = 6
	KindModule   CompletionKind = 9
	KindProperty CompletionKind = 10
	KindValue    CompletionKind = 12
	KindEnum     CompletionKind = 13
	KindFile     CompletionKind = 17
)

// A Completion is a text that may be put at a place. Its texts may come from a server: they are not safe
// to show yet, except Insert, which is written for the syntax of the document.
type Completion struct {
	Label         string
	Kind          CompletionKind
	Detail        string // one line
	Documentation string // plain text
	Insert        Edit   // what it does to the text; it never leaves the line of the cursor
	Filter        string // what is compared with what is typed; "" means Label
}

// A Hover is what there is to know about a place.
type Hover struct {
	Span
	Text string // plain text, not safe to show yet
}

// SymbolKind is LSP's SymbolKind.
type SymbolKind int

// The kinds of symbols.
const (
	SymbolModule   SymbolKind = 2
	SymbolFunction SymbolKind = 12
	SymbolFile     SymbolKind = 1
	SymbolEvent    SymbolKind = 24
)

// A Symbol is a part of a text that has a name.
type Symbol struct {
	Span          // all of it
	Name   string // not safe to show yet
	Kind   SymbolKind
	Detail string
	Select Span // its name in the text, within Span
}
