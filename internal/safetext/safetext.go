// Package safetext makes text that somebody else wrote harmless to show: in a
// terminal, a message box or a list.
//
// What could change how the text around it is read becomes a visible escape, such as
// \u{202e}: control characters and with them ANSI and OSC sequences, characters
// that change the direction of text, characters that nobody can see (zero-width,
// tags, variation selectors), and bytes that are not UTF-8.
//
// Invariants of what [Line] and [Block] return:
//
//   - It is valid UTF-8 and has none of the characters above; the one exception is
//     U+FE0F, which only asks for the coloured form of the character before it.
//   - Line has no line break; Block has no control characters but \n and \t.
package safetext

import (
	"fmt"
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
				return b.String()[:last] + "…"
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

// pieces yields the characters of s, each as it is or as its escape. Those in
// keep are never escaped.
func pieces(s, keep string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			r, n := utf8.DecodeRuneInString(s)
			piece := s[:n]
			switch {
			case r == utf8.RuneError && n == 1:
				piece = fmt.Sprintf(`\x%02x`, s[0])
			case strings.ContainsRune(keep, r) || !harmful(r):
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
			s = s[n:]
		}
	}
}

// harmful tells whether r is a control character or one that cannot be seen.
func harmful(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r < 0xa0 || r == 0xfe0f:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters of Arabic and others that are visible
		return false
	}
	return unicode.In(r,
		unicode.Cf, // bidi controls, zero-width characters, tags, soft hyphen, byte order mark
		unicode.Zl, unicode.Zp,
		unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point)
}
