// Package safetext makes text that somebody else wrote harmless to show: in a
// terminal, a message box or a list.
//
// What could change how the text around it is read, or what nobody can see, becomes a
// visible escape, such as \u{202e}: control characters and with them ANSI and OSC
// sequences, characters that change the direction of text, characters that show
// nothing (zero-width, fillers, blanks, tags, variation selectors), and bytes that are not
// UTF-8. A space that takes up room stays, whichever it is.
//
// Invariants of what [Line] and [Block] return:
//
//   - It is valid UTF-8 and has none of the characters above; the one exception is one
//     U+FE0F after a sign, which asks for the sign's coloured form.
//   - Line has no line break; Block has no control characters but \n and \t.
//
// The plugins have the same rules. testdata/vectors.json has texts and their outcome for the
// tests of all three, and every character that is escaped.
package safetext

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line of at most max characters; what is longer ends in "…".
func Line(s string, max int) string {
	if max < 1 {
		return ""
	}
	var b strings.Builder
	length, last := 0, 0 // last: where the last character that fits begins
	for piece := range pieces(s, "") {
		for _, r := range piece {
			if length == max {
				return strings.TrimSuffix(b.String()[:last], "\ufe0f") + "…"
			}
			last = b.Len()
			b.WriteRune(r)
			length++
		}
	}
	return b.String()
}

// Block returns s with its lines and tabs as they are.
func Block(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for piece := range pieces(s, "\n\t") {
		b.WriteString(piece)
	}
	return b.String()
}

// ShellWord returns s as one word of a POSIX shell, for a command that a person copies.
func ShellWord(s string) string {
	special := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+,@%", r))
	}
	if s == "" || strings.ContainsFunc(s, special) {
		s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return Line(s, math.MaxInt)
}

// pieces yields the characters of s, each as it is or as its escape. Those in
// keep are never escaped.
func pieces(s, keep string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		before := rune(-1)
		for len(s) > 0 {
			r, n := utf8.DecodeRuneInString(s)
			piece := s[:n]
			switch {
			case r == utf8.RuneError && n == 1:
				piece = fmt.Sprintf(`\x%02x`, s[0])
			case strings.ContainsRune(keep, r) || !harmful(r) || r == colour && takesColour(before, s[n:]):
			case r == '\n':
				piece = `\n`
			case r == '\t':
				piece = `\t`
			case r == '\r':
				piece = `\r`
			default:
				piece = fmt.Sprintf(`\u{%x}`, r)
			}
			if !yield(piece) {
				return
			}
			s, before = s[n:], r
		}
	}
}

// harmful tells whether r is a control character or one that shows nothing.
func harmful(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r < 0xa0:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters of Arabic and others that are visible
		return false
	}
	return blank(r) || unicode.In(r,
		unicode.Cf, // bidi controls, zero-width characters, tags, soft hyphen, byte order mark
		unicode.Zl, unicode.Zp,
		unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, // with Cf and the selectors: all that Unicode lets fonts leave out
		unicode.Noncharacter_Code_Point)
}

// blank tells whether r is one of those that Unicode has among letters and signs, and
// that look like nothing: in Braille, hieroglyphs, Khitan and music.
func blank(r rune) bool {
	switch r {
	case 0x2800, 0x13441, 0x13442, 0x16fe4, 0x1d159:
		return true
	}
	return false
}

// colour asks for the coloured form of the character before it.
const colour = 0xfe0f

// takesColour tells whether before has a coloured form: one of the blocks of signs and
// pictures, or a digit that is a keycap. Elsewhere colour would only be one more
// character that nobody sees, with which two names look the same.
func takesColour(before rune, after string) bool {
	switch {
	case before >= '0' && before <= '9', before == '#', before == '*':
		return strings.HasPrefix(after, "\u20e3")
	case before == 0xa9, before == 0xae, before == 0x203c, before == 0x2049,
		before >= 0x2100 && before <= 0x27ff, before >= 0x2900 && before <= 0x2bff,
		before == 0x3030, before == 0x303d, before == 0x3297, before == 0x3299,
		before >= 0x1f000 && before <= 0x1faff:
		return true
	}
	return false
}
