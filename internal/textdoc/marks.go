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
// and never between \r and \n.
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

// marksOf returns the marks of a text.
func marksOf(text string) (marks []mark) {
	var m mark
	for {
		next := m.offset + every
		for next < len(text) && !canMark(text, next) {
			next++
		}
		if next >= len(text) {
			return marks
		}
		m.walk(text, next, nowhere)
		marks = append(marks, m)
	}
}

// canMark reports whether a mark may stand at a byte.
func canMark(text string, at int) bool {
	return utf8.RuneStart(text[at]) && (text[at] != '\n' || text[at-1] != '\r')
}
