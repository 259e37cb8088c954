package textdoc

import (
	"math"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Text is the text of a document. It never changes: [Text.Apply] returns another one. The zero Text is
// empty. Bytes that are not UTF-8 stay as they are.
type Text struct {
	text  string
	lines []int // where the second line begins, and all that follow
}

// A Position is a place as LSP counts it: lines from 0, and UTF-16 code units from the beginning of the
// line. A line ends with \n, \r\n or \r. A byte that is not UTF-8 counts as one character.
type Position struct{ Line, Character int }

// A Change is LSP's TextDocumentContentChangeEvent: Text takes the place of what is between Start and
// End, or of everything when Whole is set.
type Change struct {
	Start, End Position
	Whole      bool
	Text       string
}

// New returns s as a Text.
func New(s string) Text {
	t := Text{text: s}
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '\r' && !strings.HasPrefix(s[i+1:], "\n") {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// String returns the whole text.
func (t Text) String() string { return t.text }

// Len returns the number of bytes.
func (t Text) Len() int { return len(t.text) }

// Apply returns the text after a change, and what the change did to the bytes of t. That is no more than it had to
// do: what the new text has in common with the old at both ends is not part of it. So
// places survive an editor that sends a whole line, or everything, for each change.
//
// A character behind the end of a line means that end, as LSP has it. The beginning of the line after the last
// one is the end of the text: editors mean that when they replace up to it. With any other place outside of the
// text, and with an end before the start, it is not ok: then the editor has another text than t.
func (t Text) Apply(c Change) (after Text, did Edit, ok bool) {
	span := Span{0, len(t.text)}
	if !c.Whole {
		if !t.has(c.Start) || !t.has(c.End) || c.Start.after(c.End) {
			return t, Edit{}, false
		}
		span = Span{t.Offset(c.Start), t.Offset(c.End)}
	}
	e := trimmed(t.text, Edit{span, c.Text})
	return New(t.text[:e.Start] + e.Text + t.text[e.End:]), e, true
}

// has reports whether a position is in the text, or at the beginning of the line after the last one.
func (t Text) has(p Position) bool {
	last := len(t.lines)
	return p.Line >= 0 && p.Character >= 0 && (p.Line <= last || p == Position{last + 1, 0})
}

// Offset returns the byte at a position. Positions outside of the text mean the nearest place in it: a character behind the end of its
// line is that end. The middle of a character that has two UTF-16 code units is its start.
func (t Text) Offset(p Position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line > len(t.lines):
		return len(t.text)
	}
	offset, _ := t.walk(p.Line, len(t.text), p.Character)
	return offset
}

// Position returns the position of a byte. An offset outside of the text means its nearest end; one
// inside of a character, or between \r and \n, means the place before it.
func (t Text) Position(offset int) Position {
	line, begins := slices.BinarySearch(t.lines, offset)
	if begins {
		line++
	}
	_, character := t.walk(line, min(offset, len(t.text)), math.MaxInt)
	return Position{line, character}
}

// walk goes from the beginning of a line, character by character, up to a byte, so many UTF-16 code units or the end of
// the line, and never over any of them. It returns where it stops.
func (t Text) walk(line, offset, units int) (at, character int) {
	if line > 0 {
		at = t.lines[line-1]
	}
	for at < offset && t.text[at] != '\n' && t.text[at] != '\r' {
		r, n := utf8.DecodeRuneInString(t.text[at:])
		wide := utf16.RuneLen(r)
		if at+n > offset || character+wide > units {
			break
		}
		at, character = at+n, character+wide
	}
	return at, character
}

// after reports whether p is behind q.
func (p Position) after(q Position) bool {
	return p.Line > q.Line || p.Line == q.Line && p.Character > q.Character
}

// trimmed returns an edit that does the same to text, without the bytes that it would put where they
// already are.
func trimmed(text string, e Edit) Edit {
	old := text[e.Start:e.End]
	n := 0
	for n < min(len(old), len(e.Text)) && old[n] == e.Text[n] {
		n++
	}
	old, e.Text, e.Start = old[n:], e.Text[n:], e.Start+n
	n = 0
	for n < min(len(old), len(e.Text)) && old[len(old)-1-n] == e.Text[len(e.Text)-1-n] {
		n++
	}
	e.Text, e.End = strings.Clone(e.Text[:len(e.Text)-n]), e.End-n
	return e
}

// Shift returns where the byte at a place is after an edit. It is not ok when the edit replaces that byte. Text that is
// inserted at the place comes before it.
func Shift(at int, e Edit) (moved int, ok bool) {
	switch {
	case at < e.Start:
		return at, true
	case at < e.End:
		return e.Start, false
	}
	return at + len(e.Text) - (e.End - e.Start), true
}
