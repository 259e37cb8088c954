package textdoc

import (
	"math"
	"unicode/utf8"
)

// every is about how many bytes are between two marks: a place is found in as many steps.
const every = 4 << 10

// nowhere is a position that no text has.
var nowhere = Position{math.MaxInt, math.MaxInt}

// A mark is a place in a text, both in bytes and as LSP counts. A text keeps some of its marks, so that
// no place needs a walk from the beginning. Each of them stands before a byte that begins a character,
// and never between \r and \n: so what is before it does not depend on what follows.
type mark struct {
	offset int
	Position
}

// before returns the mark before the one with this index.
func (t Text) before(i int) mark {
	if i == 0 {
		return mark{}
	}
	return t.marks[i-1]
}

// walk moves m forward, character by character, up to a byte or a position, and never over either. It stops
// at the end of the line of that position.
func (m *mark) walk(text string, offset int, p Position) {
	for m.offset < offset {
		n, units := 1, 1
		switch c := text[m.offset]; {
		case c == '\n' || c == '\r':
			if c == '\r' && m.offset+1 < len(text) && text[m.offset+1] == '\n' {
				n = 2
			}
			if m.Line == p.Line || m.offset+n > offset {
				return
			}
			m.offset += n
			m.Position = Position{m.Line + 1, 0}
			continue
		case c >= utf8.RuneSelf:
			var r rune
			if r, n = utf8.DecodeRuneInString(text[m.offset:]); r > 0xffff {
				units = 2
			}
		}
		if m.Line == p.Line && m.Character+units > p.Character || m.offset+n > offset {
			return
		}
		m.offset += n
		m.Character += units
	}
}

// scan appends the marks of text between m and the byte at end, which is a mark or the end of the text. The last one is at end, unless
// open is set.
func scan(text string, marks []mark, m mark, end int, open bool) []mark {
	for end-m.offset > every {
		next := m.offset + every
		for next < end && !canMark(text, next) {
			next++
		}
		if next == end {
			break
		}
		m.walk(text, next, nowhere)
		marks = append(marks, m)
	}
	if open {
		return marks
	}
	m.walk(text, end, nowhere)
	return append(marks, m)
}

// canMark reports whether a mark may stand at a byte.
func canMark(text string, at int) bool {
	return utf8.RuneStart(text[at]) && (text[at] != '\n' || text[at-1] != '\r')
}

// marked returns t with its marks, from those that its text had before an edit. Only what is around the edit is read again.
func (t Text) marked(old []mark, e Edit) Text {
	moved := len(e.Text) - (e.End - e.Start)
	first := 0 // of the old marks: the first that is not before the edit
	for first < len(old) && old[first].offset < e.Start {
		first++
	}
	from := Text{marks: old}.before(first)
	// The next mark that stays. Those close to from go, so that edits never make them many.
	next := first
	for next < len(old) && (old[next].offset <= e.End || old[next].offset+moved-from.offset < every/2) {
		next++
	}
	marks := make([]mark, first, len(old)+len(e.Text)/every+2)
	copy(marks, old)
	if next == len(old) {
		t.marks = scan(t.text, marks, from, len(t.text), true)
		return t
	}
	marks = scan(t.text, marks, from, old[next].offset+moved, false)
	now, was := marks[len(marks)-1], old[next]
	for _, m := range old[next+1:] {
		m.offset += moved
		if m.Line == was.Line {
			m.Character += now.Character - was.Character
		}
		m.Line += now.Line - was.Line
		marks = append(marks, m)
	}
	t.marks = marks
	return t
}
